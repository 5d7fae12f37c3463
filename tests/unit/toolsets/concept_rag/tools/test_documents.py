"""The document tools: the concepts of a document, and the documents of concepts."""

from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from tests.unit.toolsets.concept_rag.books import CARS, CIRCUITS, RELAYS, VIOLINS
from tests.unit.toolsets.concept_rag.caller import Instance, rows_of, texts_of
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.tools import documents


async def test_a_document_is_found_by_title_by_a_part_of_it_and_by_keywords(instance: Instance, shelf: Path) -> None:
    for query in (RELAYS, "notes on relays", "Baroque", "brake fluid of the car"):
        reply = await instance.ask("extract_concepts", document_query=query)
        name = {"Baroque": "violins.md", "brake fluid of the car": "cars.html"}.get(query, "relays.md")
        assert reply["document"] == str(shelf / "books" / name)


async def test_the_equal_title_is_found_among_more_titles_than_are_compared(
    instance: Instance, pool: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_TITLED", 2)
    notes = {f"{day}.md": f"# 2024-01-0{day} Weekly sync\n\nThe gateway of team {day} was restarted." for day in "1234"}
    notes["template.md"] = "# Weekly sync\n\nThis template explains how minutes are written and who chairs the meeting."
    (tmp_path / "notes").mkdir()
    for name, text in notes.items():
        (tmp_path / "notes" / name).write_text(text)
    await instance.ingest(pool, tmp_path / "notes")
    for query, name in (("weekly SYNC ", "template.md"), ("2024-01-04 Weekly", "4.md")):
        reply = await instance.ask("extract_concepts", document_query=query)
        assert reply["document"] == str(tmp_path / "notes" / name)


async def test_the_concepts_of_a_document_are_counted_once_each(instance: Instance) -> None:
    reply = await instance.ask("extract_concepts", document_query=VIOLINS)
    primary, related = reply["primary_concepts"], reply["related_concepts"]
    assert "baroque violin" in texts_of(primary)
    names = texts_of(primary) + texts_of(related)
    assert reply["total_concepts"] == len(names) == len(set(names))
    assert len(str(reply["document_hash"])) == 64
    assert reply["categories"]
    assert reply["summary"]


async def test_the_summary_is_left_out_on_request(instance: Instance) -> None:
    reply = await instance.ask("extract_concepts", document_query=VIOLINS, include_summary=False)
    assert "summary" not in reply


async def test_markdown_is_one_text_with_a_table(instance: Instance) -> None:
    reply = await instance.reply("extract_concepts", document_query=VIOLINS, format="markdown")
    assert reply.text == reply.structured["result"]
    assert f"# Concepts of {VIOLINS}" in str(reply.text)
    assert "| 1 | baroque violin | primary |" in str(reply.text)
    assert "## Summary" in str(reply.text)
    short = await instance.reply("extract_concepts", document_query=VIOLINS, format="markdown", include_summary=False)
    assert "## Summary" not in str(short.text)


def test_a_name_cannot_break_the_table() -> None:
    body = documents.ConceptList(
        document="/a|b.md",
        document_hash="0",
        total_concepts=1,
        primary_concepts=("pipe | symbol\nnext",),
        related_concepts=(),
        categories=("General",),
    )
    assert "| 1 | pipe \\| symbol next | primary |" in documents.markdown("T", body)


@pytest.mark.parametrize("query", ["quarterly dividend taxation", "asdlkj qwe", "zxqwv blorf"])
async def test_keywords_of_nothing_in_the_library_find_no_document(instance: Instance, query: str) -> None:
    error = await instance.error("extract_concepts", document_query=query)
    assert (error["code"], error["field"]) == ("RECORD_NOT_FOUND", "document_query")


async def test_sources_are_a_union_with_places_in_what_was_searched(instance: Instance) -> None:
    reply = await instance.ask("source_concepts", concept=["Relays", "no such thing", "debounce-circuit", "automobile"])
    assert reply["concepts_searched"] == ["Relays", "no such thing", "debounce-circuit", "automobile"]
    assert reply["concepts_found"] == ["Relays", "debounce-circuit", "automobile"]
    assert reply["concepts_not_found"] == ["no such thing"]
    places = {row["title"]: row["concept_indices"] for row in rows_of(reply, "sources")}
    assert places == {RELAYS: [0, 2], CIRCUITS: [0, 2], CARS: [3]}
    assert reply["source_count"] == 3


async def test_metadata_are_left_out_on_request_and_where_they_are_not_known(instance: Instance) -> None:
    def by_title(reply: JsonObject) -> dict[Json, JsonObject]:
        return {row["title"]: row for row in rows_of(reply, "sources")}

    full = by_title(await instance.ask("source_concepts", concept=["relay", "automobile"]))
    assert (full[RELAYS]["author"], full[RELAYS]["year"]) == ("Ada Example", "2021")
    assert full[RELAYS]["summary"]
    assert "author" not in full[CARS]
    bare = by_title(await instance.ask("source_concepts", concept="relay", include_metadata=False))
    keys = {"title", "source_path", "primary_concepts", "categories", "concept_indices"}
    assert set(bare[RELAYS]) == keys


async def test_sources_per_concept_keep_the_order_of_the_concepts(instance: Instance) -> None:
    reply = await instance.ask("concept_sources", concept=["automobile", "no such thing", "relay", "automobile"])
    results = reply["results"]
    assert isinstance(results, list)
    found = [{str(row["title"]) for row in rows_of({"rows": rows}, "rows")} for rows in results]
    assert found == [{CARS}, set(), {RELAYS, CIRCUITS}, {CARS}]
    alone = await instance.ask("concept_sources", concept="automobile", include_metadata=False)
    assert alone["concepts_searched"] == ["automobile"]
    (rows,) = [rows_of({"rows": each}, "rows") for each in _lists(alone["results"])]
    assert set(rows[0]) == {"title", "source_path", "primary_concepts", "categories"}


async def test_a_synonym_names_the_documents_of_its_concept(instance: Instance) -> None:
    reply = await instance.ask("source_concepts", concept=["motorcar", "no such thing"])
    assert (reply["concepts_found"], reply["concepts_not_found"]) == (["motorcar"], ["no such thing"])
    assert [row["title"] for row in rows_of(reply, "sources")] == [CARS]
    assert reply["message"] == 'The library\'s concept was used: "automobile" for its synonym "motorcar"'
    apart = await instance.ask("concept_sources", concept="auto")
    assert '"automobile" for its synonym "auto"' in str(apart["message"])
    (rows,) = _lists(apart["results"])
    assert [row["title"] for row in rows_of({"rows": rows}, "rows")] == [CARS]


async def test_a_synonym_of_a_rare_sense_is_no_concept_of_a_document(instance: Instance) -> None:
    """Car is the fourth sense of "machine", which the library does not have."""
    reply = await instance.ask("source_concepts", concept="machine")
    assert (reply["concepts_found"], reply["concepts_not_found"], reply["sources"]) == ([], ["machine"], [])
    assert (await instance.ask("get_visuals", concept="machine"))["visuals"] == []


async def test_a_synonym_in_a_sense_that_the_library_does_not_use_is_no_concept_of_a_document(
    instance: Instance,
) -> None:
    """The seats of the library are those of an orchestra."""
    reply = await instance.ask("source_concepts", concept="buttocks")
    assert (reply["concepts_found"], reply["concepts_not_found"], reply["sources"]) == ([], ["buttocks"], [])


def _lists(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return list(value)


async def test_a_reply_that_its_size_cuts_says_so(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "ROOM", 100)
    union = await instance.ask("source_concepts", concept="relay")
    assert (len(rows_of(union, "sources")), union["source_count"]) == (1, 2)
    assert "1 of 2 shown" in str(union["message"])
    apart = await instance.ask("concept_sources", concept=["relay", "relay"])
    assert [len(rows_of({"rows": each}, "rows")) for each in _lists(apart["results"])] == [1, 0]
    assert "1 of 4 shown" in str(apart["message"])


@pytest.mark.parametrize("tool", ["source_concepts", "concept_sources"])
@pytest.mark.parametrize("concept", [[], "", 5, ["relay", " "], ["x"] * 101, None, [["relay"]]])
async def test_bad_concepts_are_refused(instance: Instance, tool: str, concept: Json) -> None:
    error = await instance.error(tool, concept=concept)
    assert error["code"] == "VALIDATION_ERROR"
    assert str(error["field"]).startswith("concept")


@pytest.mark.parametrize(
    ("concept", "field", "message"),
    [
        ("", "concept", "concept should not be blank"),
        (" ", "concept", "concept should not be blank"),
        ("x" * 501, "concept", "concept should have at most 500 characters"),
        ([], "concept", "concept should have at least 1 item, not 0"),
        ([""], "concept.0", "concept.0 should not be blank"),
        (["relay", " "], "concept.1", "concept.1 should not be blank"),
    ],
)
async def test_one_fault_of_the_concepts_is_one_problem_where_it_was_sent(
    instance: Instance, concept: Json, field: str, message: str
) -> None:
    error = await instance.error("source_concepts", concept=concept)
    assert (error["field"], error["message"]) == (field, message)
