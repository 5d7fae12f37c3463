"""Whatever the order of arrival, the newest revision of a record wins."""

import pytest

from backends.ports.errors import InvalidInput
from backends.ports.graph import Graph, GraphBatch
from backends.ports.values import NodeId, Revision
from contracts.corpus import seeded
from contracts.ports.graph_records import (
    KIND,
    THING,
    edge,
    edge_id,
    fill,
    ids,
    names_found,
    node,
    remove_edge,
    remove_node,
)
from contracts.promises import promise


@promise("graph:revisions:skip")
async def test_an_older_or_equal_revision_is_skipped_silently(graph: Graph) -> None:
    """A late or repeated projection changes nothing."""
    await fill(graph, node("n", rev=5, rank=5), edge("n", "n", rev=5, confidence=0.5))
    for rev in (4, 5):
        late = GraphBatch((node("n", rev=rev, rank=0),), (edge("n", "n", rev=rev, confidence=0.1),))
        await graph.apply(late)
        assert (await graph.get_nodes(ids("n")))[NodeId("n")].fields == {"rank": 5}
        assert (await graph.get_edges([edge_id("n", "n")]))[edge_id("n", "n")].confidence == 0.5


@promise("graph:revisions:skip")
async def test_a_skipped_record_does_not_skip_the_rest_of_the_batch(graph: Graph) -> None:
    """Each record of a batch is compared separately."""
    await fill(graph, node("old", rev=5, rank=5))
    await graph.apply(GraphBatch((node("old", rev=1, rank=0), node("new", rank=1)), (edge("old", "new"),)))
    got = await graph.get_nodes(ids("old", "new"))
    assert {name: item.fields["rank"] for name, item in got.items()} == {"old": 5, "new": 1}
    assert await graph.count_edges() == {"knows": 1}


@promise("graph:revisions:read")
async def test_revisions_are_returned_for_every_known_id(graph: Graph) -> None:
    """Deleted records are included, unknown ones left out."""
    await fill(graph, node("a", rev=2), node("b", rev=3), edge("a", "b", rev=4), edge("b", "a", rev=1))
    await remove_node(graph, "b", 7)
    await remove_edge(graph, edge_id("b", "a"), 9)
    assert await graph.node_revisions(ids("a", "b", "unknown")) == {"a": 2, "b": 7}
    assert await graph.edge_revisions([edge_id("a", "b"), edge_id("b", "a"), edge_id("x", "y")]) == {
        edge_id("a", "b"): 4,
        edge_id("b", "a"): 9,
    }


@promise("graph:deletes:tombstone")
async def test_a_late_upsert_does_not_bring_a_deleted_record_back(graph: Graph) -> None:
    """A deletion leaves its revision behind."""
    await fill(graph, node("a"), node("n", rev=3), edge("a", "a", rev=3))
    await remove_node(graph, "n", 4)
    await remove_edge(graph, edge_id("a", "a"), 4)
    await graph.apply(GraphBatch((node("n", rev=3), node("n", rev=4)), (edge("a", "a", rev=4),)))
    assert await names_found(graph) == ["a"]
    assert await graph.get_edges([edge_id("a", "a")]) == {}


@promise("graph:deletes:tombstone")
async def test_a_delete_that_comes_first_is_remembered(graph: Graph) -> None:
    """A deletion may arrive before the record."""
    await fill(graph, node("a"))
    await remove_node(graph, "n", 4)
    await remove_edge(graph, edge_id("a", "a"), 4)
    await graph.apply(GraphBatch((node("n", rev=3),), (edge("a", "a", rev=2),)))
    assert await names_found(graph) == ["a"]
    assert await graph.get_edges([edge_id("a", "a")]) == {}
    assert await graph.node_revisions(ids("n")) == {"n": 4}


@promise("graph:deletes:late")
async def test_a_late_delete_does_not_take_a_newer_record(graph: Graph) -> None:
    """The record was revived before the deletion arrived."""
    await fill(graph, node("n", rev=5), edge("n", "n", rev=5))
    for rev in (4, 5):
        await remove_node(graph, "n", rev)
        await remove_edge(graph, edge_id("n", "n"), rev)
    assert await names_found(graph) == ["n"]
    assert await graph.count_edges() == {"knows": 1}


@promise("graph:deletes:revival")
async def test_a_higher_revision_revives_a_record_with_its_new_state_only(graph: Graph) -> None:
    """Nothing of the former record remains."""
    await fill(graph, node("n", rank=1, colour="red"), edge("n", "n", confidence=0.5))
    await remove_node(graph, "n", 2)
    await remove_edge(graph, edge_id("n", "n"), 2)
    await graph.apply(GraphBatch((node("n", rev=3, rank=3),), (edge("n", "n", rev=3),)))
    assert await graph.get_nodes(ids("n")) == {"n": node("n", rev=3, rank=3)}
    assert await graph.get_edges([edge_id("n", "n")]) == {edge_id("n", "n"): edge("n", "n", rev=3)}


@promise("graph:deletes:hides-edges")
async def test_edges_of_a_deleted_node_are_in_no_answer_until_it_is_revived(graph: Graph) -> None:
    """The edges of a deleted node are hidden, not lost."""
    await fill(graph, node("a"), node("b"), node("c"), edge("a", "b"), edge("b", "c"), edge("a", "c"), edge("b", "b"))
    await remove_node(graph, "b", 2)
    hidden = [edge_id("a", "b"), edge_id("b", "c"), edge_id("b", "b")]
    assert await graph.get_edges(hidden) == {}
    assert await graph.count_edges() == {"knows": 1}
    assert [item.id for item in (await graph.scan_edges()).items] == [edge_id("a", "c")]
    assert (await graph.expand(ids("a", "b"))).edges.get(NodeId("a")) == (edge("a", "c"),)
    assert (await graph.expand(ids("b"))).edges.get(NodeId("b"), ()) == ()
    assert [step.node for step in (await graph.walk(NodeId("a"), max_depth=5)).steps] == ["c"]
    assert (await graph.walk(NodeId("b"), max_depth=5)).steps == ()
    assert await graph.shortest_path(NodeId("a"), NodeId("b")) is None
    assert await graph.shortest_path(NodeId("b"), NodeId("b")) is None
    await graph.apply(GraphBatch((node("b", rev=3),)))
    assert set(await graph.get_edges(hidden)) == set(hidden)
    assert await graph.count_edges() == {"knows": 4}


@promise("graph:deletes:no-answer")
async def test_a_deleted_node_is_in_no_answer(graph: Graph) -> None:
    """It is found neither by id nor by search nor in a count."""
    await fill(graph, node("live", name="same", rank=1), node("dead", name="same", rank=1))
    await remove_node(graph, "dead", 2)
    assert set(await graph.get_nodes(ids("live", "dead"))) == {"live"}
    assert await names_found(graph) == ["live"]
    [group] = await graph.count_nodes(KIND)
    assert group.count == 1


@promise("graph:apply:doubles")
async def test_the_highest_revision_of_duplicates_in_a_batch_wins(graph: Graph) -> None:
    """This holds for upserts and deletions, at any place in the batch."""
    await graph.ensure([THING])
    await graph.apply(
        GraphBatch(
            (node("n", rev=2, rank=2), node("n", rev=3, rank=3), node("n", rev=1, rank=1), node("gone", rev=1)),
            (edge("n", "n", rev=3, confidence=0.3), edge("n", "n", rev=2, confidence=0.2)),
            {NodeId("gone"): Revision(2), NodeId("n"): Revision(1)},
        )
    )
    assert await graph.get_nodes(ids("n", "gone")) == {"n": node("n", rev=3, rank=3)}
    assert await graph.get_edges([edge_id("n", "n")]) == {
        edge_id("n", "n"): edge("n", "n", rev=3, confidence=0.3),
    }


@promise("graph:apply:atomic")
async def test_a_batch_that_is_refused_leaves_nothing_behind(graph: Graph) -> None:
    """The deletions of the batch are not applied either."""
    await fill(graph, node("a", rank=1), node("b"), edge("a", "b"))
    bad = GraphBatch((node("a", rev=2, rank=2), node("c", rank="no number")), (), {NodeId("b"): Revision(2)}, {})
    with pytest.raises(InvalidInput):
        await graph.apply(bad)
    assert await graph.get_nodes(ids("a", "b", "c")) == {"a": node("a", rank=1), "b": node("b")}


@promise("graph:revisions:any-order")
async def test_any_order_of_arrival_ends_in_the_same_graph(graph: Graph) -> None:
    """Fifty shuffled histories with repeats end in the last state of each record."""
    rng = seeded(11)
    await fill(graph, node("end"))
    changes: list[GraphBatch] = []
    last_alive: set[str] = set()
    for number in range(50):
        name = f"n{number:02}"
        length = rng.randrange(1, 6)
        for rev in range(1, length + 1):
            deleted = rng.random() < 0.3
            changes.append(
                GraphBatch(deleted_nodes={NodeId(name): Revision(rev)})
                if deleted
                else GraphBatch((node(name, rev=rev, rank=rev),))
            )
            if rev == length and not deleted:
                last_alive.add(f"{name}@{length}")
    changes += rng.sample(changes, 40)
    rng.shuffle(changes)
    for change in changes:
        await graph.apply(change)
    found = (await graph.find(KIND, limit=1_000)).items
    assert {f"{item.id}@{item.rev}" for item in found if item.id != "end"} == last_alive
    assert all(item.fields["rank"] == item.rev for item in found if item.id != "end")
