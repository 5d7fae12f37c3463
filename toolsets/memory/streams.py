"""The streams of the memory toolset: those of the list of databases, and those of each database."""

from dataclasses import dataclass
from functools import lru_cache

from backends.ports.events import StreamName
from toolsets.sourcing.claims import digest_of

TOOLSET = "memory"
DATABASES = f"{TOOLSET}/databases/"
"""The prefix of the streams of the list itself; no database has this key."""


def database_stream(name: str) -> StreamName:
    """Return the stream of all databases of this name, past and present."""
    return StreamName(DATABASES + digest_of((name,)))


@dataclass(frozen=True, slots=True)
class Keyspace:
    """The streams of one database, which share a key of 24 random hexadecimal digits."""

    key: str

    @property
    def prefix(self) -> str:
        """The prefix of all its streams."""
        return f"{TOOLSET}/{self.key}/"

    @property
    def entities(self) -> str:
        """The prefix of its entities' streams."""
        return f"{self.prefix}entity/"

    @property
    def relationships(self) -> str:
        """The prefix of its relationships' streams."""
        return f"{self.prefix}relationship/"

    @property
    def types(self) -> str:
        """The prefix of the streams of relationship types."""
        return f"{self.prefix}type/"

    def entity(self, name: str) -> StreamName:
        """Return the stream of an entity; it is derived from the entity's name, which is therefore unique."""
        return StreamName(self.entities + entity_id(name))

    def relationship(self, source: str, kind: str, target: str) -> StreamName:
        """Return the stream of the edge of a type between two names."""
        return StreamName(self.relationships + digest_of((source, kind, target)))

    def type(self, kind: str) -> StreamName:
        """Return the stream of a type of relationship."""
        return StreamName(self.types + type_token(kind))


@lru_cache(maxsize=1_024)
def entity_id(name: str) -> str:
    """Return the id of an entity; names are compared by code points."""
    return digest_of((name,))


@lru_cache(maxsize=1_024)
def type_token(kind: str) -> str:
    """Return the identifier of a relationship type in the graph, where a type cannot be an arbitrary text."""
    return f"t{digest_of((kind,))[:32]}"
