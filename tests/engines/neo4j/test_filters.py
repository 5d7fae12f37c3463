"""Substrings are found through the text index, whatever form the text has there."""

from collections.abc import Iterator, Mapping
from typing import LiteralString, Protocol, cast

import pytest

from backends.engines.neo4j.connection import connect
from backends.engines.neo4j.filters import TRIGRAM, condition, select, sort_key
from backends.engines.neo4j.properties import MAX_SHADOW_BYTES
from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Has, In, Le, Lt, Not, Or
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


def test_one_indexed_condition_is_in_the_text_and_the_others_are_values() -> None:
    """The server plans each new text for a tenth of a second."""
    one, values = condition(And((Ge("rank", 1), Eq("colour", "red"), Eq("name", "é"))), SPECS)
    other, others = condition(And((Eq("name", "x"), Not(Has("tags", "a")), Lt("score", 2))), SPECS)
    assert one == other
    assert one.startswith("n.s_name = $v.sought AND all(")
    assert (values["sought"], others["sought"]) == (sort_key("é"), "x")


@pytest.mark.parametrize(
    ("where", "sought"),
    [
        (Eq("rank", 1), "n.s_rank = $v.sought"),
        (In("rank", (1, 2)), "n.s_rank IN $v.sought"),
        (Le("rank", 1), "n.s_rank <= $v.sought"),
        (And((Le("rank", 1), In("name", ("a",)))), "n.s_name IN $v.sought"),
    ],
)
def test_an_equality_is_sought_before_a_set_and_a_set_before_a_range(where: Filter, sought: str) -> None:
    assert condition(where, SPECS)[0].startswith(f"{sought} AND ")


@pytest.mark.parametrize("where", [Not(Eq("rank", 1)), Or((Eq("rank", 1), Eq("rank", 2))), Eq("colour", "red")])
def test_a_condition_that_no_index_answers_is_only_in_the_tree(where: Filter) -> None:
    text, values = condition(where, SPECS)
    assert text.startswith("all(")
    assert [*values] == ["tree"]


def test_no_filter_is_true() -> None:
    assert condition(None, SPECS) == condition(And(()), SPECS) == ("true", {})
    assert select(None, SPECS).nodes == "MATCH (n:EntrepotNode)"


def test_a_deep_filter_has_a_statement_of_its_own() -> None:
    deep: Filter = Eq("colour", "red")
    texts: list[str] = []
    for _ in range(7):
        deep = And((Exists("tags"), Or((Exists("body"), deep))))
        texts.append(condition(deep, SPECS)[0])
    assert len({*texts}) == 2


@pytest.mark.parametrize("where", [Eq("unknown", 1), Eq("rank", "one"), Contains("colour", "red"), Has("name", "a")])
def test_a_filter_that_does_not_fit_the_fields_is_refused(where: Filter) -> None:
    with pytest.raises(InvalidInput):
        condition(where, SPECS)
