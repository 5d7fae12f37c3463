"""A rebuild answers a recorded session as before, while reads are served, with equal digests."""

import asyncio
import random
import shutil
from collections.abc import Mapping
from pathlib import Path

import backends.engines.minilm
from backends.ports.values import JsonObject
from tests.support.commands import rebuild
from tests.support.knowledge import ask, create, drained, part
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

Session = list[tuple[str, Mapping[str, object]]]


async def fill(caller: HttpCaller) -> list[str]:
    """Write 40 concepts with edits, deletions and edges; return the ids."""
    rng = random.Random(3)
    ids = [
        str(
            (await create(caller, f"concept {number}", area=f"area {number % 3}", topic=f"topic {number % 5}"))[
                "concept_id"
            ]
        )
        for number in range(40)
    ]
    for concept in rng.sample(ids, 12):
        await ask(caller, "update_concept", {"concept_id": concept, "explanation": f"Edited: {rng.random()}."})
    for _ in range(60):
        source, target = rng.sample(ids, 2)
        kind = rng.choice(["prerequisite", "relates_to", "includes"])
        edge = {
            "source_id": source,
            "target_id": target,
            "relationship_type": kind,
            "strength": round(rng.random(), 2),
        }
        await ask(caller, "create_relationship", edge)
    for concept in rng.sample(ids, 5):
        await ask(caller, "delete_concept", {"concept_id": concept})
    return ids


def session(ids: list[str]) -> Session:
    """Return calls that read everything in every way."""
    rng = random.Random(4)
    calls: Session = [("get_concept", {"concept_id": concept, "include_history": True}) for concept in ids]
    calls += [("get_related_concepts", {"concept_id": concept, "limit": 50}) for concept in ids]
    calls += [("get_prerequisites", {"concept_id": concept, "depth": 5}) for concept in ids]
    for _ in range(20):
        start, end = rng.sample(ids, 2)
        calls.append(("get_concept_chain", {"start_concept_id": start, "end_concept_id": end, "max_depth": 8}))
    calls += [("search_concepts_semantic", {"query": f"about concept {number}", "limit": 50}) for number in range(10)]
    calls += [("search_concepts_exact", {"area": f"area {number}", "limit": 100}) for number in range(3)]
    calls += [
        ("list_hierarchy", {}),
        ("get_recent_concepts", {"limit": 50}),
        ("get_concepts_by_certainty", {"limit": 50}),
    ]
    return calls


async def replies(caller: HttpCaller, calls: Session) -> list[JsonObject]:
    return [await ask(caller, tool, arguments) for tool, arguments in calls]


async def test_replies_are_equal_before_and_after_a_rebuild_under_a_running_server(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        caller = server.caller()
        ids = await fill(caller)
        calls = session(ids)
        before = await replies(caller, calls)
        rebuilding = asyncio.create_task(rebuild(tmp_path))
        served = 0
        while not rebuilding.done():
            assert await replies(caller, calls[:10]) == before[:10]
            served += 1
        report = str(await rebuilding)
        assert served > 0
        assert "digest" in report
        assert await replies(caller, calls) == before
        await create(caller, "written after the switch")
        await drained(caller)
    async with ours_http(tmp_path) as server:
        after = await ask(server.caller(), "search_concepts_exact", {"name": "after the switch"})
        assert after["total"] == 1


async def test_a_rebuild_repairs_a_store_that_lost_records(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        caller = server.caller()
        ids = await fill(caller)
        calls = session(ids)
        before = await replies(caller, calls)
    for file in tmp_path.glob("graph.db*"):
        file.unlink()
    await rebuild(tmp_path)
    async with ours_http(tmp_path) as server:
        assert await replies(server.caller(), calls) == before


async def test_a_rebuild_takes_the_stores_to_another_embedding_model(tmp_path: Path) -> None:
    data, model = tmp_path / "data", tmp_path / "another-model"
    shutil.copytree(
        Path(backends.engines.minilm.__file__).parent, model, ignore=shutil.ignore_patterns("*.py", "__pycache__")
    )
    with (model / "model.onnx").open("ab") as weights:
        weights.write(b"\x1a\x00")  # an empty field at the end: other bytes, the same network
    settings = tmp_path / "entrepot.toml"
    settings.write_text(f'[stores.minilm]\nkind = "minilm"\ndirectory = "{model}"\n', encoding="utf-8")
    async with ours_http(data) as server:
        await create(server.caller(), "carried over", area="model")
    report = await rebuild(data, "--config", str(settings))
    assert part(report, "knowledge")["embedded"] == 1
    async with ours_http(data, "--config", str(settings)) as server:
        found = await ask(server.caller(), "search_concepts_semantic", {"query": "All about carried over.", "limit": 1})
        assert "carried over" in str(found["results"])
