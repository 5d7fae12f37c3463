"""The declared kinds of a namespace: remembered by each process, looked up again when something does not fit."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends.declarations import check_kinds, dump_specs, merge_specs, parse_specs, stored_fields
from backends.neo4j.connection import Connection, Statements, pair
from backends.neo4j.notes import Notes
from backends.neo4j.properties import field_properties
from backends.neo4j.schema import Schema
from backends.ports.errors import InvalidInput
from backends.ports.fields import check_field_specs
from backends.ports.graph import KindSpec
from backends.ports.values import FieldSpec

Specs = Mapping[str, FieldSpec]
ResultT = TypeVar("ResultT")

# Writers lock the same node, and see the declaration that holds. What is set must not be made of what it was: the server
# would take one lock more, and give it back, so that whoever locks twice in a transaction is at a deadlock with all others.
LOCK: Final = "MERGE (s:EntrepotSpace {ns: $v.ns}) SET s.turn = 0"
_DECLARE: Final = (
    f"{LOCK} WITH s MERGE (m:EntrepotNote {{ns: $v.ns, key: $v.key}}) ON CREATE SET m.value = $v.value RETURN m.value"
)
_REPLACE: Final = "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.value = $v.value RETURN m.value"
_STORED: Final = (
    "MATCH (n:EntrepotNode) WHERE n.ns = $v.ns AND n.kind = $v.kind AND n.id > $v.after"
    " RETURN n.id, n.fields ORDER BY n.id LIMIT $v.limit"
)
_REARRANGE: Final = "UNWIND $v.rows AS r MATCH (n:EntrepotNode {ns: $v.ns, id: r.id}) SET n += r.set RETURN count(*)"
_REARRANGED_AT_ONCE: Final = 1_000


def kind_key(kind: str) -> str:
    """Return the key under which a kind's declaration is kept."""
    return f"kind/{kind}"


class Kinds:
    """The kinds of one namespace."""

    def __init__(self, connection: Connection, schema: Schema, ns: str) -> None:
        self._connection = connection
        self._schema = schema
        self._ns = ns
        self._notes = Notes(connection, ns)
        self._known: dict[str, Specs] = {}

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds. Raises `InvalidInput` and `Conflict`."""
        checked = check_kinds(kinds)
        unknown = {kind: wanted for kind, wanted in checked.items() if self._known.get(kind) != wanted}
        await self._schema.index_nodes(spec for wanted in unknown.values() for spec in wanted.values())
        for kind, wanted in unknown.items():
            self._known[kind] = await self._connection.transaction(
                lambda statements, kind=kind, wanted=wanted: self._declare(statements, kind, wanted)
            )

    async def checked(self, kinds: Collection[str], use: Callable[[Mapping[str, Specs]], ResultT]) -> ResultT:
        """Return what `use` makes of the declarations of `kinds`, looked up again if it refuses those remembered.

        Raises `InvalidInput` for an undeclared kind, and what `use` raises.
        """
        remembered = {kind: self._known[kind] for kind in kinds if kind in self._known}
        if len(remembered) == len(kinds):
            try:
                return use(remembered)
            except InvalidInput:
                pass
        return use({kind: await self._look_up(kind) for kind in kinds})

    def forget(self) -> None:
        """Remember nothing."""
        self._known.clear()

    async def _look_up(self, kind: str) -> Specs:
        found = await self._notes.read(kind_key(kind))
        if found is None:
            self._known.pop(kind, None)
            raise InvalidInput(f"no kind {kind!r:.60} is declared in this graph")
        self._known[kind] = _parse(found)
        return self._known[kind]

    async def _declare(self, statements: Statements, kind: str, wanted: Specs) -> Specs:
        values = {"ns": self._ns, "key": kind_key(kind)}
        before = (await statements.run(_DECLARE, values | {"value": dump_specs(wanted)}, str))[0]
        known = _parse(before)
        merged = {spec.name: spec for spec in merge_specs(known, wanted, owner=f"kind {kind!r}")}
        check_field_specs(list(merged.values()), owner=f"kind {kind!r}")
        if merged != known:
            await statements.run(_REPLACE, values | {"value": dump_specs(merged)}, str)
            await self._rearrange(statements, kind, merged)
        return merged

    async def _rearrange(self, statements: Statements, kind: str, specs: Specs) -> None:
        """Give stored nodes the properties that the flags of their fields ask for now."""
        after = ""
        while True:
            values = {"ns": self._ns, "kind": kind, "after": after, "limit": _REARRANGED_AT_ONCE}
            stored = await statements.run(_STORED, values, pair)
            rows = [
                {"id": key, "set": field_properties(stored_fields(fields), specs, owner=f"kind {kind!r}")}
                for key, fields in stored
            ]
            if not rows:
                return
            await statements.run(_REARRANGE, {"ns": self._ns, "rows": rows}, int)
            after = stored[-1][0]


def _parse(text: str) -> Specs:
    return {spec.name: spec for spec in parse_specs(text)}
