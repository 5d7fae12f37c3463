"""The concept tool: which concept is meant, and where it occurs."""

from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from backends.ports.values import Json, JsonObject
from contracts.documents import pdf
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.unit.toolsets.concept_rag.books import CIRCUITS, RELAYS
from tests.unit.toolsets.concept_rag.caller import Instance, counts_of, rows_of, texts_of, toolset_in
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import RELAY
from toolsets import concurrency
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.numeric_ids import concept_id_of
from toolsets.concept_rag.pipeline import analysis
from toolsets.concept_rag.search import concepts as search_concepts
from toolsets.concept_rag.search import documents as search_documents
from toolsets.concept_rag.search.scores import CONCEPT_WEIGHTS
from toolsets.concept_rag.tools import concepts


def titles(reply: JsonObject, key: str = "sources") -> set[str]:
    return {str(row["title"]) for row in rows_of(reply, key)}


async def test_a_concept_comes_with_its_documents_chunks_and_visuals(instance: Instance) -> None:
    reply = await instance.ask("concept_search", concept="Debounce Circuits")
    assert reply["concept"] == "debounce circuit"
    assert titles(reply, "chunks") == {RELAYS, CIRCUITS}
    for source in rows_of(reply, "sources"):
        assert set(source) == {"catalog_id", "title", "pages", "match_type", "via_concept"}
        assert (source["via_concept"] is None) == (source["match_type"] == "primary")
    assert {str(row["title"]) for row in rows_of(reply, "sources") if row["match_type"] == "primary"} == {
        RELAYS,
        CIRCUITS,
    }
    for chunk in rows_of(reply, "chunks"):
        assert set(chunk) == {"catalog_id", "title", "text", "page", "concept_density", "concepts"}
        assert "debounce circuit" in str(chunk["text"])
        assert 0 < float(str(chunk["concept_density"])) < 1
    images = reply["image_ids"]
    assert isinstance(images, list)
    assert len(images) > 0
    visuals = await instance.ask("get_visuals", ids=images)
    assert "debounce circuit" in str(rows_of(visuals, "visuals")[0]["description"])
    stats = reply["stats"]
    assert isinstance(stats, dict)
    assert stats["total_chunks"] == stats["chunks_returned"] == len(rows_of(reply, "chunks"))
    assert stats["total_documents"] == stats["sources_returned"] == len(rows_of(reply, "sources"))
    assert stats["images_found"] == len(images)
    assert float(str(reply["score"])) > 0.5


async def test_a_document_has_all_pages_on_which_its_chunks_name_the_concept(
    instance: Instance, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than are recorded for a concept, since the chunks say it, too."""
    monkeypatch.setattr(analysis, "MAX_PAGES", 2)
    text = f"{RELAY}The relay is named on this page as on every other. "
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    (folder / "relays.pdf").write_bytes(pdf([[f"Chapter {number}", *lines] for number in range(1, 6)], title="Five"))
    await instance.ingest(pool, folder)
    reply = await instance.ask("concept_search", concept="relay", title_filter="Five")
    [source] = rows_of(reply, "sources")
    assert source["pages"] == sorted({cast("int", chunk["page"]) for chunk in rows_of(reply, "chunks")})
    assert len(cast("list[Json]", source["pages"])) > 2


async def test_related_concepts_occur_in_the_same_chunks(instance: Instance) -> None:
    reply = await instance.ask("concept_search", concept="relay")
    related = reply["related_concepts"]
    assert isinstance(related, list)
    assert {"debounce circuit", "coil"} <= set(related)
    assert "relay" not in related


async def test_a_document_of_a_related_concept_is_a_source_by_that_concept(instance: Instance) -> None:
    reply = await instance.ask("concept_search", concept="coil")
    by_title = {row["title"]: row for row in rows_of(reply, "sources")}
    assert by_title[RELAYS]["match_type"] == "primary"
    assert by_title[CIRCUITS]["match_type"] == "related"
    assert by_title[CIRCUITS]["via_concept"] in {"relay", "debounce circuit", "circuit"}


async def test_wordnet_names_synonyms_and_wider_terms(instance: Instance) -> None:
    reply = await instance.ask("concept_search", concept="automobile")
    assert "car" in str(reply["synonyms"])
    assert "motor vehicle" in str(reply["broader_terms"])
    assert "convertible" in str(reply["narrower_terms"])
    assert "motor vehicle" in str(reply["summary"])


async def test_wordnets_verbs_say_nothing_of_a_concept(instance: Instance) -> None:
    reply = await instance.ask("concept_search", concept="coil")
    synonyms = texts_of(reply["synonyms"])
    assert "spiral" in synonyms
    assert not {"gyrate", "hand-build"} & set(synonyms)
    assert "turn" not in texts_of(reply["broader_terms"])


async def test_the_title_filter_narrows_everything_but_the_totals(instance: Instance) -> None:
    whole = await instance.ask("concept_search", concept="relay")
    reply = await instance.ask("concept_search", concept="relay", title_filter="in PRACTICE")
    assert titles(reply) == titles(reply, "chunks") == {CIRCUITS}
    stats, all_stats = counts_of(reply["stats"]), counts_of(whole["stats"])
    assert stats["sources_returned"] == 1 < stats["total_documents"] == all_stats["total_documents"]
    assert stats["chunks_returned"] < stats["total_chunks"] == all_stats["total_chunks"]
    nowhere = await instance.ask("concept_search", concept="relay", title_filter="no such title")
    assert (nowhere["sources"], nowhere["chunks"], nowhere["image_ids"]) == ([], [], [])


async def test_debugging_shows_components_that_add_up_and_previews_of_pages(debugged: Instance) -> None:
    reply = await debugged.ask("concept_search", concept="relays")
    components = reply["score_components"]
    assert isinstance(components, dict)
    assert list(components) == list(CONCEPT_WEIGHTS)
    total = sum(CONCEPT_WEIGHTS[name] * float(str(value)) for name, value in components.items())
    assert total == pytest.approx(float(str(reply["score"])), abs=0.002)
    previews = {row["title"]: row["page_previews"] for row in rows_of(reply, "sources")}
    assert "relay" in str(previews[RELAYS]).casefold()


async def test_sources_by_a_related_concept_have_previews_of_its_pages(debugged: Instance) -> None:
    reply = await debugged.ask("concept_search", concept="coil")
    linked = [row for row in rows_of(reply, "sources") if row["match_type"] == "related"]
    assert linked
    for row in linked:
        pages, previews = row["pages"], texts_of(row["page_previews"])
        assert isinstance(pages, list)
        assert len(previews) == len(pages) > 0
        assert all(str(row["via_concept"]) in preview.casefold() for preview in previews)


async def test_a_reply_that_its_size_cuts_says_so(
    data: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concepts, "ROOM", 1_000)
    async with toolset_in(data, model=model) as instance:
        reply = await instance.ask("concept_search", concept="relay")
    stats = reply["stats"]
    assert isinstance(stats, dict)
    assert int(str(stats["chunks_returned"])) < int(str(stats["total_chunks"]))
    assert f"{stats['chunks_returned']} of {stats['total_chunks']} chunks shown" in str(reply["message"])


async def test_documents_of_related_concepts_are_bounded(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concepts, "MAX_LINKED", 0)
    reply = await instance.ask("concept_search", concept="coil")
    assert [row["match_type"] for row in rows_of(reply, "sources")] == ["primary"]


async def test_documents_of_concepts_that_are_less_close_are_no_sources(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concepts, "CLOSE", 0.9)
    reply = await instance.ask("concept_search", concept="coil")
    assert [row["match_type"] for row in rows_of(reply, "sources")] == ["primary"]
    assert reply["related_concepts"], "they are listed all the same"


@pytest.mark.parametrize(("share", "others"), [(1 / 6, set[str]()), (1 / 3, {CIRCUITS})])
async def test_a_concept_of_many_documents_makes_none_of_them_a_source(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, share: float, others: set[str]
) -> None:
    """Two of the six documents mention the relay, by which the second one is a source for its coil."""
    monkeypatch.setattr(concepts, "FEW", 0)
    monkeypatch.setattr(concepts, "COMMON", share)
    reply = await instance.ask("concept_search", concept="coil")
    assert {str(row["title"]) for row in rows_of(reply, "sources") if row["match_type"] == "related"} == others


async def test_a_concept_of_much_of_the_library_makes_no_document_a_source(
    instance: Instance, pool: ParserPool, folder: Path
) -> None:
    """Five of sixteen mention the relay, which says little about its coil."""
    texts = [f"{RELAY}Relay {number} is in the drawer." for number in range(3)]
    texts += [f"Water the plants in bed {number} every morning." for number in range(7)]
    for number, text in enumerate(texts):
        (folder / f"{number}.md").write_text(f"# Notes, part {number}\n\n{text}\n", encoding="utf-8")
    await instance.ingest(pool, folder)
    reply = await instance.ask("concept_search", concept="coil")
    assert {str(row["match_type"]) for row in rows_of(reply, "sources")} == {"primary"}


async def test_a_limited_reading_has_the_most_salient_mentions(instance: Instance) -> None:
    every = await instance.library.mentions_of(concept_id_of("relay"))
    assert len(every) > 1
    assert await instance.library.mentions_of(concept_id_of("relay"), 1) == every[:1]


@pytest.mark.parametrize(
    ("tool", "arguments", "module", "work"),
    [
        ("concept_search", {"concept": "relay"}, search_concepts, "rank"),
        ("concept_search", {"concept": "relay"}, concepts, "fitting_rows"),
        ("catalog_search", {"text": "relay"}, search_documents, "rank"),
    ],
)
async def test_ranking_and_long_replies_leave_the_event_loop_free(
    instance: Instance,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, Json],
    module: ModuleType,
    work: str,
) -> None:
    monkeypatch.setattr(concurrency, "THREAD_FROM", 1)
    threads = threads_of(monkeypatch, module, work)
    await instance.ask(tool, **arguments)
    assert is_beside_loop(threads)
