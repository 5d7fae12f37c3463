"""Writes change only what differs, and the indexes are as if everything had been written again."""

import random
from pathlib import Path

from backends.ports.adapter import Engine
from backends.ports.filters import Contains, Eq
from backends.ports.graph import GraphBatch, KindSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision, Value
from tests.engines.sqlite.damage import sound
from tests.engines.sqlite.samples import MOST, ROUNDS, WORDS

FIELDS = (
    FieldSpec("title", "str", sort=True, text=True),
    FieldSpec("rank", "int", sort=True),
    FieldSpec("flag", "bool"),
    FieldSpec("tags", "strs"),
)
KINDS = [KindSpec("page", FIELDS), KindSpec("plain", (FieldSpec("rank", "int", sort=True),))]


def some_node(rng: random.Random, number: int, rev: int) -> Node:
    """Return a node of either kind, whose fields stay, change or are missing."""
    fields: dict[str, Value] = {"rank": rng.randrange(3)}
    if kind_is_page := rng.random() < 0.8:
        fields |= {"title": rng.choice(WORDS), "flag": rng.random() < 0.5, "tags": (rng.choice(WORDS),)}
        for name in ("title", "flag", "tags"):
            if rng.random() < 0.2:
                del fields[name]
    return Node(NodeId(f"n{number:03}"), "page" if kind_is_page else "plain", fields, Revision(rev))


async def test_nodes_are_found_by_their_present_fields(engine: Engine, tmp_path: Path) -> None:
    """Nodes change fields and kind, are deleted and revived; listings and searches follow."""
    rng = random.Random(7)
    graph = await engine.graph(namespace("upkeep"))
    await graph.ensure(KINDS)
    live: dict[NodeId, Node] = {}
    for rev in range(1, ROUNDS):
        nodes = {node.id: node for node in (some_node(rng, rng.randrange(MOST), rev) for _ in range(5))}
        ended = [key for key in live if key not in nodes and rng.random() < 0.05]
        await graph.apply(GraphBatch(tuple(nodes.values()), deleted_nodes=dict.fromkeys(ended, Revision(rev))))
        live = {key: node for key, node in {**live, **nodes}.items() if key not in ended}
    assert await graph.get_nodes(sorted(live)) == live
    pages = sorted((node for node in live.values() if node.kind == "page"), key=lambda node: node.id)
    for word in WORDS:
        found = await graph.find("page", Contains("title", word[1:5]))
        assert [node.id for node in found.items] == [node.id for node in pages if node.fields.get("title") == word]
    for rank in range(3):
        found = await graph.find("page", Eq("rank", rank))
        assert [node.id for node in found.items] == [node.id for node in pages if node.fields["rank"] == rank]
    listed = await graph.find("page", order=[Order("rank", descending=True)])
    assert [node.id for node in listed.items] == [
        node.id for node in sorted(pages, key=lambda node: (-int(str(node.fields["rank"])), node.id))
    ]
    sound(tmp_path / "graph.db", "texts")
