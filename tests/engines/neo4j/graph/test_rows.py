"""Columns become nodes and edges; a node that was deleted meanwhile is read again."""

import pytest

from backends.engines.neo4j.errors import ChangedWhileRead
from backends.engines.neo4j.graph.rows import edge, node
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, NodeId, Revision


def test_columns_are_read_as_the_node_that_they_were_made_of() -> None:
    expected = Node(NodeId("n"), "thing", {"name": "x", "tags": ("a",)}, Revision(3), {"p": [1]})
    assert node("n", "thing", '{"name":"x","tags":["a"]}', 3, '{"p":[1]}') == expected
    assert node("n", "thing", "{}", 1, None).props == {}


def test_columns_are_read_as_the_edge_that_they_were_made_of() -> None:
    ends = (NodeId("a"), NodeId("b"))
    assert edge("e", "a", "b", "knows", 2, 0.5, None) == Edge(EdgeId("e"), *ends, "knows", Revision(2), 0.5)


@pytest.mark.parametrize(("kind", "fields"), [(None, None), (None, "{}"), ("thing", None)])
def test_a_node_without_its_columns_was_deleted_while_it_was_read(kind: str | None, fields: str | None) -> None:
    with pytest.raises(ChangedWhileRead, match="'n' was deleted while it was read"):
        node("n", kind, fields, 3, None)
