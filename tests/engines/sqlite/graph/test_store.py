"""What the graph does in several transactions."""

import dataclasses

import pytest

from backends.engines.sqlite.connection import Call, DatabaseFile
from backends.ports.adapter import Engine
from backends.ports.errors import Unavailable
from backends.ports.graph import Edge
from backends.ports.values import EdgeId, NodeId, Revision
from tests.engines.sqlite.damage import NS
from tests.engines.sqlite.samples import KIND, batch


async def test_the_rest_of_an_interrupted_drop_is_counted(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = await engine.graph(NS)
    wanted = dataclasses.replace(KIND, totals=("name",))
    await graph.ensure([wanted])
    edges = tuple(Edge(EdgeId(key), NodeId("a"), NodeId("b"), "knows", Revision(1)) for key in ("e1", "e2", "e3"))
    await graph.apply(dataclasses.replace(batch("a", "b"), edges=edges))
    whole, turns = DatabaseFile.write, iter(range(1))

    async def cut_short(database: DatabaseFile, call: Call[bool]) -> bool:
        if next(turns, None) is None:
            raise Unavailable("the disk is gone")
        return await whole(database, call)

    with monkeypatch.context() as patched:
        patched.setattr("backends.engines.sqlite.graph.store.DROPPED_AT_ONCE", 1)
        patched.setattr(DatabaseFile, "write", cut_short)
        with pytest.raises(Unavailable):
            await graph.drop()
    await graph.ensure([wanted])
    assert await graph.count_edges() == {"knows": 2}
    assert [group.count for group in await graph.count_nodes(KIND.name, by=("name",))] == [1, 1]
    await graph.drop()
    await graph.ensure([wanted])
    assert (await graph.count_edges(), await graph.count_nodes(KIND.name, by=("name",))) == ({}, [])
