"""Meta values kept with a store, per namespace. Declarations are kept the same way, under other keys."""

from typing import Final

from backends.engines.neo4j.connection import Connection

META: Final = "note/"
_GET: Final = "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) RETURN m.value"
_KEEP: Final = "MERGE (m:EntrepotNote {ns: $v.ns, key: $v.key}) ON CREATE SET m.value = $v.value RETURN m.value"
_SET: Final = "MERGE (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.value = $v.value RETURN m.value"
# Setting a property first takes the write lock before the value is compared.
_CHANGE: Final = (
    "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.turn = $v.value"
    " WITH m WHERE m.value = $v.before SET m.value = $v.value RETURN m.value"
)
_REMOVE: Final = (
    "MATCH (m:EntrepotNote {ns: $v.ns, key: $v.key}) SET m.turn = 0 WITH m WHERE m.value = $v.value DELETE m RETURN 0"
)


class Meta:
    """The meta values of one namespace."""

    def __init__(self, connection: Connection, ns: str) -> None:
        self._connection = connection
        self._ns = ns

    async def get(self, key: str) -> str | None:
        """Return a meta value, None if there is none."""
        return await self.read(META + key)

    async def set(self, key: str, value: str, *, if_absent: bool) -> str:
        """Store a meta value and return the value now in effect."""
        return await self.keep(META + key, value) if if_absent else await self._run(_SET, META + key, value)

    async def read(self, key: str) -> str | None:
        """Return the value of a full key, None if there is none."""
        found = await self._connection.run(_GET, {"ns": self._ns, "key": key}, str)
        return found[0] if found else None

    async def keep(self, key: str, value: str) -> str:
        """Store a value under a full key unless it has one; return the value now in effect."""
        return await self._run(_KEEP, key, value)

    async def change(self, key: str, before: str, value: str) -> bool:
        """Replace a value unless it has changed; return whether it was replaced."""
        values = self._values(key, value) | {"before": before}
        return bool(await self._connection.run(_CHANGE, values, str))

    async def remove(self, key: str, value: str) -> None:
        """Remove the value of a full key unless it has changed."""
        await self._connection.run(_REMOVE, self._values(key, value), int)

    async def _run(self, query: str, key: str, value: str) -> str:
        return (await self._connection.run(query, self._values(key, value), str))[0]

    def _values(self, key: str, value: str) -> dict[str, str]:
        return {"ns": self._ns, "key": key, "value": value}
