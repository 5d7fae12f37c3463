"""A file with nodes, written by the driver under test."""

from pathlib import Path

from backends.engines.kuzu.adapter import ADAPTER, KuzuEngine
from backends.ports.graph import GraphBatch, KindSpec, Node
from backends.ports.values import FieldSpec, Json, Namespace, NodeId, Revision

SPACE = Namespace("space")
THING = KindSpec("thing", (FieldSpec("rank", "int", sort=True), FieldSpec("name", "str", text=True)))
ROOT = Path(__file__).parents[3]


def thing(number: int) -> Node:
    return Node(NodeId(f"n{number}"), "thing", {"rank": number, "name": f"name {number}"}, Revision(1))


async def opened(directory: Path, driver: str, **options: Json) -> KuzuEngine:
    return await ADAPTER.open({"driver": driver, **options}, directory)


async def filled(directory: Path, driver: str, *, nodes: int = 50) -> Path:
    engine = await opened(directory, driver)
    graph = await engine.graph(SPACE)
    await graph.ensure([THING])
    await graph.apply(GraphBatch(tuple(map(thing, range(nodes)))))
    await engine.close()
    return directory / "graph.kuzu"
