"""The declared kinds of a namespace, cached by each process and read again when a call does not fit them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends.engines.neo4j.connection import Connection, Statements, pair
from backends.engines.neo4j.meta import Meta
from backends.engines.neo4j.properties import field_properties
from backends.engines.neo4j.schema import DatabaseSchema
from backends.kit.declaration_cache import DeclarationCache
from backends.kit.declarations import (
    dump_specs,
    merge_specs,
    parse_fields,
    parse_specs,
    specs_by_kind,
    specs_by_name,
    undeclared_kind,
)
from backends.ports.errors import InvalidInput
from backends.ports.graph import KindSpec
from backends.ports.values import FieldSpec

Specs = Mapping[str, FieldSpec]
ResultT = TypeVar("ResultT")

# Writers of a namespace lock this node, so they see the current declarations. The new value must not depend on the old
# one: the server would take and release an extra lock, and locking twice in a transaction would deadlock with others.
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
"""Nodes of one statement; their fields are in memory here and in the server."""


def kind_key(kind: str) -> str:
    """Return the key of a kind's declaration."""
    return f"kind/{kind}"


class Kinds:
    """The kinds of one namespace."""

    def __init__(self, connection: Connection, schema: DatabaseSchema, ns: str) -> None:
        self._connection = connection
        self._schema = schema
        self._ns = ns
        self._meta = Meta(connection, ns)
        self._known = DeclarationCache(self._look_up)

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds, also those that were lost since with the contents. Raises `InvalidInput` and `Conflict`."""
        declared = specs_by_kind(kinds)
        unknown = {kind: wanted for kind, wanted in declared.items() if not await self._is_stored(kind, wanted)}
        await self._schema.index_nodes(spec for wanted in unknown.values() for spec in wanted.values())
        for kind, wanted in unknown.items():
            declared = await self._connection.transaction(
                lambda statements, kind=kind, wanted=wanted: self._declare(statements, kind, wanted)
            )
            self._known.hold(kind, declared)

    async def checked(self, kinds: Collection[str], use: Callable[[Mapping[str, Specs]], ResultT]) -> ResultT:
        """Return what `use` returns for the declarations of `kinds`, read again if it refuses the cached ones.

        Raises `InvalidInput` for an undeclared kind, and what `use` raises.
        """
        held = {kind: known for kind in kinds if (known := self._known.known(kind)) is not None}
        if len(held) == len(kinds):
            try:
                return use(held)
            except InvalidInput:
                pass
        return use({kind: await self._known.refresh(kind) for kind in kinds})

    def forget(self) -> None:
        """Clear the cache."""
        self._known.clear()

    async def _is_stored(self, kind: str, wanted: Specs) -> bool:
        """Return whether a kind was declared like this, and still is: another client may have emptied the database."""
        if self._known.known(kind) != wanted:
            return False
        stored = await self._meta.read(kind_key(kind))
        return stored is not None and _parse(stored) == wanted

    async def _look_up(self, kind: str) -> Specs:
        if (found := await self._meta.read(kind_key(kind))) is None:
            raise undeclared_kind(kind)
        return _parse(found)

    async def _declare(self, statements: Statements, kind: str, wanted: Specs) -> Specs:
        values = {"ns": self._ns, "key": kind_key(kind)}
        before = (await statements.run(_DECLARE, values | {"value": dump_specs(wanted)}, str))[0]
        known = _parse(before)
        merged = specs_by_name(merge_specs(known, wanted, owner=f"kind {kind!r}"))
        if merged != known:
            await statements.run(_REPLACE, values | {"value": dump_specs(merged)}, str)
            await self._rearrange(statements, kind, merged)
        return merged

    async def _rearrange(self, statements: Statements, kind: str, specs: Specs) -> None:
        """Give stored nodes the properties that their fields' flags require now."""
        after = ""
        while True:
            values = {"ns": self._ns, "kind": kind, "after": after, "limit": _REARRANGED_AT_ONCE}
            stored = await statements.run(_STORED, values, pair)
            rows = [
                {"id": key, "set": field_properties(parse_fields(fields), specs, owner=f"kind {kind!r}")}
                for key, fields in stored
            ]
            if not rows:
                return
            await statements.run(_REARRANGE, {"ns": self._ns, "rows": rows}, int)
            after = stored[-1][0]


def _parse(text: str) -> Specs:
    return {spec.name: spec for spec in parse_specs(text)}
