"""The streams and claims of the agent_graph toolset, and the ids in them."""

from functools import lru_cache

from backends.ports.events import StreamName
from backends.ports.text import shadow
from toolsets.sourcing.claims import Claims, digest_of

TOOLSET = "agent_graph"
ENTITIES = f"{TOOLSET}/entity/"
RELATIONSHIPS = f"{TOOLSET}/relationship/"
ADJACENCIES = f"{TOOLSET}/adjacency/"
NAMES = Claims(TOOLSET, "name")
"""Keys are (channel, type, shadow of the name)."""

_EDGE_DIGITS = 40
"""160 bits of the digest, so that two edges never share an id."""


def entity_stream(entity_id: str) -> StreamName:
    """Return the stream of an entity."""
    return StreamName(ENTITIES + entity_id)


def adjacency_stream(entity_id: str) -> StreamName:
    """Return the stream that lists the edges ever attached to an entity."""
    return StreamName(ADJACENCIES + entity_id)


def relationship_stream(relationship_id: str) -> StreamName:
    """Return the stream of an edge."""
    return StreamName(RELATIONSHIPS + relationship_id)


@lru_cache(maxsize=16_384)
def relationship_id(source_id: str, target_id: str, kind: str) -> str:
    """Return the id of the edge of a type between two entities; there is at most one."""
    return f"rel_{digest_of((source_id, target_id, kind))[:_EDGE_DIGITS]}"


def name_key(channel: str, kind: str, name: str) -> tuple[str, str, str]:
    """Return the key of a name claim, which at most one live entity has: channel, type and name, ignoring case."""
    return (channel, kind, shadow(name))
