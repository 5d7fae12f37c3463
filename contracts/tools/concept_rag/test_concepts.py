"""concept_search, extract_concepts, source_concepts and concept_sources: from concepts to documents and back."""

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.library import (
    BEES,
    BREAD,
    LEDGER,
    OVENS,
    RELAYS,
    SAILING,
    SECOND_NAME,
    SOLDERING,
    TIDES,
)
from contracts.tools.concept_rag.replies import Source

UNKNOWN = ("qwertzuiopy", "vulcanology of the planet Zorg")


@promise("concept_rag:concept:reply", "concept_rag:concept:sources")
async def test_a_concept_is_returned_with_its_documents_and_passages(client: ConceptRagClient) -> None:
    """Documents that mention it are primary; others come by a related concept, which is named."""
    reply = await client.concept("relay")
    assert reply.concept == "relay"
    first = reply.sources[0]
    assert (first.title, first.match_type, first.via_concept) == (RELAYS, "primary", None)
    assert first.catalog_id == client.library.catalog_id("relays.docx")
    assert first.pages == [1]
    for source in reply.sources:
        assert source.pages == sorted(set(source.pages))
        assert (source.via_concept is None) == (source.match_type == "primary")
        assert source.via_concept is None or source.via_concept in reply.related_concepts
    assert len({source.catalog_id for source in reply.sources}) == len(reply.sources)
    assert any("A relay is a switch" in chunk.text for chunk in reply.chunks)
    assert {chunk.catalog_id for chunk in reply.chunks} <= {source.catalog_id for source in reply.sources}
    stats = reply.stats
    assert (stats.sources_returned, stats.chunks_returned) == (len(reply.sources), len(reply.chunks))
    assert (stats.total_documents, stats.total_chunks) == (len(reply.sources), len(reply.chunks))
    assert stats.images_found == len(reply.image_ids)


@promise("concept_rag:concept:spelling")
async def test_a_concept_is_found_by_other_spellings(client: ConceptRagClient) -> None:
    """Case and plural are ignored, and a longer question finds the concept that it names."""
    one = await client.concept("tide table")
    for spelling in ("Tide Table", "tide tables", "TIDE TABLES", " tide  table "):
        assert (await client.concept(spelling)).concept_id == one.concept_id


@promise("concept_rag:concept:related")
async def test_a_concept_has_related_ones(client: ConceptRagClient) -> None:
    """Each occurs once, the concept itself never, and concept_search knows them."""
    for name in ("relay", "bread", "tide"):
        reply = await client.concept(name)
        assert reply.related_concepts
        assert name not in reply.related_concepts
        assert len(set(reply.related_concepts)) == len(reply.related_concepts)
        assert (await client.concept(reply.related_concepts[0])).concept == reply.related_concepts[0]


@promise("concept_rag:concept:wordnet")
async def test_synonyms_and_wider_and_narrower_terms_are_wordnets(client: ConceptRagClient) -> None:
    """They do not depend on the library."""
    bread = await client.concept("bread")
    assert "breadstuff" in bread.synonyms
    assert "baked goods" in bread.broader_terms
    assert bread.narrower_terms
    assert "bread" not in bread.synonyms


@promise("concept_rag:concept:all")
async def test_all_documents_and_passages_of_a_concept_are_returned(client: ConceptRagClient) -> None:
    """The number is not limited to that of a ranked search."""
    ledger = await client.concept("harbour master")
    own = [chunk for chunk in ledger.chunks if chunk.title == LEDGER]
    assert len(own) > 30
    assert all("harbour master" in chunk.text.casefold() for chunk in own)
    assert {source.title for source in (await client.concept("bread")).sources} >= {BREAD, OVENS}


@promise("concept_rag:concept:title")
async def test_the_title_filter_narrows_documents_and_passages(client: ConceptRagClient) -> None:
    """It is a part of the title in any case; the totals are counted before it."""
    free = await client.concept("bread")
    for part in ("ovens and", "OVENS AND THEIR"):
        only = await client.concept("bread", title_filter=part)
        assert only.concept_id == free.concept_id
        assert {row.title for row in (*only.sources, *only.chunks)} == {OVENS}
        assert (only.stats.total_documents, only.stats.total_chunks) == (len(free.sources), len(free.chunks))
        assert (only.stats.sources_returned, only.stats.chunks_returned) == (1, len(only.chunks))
    none = await client.concept("bread", title_filter="no such title")
    assert (none.sources, none.chunks, none.stats.total_documents) == ([], [], free.stats.total_documents)
    assert (await client.concept("bread", title_filter="")).sources == free.sources


@promise("concept_rag:concept:unknown")
@pytest.mark.parametrize("name", UNKNOWN)
async def test_a_concept_that_the_library_does_not_have_is_not_found(client: ConceptRagClient, name: str) -> None:
    """The error names the concept."""
    error = (await client.refused("concept_search", {"concept": name})).error
    assert (error.code, error.field) == ("CONCEPT_NOT_FOUND", "concept")
    assert name in error.message or name in str(error.context)


@promise("concept_rag:extract:reply")
async def test_the_concepts_of_a_document_are_returned(client: ConceptRagClient) -> None:
    """The document is the best match; the reply has its path and the digest of its bytes."""
    found = await client.extract("relays and contactors")
    assert found.document == str(client.library.folder / "relays.docx")
    assert "relay" in found.primary_concepts
    assert found.total_concepts == len({*found.primary_concepts, *found.related_concepts})
    assert found.total_concepts == client.library.reports["relays.docx"].concepts
    assert found.summary
    assert (await client.extract("catching swarms of honey bees")).document == str(client.library.folder / "bees.html")


@promise("concept_rag:extract:summary")
async def test_the_summary_can_be_left_out(client: ConceptRagClient) -> None:
    """The key is then absent."""
    reply = await client.connection.call("extract_concepts", {"document_query": BREAD, "include_summary": False})
    assert "summary" not in reply.structured
    whole = await client.connection.call("extract_concepts", {"document_query": BREAD})
    assert {**reply.structured, "summary": whole.structured["summary"]} == whole.structured


@promise("concept_rag:extract:markdown")
async def test_concepts_come_as_markdown_with_tables(client: ConceptRagClient) -> None:
    """The text names the document and all its concepts."""
    own = await client.extract(BREAD)
    text = await client.bare("extract_concepts", document_query=BREAD, format="markdown")
    assert isinstance(text, str)
    assert BREAD in text
    assert "\n|" in text
    assert "---" in text
    assert all(name in text for name in (*own.primary_concepts, *own.related_concepts, *own.categories))
    assert own.summary is not None
    assert own.summary in text
    short = await client.bare("extract_concepts", document_query=BREAD, format="markdown", include_summary=False)
    assert own.summary not in str(short)


@promise("concept_rag:extract:unknown")
async def test_a_document_that_nothing_fits_is_not_found(client: ConceptRagClient) -> None:
    """The least bad match is not returned."""
    error = (await client.refused("extract_concepts", {"document_query": "zzqx vvkw pplm"})).error
    assert (error.code, error.field) == ("RECORD_NOT_FOUND", "document_query")


@promise("concept_rag:sources:union")
async def test_documents_of_several_concepts_come_once_with_the_concepts_that_they_have(
    client: ConceptRagClient,
) -> None:
    """Found concepts, missing ones and indices follow the order of the question."""
    reply = await client.union("bread", "no such concept at all", "oven", "tide")
    assert reply.concepts_searched == ["bread", "no such concept at all", "oven", "tide"]
    assert reply.concepts_found == ["bread", "oven", "tide"]
    assert reply.concepts_not_found == ["no such concept at all"]
    by_title = {source.title: source for source in reply.sources}
    assert reply.source_count == len(reply.sources) == len(by_title)
    assert by_title[OVENS].concept_indices == [0, 2]
    assert 0 in by_title[BREAD].concept_indices
    assert by_title[TIDES].concept_indices == [3]
    oven = by_title[OVENS]
    assert (oven.author, oven.source_path) == ("Anna Miller", str(client.library.folder / "ovens.html"))
    assert "oven" in oven.primary_concepts
    assert oven.summary


@promise("concept_rag:sources:one")
async def test_one_concept_may_be_sent_as_a_text(client: ConceptRagClient) -> None:
    """The reply is that of a list of one."""
    for tool in ("source_concepts", "concept_sources"):
        one = await client.connection.call(tool, {"concept": "relay"})
        assert one.structured == (await client.connection.call(tool, {"concept": ["relay"]})).structured
        assert one.structured["concepts_searched"] == ["relay"]


@promise("concept_rag:sources:none")
async def test_unknown_concepts_are_no_error(client: ConceptRagClient) -> None:
    """The lists are empty, and name the concepts."""
    reply = await client.union(*UNKNOWN)
    assert (reply.concepts_found, reply.concepts_not_found, reply.sources) == ([], list(UNKNOWN), [])
    assert (await client.apart(*UNKNOWN)).results == [[], []]


@promise("concept_rag:sources:apart")
async def test_each_concept_has_its_own_list_of_documents(client: ConceptRagClient) -> None:
    """They follow the order of the question; a document may occur several times."""
    reply = await client.apart("oven", "no such concept at all", "bread", "oven")
    assert reply.concepts_searched == ["oven", "no such concept at all", "bread", "oven"]
    titles = [[source.title for source in sources] for sources in reply.results]
    assert titles[1] == []
    assert OVENS in titles[0]
    assert {OVENS, BREAD} <= set(titles[2])
    assert titles[3] == titles[0]


@promise("concept_rag:sources:metadata")
async def test_metadata_can_be_left_out_and_what_is_not_known_is_left_out(client: ConceptRagClient) -> None:
    """Title, path, concepts and categories are always there."""
    for arguments in ({"include_metadata": False}, {}):
        more: dict[str, Json] = {**arguments}
        rows: list[Source] = [
            *(await client.union("soldering", **more)).sources,
            *(await client.apart("soldering", **more)).results[0],
        ]
        for row in rows:
            assert row.title == SOLDERING
            assert (row.summary is None) == bool(arguments)
            assert row.primary_concepts
        [first] = (await client.apart("celestial navigation", **more)).results[0][:1]
        assert first.title == SAILING
    reply = await client.connection.call("concept_sources", {"concept": "soldering"})
    assert "author" not in str(reply.structured)
    [sailing] = (await client.apart("celestial navigation")).results[0]
    assert (sailing.author, sailing.year) == ("Vera Harbour", "2011")


@promise("concept_rag:sources:names")
async def test_the_same_bytes_under_two_names_are_one_document(client: ConceptRagClient) -> None:
    """Its path is the one that was known first."""
    again = client.library.reports[SECOND_NAME]
    assert (again.status, again.catalog_id) == ("unchanged", client.library.catalog_id("bees.html"))
    [bees] = [source for source in (await client.apart("beekeeper")).results[0] if source.title == BEES]
    assert bees.source_path == str(client.library.folder / "bees.html")
