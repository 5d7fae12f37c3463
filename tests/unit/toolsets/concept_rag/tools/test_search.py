"""The search tools: what they find, how they rank, and what they show of it."""

import json
import re
from pathlib import Path

import pytest

from backends.ports.values import Json
from tests.unit.toolsets.concept_rag.books import CARS, RELAYS, TOMATOES, VIOLINS
from tests.unit.toolsets.concept_rag.caller import Instance, toolset_in
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


async def test_the_reply_is_a_bare_array_as_text_and_wrapped_as_content(instance: Instance) -> None:
    reply = await instance.reply("broad_chunks_search", text="compost")
    assert reply.text is not None
    assert json.loads(reply.text) == reply.structured["result"]


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


LONG = (
    "The tide table of the port lists high and low water for each day, and the pilot reads it before a ship sails. " * 5
)
"""Longer than the passages of the books."""


async def _harbours(instance: Instance, pool: ParserPool, folder: Path) -> None:
    (folder / "harbours.md").write_text(f"# Harbours\n\n{LONG}A pickaxe is kept on the quay. {LONG}", encoding="utf-8")
    await instance.ingest(pool, folder / "harbours.md")


async def test_a_word_of_a_long_passage_finds_the_passage(instance: Instance, pool: ParserPool, folder: Path) -> None:
    await _harbours(instance, pool, folder)
    rows = await instance.rows("broad_chunks_search", text="pickaxe")
    assert [row["title"] for row in rows] == ["Harbours"]


async def test_a_word_of_one_passage_finds_the_document(instance: Instance, pool: ParserPool, folder: Path) -> None:
    await _harbours(instance, pool, folder)
    for question in ("pickaxe", "Where is the pickaxe kept?"):
        assert [row["title"] for row in await instance.rows("catalog_search", text=question)] == ["Harbours"]


async def test_unknown_letters_find_no_text_in_other_unknown_letters(
    instance: Instance, pool: ParserPool, folder: Path
) -> None:
    """The model gives all of them the same vector."""
    (folder / "note.md").write_text("# ქართული\n\nქართული ქართული, ქართული.\n", encoding="utf-8")
    await instance.ingest(pool, folder)
    for tool in ("catalog_search", "broad_chunks_search"):
        assert [await instance.rows(tool, text=text) for text in ("🐍", "☃", "𓀀𓁀")] == [[], [], []]
    [found] = await instance.rows("broad_chunks_search", text="ქართული")
    assert "ქართული" in str(found["text"])
