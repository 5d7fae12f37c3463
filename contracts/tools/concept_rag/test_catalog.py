"""catalog_search: documents by what they are about, the leading group only."""

import pytest

from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.library import BEES, BREAD, CAPACITORS, RELAYS, SAILING, SOLDERING, TIDES, TITLES

QUESTIONS = (
    ("how do I catch a swarm of honey bees", BEES),
    ("kneading dough for a loaf", BREAD),
    ("finding the position of a boat with a sextant", SAILING),
    ("when does the sea rise and fall", TIDES),
    ("why does a switch with a coil need a diode", RELAYS),
)
NOWHERE = ("mortgage interest in Bolivia", "parliamentary elections of 1848", "zzqx vvkw pplm")


@promise("concept_rag:catalog:reply", "concept_rag:catalog:finds")
@pytest.mark.parametrize(("question", "title"), QUESTIONS)
async def test_a_question_finds_the_document_that_answers_it(
    client: ConceptRagClient, question: str, title: str
) -> None:
    """The best come first, at most ten, with the ids of the ingestion and summaries of the text."""
    hits = await client.catalog(question)
    assert hits[0].title == title
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) <= 10
    assert len({hit.catalog_id for hit in hits}) == len(hits)
    assert {hit.catalog_id for hit in hits} <= {report.catalog_id for report in client.library.added}
    assert all(hit.score > "0.000" for hit in hits)


@promise("concept_rag:catalog:title")
async def test_a_title_finds_its_document_first(client: ConceptRagClient) -> None:
    """Case is ignored."""
    for title in sorted(TITLES):
        for text in (title, title.upper()):
            assert (await client.catalog(text))[0].title == title


@promise("concept_rag:catalog:gap")
async def test_only_the_leading_group_is_returned(client: ConceptRagClient) -> None:
    """A question that one document answers far better than the others has few results."""
    assert [hit.title for hit in await client.catalog(SAILING)] == [SAILING]
    assert len(await client.catalog("keeping bees for honey")) < len(TITLES) / 2


@promise("concept_rag:catalog:nothing")
@pytest.mark.parametrize("question", NOWHERE)
async def test_a_question_about_nothing_in_the_library_finds_nothing(client: ConceptRagClient, question: str) -> None:
    """There are no documents and no chunks: an empty list and no error."""
    assert await client.catalog(question) == []
    assert await client.broad(question) == []


@promise("concept_rag:expansion:own")
async def test_expanded_terms_are_the_librarys_own(client: ConceptRagClient) -> None:
    """The library uses each term, none is a word of the question, and unrelated senses of WordNet are excluded."""
    words = await _words(client)
    hits = await client.catalog("a capacitor behind the rectifier")
    assert hits[0].title in {CAPACITORS, SOLDERING}
    for text in ("a capacitor behind the rectifier", "bread", "the star in the sky", "ship"):
        expanded = {term for hit in await client.catalog(text) for term in hit.expanded_terms}
        assert len({tuple(hit.expanded_terms) for hit in await client.catalog(text)}) <= 1
        for term in expanded:
            assert term.casefold() in words, f"{text} became {term}"
            assert term.casefold() not in text.split()


async def _words(client: ConceptRagClient) -> str:
    """Return the whole library as one text, in lower case and with single spaces."""
    names = [name for name, report in client.library.reports.items() if report.status == "added"]
    texts = [client.library.folder.joinpath(name).read_bytes().decode(errors="replace") for name in names]
    for title in sorted(TITLES):
        found = await client.extract(title)
        texts += [*found.primary_concepts, *found.related_concepts]
        texts += [chunk.text for chunk in await client.broad(title)]
    return " ".join(" ".join(texts).casefold().split())
