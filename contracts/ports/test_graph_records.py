"""Nodes and edges are stored completely and unchanged, and only if they obey the rules."""

import math

import pytest

from backends.ports.errors import Conflict, InvalidInput, NotFound
from backends.ports.graph import Edge, Graph, GraphBatch, KindSpec
from backends.ports.values import EdgeId, FieldSpec, Json, Namespace, NodeId, Revision, Value
from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS
from contracts.fixtures import EngineFactory
from contracts.ports.graph_records import KIND, THING, edge, edge_id, fill, ids, names_found, node
from contracts.promises import promise

EVERYTHING: dict[str, Value] = {
    "name": "Ada",
    "body": "wrote",
    "colour": "red",
    "rank": -7,
    "score": 0.1,
    "flag": False,
    "tags": ("b", "a", "b"),
}


@promise("graph:apply:unchanged", "graph:get:nodes")
async def test_a_node_comes_back_as_it_was_stored(graph: Graph) -> None:
    """Fields keep their types, lists their order, and props their nesting."""
    props: dict[str, Json] = {"a": [1, 0.5, None, True, {"b": []}], "": "x", "texts": list(HOSTILE_TEXTS)}
    stored = node("n", EVERYTHING, rev=3, props=props)
    await fill(graph, stored)
    got = await graph.get_nodes(ids("n", "unknown"))
    assert got == {"n": stored}
    assert {name: type(value) for name, value in got[NodeId("n")].fields.items()} == {
        name: type(value) for name, value in EVERYTHING.items()
    }


@promise("graph:apply:unchanged", "graph:get:edges")
async def test_an_edge_comes_back_as_it_was_stored(graph: Graph) -> None:
    """Confidence keeps its digits, props their nesting; edges are directed and may loop."""
    stored = Edge(EdgeId("e"), NodeId("a"), NodeId("b"), "knows", Revision(2), 0.1 + 0.2, {"notes": HOSTILE_TEXTS[0]})
    loop = edge("a", "a")
    await fill(graph, node("a"), node("b"), stored, loop)
    got = await graph.get_edges([EdgeId("e"), loop.id, EdgeId("unknown")])
    assert got == {"e": stored, loop.id: loop}


@promise("graph:apply:hostile-text")
async def test_hostile_texts_are_stored_unchanged_in_every_place(graph: Graph) -> None:
    """Quotes, query syntax, control characters and any script are data."""
    stored = [
        node(f"n{number}", name=text, body=text, colour=text, tags=(text, text[::-1]), props={text: text})
        for number, text in enumerate(HOSTILE_TEXTS)
    ]
    await fill(graph, *stored)
    got = await graph.get_nodes([item.id for item in stored])
    assert got == {item.id: item for item in stored}


@promise("graph:apply:hostile-text", "graph:apply:long-text")
async def test_a_text_of_64_kilobytes_is_stored_whole(graph: Graph) -> None:
    """Long texts are returned in full; only their search is limited."""
    stored = node("n", body=LONG, colour=LONG)
    await fill(graph, stored)
    assert await graph.get_nodes([stored.id]) == {stored.id: stored}


@promise("graph:names:ids")
async def test_ids_that_look_alike_stay_apart(graph: Graph) -> None:
    """Ids are compared byte by byte: letter case, NFC and NFD, and blanks make a difference."""
    names = ["a", "A", " a", "a ", "ä", "a\u0308", "%", "_", "'", '"', "`", "\\", "日本", "x" * 2_000]
    await fill(graph, *(node(name, colour=name) for name in names))
    got = await graph.get_nodes(ids(*names))
    assert {name: item.fields["colour"] for name, item in got.items()} == {name: name for name in names}
    assert await names_found(graph) == sorted(names)


@promise("graph:names:ids")
@pytest.mark.parametrize("bad", ["", "a\nb", "a\x00", "\ud800", "x" * 2_001, "é" * 1_001])
async def test_an_id_that_cannot_be_kept_is_refused(graph: Graph, bad: str) -> None:
    """Ids have 1 to 2,000 bytes and no control characters."""
    await graph.ensure([THING])
    with pytest.raises(InvalidInput):
        await graph.apply(GraphBatch((node("fine"), node(bad))))
    assert await names_found(graph) == []


@promise("graph:apply:full-replace")
async def test_a_node_replaces_what_was_stored_under_its_id(graph: Graph) -> None:
    """Nothing of the older state remains."""
    await fill(graph, node("n", EVERYTHING, props={"a": 1, "b": 2}))
    replacement = node("n", rev=2, props={"c": 3}, rank=1)
    await graph.apply(GraphBatch((replacement,)))
    assert await graph.get_nodes(ids("n")) == {"n": replacement}


@promise("graph:apply:full-replace")
async def test_an_edge_replaces_what_was_stored_under_its_id(graph: Graph) -> None:
    """A new revision may even change the ends and the type."""
    await fill(graph, node("a"), node("b"), node("c"), edge("a", "b"))
    replacement = Edge(edge_id("a", "b"), NodeId("b"), NodeId("c"), "likes", Revision(2), 0.5, {"x": 1})
    await graph.apply(GraphBatch(edges=(replacement,)))
    assert await graph.get_edges([replacement.id]) == {replacement.id: replacement}
    assert (await graph.expand(ids("a"))).edges.get(NodeId("a"), ()) == ()
    assert (await graph.expand(ids("c"))).edges[NodeId("c")] == (replacement,)


@promise("graph:apply:empty-list")
async def test_an_empty_list_counts_as_missing(graph: Graph) -> None:
    """An empty list is not stored, so a field can be missing in only one way."""
    await fill(graph, node("n", tags=(), rank=1))
    got = (await graph.get_nodes(ids("n")))[NodeId("n")]
    assert got.fields.get("tags", ()) == ()


@promise("graph:apply:undeclared")
@pytest.mark.parametrize(
    "fields",
    [
        {"unknown": 1},
        {"rank": "1"},
        {"rank": 1.5},
        {"rank": True},
        {"rank": 2**53},
        {"score": "1"},
        {"score": math.nan},
        {"score": math.inf},
        {"score": False},
        {"flag": 1},
        {"name": 1},
        {"name": "x" * 2_001},
        {"name": "nul\x00"},
        {"name": "\ud800"},
        {"body": "x" * (256 * 1024 + 1)},
        {"tags": "a"},
        {"tags": ("a", "\ud800")},
    ],
)
async def test_a_field_that_its_kind_does_not_declare_so_is_refused(graph: Graph, fields: dict[str, Value]) -> None:
    """The rest of the batch is not applied either."""
    await graph.ensure([THING])
    with pytest.raises(InvalidInput):
        await graph.apply(GraphBatch((node("fine"), node("bad", fields))))
    assert await names_found(graph) == []


@promise("graph:apply:undeclared")
async def test_a_node_of_an_undeclared_kind_is_refused(graph: Graph) -> None:
    """Kinds are declared before they are used."""
    await graph.ensure([THING])
    with pytest.raises(InvalidInput):
        await graph.apply(GraphBatch((node("n", kind="stranger"),)))


@promise("graph:apply:confidence")
@pytest.mark.parametrize("confidence", [-0.1, 1.1, math.nan, math.inf])
async def test_a_confidence_outside_zero_to_one_is_refused(graph: Graph, confidence: float) -> None:
    """Products of confidences must be confidences, too."""
    await fill(graph, node("a"), node("b"))
    with pytest.raises(InvalidInput):
        await graph.apply(GraphBatch(edges=(edge("a", "b", confidence=confidence),)))


@promise("graph:apply:confidence")
async def test_whole_numbers_are_confidences_too(graph: Graph) -> None:
    """0 and 1 are within the range."""
    await fill(graph, node("a"), node("b"), edge("a", "b", confidence=0), edge("b", "a", confidence=1))
    got = await graph.get_edges([edge_id("a", "b"), edge_id("b", "a")])
    assert sorted(item.confidence for item in got.values()) == [0.0, 1.0]


@promise("graph:apply:edge-ends")
async def test_an_edge_without_an_end_is_refused_with_the_missing_ids(graph: Graph) -> None:
    """The whole batch is refused, and the error names the missing nodes."""
    await fill(graph, node("a"))
    batch = GraphBatch((node("b"),), (edge("a", "b"), edge("a", "x"), edge("y", "b")))
    with pytest.raises(NotFound) as caught:
        await graph.apply(batch)
    assert set(caught.value.missing) == {"x", "y"}
    assert await names_found(graph) == ["a"]
    assert await graph.count_edges() == {}


@promise("graph:apply:edge-ends")
async def test_an_edge_may_come_with_its_ends_or_end_at_a_deleted_node(graph: Graph) -> None:
    """A node that once existed is known."""
    await fill(graph, node("a"), node("b"), edge("a", "b"))
    await graph.apply(GraphBatch(deleted_nodes={NodeId("b"): Revision(2)}))
    await graph.apply(GraphBatch(edges=(edge("a", "b", kind="likes"),)))
    await graph.apply(GraphBatch(deleted_nodes={NodeId("new"): Revision(2)}, edges=(edge("a", "new"),)))
    assert set(await graph.edge_revisions([edge_id("a", "b", "likes"), edge_id("a", "new")])) == {
        edge_id("a", "b", "likes"),
        edge_id("a", "new"),
    }


@promise("graph:names:identifiers")
@pytest.mark.parametrize("bad", ["", "Upper", "1st", "a b", "a'b", "a`b", 'a"b', "a;b", "x" * 49, "ä", "a\n"])
async def test_an_identifier_that_could_be_more_than_a_name_is_refused(graph: Graph, bad: str) -> None:
    """Kinds, fields and edge types are plain lower-case names, so none can reach a statement as syntax."""
    await fill(graph, node("a"))
    with pytest.raises(InvalidInput):
        await graph.ensure([KindSpec(bad, ())])
    with pytest.raises(InvalidInput):
        await graph.ensure([KindSpec(KIND, (*THING.fields, FieldSpec(bad, "int")))])
    with pytest.raises(InvalidInput):
        await graph.apply(GraphBatch(edges=(edge("a", "a", kind=bad),)))


@promise("graph:ensure:repeat")
async def test_a_kind_may_be_declared_again_and_gain_fields(graph: Graph) -> None:
    """Nodes that were stored before lack the new field."""
    await fill(graph, node("old", rank=1))
    await graph.ensure([THING])
    await graph.ensure([KindSpec(KIND, (*THING.fields, FieldSpec("extra", "int", sort=True)))])
    await graph.apply(GraphBatch((node("new", extra=5),)))
    got = await graph.get_nodes(ids("old", "new"))
    assert (got[NodeId("old")].fields, got[NodeId("new")].fields) == ({"rank": 1}, {"extra": 5})


@promise("graph:ensure:conflict")
async def test_a_field_cannot_change_its_type(graph: Graph) -> None:
    """Stored values would no longer match the declaration."""
    await fill(graph, node("n", rank=1))
    with pytest.raises(Conflict):
        await graph.ensure([KindSpec(KIND, (FieldSpec("rank", "str", sort=True),))])
    assert (await graph.get_nodes(ids("n")))[NodeId("n")].fields == {"rank": 1}


@promise("graph:ensure:limits")
@pytest.mark.parametrize(
    "fields",
    [
        tuple(FieldSpec(f"f{number}", "int") for number in range(17)),
        (FieldSpec("twice", "int"), FieldSpec("twice", "int")),
        (FieldSpec("rank", "int", text=True),),
        (FieldSpec("tags", "strs", sort=True),),
    ],
)
async def test_a_declaration_that_breaks_a_rule_is_refused(graph: Graph, fields: tuple[FieldSpec, ...]) -> None:
    """A kind has at most 16 fields, each once, with flags that fit."""
    with pytest.raises(InvalidInput):
        await graph.ensure([KindSpec("other", fields)])


@promise("graph:get:nodes", "graph:get:edges")
async def test_asking_for_many_or_no_ids_is_fine(graph: Graph) -> None:
    """A batch of thousands is one call, and an empty batch has an empty answer."""
    many = [node(f"n{number}") for number in range(3_000)]
    loops = [edge(str(item.id), str(item.id)) for item in many]
    await fill(graph, *many, *loops)
    assert len(await graph.get_nodes([item.id for item in many])) == 3_000
    assert len(await graph.get_edges([item.id for item in loops])) == 3_000
    assert (await graph.get_nodes([]), await graph.get_edges([])) == ({}, {})
    await graph.apply(GraphBatch())


@promise("graph:apply:durable")
@pytest.mark.needs("graph")
async def test_a_graph_is_there_when_it_is_opened_again(engine_factory: EngineFactory, namespace: Namespace) -> None:
    """Records, revisions of deleted ones, declarations and meta values persist."""
    graph = await (await engine_factory.open()).graph(namespace)
    await fill(graph, node("a", EVERYTHING), node("b"), edge("a", "b"))
    await graph.apply(GraphBatch(deleted_nodes={NodeId("gone"): Revision(4)}))
    await graph.set_meta("key", "kept")
    graph = await (await engine_factory.reopen()).graph(namespace)
    await graph.apply(GraphBatch((node("a", EVERYTHING, rev=2),)))
    assert await names_found(graph) == ["a", "b"]
    assert await graph.get_edges([edge_id("a", "b")]) == {edge_id("a", "b"): edge("a", "b")}
    assert await graph.node_revisions(ids("a", "gone")) == {"a": 2, "gone": 4}
    assert await graph.get_meta("key") == "kept"
    await graph.drop()


@promise("graph:search:twins")
async def test_two_unicode_forms_of_a_word_are_two_values(graph: Graph) -> None:
    """NFC and NFD forms are stored as they were given."""
    for nfc, nfd in TWINS:
        await fill(graph, node("nfc", name=nfc), node("nfd", name=nfd))
        got = await graph.get_nodes(ids("nfc", "nfd"))
        assert (got[NodeId("nfc")].fields["name"], got[NodeId("nfd")].fields["name"]) == (nfc, nfd)
        await graph.drop()
