"""The chunks that name a concept, densest first."""

import pytest

from tests.unit.toolsets.concept_rag.books import CIRCUITS, RELAYS
from tests.unit.toolsets.concept_rag.caller import Instance
from toolsets.concept_rag.search import occurrences as module
from toolsets.concept_rag.search.concepts import find_concept
from toolsets.concept_rag.search.occurrences import Occurrence, occurrences


async def found(instance: Instance, name: str, *, titles: set[str] | None = None) -> list[Occurrence]:
    """The occurrences of a concept in documents with these titles, or in all."""
    concept = (await find_concept(instance.library, name)).item
    mentions = await instance.library.mentions_of(concept.id)
    documents = await instance.library.documents([mention.catalog_id for mention in mentions])
    chosen = {id_: each for id_, each in documents.items() if titles is None or each.title in titles}
    named = [mention for mention in mentions if mention.catalog_id in chosen]
    return [*await occurrences(instance.library, concept, named, chosen)]


async def test_the_densest_chunk_comes_first(instance: Instance) -> None:
    each = await found(instance, "debounce circuit")
    assert {occurrence.chunk.document.title for occurrence in each} == {RELAYS, CIRCUITS}
    densities = [occurrence.density for occurrence in each]
    assert densities == sorted(densities, reverse=True)
    assert all(0 < density < 1 for density in densities)
    assert all("debounce circuit" in occurrence.chunk.text for occurrence in each)


async def test_only_the_given_documents_are_read(instance: Instance) -> None:
    each = await found(instance, "debounce circuit", titles={RELAYS})
    assert {occurrence.chunk.document.title for occurrence in each} == {RELAYS}
    assert await found(instance, "debounce circuit", titles=set()) == []


async def test_a_concept_of_more_chunks_than_a_search_returns_is_found_by_listing(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_search = await found(instance, "debounce circuit")
    monkeypatch.setattr(module, "MAX_HITS", 0)
    assert await found(instance, "debounce circuit") == by_search
    monkeypatch.setattr(module, "MAX_OCCURRENCES", 1)
    assert len(await found(instance, "debounce circuit")) < len(by_search)
