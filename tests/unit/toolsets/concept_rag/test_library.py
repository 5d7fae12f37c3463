"""Reads while a store is down: what still works, and the documented errors of what does not."""

from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from backends.ports.adapter import Stores
from backends.ports.embedder import Embedder
from backends.ports.errors import Unavailable
from backends.ports.events import EventLog
from backends.ports.filters import And, Eq
from backends.ports.graph import Graph
from backends.ports.language import LanguageModel
from backends.ports.values import Json, Namespace, Revision
from backends.ports.vectors import Vectors
from tests.unit.toolsets.concept_rag.books import RELAYS
from tests.unit.toolsets.concept_rag.caller import Instance, rows_of, toolset_in
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from toolsets.concept_rag import library as library_module
from toolsets.concept_rag.entries import document_entry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.projections import CHUNKS, DOCUMENT
from toolsets.lexical_scores import lexical_ranking

CALLS: dict[str, dict[str, Json]] = {
    "catalog_search": {"text": "relay"},
    "broad_chunks_search": {"text": "relay"},
    "chunks_search": {"text": "relay", "catalog_id": 1},
    "concept_search": {"concept": "relay"},
    "extract_concepts": {"document_query": "brake fluid"},
    "source_concepts": {"concept": "relay"},
    "concept_sources": {"concept": "relay"},
    "category_search": {"category": "Electronics"},
    "list_categories": {},
    "list_concepts_in_category": {"category": "Electronics"},
    "get_visuals": {},
    "get_guidance": {},
}


@dataclass
class Outages:
    """Stores of which some cannot be opened for a while."""

    stores: Stores
    down: set[str] = field(default_factory=set[str])

    def _ask(self, port: str) -> None:
        if port in self.down:
            raise Unavailable(f"the {port} at /secret/place does not answer")

    async def graph(self, namespace: Namespace) -> Graph:
        self._ask("graph")
        return await self.stores.graph(namespace)

    async def vectors(self, namespace: Namespace) -> Vectors:
        self._ask("vectors")
        return await self.stores.vectors(namespace)

    async def events(self) -> EventLog:
        self._ask("events")
        return await self.stores.events()

    async def embedder(self) -> Embedder:
        self._ask("embedder")
        return await self.stores.embedder()

    async def language(self) -> LanguageModel | None:
        return await self.stores.language()


@dataclass
class Outage:
    """The tools, and the stores that can be taken from them."""

    instance: Instance
    stores: Outages

    def take(self, *ports: str) -> None:
        self.stores.down = {*ports}
        live = self.instance.rag.live_stores
        live.invalidate("graph")
        live.invalidate("vectors")


@pytest.fixture
async def outage(data: Path, model: RememberingModel) -> AsyncGenerator[Outage]:
    async with toolset_in(data, model=model) as instance:
        stores = Outages(instance.rag.live_stores.stores)
        instance.rag.live_stores.stores = stores
        yield Outage(instance, stores)


async def code_of(instance: Instance, tool: str) -> str:
    reply = await instance.reply(tool, **CALLS[tool])
    error = reply.structured.get("error")
    assert "/secret" not in str(reply.structured)
    return str(error["code"]) if isinstance(error, dict) else ""


async def test_without_the_graph_searches_read_the_log_and_the_others_say_what_failed(outage: Outage) -> None:
    whole = await outage.instance.rows("broad_chunks_search", text="bounce of the contacts")
    catalog_id = whole[0]["catalog_id"]
    outage.take("graph")
    rows = await outage.instance.rows("broad_chunks_search", text="bounce of the contacts")
    assert rows[0]["text"] == whole[0]["text"]
    assert rows[0]["concepts"] == whole[0]["concepts"]
    documents = await outage.instance.rows("catalog_search", text=RELAYS)
    assert documents[0]["catalog_id"] == catalog_id
    within = await outage.instance.rows("chunks_search", text="bounce", catalog_id=catalog_id)
    assert {str(row["title"]) for row in within} == {RELAYS}
    for tool in CALLS.keys() - {"broad_chunks_search", "catalog_search", "chunks_search", "get_guidance"}:
        assert await code_of(outage.instance, tool) == "DATABASE_ERROR", tool


@pytest.mark.parametrize("port", ["vectors", "embedder"])
async def test_without_vectors_or_embedder_searches_fail_and_reads_of_the_graph_go_on(
    outage: Outage, port: str
) -> None:
    found = (await outage.instance.rows("catalog_search", text=RELAYS))[0]["catalog_id"]
    outage.take(port)
    for tool in ("catalog_search", "broad_chunks_search", "concept_search", "extract_concepts"):
        assert await code_of(outage.instance, tool) == "SEARCH_ERROR", tool
    error = await outage.instance.error("chunks_search", text="relay", catalog_id=found)
    assert (error["code"], error["type"], error["field"]) == ("SEARCH_ERROR", "SearchError", "")
    assert error["context"] == {"cause": "unavailable", "retryable": True}
    for tool in ("source_concepts", "concept_sources", "category_search", "list_categories", "get_visuals"):
        assert await code_of(outage.instance, tool) == "", tool
    titled = await outage.instance.ask("extract_concepts", document_query=RELAYS)
    assert str(titled["document"]).endswith("relays.md")


async def test_without_the_log_everything_that_is_indexed_stays_there(outage: Outage) -> None:
    found = (await outage.instance.rows("catalog_search", text=RELAYS))[0]["catalog_id"]
    outage.take("events")
    CALLS["chunks_search"]["catalog_id"] = found
    for tool in CALLS.keys() - {"extract_concepts"}:
        assert await code_of(outage.instance, tool) == "", tool


async def test_what_was_down_is_used_again_when_it_is_back(outage: Outage) -> None:
    outage.take("graph", "vectors", "events", "embedder")
    for tool in CALLS.keys() - {"get_guidance"}:
        assert await code_of(outage.instance, tool) in {"DATABASE_ERROR", "SEARCH_ERROR"}, tool
    outage.take()
    assert (await outage.instance.rows("broad_chunks_search", text="relay"))[0]["title"]
    assert rows_of(await outage.instance.ask("list_categories"), "categories")


async def test_names_of_concepts_are_remembered_up_to_a_bound(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await instance.ask("list_concepts_in_category", category="Electronics", limit=1_000)
    monkeypatch.setattr(library_module, "MAX_NAMES", 3)
    for _ in range(2):
        assert await instance.ask("list_concepts_in_category", category="Electronics", limit=1_000) == whole
        assert (await instance.rows("broad_chunks_search", text="relay"))[0]["concepts"]


async def test_versions_known_to_be_whole_are_remembered_up_to_a_bound(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "MAX_COMPLETE", 1)
    for question in ("relay", "violin", "tomato", "relay"):
        assert await instance.rows("broad_chunks_search", text=question)


async def test_a_document_that_lacks_a_chunk_is_left_out_and_those_beside_it_are_not(instance: Instance) -> None:
    """They are counted together first."""
    titles = {str(row["title"]) for row in await instance.rows("broad_chunks_search", text="relay")}
    entries = [document_entry(node) async for node in instance.library.found(DOCUMENT, None)]
    lacking = next(entry for entry in entries if entry.title == RELAYS)
    assert RELAYS in titles
    vectors = (await instance.library.vectors()).vectors
    where = And((Eq("catalog", lacking.catalog_id), Eq("ordinal", 0)))
    first = await vectors.scan(CHUNKS, where)
    await vectors.delete(CHUNKS, {record.id: Revision(record.rev + 1) for record in first.items})
    complete = await Library(instance.rag).complete(entries)
    assert complete == {entry.token for entry in entries} - {lacking.token}


async def test_a_document_that_was_read_is_read_again_only_when_it_has_changed(instance: Instance) -> None:
    entries = [document_entry(node) async for node in instance.library.found(DOCUMENT, None)]
    relays, *others = sorted(entries, key=lambda entry: entry.title != RELAYS)
    library, recorder = Library(instance.rag), Recorder(instance.rag, "test")
    ids = [entry.catalog_id for entry in (*others, relays)]
    first = await library.documents(ids)
    assert [*first] == ids
    again = await library.documents(ids)
    assert all(again[id_] is first[id_] for id_ in ids)

    await recorder.join("/elsewhere/relays.md", relays.hash)
    changed = await library.documents(ids)
    assert changed[relays.catalog_id].rev == relays.rev + 1
    assert [id_ for id_ in ids if changed[id_] is not first[id_]] == [relays.catalog_id]

    await recorder.forget(relays.catalog_id)
    assert [*await library.documents(ids)] == ids[:-1]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("🐍", False),
        ("🍕🍕🍕 ☃", False),
        ("ქართული?", False),
        ("∮∯", False),
        ("ქართული ენა", True),
        ("한국어", True),
        ("日本", True),
        ("é", True),
        ("🐍 python", True),
    ],
)
async def test_a_query_has_a_vector_if_the_model_knows_a_word_of_it(instance: Instance, text: str, known: bool) -> None:
    assert bool((await instance.library.embed(text)).any()) is known


async def test_sampled_chunks_are_spread_over_the_bodies_of_all_documents(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The six documents have eleven chunks, of which one is a list of references."""
    monkeypatch.setattr(library_module, "_LEAST_SAMPLE", 1)
    store = await instance.library.vectors()
    records = (await store.vectors.scan(CHUNKS)).items
    bodies = [record for record in records if record.fields["kind"] == "body"]
    assert len(bodies) < len(records)
    every = await Library(instance.rag).sampled_chunks()
    assert Counter(tuple(text.counts.items()) for text in every.texts) == Counter(
        tuple(text.counts.items()) for text in lexical_ranking([record.text for record in bodies]).texts
    )
    monkeypatch.setattr(library_module, "_SAMPLED", len(records) // 2)
    half = await Library(instance.rag).sampled_chunks()
    assert len(records) // 2 - 1 <= len(half.texts) <= len(records) // 2


async def test_a_library_is_sampled_whatever_share_of_its_chunks_is_outside_the_bodies(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With eleven chunks, of which ten are of bodies."""
    monkeypatch.setattr(library_module, "_LEAST_SAMPLE", 11)
    assert len((await Library(instance.rag).sampled_chunks()).texts) == 10
    monkeypatch.setattr(library_module, "_LEAST_SAMPLE", 12)
    assert not (await Library(instance.rag).sampled_chunks()).texts
