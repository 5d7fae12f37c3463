"""What tests of reading ask of an extraction."""

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.model import ENTITY_TYPES, RELATION_TYPES, Extraction
from toolsets.agent_graph.extraction.rules import read

MIGRATION = "Sarah Chen from Google is leading the TensorFlow migration project. The team uses Python and Docker."


def facts(text: str) -> list[tuple[str, str, str]]:
    return [(relation.source, relation.type, relation.target) for relation in read(text).relations]


def names(text: str) -> list[tuple[str, str]]:
    return [(entity.name, entity.type) for entity in read(text).entities]


def assert_sound(found: Extraction) -> None:
    """Hold an extraction to what its types promise."""
    all_names = [shadow(name) for entity in found.entities for name in (entity.name, *entity.aliases)]
    assert len(all_names) == len(set(all_names))
    known = {entity.name for entity in found.entities}
    assert all(entity.type in ENTITY_TYPES and 0 < entity.confidence <= 1 for entity in found.entities)
    triples = [(relation.source, relation.type, relation.target) for relation in found.relations]
    assert len(triples) == len(set(triples))
    for relation in found.relations:
        assert relation.type in RELATION_TYPES
        assert relation.source != relation.target
        assert {relation.source, relation.target} <= known
        assert 0 < relation.confidence <= 1
