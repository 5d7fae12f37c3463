"""A file is changed throughout, as a rebuild does: some damage is met by nothing that only reads."""

from typing import Final

from backends.kuzu.database import Database
from backends.kuzu.driver import Session
from backends.kuzu.kinds import Kinds
from backends.kuzu.store import KuzuGraph
from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, Namespace, NodeId, Revision

_TRIAL: Final = Namespace("trial")
_THING: Final = KindSpec("thing", (FieldSpec("name", "str", sort=True, text=True), FieldSpec("tags", "strs")))
_ENDS: Final = tuple(
    Node(NodeId(name), "thing", {"name": name, "tags": (name,)}, Revision(1), {"name": name}) for name in ("a", "b")
)
_EDGE: Final = Edge(EdgeId("e"), NodeId("a"), NodeId("b"), "t", Revision(1))


async def try_writing(copy: Database) -> None:
    """Make a graph, remove all that there are, and make it again in a file that nobody needs. Raises what that raises."""
    kinds = Kinds()
    copy.open()
    await copy.write(kinds.load)
    await _write(copy, kinds)
    for space in await copy.read(_namespaces):
        await KuzuGraph(copy, kinds, space).drop()
    await copy.fold()
    await _write(copy, kinds)
    copy.close()


async def _write(copy: Database, kinds: Kinds) -> None:
    graph = KuzuGraph(copy, kinds, _TRIAL)
    await graph.ensure([_THING])
    await graph.apply(GraphBatch(nodes=_ENDS, edges=(_EDGE,)))
    await copy.fold()


def _namespaces(session: Session) -> list[Namespace]:
    tables = ("Kind", "Note", "Node", "Edge")
    rows = [row for table in tables for row in session.run(f"MATCH (x:{table}) RETURN DISTINCT x.ns")]
    return sorted({Namespace(str(space)) for [space] in rows} - {Namespace("")})
