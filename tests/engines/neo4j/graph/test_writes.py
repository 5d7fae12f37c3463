"""Two engines write the same nodes of one database concurrently: the highest revision wins."""

import anyio

from backends.ports.graph import GraphBatch
from backends.ports.values import NodeId
from contracts.corpus import seeded
from contracts.ports.graph_records import THING, edge, edge_id, node
from tests.engines.neo4j.conftest import Open
from tests.engines.neo4j.samples import NAMES, REVISIONS, RIVALRY


async def test_concurrent_engines_leave_the_highest_revision_in_a_graph(on_server: Open) -> None:
    batches = [
        GraphBatch(
            tuple(node(name, rev=rev, rank=rev) for name in names),
            (edge(names[0], names[1], rev=rev, confidence=rev / 100),),
        )
        for rev in REVISIONS
        for names in (NAMES, NAMES[::-1])
    ]
    seeded(1).shuffle(batches)
    async with on_server() as one, on_server() as two:
        graphs = [await one.graph(RIVALRY), await two.graph(RIVALRY)]
        async with anyio.create_task_group() as group:
            for graph in graphs:
                group.start_soon(graph.ensure, [THING])
        async with anyio.create_task_group() as group:
            for number, batch in enumerate(batches):
                group.start_soon(graphs[number % 2].apply, batch)
        last = max(REVISIONS)
        found = await graphs[0].get_nodes([NodeId(name) for name in NAMES])
        assert {str(key): (item.rev, item.fields["rank"]) for key, item in found.items()} == dict.fromkeys(
            NAMES, (last, last)
        )
        forward = edge_id(NAMES[0], NAMES[1])
        assert (await graphs[1].get_edges([forward]))[forward].confidence == last / 100
        await graphs[0].drop()
