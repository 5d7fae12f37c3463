"""Links and paths are the same by every query that a strategy may choose."""

import random

import pytest

from backends.engines.kuzu import traversal, writes
from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import Session
from backends.engines.kuzu.kinds import Kinds
from backends.engines.kuzu.query_strategy import STRATEGIES, QueryStrategy
from backends.kit.traversal import EdgeFilter, HopRequest, Link
from backends.ports.graph import Direction, GraphBatch, GraphPath, Walk
from backends.ports.values import NodeId, Revision
from contracts.ports.graph_records import KIND, THING, edge, node
from tests.engines.kuzu.files import SPACE

NODES = [f"n{number:02}" for number in range(20)]
ONE_BY_ONE = QueryStrategy(keys_looped=99, links_looped=99, links_changed=True, hops_looped=99, hops_listed=0)
AS_LIST = QueryStrategy(keys_looped=0, links_looped=99, links_changed=True, hops_looped=0, hops_listed=99)
AS_JOIN = QueryStrategy(keys_looped=0, links_looped=99, links_changed=True, hops_looped=0, hops_listed=0)


@pytest.fixture
async def linked(database: DatabaseFile) -> DatabaseFile:
    """Return a file with random links of few confidences and one deleted node."""
    rng = random.Random(4)
    kinds = Kinds()
    changed = kinds.changes(SPACE, {KIND: {spec.name: spec for spec in THING.fields}})
    await database.write(lambda session: kinds.save(session, SPACE, changed), after=lambda: kinds.keep(SPACE, changed))
    ends = {(rng.choice(NODES), rng.choice(NODES)) for _ in range(70)}
    edges = (
        edge(one, two, kind=rng.choice(("knows", "likes")), confidence=rng.choice((0.25, 0.5, 1.0)))
        for one, two in sorted(ends)
    )
    for batch in (
        GraphBatch(tuple(map(node, NODES)), tuple(edges)),
        GraphBatch(deleted_nodes={NodeId("n03"): Revision(2)}),
    ):
        await database.write(
            lambda session, batch=batch: writes.prepare(SPACE, batch, kinds, STRATEGIES["kuzu"]).apply(session)
        )
    return database


@pytest.mark.parametrize("types", [None, ["knows"], []])
@pytest.mark.parametrize("direction", ["out", "in", "both"])
async def test_links_do_not_depend_on_the_query(
    linked: DatabaseFile, types: list[str] | None, direction: Direction
) -> None:
    request = HopRequest([*NODES[:6], "unknown"], EdgeFilter(direction, types, 0.5))

    def links(session: Session) -> list[set[Link]]:
        return [{*traversal.links(session, SPACE, each, request)} for each in (ONE_BY_ONE, AS_LIST, AS_JOIN)]

    one, two, three = await linked.read(links)
    assert one == two == three
    assert bool(one) == (types != [])
    assert not any("n03" in (link.near, link.far) for link in one)


async def test_walks_do_not_depend_on_the_query(linked: DatabaseFile) -> None:
    def walks(session: Session) -> list[Walk]:
        passable = EdgeFilter("both", None)
        return [
            traversal.walk(session, SPACE, "n00", passable, 3, 100, each) for each in (ONE_BY_ONE, AS_LIST, AS_JOIN)
        ]

    one, two, three = await linked.snapshot(walks)
    assert one == two == three
    assert len(one.steps) > 5


@pytest.mark.parametrize("direction", ["out", "both"])
async def test_a_path_that_the_engine_lists_is_the_one_found_level_by_level(
    linked: DatabaseFile, monkeypatch: pytest.MonkeyPatch, direction: Direction
) -> None:
    def paths(session: Session) -> list[GraphPath | None]:
        passable = EdgeFilter(direction, ["knows", "likes"])
        return [
            traversal.shortest_path(session, SPACE, "n00", target, passable, 4, STRATEGIES["kuzu"]) for target in NODES
        ]

    listed = await linked.snapshot(paths)
    monkeypatch.setattr(traversal, "LISTED", -1)
    assert await linked.snapshot(paths) == listed
    assert sum(path is not None for path in listed) > 5
    assert listed[3] is None, "it is deleted"
