"""Texts of every kind are stored unchanged and found again."""

import pytest

from backends.ports.text import shadow
from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS
from contracts.promises import promise
from contracts.tools.knowledge.client import KnowledgeClient
from contracts.tools.knowledge.replies import Neighbours, SemanticHits, WriteReply

STORABLE = [text for text in HOSTILE_TEXTS if text.strip() and len(text) <= 100]


@promise("knowledge:texts:unchanged", "knowledge:texts:found")
async def test_hostile_texts_come_back_unchanged_and_are_found_by_name(client: KnowledgeClient) -> None:
    """They occur in the name, the explanation and every level."""
    ids = [await client.file(text, text, topic=text, subtopic=text, certainty_score=50) for text in STORABLE]
    for concept_id, text in zip(ids, STORABLE, strict=True):
        got = await client.read(concept_id, include_history=True)
        assert (got.name, got.explanation, got.topic, got.subtopic) == (text, text, text, text)
        assert [entry.explanation for entry in got.explanation_history or []] == [text]
        found = {row.concept_id for row in await client.exact(name=text, limit=100)}
        assert found == {other for other, name in zip(ids, STORABLE, strict=True) if shadow(text) in shadow(name)}
        [row] = await client.exact(topic=text, subtopic=text)
        assert (row.concept_id, row.name) == (concept_id, text)


@promise("knowledge:texts:unchanged")
async def test_a_hostile_area_is_a_place_like_any_other(client: KnowledgeClient) -> None:
    """It works as a filter like any other."""
    for text in STORABLE[:6]:
        area = f"{client.area} {text}"[:100]
        concept_id = await client.file("here", area=area)
        assert [row.concept_id for row in await client.exact(area=area)] == [concept_id]
        hits = await client.connection.ask(SemanticHits, "search_concepts_semantic", query=text, area=area)
        assert [hit.concept_id for hit in hits.results] == [concept_id]


@promise("knowledge:texts:twins")
@pytest.mark.parametrize(("nfc", "nfd"), TWINS)
async def test_two_forms_of_one_name_are_two_names_and_either_finds_both(
    client: KnowledgeClient, nfc: str, nfd: str
) -> None:
    """Names are stored as given, and either form finds both."""
    composed, decomposed = await client.file(nfc), await client.file(nfd)
    assert ((await client.read(composed)).name, (await client.read(decomposed)).name) == (nfc, nfd)
    for needle in (nfc, nfd, nfc.upper()):
        assert {row.concept_id for row in await client.exact(name=needle)} == {composed, decomposed}


@promise("knowledge:texts:long")
async def test_an_explanation_of_64_kilobytes_is_kept_whole(client: KnowledgeClient) -> None:
    """Its concept can be found, changed and deleted like any other."""
    concept_id = await client.file("long", LONG)
    assert (await client.read(concept_id)).explanation == LONG
    hits = await client.connection.ask(SemanticHits, "search_concepts_semantic", query=LONG[:500], area=client.area)
    assert [hit.concept_id for hit in hits.results] == [concept_id]
    await client.connection.ask(WriteReply, "delete_concept", concept_id=concept_id)


@promise("knowledge:texts:notes")
async def test_hostile_notes_do_no_harm(client: KnowledgeClient) -> None:
    """They are stored with the relationship."""
    a = await client.file("a")
    for number, text in enumerate(STORABLE):
        await client.link(a, await client.file(f"n{number:02}"), "relates_to", notes=text)
    reply = await client.connection.ask(Neighbours, "get_related_concepts", concept_id=a, limit=50)
    assert reply.total == len(STORABLE)
