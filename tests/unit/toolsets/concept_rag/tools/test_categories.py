"""The category tools: names, hierarchy, counts and orders."""

from collections import Counter
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from tests.unit.toolsets.concept_rag.books import RELAYS, TOMATOES
from tests.unit.toolsets.concept_rag.caller import Instance, counts_of, rows_of, texts_of, toolset_in
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.tools import categories


async def listed(instance: Instance, **arguments: Json) -> dict[str, JsonObject]:
    reply = await instance.ask("list_categories", **{"limit": 1_000, **arguments})
    return {str(row["name"]): row for row in rows_of(reply, "categories")}


def statistics(reply: JsonObject) -> dict[str, int]:
    return counts_of(reply["statistics"])


async def test_categories_with_documents_in_or_below_them_are_listed(instance: Instance) -> None:
    rows = await listed(instance)
    assert {"Electronics", "Engineering"} <= rows.keys()
    assert rows["Engineering"]["parent"] is None
    assert rows["Engineering"]["hierarchy"] == ["Engineering"]
    assert rows["Electronics"]["hierarchy"] == ["Engineering", "Electrical Engineering", "Electronics"]
    assert statistics(rows["Electronics"])["documents"] > 0 == statistics(rows["Engineering"])["documents"]
    named = {name for row in rows.values() for name in texts_of(row["hierarchy"])}
    assert named == rows.keys()
    summary = (await instance.ask("list_categories", limit=1))["summary"]
    assert summary == {
        "totalCategories": len(rows),
        "categoriesReturned": 1,
        "rootCategories": sum(row["parent"] is None for row in rows.values()),
        "totalDocuments": 6,
        "sortedBy": "popularity",
        "searchQuery": None,
    }


async def test_the_orders_of_categories(instance: Instance) -> None:
    by_name = [*await listed(instance, sortBy="name")]
    assert by_name == sorted(by_name, key=str.casefold)
    counted = [statistics(row) for row in (await listed(instance, sortBy="documentCount")).values()]
    assert [each["documents"] for each in counted] == sorted((each["documents"] for each in counted), reverse=True)
    popular = [statistics(row) for row in (await listed(instance)).values()]
    keys = [(each["documents"], each["chunks"]) for each in popular]
    assert keys == sorted(keys, reverse=True)


async def test_a_search_covers_names_and_aliases_in_any_case(instance: Instance) -> None:
    assert "Electronics" in await listed(instance, search="ELECTRON")
    assert "Electronics" in await listed(instance, search="circuits")
    assert await listed(instance, search="no such category") == {}
    reply = await instance.ask("list_categories", search="electron")
    summary = reply["summary"]
    assert isinstance(summary, dict)
    assert summary["searchQuery"] == "electron"


async def test_a_category_is_found_by_name_alias_and_id(instance: Instance) -> None:
    by_name = await instance.ask("category_search", category="electronics")
    category = by_name["category"]
    assert isinstance(category, dict)
    for text in ("Electronic Circuits", str(category["id"]), " ELECTRONICS "):
        assert await instance.ask("category_search", category=text) == by_name
    assert {str(row["title"]) for row in rows_of(by_name, "documents")} >= {RELAYS}
    assert by_name["categoriesSearched"] == ["Electronics"]
    assert by_name["includeChildren"] is False
    related = rows_of(category, "relatedCategories")
    assert all(set(row) == {"id", "name"} for row in related)
    row = next(row for row in rows_of(by_name, "documents") if row["title"] == RELAYS)
    assert str(row["preview"]).startswith("A relay is a switch")
    assert "relay" in texts_of(row["primaryConcepts"])


async def test_children_count_when_they_are_asked_for(instance: Instance) -> None:
    own = await instance.ask("category_search", category="Engineering")
    assert (own["documents"], statistics(own)["totalDocuments"]) == ([], 0)
    whole = await instance.ask("category_search", category="Engineering", includeChildren=True)
    assert whole["includeChildren"] is True
    assert {"Engineering", "Electronics"} <= set(texts_of(whole["categoriesSearched"]))
    electronics = await instance.ask("category_search", category="Electronics")
    assert _titles(electronics) <= _titles(whole)
    assert statistics(whole)["totalDocuments"] == statistics(whole)["documentsReturned"] == len(_titles(whole))
    assert statistics(whole)["totalChunks"] >= statistics(electronics)["totalChunks"] > 0
    assert statistics(whole)["totalConcepts"] >= statistics(electronics)["totalConcepts"] > 0


async def test_a_category_without_documents_is_there_and_empty(instance: Instance) -> None:
    reply = await instance.ask("category_search", category="Compilers")
    assert reply["documents"] == []
    assert set(statistics(reply).values()) == {0}
    concepts = await instance.ask("list_concepts_in_category", category="Compilers")
    assert concepts["concepts"] == []


async def test_the_concepts_of_a_category_have_counts_and_weights(instance: Instance) -> None:
    reply = await instance.ask("list_concepts_in_category", category="Electronics", limit=1_000)
    counts = statistics(reply)
    rows = rows_of(reply, "concepts")
    assert len(rows) == counts["conceptsReturned"] == counts["totalUniqueConcepts"]
    by_name = {str(row["name"]): row for row in rows}
    expected: Counter[str] = Counter()
    for title in _titles(await instance.ask("category_search", category="Electronics")):
        document = await instance.ask("extract_concepts", document_query=title)
        expected.update(texts_of(document["primary_concepts"]) + texts_of(document["related_concepts"]))
    assert {name: row["documentCount"] for name, row in by_name.items()} == expected
    assert by_name["relay"]["weight"] == round(expected["relay"] / counts["totalDocuments"], 4)
    assert counts["totalUniqueConcepts"] == statistics((await listed(instance))["Electronics"])["concepts"]
    order = [(-int(str(row["documentCount"])), str(row["name"]).casefold()) for row in rows]
    assert order == sorted(order)
    named = await instance.ask("list_concepts_in_category", category="Electronics", sortBy="name", limit=3)
    assert [str(row["name"]) for row in rows_of(named, "concepts")] == sorted(by_name, key=str.casefold)[:3]
    assert named["sortedBy"] == "name"
    assert "3 of" in str(named["note"])


async def test_a_write_is_seen_at_once(instance: Instance, pool: ParserPool, tmp_path: Path) -> None:
    before = statistics((await listed(instance))["Electronics"])["documents"]
    path = tmp_path / "solder.md"
    path.write_text("# Solder\n\nElectronic circuits, resistors, capacitors, transistors and amplifiers are soldered.")
    await instance.ingest(pool, path)
    assert statistics((await listed(instance))["Electronics"])["documents"] == before + 1
    found = await instance.ask("category_search", category="Electronics")
    row = next(row for row in rows_of(found, "documents") if "older" in str(row["title"]))
    await instance.forget(int(str(row["catalog_id"])))
    assert statistics((await listed(instance))["Electronics"])["documents"] == before


async def test_categories_of_the_operator_count_and_outlive_their_file(
    shelf: Path, pool: ParserPool, model: RememberingModel, tmp_path: Path
) -> None:
    taxonomy = tmp_path / "own.toml"
    taxonomy.write_text(
        '[[category]]\nname = "Our Garden"\nparent = "Our House"\naliases = ["Plot"]\nkeywords = ["tomato", "blight"]\n'
        'description = "Tomatoes, soil, compost, blight and water for plants."\n[[category]]\nname = "Our House"\n'
    )
    settings = ConceptRagSettings(taxonomy=taxonomy)
    async with toolset_in(tmp_path / "data", settings, model=model) as instance:
        await instance.ingest(pool, shelf / "books")
        assert _titles(await instance.ask("category_search", category="plot")) == {TOMATOES}
    async with toolset_in(tmp_path / "data", model=model) as instance:
        rows = await listed(instance, search="our")
        assert (rows["Our Garden"]["parent"], rows["Our House"]["parent"]) == ("Our House", None)
        whole = await instance.ask("category_search", category="our house", includeChildren=True)
        assert _titles(whole) == {TOMATOES}


@pytest.mark.parametrize("tool", ["category_search", "list_concepts_in_category"])
@pytest.mark.parametrize("category", ["no such category", "0", "99999999999999999999"])
async def test_an_unknown_category_is_not_found(instance: Instance, tool: str, category: str) -> None:
    error = await instance.error(tool, category=category)
    assert (error["code"], error["field"], error["context"]) == ("RECORD_NOT_FOUND", "category", {"value": category})


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("category_search", {}, "category"),
        ("category_search", {"category": "Electronics", "include_children": True}, "include_children"),
        ("category_search", {"category": "Electronics", "includeChildren": "yes"}, "includeChildren"),
        ("list_categories", {"sortBy": "size"}, "sortBy"),
        ("list_categories", {"limit": 0}, "limit"),
        ("list_concepts_in_category", {"category": "Electronics", "sortBy": "popularity"}, "sortBy"),
        ("list_concepts_in_category", {"category": "Electronics", "limit": 1.5}, "limit"),
    ],
)
async def test_bad_arguments_are_refused_by_name(
    instance: Instance, tool: str, arguments: dict[str, Json], field: str
) -> None:
    error = await instance.error(tool, **arguments)
    assert (error["code"], error["field"]) == ("VALIDATION_ERROR", field)


async def test_a_reply_that_its_size_cuts_says_so(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(categories, "ROOM", 100)
    documents = await instance.ask("category_search", category="General")
    assert statistics(documents)["documentsReturned"] == 1 < statistics(documents)["totalDocuments"]
    assert "1 of" in str(documents["message"])
    assert "1 of" in str((await instance.ask("list_categories"))["message"])


def _titles(reply: JsonObject) -> set[str]:
    return {str(row["title"]) for row in rows_of(reply, "documents")}
