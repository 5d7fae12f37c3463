"""Verification finds rows, keys and links that do not agree, which the driver itself does not notice."""

from pathlib import Path

import pytest

from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.settings import KuzuSettings
from backends.ports.errors import Unusable
from contracts.ports.graph_records import edge, edge_id, fill, node, remove_edge, remove_node
from tests.engines.kuzu.files import SPACE, opened
from tests.support.folders import contents


async def written(directory: Path, driver: str) -> None:
    """Fill a file with live and deleted nodes and edges."""
    engine = await opened(directory, driver)
    graph = await engine.graph(SPACE)
    nodes = [node(name, name=f"Name {name}", rank=number, tags=(name,)) for number, name in enumerate("abcd")]
    await fill(graph, *nodes, edge("a", "b"), edge("b", "c", confidence=0.5), edge("c", "d"))
    await remove_node(graph, "d", 2)
    await remove_edge(graph, edge_id("a", "b"), 2)
    await engine.close()


async def verify(directory: Path, driver: str) -> None:
    engine = await opened(directory, driver)
    try:
        await engine.verify()
    finally:
        await engine.close()


async def test_verification_changes_nothing(tmp_path: Path, driver: str) -> None:
    """The writes of the probe go to a copy."""
    await written(tmp_path, driver)
    before = contents(tmp_path)
    await verify(tmp_path, driver)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("MATCH (n:Node) WHERE n.id = 'a' SET n.n3 = 7.0", "the columns of node a are not its fields"),
        ("MATCH (n:Node) WHERE n.id = 'a' SET n.t0 = 'other'", "the columns of node a are not its fields"),
        ("MATCH (n:Node) WHERE n.id = 'a' SET n.lists = ['6']", "the columns of node a are not its fields"),
        ("MATCH (n:Node) WHERE n.id = 'a' SET n.ns = 'other'", "a key does not find its node"),
        ("MATCH (n:Edge) WHERE n.source = 'b' SET n.id = 'other'", "a key does not find its edge"),
        ("MATCH (n:Node) WHERE n.id = 'd' SET n.rev = 0", "node d has no revision"),
        ("MATCH (n:Edge) WHERE n.source = 'b' SET n.confidence = 0.75", "are not those of its edges"),
        ("MATCH (a:Node)-[e:Link]->(b:Node) WHERE a.id = 'b' DELETE e", "are not those of its edges"),
        ("MATCH (a:Node)-[e:Link]->(b:Node) WHERE a.id = 'c' SET e.hidden = false", "is not between its nodes"),
    ],
)
async def test_rows_that_do_not_agree_are_damage(tmp_path: Path, driver: str, statement: str, found: str) -> None:
    await written(tmp_path, driver)
    database = DatabaseFile(tmp_path / "graph.kuzu", KuzuSettings.model_validate({"driver": driver}))
    database.open()
    await database.write(lambda session: session.run(statement))
    database.close()
    with pytest.raises(Unusable, match=found) as problem:
        await verify(tmp_path, driver)
    assert problem.value.replaceable[0] == tmp_path / "graph.kuzu"
