"""One of the two drivers can be loaded into a process, and few prepared statements are kept."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import InvalidInput
from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, Namespace, NodeId, Revision
from backends.stores import OpenStores

OPENING = """
import asyncio, importlib, pathlib, sys
from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import StoreError

importlib.import_module(sys.argv[1])
try:
    asyncio.run(ADAPTER.open({"driver": sys.argv[2]}, pathlib.Path(sys.argv[3])))
except StoreError as problem:
    print(problem.code, problem)
"""
QUESTIONS = 60


@pytest.mark.skipif(
    importlib.util.find_spec("kuzu") is None or importlib.util.find_spec("ladybug") is None, reason="needs both drivers"
)
@pytest.mark.parametrize(("first", "second"), [("kuzu", "ladybug"), ("ladybug", "kuzu")])
def test_a_driver_is_refused_after_another_part_of_the_process_imported_the_other(
    tmp_path: Path, first: str, second: str
) -> None:
    """Importing the second one would fail, or end the process with a segmentation fault."""
    command = [sys.executable, "-c", OPENING, first, second, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3], check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("invalid_input option driver: this process already uses")
    assert f"'{first}'" in done.stdout
    assert not [*tmp_path.iterdir()]


async def test_a_process_cannot_load_both_drivers(tmp_path: Path, driver: str, other_driver: str) -> None:
    await (await ADAPTER.open({"driver": driver}, tmp_path)).close()
    with pytest.raises(InvalidInput, match="cannot be loaded together"):
        await ADAPTER.open({"driver": other_driver}, tmp_path)


async def test_a_configuration_with_both_drivers_is_refused_at_the_second_store(
    tmp_path: Path, driver: str, other_driver: str
) -> None:
    tables = {
        "one": {"kind": "kuzu", "driver": driver},
        "two": {"kind": "kuzu", "driver": other_driver, "file": "other"},
    }
    stores = OpenStores(tables, tmp_path)
    await stores.stores(graph="one").graph(Namespace("space"))
    with pytest.raises(InvalidInput, match=r"\[stores\.two\].*choose one driver for all stores"):
        await stores.open_all()
    await stores.close()


async def test_many_different_statements_fit_into_a_small_pool(tmp_path: Path, driver: str) -> None:
    """Each limit makes its own statement; if Ladybug kept them all, they would fill the buffer pool."""
    engine = await ADAPTER.open({"driver": driver, "buffer_pool_mib": 64}, tmp_path)
    graph = await engine.graph(Namespace("space"))
    await graph.ensure([KindSpec("thing", ())])
    start, other = NodeId("start"), NodeId("other")
    nodes = tuple(Node(key, "thing", {}, Revision(1)) for key in (start, other))
    await graph.apply(GraphBatch(nodes, (Edge(EdgeId("edge"), start, other, "knows", Revision(1)),)))
    for limit in range(1, QUESTIONS + 1):
        found = await graph.expand([start], limit_per_node=limit)
        assert [edge.id for edge in found.edges[start]] == ["edge"]
    await engine.close()
