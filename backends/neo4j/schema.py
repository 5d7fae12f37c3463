"""What is declared in the database: one set of labels, keys and indexes for all namespaces, made once."""

import time
from collections.abc import Iterable
from typing import Final

from backends.neo4j.connection import Connection, Statements
from backends.ports.ids import check_name
from backends.ports.values import FieldSpec

NODE: Final = "EntrepotNode"
RECORD: Final = "EntrepotRecord"
INDEXING_TIMEOUT_S: Final = 120.0

WORDS_INDEX: Final = "entrepot_words"

_KEYS: Final = {
    "entrepot_node": "CREATE CONSTRAINT entrepot_node IF NOT EXISTS FOR (n:EntrepotNode) REQUIRE (n.ns, n.id) IS UNIQUE",
    "entrepot_edge": (
        "CREATE CONSTRAINT entrepot_edge IF NOT EXISTS FOR ()-[e:ENTREPOT_EDGE]-() REQUIRE (e.ns, e.id) IS UNIQUE"
    ),
    "entrepot_gone_edge": (
        "CREATE CONSTRAINT entrepot_gone_edge IF NOT EXISTS FOR (n:EntrepotGoneEdge) REQUIRE (n.ns, n.id) IS UNIQUE"
    ),
    "entrepot_record": (
        "CREATE CONSTRAINT entrepot_record IF NOT EXISTS FOR (n:EntrepotRecord) REQUIRE (n.ns, n.id) IS UNIQUE"
    ),
    "entrepot_note": "CREATE CONSTRAINT entrepot_note IF NOT EXISTS FOR (n:EntrepotNote) REQUIRE (n.ns, n.key) IS UNIQUE",
    "entrepot_space": "CREATE CONSTRAINT entrepot_space IF NOT EXISTS FOR (n:EntrepotSpace) REQUIRE n.ns IS UNIQUE",
    "entrepot_kind": "CREATE INDEX entrepot_kind IF NOT EXISTS FOR (n:EntrepotNode) ON (n.ns, n.kind, n.id)",
    # Words are made by us, one blank between two, so that a word is the same on either side and nothing is syntax.
    WORDS_INDEX: (
        "CREATE FULLTEXT INDEX entrepot_words IF NOT EXISTS FOR (n:EntrepotRecord) ON EACH [n.scope, n.words]"
        " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}"
    ),
}
_SORT_NODE: Final = "CREATE INDEX {index} IF NOT EXISTS FOR (n:EntrepotNode) ON (n.ns, n.kind, n.s_{field}, n.id)"
_SORT_RECORD: Final = "CREATE INDEX {index} IF NOT EXISTS FOR (n:EntrepotRecord) ON (n.ns, n.s_{field})"
_TEXT_NODE: Final = "CREATE TEXT INDEX {index} IF NOT EXISTS FOR (n:EntrepotNode) ON (n.t_{field})"
_ONLINE: Final = "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'entrepot_' AND state = 'ONLINE' RETURN name"
_AWAIT: Final = "UNWIND $v.names AS name CALL db.awaitIndex(name, $v.seconds) RETURN count(*)"
_LOOKED_EVERY_S: Final = 1.0


class Schema:
    """The keys and indexes that are known to be there; what is missing is made, by several processes at once if need be."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._online: set[str] = set()
        self._looked_at = -_LOOKED_EVERY_S

    async def open(self) -> None:
        """Make what every namespace needs."""
        await self._make(_KEYS)

    async def index_nodes(self, specs: Iterable[FieldSpec]) -> None:
        """Make the indexes of a kind's fields."""
        wanted: dict[str, str] = {}
        for spec in specs:
            field = check_name(spec.name, what="a field name")
            if spec.sort:
                wanted[f"entrepot_node_s_{field}"] = _SORT_NODE.format(index=f"entrepot_node_s_{field}", field=field)
            if spec.text:
                wanted[f"entrepot_node_t_{field}"] = _TEXT_NODE.format(index=f"entrepot_node_t_{field}", field=field)
        await self._make(wanted)

    async def index_records(self, specs: Iterable[FieldSpec]) -> None:
        """Make the indexes of a collection's fields."""
        names = [check_name(spec.name, what="a field name") for spec in specs if spec.sort]
        indexes = {f"entrepot_record_s_{field}": field for field in names}
        await self._make({name: _SORT_RECORD.format(index=name, field=field) for name, field in indexes.items()})

    async def begin(self, statement: str) -> None:
        """Have one more index made; it answers some time later."""
        await self._connection.run(statement, {}, str, timeout_s=INDEXING_TIMEOUT_S)

    async def is_online(self, name: str) -> bool:
        """Say whether an index answers, as of the last second."""
        # Most collections never have an index, and each search of one asks.
        if name not in self._online and time.monotonic() >= self._looked_at + _LOOKED_EVERY_S:
            await self._look()
        return name in self._online

    def forget(self, name: str) -> None:
        """Look again whether an index answers."""
        self._online.discard(name)

    async def drop(self, name: str) -> None:
        """Remove an index whose name is of our own making; repeatable."""
        self.forget(name)
        await self._connection.run(f"DROP INDEX {name} IF EXISTS", {}, str, timeout_s=INDEXING_TIMEOUT_S)

    async def _make(self, wanted: dict[str, str]) -> None:
        if wanted.keys() <= self._online:
            return
        await self._look()
        missing = [name for name in wanted if name not in self._online]
        if not missing:
            return

        async def create(statements: Statements) -> None:
            for name in missing:
                await statements.run(wanted[name], {}, str)

        # All at once: they are made beside one another, and what was planned is forgotten once.
        await self._connection.transaction(create, timeout_s=INDEXING_TIMEOUT_S)
        values = {"names": missing, "seconds": int(INDEXING_TIMEOUT_S)}
        await self._connection.run(_AWAIT, values, int, timeout_s=INDEXING_TIMEOUT_S)
        self._online.update(missing)

    async def _look(self) -> None:
        self._looked_at = time.monotonic()
        self._online.update(await self._connection.run(_ONLINE, {}, str))
