"""A listing follows the index of its first sort key, from the start or from the node where the last page ended."""

import pytest

from backends.engines.neo4j.graph.queries import count_plan, listing
from backends.kit import cursors
from backends.kit.queries import FindQuery
from backends.ports.errors import InvalidInput
from backends.ports.filters import Eq
from backends.ports.graph import Order
from contracts.ports.graph_records import KIND, THING

SPECS = {spec.name: spec for spec in THING.fields}
BY_RANK = (Order("rank", descending=True), Order("flag"))


def query(*, order: tuple[Order, ...] = (), after: str | None = None) -> FindQuery:
    return FindQuery("space", KIND, Eq("colour", "red"), order, after, 5)


def test_a_listing_by_id_is_one_index_range() -> None:
    for after, value in ((None, ""), (cursors.encode((), "n7"), "n7")):
        found = listing(query(after=after), SPECS)
        assert found.index_ranges == (("n.id > $v.after", "n.id"),)
        assert found.values["after"] == value


def test_nodes_with_the_key_come_before_those_without() -> None:
    found = listing(query(order=BY_RANK), SPECS)
    assert [condition for condition, _ in found.index_ranges] == [
        "n.s_rank IS NOT NULL AND n.id IS NOT NULL",
        "n.s_rank IS NULL AND n.id IS NOT NULL",
    ]
    assert found.index_ranges[0][1].startswith("n.ns, n.kind, n.s_rank DESC")


def test_a_later_page_begins_among_nodes_with_an_equal_key() -> None:
    found = listing(query(order=BY_RANK, after=cursors.encode((3, 1), "n7")), SPECS)
    conditions = [condition for condition, _ in found.index_ranges]
    assert [condition.partition(" AND ")[0] for condition in conditions] == [
        "n.s_rank = $v.after0",
        "n.s_rank < $v.after0",
        "n.s_rank IS NULL",
    ]
    assert {name: found.values[name] for name in ("after0", "after1", "after")} == {
        "after0": 3,
        "after1": True,
        "after": "n7",
    }


def test_after_a_node_without_the_key_there_are_only_others_without() -> None:
    found = listing(query(order=BY_RANK, after=cursors.encode((None, 1), "n7")), SPECS)
    [(condition, _)] = found.index_ranges
    assert condition.startswith("n.s_rank IS NULL AND ")


def test_an_order_or_a_cursor_that_does_not_fit_is_refused() -> None:
    for wrong in (query(order=(Order("colour"),)), query(after="no cursor"), query(order=(Order("none"),))):
        with pytest.raises(InvalidInput):
            listing(wrong, SPECS)


def test_counts_are_grouped_by_the_values_themselves() -> None:
    statement, values = count_plan(("rank", "flag"), Eq("colour", "red"), SPECS)
    assert statement.endswith("RETURN count(*), n.f_rank, n.f_flag")
    assert "red" not in statement
    assert values
    with pytest.raises(InvalidInput):
        count_plan(("tags",), None, SPECS)
