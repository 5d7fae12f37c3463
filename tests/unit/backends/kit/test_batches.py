"""Of each id in a batch the highest revision is written."""

from backends.kit.batches import changes_of
from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.values import EdgeId, NodeId, Revision


def node(name: str, rev: int) -> Node:
    return Node(NodeId(name), "thing", {}, Revision(rev))


def edge(name: str, target: str, rev: int) -> Edge:
    return Edge(EdgeId(name), NodeId("a"), NodeId(target), "knows", Revision(rev))


def test_the_highest_revision_wins_whether_record_or_deletion() -> None:
    changes = changes_of(
        GraphBatch(
            (node("a", 2), node("a", 3), node("a", 1), node("gone", 1), node("tie", 2)),
            (edge("e", "x", 1), edge("e", "y", 2)),
            {NodeId("gone"): Revision(2), NodeId("a"): Revision(1), NodeId("tie"): Revision(2)},
            {EdgeId("f"): Revision(5)},
        )
    )
    assert changes.node_revisions == {"a": 3, "tie": 2, "gone": 2}
    assert changes.deleted_nodes == {"gone": 2}
    assert changes.edge_revisions == {"e": 2, "f": 5}
    assert changes.edges["e"].target == "y"


def test_the_ends_of_edges_that_lose_are_needed_too() -> None:
    changes = changes_of(GraphBatch(edges=(edge("e", "x", 1), edge("e", "y", 2))))
    assert changes.ends == {"a", "x", "y"}
