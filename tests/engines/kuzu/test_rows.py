"""Keys and rows of nodes and edges."""

from backends.engines.kuzu.driver import Row
from backends.engines.kuzu.rows import edge, integer, key_of, keys_of, node, number, text, texts
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, Namespace, NodeId, Revision


def test_keys_of_two_namespaces_never_collide() -> None:
    """A namespace has no slash, an id may have."""
    assert key_of(Namespace("a"), "b/c") == "a/b/c"
    assert keys_of(Namespace("a"), ["b", "c"]) == [{"key": "a/b"}, {"key": "a/c"}]


def test_a_row_is_read_as_the_node_that_it_was_made_of() -> None:
    row: Row = ["n", "thing", '{"name":"x","tags":["a"]}', 3, '{"p":[1]}', False]
    assert node(row) == Node(NodeId("n"), "thing", {"name": "x", "tags": ("a",)}, Revision(3), {"p": [1]})
    assert node(["n", "thing", "{}", 1, None]).props == {}


def test_a_row_is_read_as_the_edge_that_it_was_made_of() -> None:
    ends = (NodeId("a"), NodeId("b"))
    assert edge(["e", "a", "b", "knows", 2, 0.5, None]) == Edge(EdgeId("e"), *ends, "knows", Revision(2), 0.5)


def test_a_cell_of_another_type_is_missing() -> None:
    assert (text(None), text("a"), text(1)) == (None, "a", None)
    assert (texts(None), texts("ab"), texts(["a", "b"])) == ([], [], ["a", "b"])
    assert (number(None), number(2), integer(None), integer(2.0)) == (0.0, 2.0, 0, 2)
