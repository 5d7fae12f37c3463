"""A store that breaks under a running server: told in the envelope, nothing reported that is not so, and mended afterwards."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from backends.ports.values import JsonObject
from contracts.client import Serving, opened
from contracts.promises import promise
from contracts.servers import Combination
from contracts.tools.memory.client import MemoryClient
from contracts.tools.memory.replies import SimilarList
from tests.support.damage import SEPARATE, copied_model, cut_off, table_gone
from tests.support.knowledge import PATIENCE_S
from tests.support.processes import start_server

Calls = list[tuple[str, JsonObject]]
PAIR: JsonObject = {"database": "memory", "from_entity": "Sand", "to_entity": "Glass", "relationship_type": "BECOMES"}
OBSERVING: JsonObject = {"database": "memory", "entity_name": "Sand", "observations": ["is everywhere"]}
CREATING: JsonObject = {"database": "memory", "name": "Lens", "entity_type": "thing", "observations": ["bends light"]}
BY_MEANING: JsonObject = {"database": "memory", "query": "molten sand", "threshold": 0.0}
READS: Calls = [
    ("search_entities", {"database": "memory", "query": "sand"}),
    ("get_related_entities", {"database": "memory", "entity_name": "Sand"}),
    ("get_graph_summary", {"database": "memory"}),
]
WRITES: Calls = [("create_relationship", PAIR), ("add_observations", OBSERVING), ("create_entity", CREATING)]


@asynccontextmanager
async def served(folder: Path) -> AsyncGenerator[MemoryClient]:
    """Run a server with two entities, each port in a directory of its own and the model a copy."""
    data = folder / "data"
    data.mkdir()
    text = SEPARATE.replace("knowledge", "memory") + copied_model(folder / "model")
    (data / "entrepot.toml").write_text(text, encoding="utf-8")
    async with opened("http", Serving(data, Combination("embedded"), "memory"), start_server) as connection:
        client = MemoryClient(connection, "")
        await client.store("Sand", ["ground stone"])
        await client.store("Glass", ["sand, molten"])
        yield client


async def failing(client: MemoryClient, calls: Calls) -> None:
    for tool, arguments in calls:
        reply = await client.connection.call(tool, arguments)
        assert reply.is_error, (tool, reply.text)
        assert set(reply.structured) == {"status", "message"}
        assert ".db" not in str(reply.structured["message"]), "where files lie is for the server's log"


async def working(client: MemoryClient, calls: Calls) -> None:
    for tool, arguments in calls:
        reply = await client.connection.call(tool, arguments)
        assert not reply.is_error, (tool, reply.text)


@promise("memory:errors:stores")
async def test_a_damaged_graph_is_reported_until_it_is_repaired(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        with table_gone(tmp_path / "data/graph/graph.db", "nodes"):
            await failing(client, READS)
            assert [row.name for row in await client.similar("molten sand", threshold=0.0)] == ["Glass", "Sand"]
        await working(client, READS)


@promise("memory:errors:stores", "memory:semantic:manual")
async def test_similarity_is_computed_by_hand_until_damaged_vectors_are_repaired(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        with table_gone(tmp_path / "data/vectors/vectors.db", "records"):
            by_hand = await client.connection.ask(SimilarList, "semantic_search", **BY_MEANING)
            assert (by_hand.method, [row.name for row in by_hand.entities]) == ("manual_calculation", ["Glass", "Sand"])
            await working(client, READS)
            stored = await client.store("Lens", ["bends light"])
            assert (stored.status, stored.embedded) == ("created", False)
        repaired = await client.connection.ask(SimilarList, "semantic_search", **BY_MEANING)
        assert repaired.method == "vector_similarity"
        similarities = {row.name: row.similarity for row in repaired.entities}
        assert {row.name: row.similarity for row in by_hand.entities} == pytest.approx(
            {name: similarities[name] for name in ("Glass", "Sand")}, abs=1e-3
        )


@promise("memory:errors:stores")
@pytest.mark.parametrize("table", ["events", "batches"])
async def test_no_write_to_a_damaged_log_is_reported_as_done(tmp_path: Path, table: str) -> None:
    async with served(tmp_path) as client:
        before = await client.summary()
        with table_gone(tmp_path / "data/events/events.db", table):
            await failing(client, WRITES)
            await working(client, [READS[0], READS[2]])
        assert await client.summary() == before
        await working(client, WRITES)


@promise("memory:create:unembedded")
async def test_an_entity_that_cannot_be_embedded_is_stored_and_embedded_later(tmp_path: Path) -> None:
    async with served(tmp_path):
        pass
    # Another server, because one that has embedded anything has the model in memory.
    async with opened(
        "stdio", Serving(tmp_path / "data", Combination("embedded"), "memory"), start_server
    ) as connection:
        client = MemoryClient(connection, "")
        with cut_off(tmp_path / "model/model.onnx"):
            stored = await client.store("Lens", ["bends light"])
            assert (stored.status, stored.embedded) == ("created", False)
            again = await client.store("Lens")
            assert (again.status, again.embedded) == ("exists", False)
            assert not (await client.observe("Sand", ["is everywhere"])).reembedded
            assert [row.name for row in await client.search("bends")] == ["Lens"]
            await failing(client, [("semantic_search", BY_MEANING)])
        with anyio.fail_after(PATIENCE_S):
            while not (await client.store("Lens")).embedded:
                await anyio.lowlevel.checkpoint()
        assert (await client.similar("Lens thing bends light", threshold=0.0))[0].name == "Lens"
