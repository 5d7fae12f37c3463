"""Verification: every row can be read and found by its key, its copies agree, and a copy of the file can be written.

Some damage shows only on writing, so the copy is written as a rebuild would write it.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from backends.engines.kuzu import schema
from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import Row, Session
from backends.engines.kuzu.errors import COMPANIONS
from backends.engines.kuzu.graph import KuzuGraph
from backends.engines.kuzu.kinds import Kinds
from backends.engines.kuzu.rows import integer, key_of, number, text
from backends.kit.declarations import parse_fields
from backends.kit.records import parse_props
from backends.kit.scratch_copy import DamageFound, scratch_copy
from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, FieldSpec, Namespace, NodeId, Revision

AT_ONCE: Final = 1_000
"""How many table offsets one statement reads; each statement scans the table."""
_PLACES: Final = "MATCH (x:{table}) RETURN max(offset(id(x)))"
_WITHIN: Final = "offset(id(x)) >= $first AND offset(id(x)) < $beyond"
_COLUMNS: Final = [declared.split()[0] for declared in schema.slot_columns()]
_NODES: Final = (
    f"MATCH (x:Node) WHERE {_WITHIN} RETURN x.key, x.ns, x.id, x.dead, x.rev, x.props, x.kind, x.fields,"
    f" {', '.join(f'x.{name}' for name in _COLUMNS)}"
)
_EDGES: Final = (
    f"MATCH (x:Edge) WHERE {_WITHIN} RETURN x.key, x.ns, x.id, x.dead, x.rev, x.props, x.source, x.target, x.type,"
    " x.confidence"
)
_LINKS: Final = {
    "out": f"MATCH (x:Node)-[e:Link]->(y:Node) WHERE {_WITHIN} RETURN x.ns, e.id, x.id, y.id, e.rev, e.props, e.type,"
    " e.confidence, e.source = x.id AND y.ns = x.ns AND e.hidden = (x.dead OR y.dead)",
    "in": f"MATCH (x:Node)<-[e:Link]-(y:Node) WHERE {_WITHIN} RETURN x.ns, e.id, y.id, x.id, e.rev, e.props, e.type,"
    " e.confidence, e.source = y.id AND y.ns = x.ns AND e.hidden = (x.dead OR y.dead)",
}
_BY_KEY: Final = {table: f"MATCH (x:{table} {{key: $key}}) RETURN x.id" for table in ("Node", "Edge")}

_TRIAL: Final = Namespace("trial")
_THING: Final = KindSpec("thing", (FieldSpec("name", "str", sort=True, text=True), FieldSpec("tags", "strs")))
_ENDS: Final = tuple(
    Node(NodeId(name), "thing", {"name": name, "tags": (name,)}, Revision(1), {"name": name}) for name in ("a", "b")
)
_EDGE: Final = Edge(EdgeId("e"), NodeId("a"), NodeId("b"), "t", Revision(1))


async def verify(database: DatabaseFile, kinds: Kinds) -> None:
    """Read every row. Raises `DamageFound`, the store's errors, and `ValueError` for a malformed value."""
    nodes, edges = await database.read_for_verify(lambda session: (_places(session, "Node"), _places(session, "Edge")))
    for first in range(0, nodes, AT_ONCE):
        await database.read_for_verify(lambda session, first=first: _check_nodes(session, kinds, first))
    stored = 0
    for first in range(0, edges, AT_ONCE):
        stored += await database.read_for_verify(lambda session, first=first: _edges(session, first))
    for side in _LINKS:
        linked = 0
        for first in range(0, nodes, AT_ONCE):
            linked += await database.read_for_verify(
                lambda session, side=side, first=first: _links(session, side, first)
            )
        if linked != stored:
            raise DamageFound(f"the links that lead {side} of nodes are not those of its edges")


def _places(session: Session, table: str) -> int:
    [[last]] = session.run(_PLACES.format(table=table))
    return 0 if last is None else integer(last) + 1


def _check_nodes(session: Session, kinds: Kinds, first: int) -> None:
    for space, identifier, dead, row in _records(session, "Node", _NODES, first):
        kind, fields, *cells = row
        if not dead:
            declared = kinds.declared(space, str(kind)).cells(parse_fields(str(fields)))
            held = dict(zip(_COLUMNS, cells, strict=True))
            # Missing lists become empty ones in a statement for several rows, some of which have lists.
            held["lists"] = held["lists"] or None
            if any(held[name] != value for name, value in declared.items()):
                raise DamageFound(f"the columns of node {identifier} are not its fields")


def _edges(session: Session, first: int) -> int:
    """Return a checksum of live edges that does not depend on their order."""
    return sum(
        hash((space, identifier, *row))
        for space, identifier, dead, row in _records(session, "Edge", _EDGES, first)
        if not dead
    )


def _records(session: Session, table: str, query: str, first: int) -> Iterator[tuple[Namespace, str, bool, Row]]:
    """Yield the namespace, id, state and remaining columns of each record; for edges with revision and props."""
    for key, space, identifier, dead, rev, props, *own in session.run(query, _within(first)):
        found = session.run(_BY_KEY[table], {"key": key})
        if key != key_of(namespace(str(space)), str(identifier)) or found != [[identifier]]:
            raise DamageFound(f"a key does not find its {table.lower()}")
        if not isinstance(dead, bool) or integer(rev) < 1:
            raise DamageFound(f"{table.lower()} {identifier} has no revision")
        parse_props(text(props))
        yield namespace(str(space)), str(identifier), dead, own if table == "Node" else [*own, rev, props]


def _links(session: Session, side: str, first: int) -> int:
    """Return the same checksum over the links on one side of some nodes."""
    total = 0
    for space, identifier, source, target, rev, props, kind, confidence, fits in session.run(
        _LINKS[side], _within(first)
    ):
        if fits is not True:
            raise DamageFound(f"the link of edge {identifier} is not between its nodes")
        total += hash((space, identifier, source, target, kind, number(confidence), rev, props))
    return total


def _within(first: int) -> dict[str, int]:
    return {"first": first, "beyond": first + AT_ONCE}


async def probe_writes(database: DatabaseFile) -> None:
    """Create a graph, remove every graph, and create one again, in a copy. Raises what these calls raise."""
    async with scratch_copy(database.path, _copy) as path:
        kinds = Kinds()
        copy = DatabaseFile(path, database.settings)
        copy.open()
        await copy.write(kinds.load)
        await _write(copy, kinds)
        for space in await copy.read(_namespaces):
            await KuzuGraph(copy, kinds, space).drop()
        await copy.checkpoint()
        await _write(copy, kinds)
        copy.close()


def _copy(path: Path, copy: Path) -> None:
    """Copy a file, and those that belong to it, as they are on disk."""
    for suffix in ("", *COMPANIONS):
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")


async def _write(copy: DatabaseFile, kinds: Kinds) -> None:
    graph = KuzuGraph(copy, kinds, _TRIAL)
    await graph.ensure([_THING])
    await graph.apply(GraphBatch(nodes=_ENDS, edges=(_EDGE,)))
    await copy.checkpoint()


def _namespaces(session: Session) -> list[Namespace]:
    tables = ("Kind", "Note", "Node", "Edge")
    rows = [row for table in tables for row in session.run(f"MATCH (x:{table}) RETURN DISTINCT x.ns")]
    return sorted({Namespace(str(space)) for [space] in rows} - {Namespace("")})
