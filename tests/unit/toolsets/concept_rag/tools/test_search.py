"""The search tools: what they find, how they rank, and what they show of it."""

import json
import re
from pathlib import Path

import pytest

from backends.ports.values import Json, Revision
from tests.unit.toolsets.concept_rag.books import CARS, CIRCUITS, RELAYS, TOMATOES, VIOLINS
from tests.unit.toolsets.concept_rag.caller import Instance, texts_of, toolset_in
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.search.scores import CATALOG_WEIGHTS, CHUNK_WEIGHTS
from toolsets.concept_rag.settings import ConceptRagSettings

SCORE = re.compile(r"[01]\.\d{3}")


async def id_of(instance: Instance, title: str) -> Json:
    """Return the catalog id of a document by its title."""
    rows = await instance.rows("catalog_search", text=title)
    return next(row["catalog_id"] for row in rows if row["title"] == title)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How do I get rid of brown spots on the leaves?", TOMATOES),
        ("period instruments with gut strings", VIOLINS),
        ("when is the oil of a car changed?", CARS),
        (RELAYS, RELAYS),
    ],
)
async def test_the_document_that_answers_comes_first(instance: Instance, question: str, title: str) -> None:
    rows = await instance.rows("catalog_search", text=question)
    assert rows[0]["title"] == title
    assert set(rows[0]) == {"catalog_id", "title", "summary", "score", "expanded_terms"}
    assert all(SCORE.fullmatch(str(row["score"])) for row in rows)
    assert [row["score"] for row in rows] == sorted((str(row["score"]) for row in rows), reverse=True)


async def test_the_passage_that_answers_comes_first_with_its_page_and_concepts(instance: Instance) -> None:
    rows = await instance.rows(
        "broad_chunks_search", text="Why are the contacts closed and open for some milliseconds?"
    )
    assert rows[0]["title"] == RELAYS
    assert "bounce for some milliseconds" in str(rows[0]["text"])
    assert rows[0]["page_number"] == 1
    assert "debounce circuit" in texts_of(rows[0]["concepts"])
    assert set(rows[0]) == {"catalog_id", "title", "text", "page_number", "concepts", "score", "expanded_terms"}


async def test_references_are_left_out_of_all_documents_but_found_within_one(instance: Instance) -> None:
    question = "Horowitz and Hill, The Art of Electronics"
    rows = await instance.rows("broad_chunks_search", text=question)
    assert not any("Horowitz" in str(row["text"]) for row in rows)
    within = await instance.rows("chunks_search", text=question, catalog_id=await id_of(instance, RELAYS))
    assert "Horowitz" in str(within[0]["text"])


@pytest.mark.parametrize("tool", ["catalog_search", "broad_chunks_search"])
async def test_a_question_about_nothing_in_the_library_answers_nothing(instance: Instance, tool: str) -> None:
    """Letters without meaning come near to something."""
    for question in (
        "quarterly dividend taxation",
        "zxqwv blorf",
        "asdfgh",
        "asdlkj qwe",
        "what is the weather today in Paris",
        "flurbel grondak vimsy",
        "cheap flights to Barcelona in July",
    ):
        reply = await instance.reply(tool, text=question)
        assert (reply.structured["result"], reply.text) == ([], "[]")


async def test_a_passage_that_shares_words_is_found_although_others_are_nearer(instance: Instance) -> None:
    """Candidates come from both sides: this number is in no vector."""
    rows = await instance.rows("broad_chunks_search", text="415")
    assert [row["title"] for row in rows] == [VIOLINS]


async def test_searching_one_document_depends_on_the_question(instance: Instance) -> None:
    catalog_id = await id_of(instance, CARS)
    oil = await instance.rows("chunks_search", text="worn engine oil", catalog_id=catalog_id)
    brakes = await instance.rows("chunks_search", text="brake fluid and water", catalog_id=catalog_id)
    assert "Oil" in str(oil[0]["text"])
    assert "Brakes" in str(brakes[0]["text"])
    assert set(oil[0]) == {"title", "text", "concepts", "concept_ids"}
    assert all(row["title"] == CARS for row in (*oil, *brakes))
    assert len(texts_of(oil[0]["concepts"])) == len(texts_of(oil[0]["concept_ids"])) > 0


async def test_a_document_with_an_answer_shows_what_else_comes_near_and_one_without_shows_nothing(
    instance: Instance,
) -> None:
    catalog_id = await id_of(instance, CARS)
    rows = await instance.rows("chunks_search", text="when is worn engine oil changed", catalog_id=catalog_id)
    assert len(rows) == 2
    assert await instance.rows("chunks_search", text="zxqwv blorf", catalog_id=catalog_id) == []


async def test_the_number_of_chunks_of_one_document_is_a_setting(data: Path, model: RememberingModel) -> None:
    async with toolset_in(data, ConceptRagSettings(chunks_per_document=1), model=model) as instance:
        catalog_id = await id_of(instance, CARS)
        assert len(await instance.rows("chunks_search", text="automobile", catalog_id=catalog_id)) == 1


async def test_an_unknown_document_is_not_found(instance: Instance) -> None:
    error = await instance.error("chunks_search", text="relay", catalog_id=12345)
    assert (error["code"], error["field"], error["type"]) == ("RECORD_NOT_FOUND", "catalog_id", "RecordNotFoundError")
    assert error["context"] == {"value": 12345}


@pytest.mark.parametrize(
    ("tool", "weights"), [("catalog_search", CATALOG_WEIGHTS), ("broad_chunks_search", CHUNK_WEIGHTS)]
)
async def test_debugged_components_add_up_to_the_score(
    debugged: Instance, tool: str, weights: dict[str, float]
) -> None:
    for question in ("debounce circuit of a relay", "car oil", "violin"):
        for row in await debugged.rows(tool, text=question):
            components = row["score_components"]
            assert isinstance(components, dict)
            assert list(components) == list(weights)
            assert all(SCORE.fullmatch(str(value)) for value in components.values())
            total = sum(weights[name] * float(str(value)) for name, value in components.items())
            assert total == pytest.approx(float(str(row["score"])), abs=0.002)


async def test_the_environment_switches_the_components_on(
    data: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBUG_SEARCH", "true")
    async with toolset_in(data, model=model) as instance:
        assert "score_components" in (await instance.rows("catalog_search", text="relays"))[0]
    monkeypatch.setenv("DEBUG_SEARCH", "false")
    async with toolset_in(data, model=model) as instance:
        assert "score_components" not in (await instance.rows("catalog_search", text="relays"))[0]


async def test_a_synonym_that_the_library_uses_is_a_term_and_one_that_it_does_not_use_is_none(
    debugged: Instance,
) -> None:
    """WordNet has "auto", "automobile", "machine" and "motorcar" for a car; the library has automobiles only."""
    rows = await debugged.rows("broad_chunks_search", text="how often is the oil of a car changed")
    terms = texts_of(rows[0]["expanded_terms"])
    assert "automobile" in terms
    assert not {"motorcar", "auto", "machine"} & set(terms)
    components = rows[0]["score_components"]
    assert isinstance(components, dict)
    assert float(str(components["wordnet"])) > 0


async def test_the_reply_is_a_bare_array_as_text_and_wrapped_as_content(instance: Instance) -> None:
    reply = await instance.reply("broad_chunks_search", text="compost")
    assert reply.text is not None
    assert json.loads(reply.text) == reply.structured["result"]


async def test_a_document_whose_chunks_are_not_all_indexed_is_not_searched_in_parts(instance: Instance) -> None:
    store = (await instance.rag.live_stores.vectors()).vectors
    record = next(each for each in (await store.scan("chunks")).items if "bounce for some" in each.text)
    await store.delete("chunks", {record.id: Revision(record.rev + 1)})
    rows = await instance.rows("broad_chunks_search", text="relay")
    assert {str(row["title"]) for row in rows} == {CIRCUITS}


async def test_a_changed_document_is_found_by_its_new_text_only(
    instance: Instance, pool: ParserPool, tmp_path: Path
) -> None:
    path = tmp_path / "bees.md"
    for text, absent in (("Bees dance to tell where flowers are.", "honey"), ("Bees make honey of nectar.", "dance")):
        path.write_text(text, encoding="utf-8")
        await instance.ingest(pool, path)
        rows = await instance.rows("broad_chunks_search", text=f"bees {absent}")
        assert [row["text"] for row in rows] == [text]


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("catalog_search", {}, "text"),
        ("catalog_search", {"text": " "}, "text"),
        ("broad_chunks_search", {"text": "x" * 10_001}, "text"),
        ("broad_chunks_search", {"text": "x", "limit": 5}, "limit"),
        ("chunks_search", {"text": "x"}, "catalog_id"),
        ("chunks_search", {"text": "x", "catalog_id": "12"}, "catalog_id"),
        ("chunks_search", {"text": "x", "catalog_id": 0}, "catalog_id"),
        ("chunks_search", {"text": "x", "catalog_id": 2**53}, "catalog_id"),
    ],
)
async def test_bad_arguments_are_refused_by_name(
    instance: Instance, tool: str, arguments: dict[str, Json], field: str
) -> None:
    error = await instance.error(tool, **arguments)
    assert (error["code"], error["field"], error["type"]) == ("VALIDATION_ERROR", field, "ValidationError")
