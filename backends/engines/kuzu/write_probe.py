"""Writes to a copy of the file as a rebuild would: some damage shows only on writing."""

import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from backends.engines.kuzu.connection import Database
from backends.engines.kuzu.driver import Session
from backends.engines.kuzu.errors import COMPANIONS
from backends.engines.kuzu.graph import KuzuGraph
from backends.engines.kuzu.kinds import Kinds
from backends.ports.errors import Unavailable
from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, Namespace, NodeId, Revision

_TRIAL: Final = Namespace("trial")
_THING: Final = KindSpec("thing", (FieldSpec("name", "str", sort=True, text=True), FieldSpec("tags", "strs")))
_ENDS: Final = tuple(
    Node(NodeId(name), "thing", {"name": name, "tags": (name,)}, Revision(1), {"name": name}) for name in ("a", "b")
)
_EDGE: Final = Edge(EdgeId("e"), NodeId("a"), NodeId("b"), "t", Revision(1))


async def probe_writes(database: Database) -> None:
    """Create a graph, remove every graph, and create one again, in a copy. Raises what these calls raise."""
    with TemporaryDirectory() as folder:
        kinds = Kinds()
        copy = _copied(database, Path(folder))
        copy.open()
        await copy.write(kinds.load)
        await _write(copy, kinds)
        for space in await copy.read(_namespaces):
            await KuzuGraph(copy, kinds, space).drop()
        await copy.checkpoint()
        await _write(copy, kinds)
        copy.close()


def _copied(database: Database, folder: Path) -> Database:
    """Return a copy of a file as it is on disk, not opened yet. Raises `Unavailable`."""
    path, copy = database.path, folder / database.path.name
    try:
        for suffix in ("", *COMPANIONS):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    except OSError as error:
        raise Unavailable(f"{path} cannot be copied, to be written to: {error.strerror or error}") from error
    return Database(copy, database.settings)


async def _write(copy: Database, kinds: Kinds) -> None:
    graph = KuzuGraph(copy, kinds, _TRIAL)
    await graph.ensure([_THING])
    await graph.apply(GraphBatch(nodes=_ENDS, edges=(_EDGE,)))
    await copy.checkpoint()


def _namespaces(session: Session) -> list[Namespace]:
    tables = ("Kind", "Note", "Node", "Edge")
    rows = [row for table in tables for row in session.run(f"MATCH (x:{table}) RETURN DISTINCT x.ns")]
    return sorted({Namespace(str(space)) for [space] in rows} - {Namespace("")})
