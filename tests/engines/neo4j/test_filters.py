"""Substrings are found through the text index, whatever form the text has there."""

from collections.abc import Iterator, Mapping
from typing import LiteralString, Protocol, cast

import pytest

from backends.engines.neo4j.connection import connect
from backends.engines.neo4j.filters import TRIGRAM, select
from backends.engines.neo4j.properties import MAX_SHADOW_BYTES
from backends.ports.filters import And, Contains, Eq, Filter
from backends.ports.ids import namespace
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from contracts.ports.graph_records import KIND, THING, fill, node
from contracts.servers import options_of
from tests.engines.neo4j.conftest import Open

PLACE = namespace("substring")
SPECS = {spec.name: spec for spec in THING.fields}
GROWS = "\u0149" * (MAX_INDEXED_BYTES // 2 - 100)
"""A letter of two bytes whose case folding is two letters of three bytes together."""


class _Planned(Protocol):
    """The part of the driver's summary that the test uses."""

    @property
    def plan(self) -> Mapping[str, object] | None: ...


def _operators(plan: Mapping[str, object]) -> Iterator[str]:
    yield str(plan["operatorType"]).partition("@")[0]
    for child in cast("list[Mapping[str, object]]", plan.get("children", [])):
        yield from _operators(child)


async def _planned(where: Filter) -> list[str]:
    reached = options_of("neo4j")
    driver = connect(str(reached["uri"]), (str(reached["user"]), str(reached["password"])))
    try:
        async with driver.session(database="neo4j", fetch_size=-1) as session:
            selected = select(where, SPECS)
            query = f"EXPLAIN {selected.nodes} WHERE n.ns = $v.ns AND {selected.condition} RETURN n.id"
            result = await session.run(cast("LiteralString", query), {"v": {**selected.values, "ns": "any"}})
            summary = cast("_Planned", await result.consume())
    finally:
        await driver.close()
    assert summary.plan is not None
    return list(_operators(summary.plan))


@pytest.mark.parametrize("where", [Contains("name", "abc"), And((Eq("rank", 1), Contains("body", "abc")))])
async def test_a_needle_is_searched_in_the_index(on_server: Open, where: Filter) -> None:
    async with on_server() as engine:
        await (await engine.graph(PLACE)).ensure([THING])
        operators = await _planned(where)
    assert "NodeIndexContainsScan" in operators
    assert not {"NodeByLabelScan", "AllNodesScan"} & {*operators}


async def test_a_text_too_long_for_the_index_is_found(on_server: Open) -> None:
    """By its folded form, by short needles, and together with indexed texts."""
    assert len(shadow(GROWS).encode()) > MAX_SHADOW_BYTES
    async with on_server() as engine:
        graph = await engine.graph(PLACE)
        await fill(graph, node("long", body=f"{GROWS}needle"), node("short", body="a needle"), node("other", body="n"))
        for needle, expected in (
            ("needle", ["long", "short"]),
            ("nneedle", ["long"]),
            ("needle"[:TRIGRAM], ["long", "short"]),
            ("e", ["long", "short"]),
            ("", ["long", "other", "short"]),
            ("absent", []),
        ):
            found = await graph.find(KIND, Contains("body", needle))
            assert [item.id for item in found.items] == expected, needle
            assert sum(group.count for group in await graph.count_nodes(KIND, where=Contains("body", needle))) == len(
                expected
            )
        await graph.drop()
