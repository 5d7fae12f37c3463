"""Names used by the concept_rag toolset in its stores: streams, claims, and ids of nodes and records."""

from backends.ports.events import StreamName
from backends.ports.values import NodeId, RecordId
from toolsets.sourcing.claims import Claims, digest_of

TOOLSET = "concept_rag"
DOCUMENTS = f"{TOOLSET}/document/"
CONCEPTS = f"{TOOLSET}/concept/"
PARTS = f"{TOOLSET}/part/"
VERSIONS = f"{TOOLSET}/version/"
FILES = f"{TOOLSET}/file/"
PATHS = Claims(TOOLSET, "path")
"""Keys are (path,); the holder is a catalog id in decimal."""
CONTENTS = Claims(TOOLSET, "content")
"""Keys are (SHA-256 of the file's bytes,); the holder is a catalog id in decimal."""


def document_stream(catalog_id: int) -> StreamName:
    """Return the stream of a document."""
    return StreamName(DOCUMENTS + document_node(catalog_id))


def concept_stream(concept_id: int) -> StreamName:
    """Return the stream of a concept."""
    return StreamName(CONCEPTS + concept_node(concept_id))


def part_stream(token: str, number: int) -> StreamName:
    """Return the stream of a part of a version; `number` starts at 0."""
    return StreamName(f"{PARTS}{token}-{number}")


def version_stream(token: str) -> StreamName:
    """Return the stream of a version of a document's content."""
    return StreamName(VERSIONS + token)


def file_stream(path: str) -> StreamName:
    """Return the stream of a file that could not be ingested."""
    return StreamName(FILES + digest_of((path,)))


def document_node(catalog_id: int) -> NodeId:
    """Return the id of a document's node, which is also the id of its passage in the collection `catalog`."""
    return NodeId(f"d{catalog_id}")


def concept_node(concept_id: int) -> NodeId:
    """Return the id of a concept's node, which is also the id of its passage in the collection `concepts`."""
    return NodeId(f"c{concept_id}")


def number_in(id_: str) -> int:
    """Return the number of the document or concept whose node or passage has this id."""
    return int(id_[1:])


def mention_node(catalog_id: int, concept_id: int) -> NodeId:
    """Return the id of the node for a document's mention of a concept."""
    return NodeId(f"m{catalog_id}.{concept_id}")


def membership_node(catalog_id: int, category_id: int) -> NodeId:
    """Return the id of the node for a document's membership in a category."""
    return NodeId(f"k{catalog_id}.{category_id}")


def visual_node(visual_id: int) -> NodeId:
    """Return the id of a visual's node."""
    return NodeId(f"v{visual_id}")


def chunk_record(token: str, part: int, place: int) -> RecordId:
    """Return the id of a chunk in the collection `chunks`; the first chunk of a part is its anchor."""
    return RecordId(f"{token}-{part}" if place == 0 else f"{token}-{part}.{place}")
