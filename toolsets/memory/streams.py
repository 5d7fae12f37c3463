"""Where the memory toolset keeps things: the list of databases, and the streams and ids of each of them."""

from dataclasses import dataclass

from backends.ports.events import StreamName
from toolsets.sourcing.claims import digest_of

TOOLSET = "memory"
DATABASES = f"{TOOLSET}/databases/"
"""The streams of the list itself; no database's key is this word."""


def database_stream(name: str) -> StreamName:
    """Return the stream that tells what became of a name."""
    return StreamName(DATABASES + digest_of((name,)))


@dataclass(frozen=True, slots=True)
class Space:
    """The part of log and stores that one database has to itself, by its key: 24 hexadecimal digits drawn by chance."""

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
        """Return the stream of the entity of a name: named after it, so that the stream itself is the claim to the name."""
        return StreamName(self.entities + entity_id(name))

    def relationship(self, source: str, kind: str, target: str) -> StreamName:
        """Return the stream of the edge of a type between two names."""
        return StreamName(self.relationships + digest_of((source, kind, target)))

    def type(self, kind: str) -> StreamName:
        """Return the stream of a type of relationship."""
        return StreamName(self.types + type_token(kind))


def entity_id(name: str) -> str:
    """Return the id of the entity of a name; equal ones differ in not one code point."""
    return digest_of((name,))


def type_token(kind: str) -> str:
    """Return what stands for a type of relationship in the graph, where types are identifiers and not any text."""
    return f"t{digest_of((kind,))[:32]}"
