"""The checks that need a declaration, and how declarations grow."""

from typing import cast

import pytest

from backends.kit.declarations import (
    check_filter_fields,
    group_fields,
    merge_specs,
    searched_text,
    sort_fields,
    specs_by_kind,
    specs_by_name,
    storable_fields,
    whole_element,
)
from backends.ports.errors import Conflict, InvalidInput
from backends.ports.filters import And, Contains, Eq, Exists, Filter, Has, In, InIgnoringCase, Lt, Ne, Not, Or
from backends.ports.graph import KindSpec, Order
from backends.ports.values import FieldSpec, Scalar, Value

SPECS = specs_by_name(
    [
        FieldSpec("name", "str", sort=True, text=True),
        FieldSpec("rank", "int", sort=True),
        FieldSpec("score", "float"),
        FieldSpec("flag", "bool"),
        FieldSpec("tags", "strs"),
        FieldSpec("names", "strs", text=True),
    ]
)


def test_fields_are_found_by_kind() -> None:
    found = specs_by_kind([KindSpec("page", tuple(SPECS.values())), KindSpec("plain", ())])
    assert {kind: [*specs] for kind, specs in found.items()} == {"page": [*SPECS], "plain": []}


@pytest.mark.parametrize(
    "where",
    [
        Eq("name", "a"),
        Eq("score", 1),
        Lt("rank", 0.5),
        And((Has("tags", "a"), Or((Contains("name", "a"), Not(Exists("flag")))))),
        In("rank", (1, 2)),
        Or((InIgnoringCase("name", ("a", "b")), InIgnoringCase("names", ()), Contains("names", "a"))),
    ],
)
def test_a_filter_that_fits_its_fields_is_returned(where: Filter) -> None:
    assert check_filter_fields(where, SPECS) is where


@pytest.mark.parametrize(
    "where",
    [
        Exists("unknown"),
        Eq("rank", "1"),
        Eq("rank", 1.5),
        Eq("rank", value=True),
        Eq("rank", cast("Scalar", None)),
        In("name", cast("tuple[Scalar, ...]", (None,))),
        Ne("flag", 1),
        In("rank", (1, "2")),
        Lt("name", 1),
        Has("name", "a"),
        Contains("tags", "a"),
        InIgnoringCase("tags", ("a",)),
        InIgnoringCase("rank", ("1",)),
        And((Exists("name"), Or((Not(Exists("unknown")),)))),
    ],
)
def test_a_filter_that_does_not_fit_its_fields_is_refused(where: Filter) -> None:
    with pytest.raises(InvalidInput):
        check_filter_fields(where, SPECS)


def test_a_list_is_searched_within_its_elements() -> None:
    found = searched_text(("React", "Stra\nße", ""))
    assert found is not None
    assert searched_text("REACT") == "react"
    assert all(whole_element(name) in found for name in ("rEACT", "STRA\nSSE", ""))
    assert not any(whole_element(name) in found for name in ("reac", "ct", "reactstra", "stra", "sse"))
    assert searched_text("x" * 33_000) is None
    assert searched_text(("x" * 33_000,)) is not None


def test_listings_are_sorted_by_fields_flagged_sort_only() -> None:
    assert sort_fields([Order("rank"), Order("name", descending=True)], SPECS) == [SPECS["rank"], SPECS["name"]]
    for name in ("score", "unknown"):
        with pytest.raises(InvalidInput, match="flagged sort"):
            sort_fields([Order(name)], SPECS)


def test_nodes_are_counted_by_single_valued_fields_only() -> None:
    assert group_fields(["flag", "name"], SPECS) == [SPECS["flag"], SPECS["name"]]
    for name in ("tags", "unknown"):
        with pytest.raises(InvalidInput, match="single-valued"):
            group_fields([name], SPECS)


def test_empty_lists_are_left_out_and_whole_numbers_become_floats() -> None:
    kept = storable_fields({"tags": (), "score": 1, "rank": 1}, SPECS, owner="kind 'page'")
    assert kept == {"score": 1.0, "rank": 1}
    assert type(kept["score"]) is float


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("rank", 2**53, r"field 'rank' of kind 'page' must be an integer from -\(2\^53 - 1\) to 2\^53 - 1"),
        ("score", -(2**60), r"field 'score' of kind 'page' must be .* from -\(2\^53 - 1\) to 2\^53 - 1"),
        ("score", float("inf"), "field 'score' of kind 'page' must be a finite number"),
        ("rank", float("nan"), "field 'rank' of kind 'page' is int; this is float"),
        ("name", 2**53, "field 'name' of kind 'page' is str; this is int"),
    ],
)
def test_a_field_is_refused_with_the_rule_that_its_value_breaks(name: str, value: Value, rule: str) -> None:
    with pytest.raises(InvalidInput, match=rule):
        storable_fields({name: value}, SPECS, owner="kind 'page'")


def test_a_declaration_gains_fields_and_flags_but_no_other_type() -> None:
    merged = merge_specs(
        SPECS, specs_by_name([FieldSpec("score", "float", sort=True), FieldSpec("more", "str")]), owner="x"
    )
    assert [spec.name for spec in merged] == [*SPECS, "more"]
    assert specs_by_name(merged)["score"].sort
    with pytest.raises(Conflict) as caught:
        merge_specs(SPECS, specs_by_name([FieldSpec("rank", "str")]), owner="x")
    assert caught.value.key == "rank"


def test_a_declaration_has_at_most_sixteen_fields_together() -> None:
    more = specs_by_name([FieldSpec(f"f{number}", "int") for number in range(12)])
    with pytest.raises(InvalidInput, match="at most 16"):
        merge_specs(SPECS, more, owner="x")
