"""Verification of every row: it can be read, its key finds it, and its copies agree."""

from collections.abc import Iterator
from typing import Final

from backends.engines.kuzu import schema
from backends.engines.kuzu.connection import Database
from backends.engines.kuzu.driver import Row, Session
from backends.engines.kuzu.kinds import Kinds
from backends.engines.kuzu.rows import integer, key_of, number, text
from backends.kit.declarations import stored_fields
from backends.kit.records import parse_props
from backends.ports.ids import namespace
from backends.ports.values import Namespace

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


class DamageFound(Exception):
    """Parts of the file contradict each other. The message names them."""


async def verify(database: Database, kinds: Kinds) -> None:
    """Read every row. Raises `DamageFound`, the store's errors, and `ValueError` for a malformed value."""
    nodes, edges = await database.look(lambda session: (_places(session, "Node"), _places(session, "Edge")))
    for first in range(0, nodes, AT_ONCE):
        await database.look(lambda session, first=first: _check_nodes(session, kinds, first))
    stored = 0
    for first in range(0, edges, AT_ONCE):
        stored += await database.look(lambda session, first=first: _edges(session, first))
    for side in _LINKS:
        linked = 0
        for first in range(0, nodes, AT_ONCE):
            linked += await database.look(lambda session, side=side, first=first: _links(session, side, first))
        if linked != stored:
            raise DamageFound(f"the links that lead {side} of nodes are not those of its edges")


def _places(session: Session, table: str) -> int:
    [[last]] = session.run(_PLACES.format(table=table))
    return 0 if last is None else integer(last) + 1


def _check_nodes(session: Session, kinds: Kinds, first: int) -> None:
    for space, identifier, dead, row in _records(session, "Node", _NODES, first):
        kind, fields, *cells = row
        if not dead:
            declared = kinds.declared(space, str(kind)).cells(stored_fields(str(fields)))
            held = dict(zip(_COLUMNS, cells, strict=True))
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
