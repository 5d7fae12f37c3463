"""Stores that fail: each tool names what is unavailable, and nothing is reported as done that is not."""

import random
from pathlib import Path
from typing import cast

from backends.ports.adapter import Stores
from backends.ports.values import Json
from backends.stores import OpenStores
from tests.support.toolsets.knowledge import Instance, store_tables, stores_in
from toolsets.clock import system_now
from toolsets.knowledge.plugin import assemble
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.spec import Services


async def call(stores: Stores, tool: str, **arguments: Json) -> dict[str, Json]:
    services = Services(stores, system_now, random.Random(), KnowledgeSettings())
    async with assemble(services) as running:
        return dict(await Instance(running, stores).ask(tool, **arguments))


async def test_a_store_that_cannot_be_opened_makes_its_services_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    house = OpenStores(store_tables(directory=str(tmp_path / "file")), tmp_path)
    stores = house.stores(graph="db", vectors="db", events="db", embedder="model")
    for tool, arguments, service in (
        ("create_concept", {"name": "x", "explanation": "x"}, "repository"),
        ("search_concepts_exact", {}, "neo4j_service"),
        ("search_concepts_semantic", {"query": "x"}, "chromadb_service"),
        ("get_server_stats", {}, "event_store"),
    ):
        reply = await call(stores, tool, **arguments)
        assert reply["error"] == "service_unavailable", tool
        assert service in str(reply["message"])
    assert (await call(stores, "get_server_stats"))["status"] == "error"
    availability = await call(stores, "get_tool_availability")
    assert availability["available"] == ["get_server_stats", "get_tool_availability", "ping"]
    assert availability["success"] is True
    assert (await call(stores, "ping"))["status"] == "ok"
    await house.close()


async def test_a_store_that_fails_during_a_search_is_named_by_its_code(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores:
        services = Services(stores, system_now, random.Random(), KnowledgeSettings())
        async with assemble(services) as running:
            instance = Instance(running, stores)
            await instance.create("A")
            for store, tool, arguments, code in (
                ("graph", "get_recent_concepts", {}, "neo4j_error"),
                ("vectors", "search_concepts_semantic", {"query": "x"}, "chromadb_error"),
            ):
                for file in tmp_path.glob(f"{store}.db*"):
                    file.unlink()
                assert (await instance.ask(tool, **arguments))["error"] == code
                refilling = await instance.ask(tool, **arguments)
                assert refilling["error"] == "service_unavailable", "an empty store would answer with nothing"


async def test_without_a_model_nothing_is_recorded(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores:
        await call(stores, "create_concept", name="A", explanation="A.")
    house = OpenStores({"db": {"kind": "sqlite"}}, tmp_path)
    without = house.stores(graph="db", vectors="db", events="db")
    log = await without.events()
    before = await log.head()
    assert (await call(without, "create_concept", name="B", explanation="B."))["error"] == "service_unavailable"
    assert (await call(without, "search_concepts_exact"))["total"] == 1
    assert await log.head() == before
    await house.close()


async def test_a_log_that_is_down_before_anything_was_stored_is_blamed_alone(tmp_path: Path) -> None:
    """The other stores answer, but being new they do not know yet which generation is live."""
    down: dict[str, Json] = {"kind": "postgres", "uri": "postgresql://user:secret@127.0.0.1:1/none"}
    house = OpenStores({**store_tables(), "log": down}, tmp_path)
    stores = house.stores(graph="db", vectors="db", events="log", embedder="model")
    availability = await call(stores, "get_tool_availability")
    status = cast("dict[str, dict[str, bool]]", availability["service_status"])
    services = {name: up for group in status.values() for name, up in group.items()}
    assert {name for name, up in services.items() if not up} == {"repository", "event_store", "outbox"}
    assert availability["available"] == ["get_server_stats", "get_tool_availability", "ping"]
    for tool, arguments in (("get_recent_concepts", {}), ("search_concepts_semantic", {"query": "x"})):
        reply = await call(stores, tool, **arguments)
        assert reply["error"] == "service_unavailable", tool
        assert "(event_store not initialized)" in str(reply["message"])
    async with assemble(Services(stores, system_now, random.Random(), KnowledgeSettings())) as running:
        assert running.health is not None
        health = await running.health()
    assert health.lag is None
    [problem] = health.problems
    # Without the driver the store can never be opened, which is no outage.
    assert problem.startswith(
        ("the event log does not answer: ", "[stores.log]: the adapter 'postgres' cannot be imported")
    )
    await house.close()


async def test_an_embedder_that_cannot_be_opened_is_blamed_alone_and_once(tmp_path: Path) -> None:
    """Vectors are opened for an embedder; they were blamed, too."""
    away: dict[str, Json] = {"kind": "minilm", "directory": str(tmp_path / "nowhere")}
    house = OpenStores({**store_tables(), "model": away}, tmp_path)
    stores = house.stores(graph="db", vectors="db", events="db", embedder="model")
    async with assemble(Services(stores, system_now, random.Random(), KnowledgeSettings())) as running:
        assert running.health is not None
        health = await running.health()
    assert health.lag is None
    [problem] = health.problems
    assert problem.startswith("[stores.model]: option directory: ")
    await house.close()
