"""list_categories, category_search and list_concepts_in_category: documents by subject."""

from itertools import pairwise

import pytest

from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.library import SAILING, SEA, STARS, TIDES, TITLES


@promise("concept_rag:categories:reply")
async def test_categories_with_documents_are_listed(client: ConceptRagClient) -> None:
    """Categories with documents in or below them are listed once each; a root has no parent."""
    reply = await client.categories(limit=1_000)
    rows = {row.name: row for row in reply.categories}
    assert len(rows) == len(reply.categories) == reply.summary.categories_returned == reply.summary.total_categories
    assert reply.summary.total_documents == len(TITLES)
    assert reply.summary.root_categories == sum(row.parent is None for row in reply.categories)
    assert (reply.summary.sorted_by, reply.summary.search_query) == ("popularity", None)
    for row in reply.categories:
        assert row.hierarchy[-1] == row.name
        assert (row.hierarchy[:-1] == []) == (row.parent is None)
        assert row.parent is None or row.hierarchy[-2] == row.parent
        assert row.statistics.documents > 0 or any(row.name in other.hierarchy[:-1] for other in reply.categories)
    assert set(rows) >= {SEA, STARS, "Cooking"}
    assert len(rows) < 60, "categories without documents are left out"


@promise("concept_rag:categories:own")
async def test_categories_of_the_operator_are_added_to_the_shipped_ones(client: ConceptRagClient) -> None:
    """They have parent, aliases and related categories; a parent counts only its own documents."""
    rows = {row.name: row for row in (await client.categories(limit=1_000)).categories}
    sea, stars = rows[SEA], rows[STARS]
    assert (sea.parent, sea.hierarchy, sea.aliases) == (None, [SEA], ["Oceans", "Blue Water"])
    assert (stars.parent, stars.hierarchy) == (SEA, [SEA, STARS])
    assert stars.related_categories == ["Astronomy"]
    assert (sea.statistics.documents, stars.statistics.documents) == (1, 1)


@promise("concept_rag:categories:order")
async def test_categories_are_sorted_as_requested(client: ConceptRagClient) -> None:
    """They go by name or by number of documents, most first; popularity then goes by chunks."""
    names = [row.name for row in (await client.categories(sortBy="name", limit=1_000)).categories]
    assert names == sorted(names, key=str.casefold)
    by_documents = (await client.categories(sortBy="documentCount", limit=1_000)).categories
    assert all(one.statistics.documents >= two.statistics.documents for one, two in pairwise(by_documents))
    popular = (await client.categories(limit=1_000)).categories
    sizes = [(row.statistics.documents, row.statistics.chunks) for row in popular]
    assert sizes == sorted(sizes, reverse=True)


@promise("concept_rag:categories:limit")
async def test_the_limit_cuts_the_list_and_not_the_totals(client: ConceptRagClient) -> None:
    """The default limit is 50."""
    everything = await client.categories(limit=1_000)
    for limit in (1, 3):
        reply = await client.categories(limit=limit)
        assert reply.categories == everything.categories[:limit]
        assert reply.summary.categories_returned == limit
        assert reply.summary.total_documents == everything.summary.total_documents
    assert (await client.categories()).categories == everything.categories[:50]


@promise("concept_rag:categories:search")
async def test_categories_are_searched_by_a_part_of_their_name(client: ConceptRagClient) -> None:
    """Case is ignored, and the reply contains the query."""
    for query in ("by stars", "BY STARS"):
        reply = await client.categories(search=query)
        assert [row.name for row in reply.categories] == [STARS]
        assert (reply.summary.search_query, reply.summary.categories_returned) == (query, 1)
    none = await client.categories(search="no such category")
    assert (none.categories, none.summary.categories_returned) == ([], 0)


@promise("concept_rag:category:reply")
async def test_a_category_is_returned_with_its_documents(client: ConceptRagClient) -> None:
    """The reply counts their chunks and concepts."""
    reply = await client.category(SEA)
    [tides] = reply.documents
    assert tides.title == TIDES
    assert (reply.category.name, reply.category.hierarchy) == (SEA, [SEA])
    assert (reply.include_children, reply.categories_searched) == (False, [SEA])
    assert reply.statistics.total_chunks == client.library.reports["tides.pdf"].chunks
    assert (reply.statistics.total_documents, reply.statistics.documents_returned) == (1, 1)
    assert "tide" in tides.primary_concepts
    assert tides.preview


@promise("concept_rag:category:names")
async def test_a_category_is_known_by_name_id_and_alias(client: ConceptRagClient) -> None:
    """Case is ignored; an id is a text of digits or a number."""
    known = (await client.category(STARS)).category
    for name in (STARS.upper(), STARS.lower(), "Astronavigation", "astroNAVIGATION", str(known.id)):
        assert (await client.category(name)).category == known
    [astronomy] = known.related_categories
    assert astronomy.name == "Astronomy"


@promise("concept_rag:category:children")
async def test_documents_of_child_categories_come_on_request(client: ConceptRagClient) -> None:
    """The reply names the categories that were searched."""
    alone, all_ = await client.category(SEA), await client.category(SEA, includeChildren=True)
    assert sorted(document.title for document in all_.documents) == sorted((SAILING, TIDES))
    assert sorted(all_.categories_searched) == sorted((SEA, STARS))
    assert all_.include_children is True
    assert all_.statistics.total_documents == alone.statistics.total_documents + 1
    assert all_.statistics.documents_returned == 2


@promise("concept_rag:category:empty")
async def test_a_category_without_documents_is_empty(client: ConceptRagClient) -> None:
    """A shipped category exists even without documents."""
    reply = await client.category("Compilers")
    assert (reply.documents, reply.statistics.total_documents) == ([], 0)


@promise("concept_rag:category:unknown")
@pytest.mark.parametrize("tool", ["category_search", "list_concepts_in_category"])
async def test_a_category_that_is_not_there_is_not_found(client: ConceptRagClient, tool: str) -> None:
    """This holds for names and ids."""
    for name in ("no such category", "1"):
        error = (await client.refused(tool, {"category": name})).error
        assert (error.code, error.field) == ("RECORD_NOT_FOUND", "category")


@promise("concept_rag:listed:reply")
async def test_the_concepts_of_a_category_are_listed(client: ConceptRagClient) -> None:
    """Each has the share of the documents that deal with it; they go by share, then by name."""
    reply = await client.concepts_in("Cooking")
    assert reply.category.name == "Cooking"
    assert reply.statistics.total_documents == 2
    assert reply.statistics.total_unique_concepts == reply.statistics.concepts_returned == len(reply.concepts)
    assert len({row.id for row in reply.concepts}) == len(reply.concepts)
    assert (reply.concepts[0].name, reply.concepts[0].document_count, reply.concepts[0].weight) == ("bread", 2, 1.0)
    for row in reply.concepts:
        assert row.weight == pytest.approx(row.document_count / 2)
    counts = [row.document_count for row in reply.concepts]
    assert counts == sorted(counts, reverse=True)
    assert reply.concepts[0].id == (await client.concept("bread")).concept_id


@promise("concept_rag:listed:order")
async def test_concepts_are_sorted_by_name_on_request_and_cut_by_the_limit(client: ConceptRagClient) -> None:
    """The totals include what the limit cuts."""
    everything = await client.concepts_in("Astronavigation", sortBy="name")
    names = [row.name for row in everything.concepts]
    assert names == sorted(names, key=str.casefold)
    assert everything.sorted_by == "name"
    two = await client.concepts_in(STARS, sortBy="name", limit=2)
    assert two.concepts == everything.concepts[:2]
    assert (two.statistics.concepts_returned, two.statistics.total_unique_concepts) == (2, len(names))
    assert (await client.concepts_in(STARS)).sorted_by == "documentCount"
