"""Notes kept with a store, per namespace; declarations are kept the same way, under keys of their own."""

from typing import Final

from backends.neo4j.connection import Connection
from backends.ports.ids import check_id
from backends.ports.text import check_text

NOTE: Final = "note/"
_GET: Final = "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) RETURN m.value"
_KEEP: Final = "MERGE (m:EntrepotNote {ns: $v.ns, key: $v.key}) ON CREATE SET m.value = $v.value RETURN m.value"
_SET: Final = "MERGE (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.value = $v.value RETURN m.value"
# The write lock is taken before the value is looked at.
_CHANGE: Final = (
    "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.turn = $v.value"
    " WITH m WHERE m.value = $v.before SET m.value = $v.value RETURN m.value"
)
_REMOVE: Final = (
    "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.turn = 0 WITH m WHERE m.value = $v.value DELETE m RETURN 0"
)


class Notes:
    """The notes of one namespace."""

    def __init__(self, connection: Connection, ns: str) -> None:
        self._connection = connection
        self._ns = ns

    async def get(self, key: str) -> str | None:
        """Return a note."""
        return await self.read(NOTE + check_id(key, what="a note's key"))

    async def set(self, key: str, value: str, *, if_absent: bool) -> str:
        """Keep a note and return the value that holds now."""
        check_id(key, what="a note's key")
        check_text(value, what="a note")
        return await self.keep(NOTE + key, value) if if_absent else await self._run(_SET, NOTE + key, value)

    async def read(self, key: str) -> str | None:
        """Return what is kept under a whole key."""
        found = await self._connection.run(_GET, {"ns": self._ns, "key": key}, str)
        return found[0] if found else None

    async def keep(self, key: str, value: str) -> str:
        """Keep a value under a whole key unless there is one; return the one that holds."""
        return await self._run(_KEEP, key, value)

    async def change(self, key: str, before: str, value: str) -> bool:
        """Replace a value unless somebody else did; say whether."""
        values = self._values(key, value) | {"before": before}
        return bool(await self._connection.run(_CHANGE, values, str))

    async def remove(self, key: str, value: str) -> None:
        """Remove what is kept under a whole key, unless it is another value by now."""
        await self._connection.run(_REMOVE, self._values(key, value), int)

    async def _run(self, query: str, key: str, value: str) -> str:
        return (await self._connection.run(query, self._values(key, value), str))[0]

    def _values(self, key: str, value: str) -> dict[str, str]:
        return {"ns": self._ns, "key": key, "value": value}
