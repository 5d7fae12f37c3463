"""Entries of the catalog as they are parsed from nodes."""

from backends.ports.graph import Node
from backends.ports.values import Fields, Json, NodeId, Revision
from toolsets.concept_rag.entries import category_fact, document_entry, mention_entry, visual_entry


def node(kind: str, fields: Fields, props: dict[str, Json]) -> Node:
    return Node(NodeId("n1"), kind, fields, Revision(4), props)


def test_a_document_has_its_texts_and_what_is_searched() -> None:
    entry = document_entry(
        node(
            "document",
            {"catalog": 7, "title": "Relays", "token": "t", "chunks": 3, "categories": ("1", "2")},
            {"summary": "On relays.", "primary": ["relay"], "related": ["coil"], "categories": ["Electronics"]},
        )
    )
    assert (entry.catalog_id, entry.rev, entry.chunks, entry.category_ids) == (7, 4, 3, (1, 2))
    assert (entry.author, entry.year) == ("", "")
    assert entry.searched == "Relays\nOn relays.\nrelay, coil\nElectronics"
    assert entry.bytes > 1_000


def test_a_mention_has_its_pages_and_related_concepts() -> None:
    entry = mention_entry(
        node(
            "mention",
            {"catalog": 7, "concept": 9, "name": "relay", "role": "primary", "score": 0.5, "chunks": 2},
            {"pages": [1, 4], "related": [{"id": 8, "name": "coil", "score": 1}]},
        )
    )
    assert (entry.role, entry.pages, entry.related) == ("primary", (1, 4), ((8, "coil", 1.0),))
    bare = mention_entry(node("mention", {"catalog": 7, "concept": 9, "name": "relay"}, {}))
    assert (bare.role, bare.score, bare.chunks, bare.pages, bare.related) == ("related", 0.0, 0, (), ())


def test_a_membership_has_the_category_as_it_was_recorded() -> None:
    fact = category_fact(
        node("membership", {"category": 5, "name": "Ice"}, {"description": "On ice.", "path": ["Earth", "Ice"]})
    )
    assert (fact.id, fact.name, fact.description, fact.path) == (5, "Ice", "On ice.", ("Earth", "Ice"))


def test_a_visual_has_its_file_and_concepts() -> None:
    entry = visual_entry(
        node(
            "visual",
            {"visual": 6, "catalog": 7, "type": "chart", "page": 2, "file": "00", "concepts": ("8", "9")},
            {"description": "A chart"},
        )
    )
    assert (entry.id, entry.type, entry.page, entry.file, entry.concepts) == (6, "chart", 2, "00", (8, 9))
    assert entry.description == "A chart"
