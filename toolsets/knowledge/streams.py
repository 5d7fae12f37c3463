"""The streams and claims of the knowledge toolset, and the ids derived from them."""

from backends.ports.events import StreamName
from toolsets.sourcing.claims import Claims, digest_of

TOOLSET = "knowledge"
CONCEPTS = f"{TOOLSET}/concept/"
RELATIONSHIPS = f"{TOOLSET}/relationship/"
NAMES = Claims(TOOLSET, "name")
"""Keys are (name, area, topic), with None for a missing level."""


def concept_stream(concept_id: str) -> StreamName:
    """Return the stream of a concept."""
    return StreamName(CONCEPTS + concept_id)


def relationship_key(source_id: str, target_id: str, edge_type: str) -> str:
    """Return the key of an edge, derived from ends and type."""
    return digest_of((source_id, target_id, edge_type))


def relationship_stream(key: str) -> StreamName:
    """Return the stream of an edge."""
    return StreamName(RELATIONSHIPS + key)


def relationship_id(key: str) -> str:
    """Return the public id of an edge: `rel-` and 12 hex digits."""
    return f"rel-{key[:12]}"
