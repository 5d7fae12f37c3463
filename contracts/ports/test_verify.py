"""An engine verifies all stored data, in another process if damaged files may crash it."""

from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

import numpy
import pytest

from backends.ports.adapter import AdapterOverFiles, Engine
from backends.ports.errors import StoreError, Unusable
from backends.ports.values import Namespace
from backends.stores import OpenStores
from contracts.fixtures import EngineFactory
from contracts.ports import graph_records, vector_records
from contracts.promises import promise

COUNT = 120
"""Enough records that a file has pages of each kind to damage."""
PAGE = 4_096
"""The page of SQLite and Kuzu; damage of other engines' files is as large."""
STRAY = "not the engine's"


async def store(engine: Engine, offered: Collection[str], namespace: Namespace) -> None:
    """Store records of each kind that the engine offers, and delete some."""
    names = [f"n{number}" for number in range(COUNT)]
    if "graph" in offered:
        graph = await engine.graph(namespace)
        edges = [graph_records.edge(one, other) for one, other in pairwise(names)]
        await graph_records.fill(graph, *(graph_records.node(name, name=name, tags=(name,)) for name in names), *edges)
        await graph_records.remove_edge(graph, graph_records.edge_id("n1", "n2"), 2)
        await graph_records.remove_node(graph, "n3", 2)
    if "vectors" in offered:
        vectors = await engine.vectors(namespace)
        cloud = vector_records.cloud(COUNT, 1)
        records = [
            vector_records.record(name, at, f"text {name}", rank=1) for name, at in zip(names, cloud, strict=True)
        ]
        await vector_records.fill(vectors, *records)


async def stored(engine: Engine, offered: Collection[str], namespace: Namespace) -> list[list[str]]:
    """Return the ids of the stored records."""
    graph = await graph_records.names_found(await engine.graph(namespace)) if "graph" in offered else []
    vectors = await vector_records.names_stored(await engine.vectors(namespace)) if "vectors" in offered else []
    return [sorted(graph), sorted(vectors)]


def files_of(engine_factory: EngineFactory) -> tuple[Path, ...]:
    """Return the files of the adapter; skip the test if it has none in this mode."""
    assert isinstance(engine_factory.adapter, AdapterOverFiles)
    files = engine_factory.adapter.files(engine_factory.options, engine_factory.directory)
    if not files:
        pytest.skip("unsupported: the engine has no files of its own in this mode")
    return files


async def verified(engine_factory: EngineFactory) -> StoreError | None:
    """Return what verifying the store finds, as `entrepot check` and `entrepot rebuild` do."""
    stores = OpenStores(
        {"tried": {"kind": engine_factory.adapter.name, **engine_factory.options}}, engine_factory.directory
    )
    try:
        return (await stores.verify()).get("tried")
    finally:
        await stores.close()


@promise("engine:verify")
async def test_a_whole_store_is_found_whole(engine_factory: EngineFactory, namespace: Namespace) -> None:
    """Verifying changes nothing."""
    engine = await engine_factory.open()
    offered = engine_factory.adapter.capabilities.ports
    await store(engine, offered, namespace)
    await engine.verify()
    before = await stored(engine, offered, namespace)
    await engine_factory.close()
    assert await verified(engine_factory) is None
    assert await stored(await engine_factory.reopen(), offered, namespace) == before


@promise("engine:files")
@pytest.mark.over_files
async def test_its_own_files_can_be_moved_away(
    engine_factory: EngineFactory, namespace: Namespace, tmp_path: Path
) -> None:
    """Other files stay; some of the named files exist once something is stored, and the first one names the store."""
    offered = engine_factory.adapter.capabilities.ports
    await store(await engine_factory.open(), offered, namespace)
    await engine_factory.close()
    files = files_of(engine_factory)
    assert any(file.exists() for file in files)
    stray = files[0].parent / "stray"
    stray.write_text(STRAY, encoding="utf-8")
    aside = tmp_path / "aside"
    aside.mkdir()
    for file in files:
        if file.exists():
            file.rename(aside / file.name)
    assert stray.read_text(encoding="utf-8") == STRAY
    await store(await engine_factory.open(), offered, namespace)


@promise("engine:files:damaged")
@pytest.mark.over_files
@pytest.mark.parametrize("part", [None, 1, 2], ids=["all", "a third", "two thirds"])
async def test_damaged_files_are_reported_or_do_no_harm(
    engine_factory: EngineFactory, namespace: Namespace, part: int | None
) -> None:
    """This process survives, whatever the engine does with them, and they are not changed."""
    offered = engine_factory.adapter.capabilities.ports
    await store(await engine_factory.open(), offered, namespace)
    before = await stored(engine_factory.opened[0], offered, namespace)
    await engine_factory.close()
    files = files_of(engine_factory)
    damage(files, part)
    problem = await verified(engine_factory)
    if part is None or problem is not None:
        assert isinstance(problem, Unusable), problem
        assert {*problem.replaceable} & {*files}
        assert "entrepot rebuild" in str(problem)
    else:
        assert await stored(await engine_factory.open(), offered, namespace) == before


def damage(files: Collection[Path], part: int | None) -> None:
    """Overwrite the files with random bytes, whole or one page of each."""
    rng = numpy.random.default_rng(7)
    for top in files:
        for file in [top, *top.rglob("*")] if top.is_dir() else [top]:
            if file.is_file():
                size = file.stat().st_size
                begin, length = (0, size) if part is None else (size * part // 3 // PAGE * PAGE, min(PAGE, size))
                with file.open("r+b") as opened:
                    opened.seek(begin)
                    opened.write(rng.bytes(min(length, size - begin)))
