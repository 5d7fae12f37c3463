"""broad_chunks_search and chunks_search: passages out of all documents, or out of one."""

import pytest

from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.library import (
    BEES,
    BREAD,
    CAPACITORS,
    GARDEN,
    IN_THE_REFERENCES,
    LEDGER,
    RELAYS,
    SAILING,
    SHIPS,
    TIDES,
)

ANSWERS = (
    ("what hides the bouncing of switch contacts", RELAYS, 1, "bounce"),
    ("connecting an electrolytic capacitor the wrong way round", CAPACITORS, 2, "bursts"),
    ("rule for the height of the water between low and high tide", TIDES, 2, "rule of twelfths"),
    ("passing a narrow channel at slack water", TIDES, 3, "slack water"),
    ("what does a navigator measure with a sextant", SAILING, 1, "sextant"),
    ("illness of tomatoes that stand in the rain", GARDEN, 1, "blight"),
    ("getting honey out of the comb", BEES, 1, "extractor"),
)


@promise("concept_rag:chunks:reply", "concept_rag:chunks:finds", "concept_rag:chunks:page")
@pytest.mark.parametrize(("question", "title", "page", "words"), ANSWERS)
async def test_a_question_finds_the_passage_with_its_page(
    client: ConceptRagClient, question: str, title: str, page: int, words: str
) -> None:
    """The best come first, at most thirty, each passage once, with the page on which it begins."""
    hits = await client.broad(question)
    assert any(words in hit.text for hit in hits if (hit.title, hit.page_number) == (title, page))
    assert hits[0].title == title
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) <= 30
    assert len({hit.text for hit in hits}) == len(hits)
    assert {hit.catalog_id for hit in hits} <= {report.catalog_id for report in client.library.added}


@promise("concept_rag:chunks:verbatim")
async def test_a_passage_is_the_text_of_the_file(client: ConceptRagClient) -> None:
    """The words are equal, though lines may break elsewhere."""
    file = client.library.folder / "garden.txt"
    text = " ".join(file.read_text(encoding="utf-8").split())
    found = [hit for hit in await client.broad("compost heap and earthworms") if hit.title == GARDEN]
    assert found
    for paragraph in found[0].text.split("\n\n"):
        assert " ".join(paragraph.split()) in text


@promise("concept_rag:chunks:keyword")
@pytest.mark.parametrize("name", SHIPS)
async def test_a_rare_word_is_found_among_many_passages_that_are_much_alike(
    client: ConceptRagClient, name: str
) -> None:
    """Candidates come from the search by words as well as from the search by meaning."""
    [first, *_] = await client.broad(f"ship {name} with barrels and sacks at the harbour")
    assert name in first.text
    [first, *_] = await client.within("ledger.txt", f"{name} toll of the cargo")
    assert name in first.text
    assert first.title == LEDGER


@promise("concept_rag:chunks:refs")
async def test_references_are_not_searched(client: ConceptRagClient) -> None:
    """A search over all documents skips lists of references; a search within the document finds them."""
    hits = await client.broad(f"proceedings of the {IN_THE_REFERENCES}")
    assert not any(IN_THE_REFERENCES in hit.text.casefold() for hit in hits)
    within = await client.within("bread.md", IN_THE_REFERENCES)
    assert any(IN_THE_REFERENCES in chunk.text.casefold() for chunk in within)


@promise("concept_rag:chunks:concepts")
async def test_a_passage_names_the_concepts_in_it(client: ConceptRagClient) -> None:
    """They are concepts of its document, and concept_search knows them."""
    hits = [hit for hit in await client.broad("sourdough starter of flour and water") if hit.title == BREAD]
    named = {name for hit in hits for name in hit.concepts}
    own = await client.extract(BREAD)
    assert "sourdough starter" in named
    assert named <= {*own.primary_concepts, *own.related_concepts}


@promise("concept_rag:within:reply", "concept_rag:within:limit")
async def test_a_search_within_a_document_returns_its_five_best_passages(client: ConceptRagClient) -> None:
    """Concept ids are parallel to concepts, and lead to the named concepts."""
    found = await client.within("ledger.txt", "barrels of herring and sacks of malt")
    assert len(found) == 5
    for chunk in found:
        assert chunk.title == LEDGER
        assert len(chunk.concepts) == len(chunk.concept_ids)
    [chunk, *_] = await client.within("relays.docx", "flyback diode")
    ids = dict(zip(chunk.concepts, chunk.concept_ids, strict=True))
    assert (await client.concept("flyback diode")).concept_id == ids["flyback diode"]


@promise("concept_rag:within:text")
async def test_a_search_within_a_document_goes_by_its_text(client: ConceptRagClient) -> None:
    """Another question has another first passage."""
    questions = ("rise and fall of the sea", "table of a harbour", "a current runs faster than the boat")
    firsts = [(await client.within("tides.pdf", question))[0].text for question in questions]
    assert len(set(firsts)) == len(questions)
    assert all(chunk.title == TIDES for chunk in await client.within("tides.pdf", "keeping bees"))


@promise("concept_rag:within:unknown")
async def test_a_document_that_is_not_there_is_not_found(client: ConceptRagClient) -> None:
    """This holds even if a document has a similar id."""
    for number in (1, client.library.catalog_id("tides.pdf") + 1, 2**53 - 1):
        error = (await client.refused("chunks_search", {"text": "tide", "catalog_id": number})).error
        assert (error.code, error.field) == ("RECORD_NOT_FOUND", "catalog_id")
