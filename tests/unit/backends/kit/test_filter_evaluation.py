"""Filters in Python have the two-valued logic that the ports promise."""

import pytest

from backends.kit.filter_evaluation import matches
from backends.ports.filters import (
    And,
    Contains,
    Eq,
    Exists,
    Filter,
    Ge,
    Gt,
    Has,
    In,
    InIgnoringCase,
    Le,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.values import Fields

FULL: Fields = {"name": "Straße", "rank": 2, "flag": False, "tags": ("a", "b"), "names": ("É", "Stra\nße")}
HOLD: tuple[Filter, ...] = (
    Eq("rank", 2),
    Ne("rank", 3),
    In("rank", (1, 2)),
    NotIn("rank", ()),
    Lt("rank", 2.5),
    Le("rank", 2),
    Gt("rank", 1),
    Ge("rank", 2),
    Exists("flag"),
    Has("tags", "b"),
    Contains("name", "STRASSE"),
    Contains("name", ""),
    Contains("names", "A\nSS"),
    InIgnoringCase("name", ("x", "STRASSE")),
    InIgnoringCase("names", ("e\u0301",)),
    Not(InIgnoringCase("names", ("e", "stra", ""))),
    And(()),
    Not(Or(())),
    And((Eq("flag", value=False), Or((Eq("rank", 9), Has("tags", "a"))))),
)
FAIL_WITHOUT_A_VALUE: tuple[Filter, ...] = (
    Eq("x", 1),
    In("x", (1,)),
    Lt("x", 1),
    Le("x", 1),
    Gt("x", 0),
    Ge("x", 0),
    Exists("x"),
    Has("x", "a"),
    Contains("x", ""),
    InIgnoringCase("x", ("",)),
    InIgnoringCase("x", ()),
)


@pytest.mark.parametrize("where", HOLD, ids=repr)
def test_a_filter_and_its_negation_divide_the_records(where: Filter) -> None:
    assert matches(where, FULL)
    assert not matches(Not(where), FULL)


@pytest.mark.parametrize("where", FAIL_WITHOUT_A_VALUE, ids=repr)
def test_a_missing_field_and_an_empty_list_fit_nothing(where: Filter) -> None:
    for fields in ({}, {"x": ()}):
        assert not matches(where, fields)
        assert matches(Not(where), fields)
    assert matches(Ne("x", 1), {})
    assert matches(NotIn("x", (1,)), {})


def test_no_filter_matches_every_record() -> None:
    assert matches(None, {})


def test_a_text_over_32_kilobytes_is_not_searched() -> None:
    assert matches(Contains("name", "needle"), {"name": "needle" + "x" * 32_000})
    assert not matches(Contains("name", "needle"), {"name": "needle" + "x" * 33_000})
    assert matches(InIgnoringCase("name", ("X" * 32_000,)), {"name": "x" * 32_000})
    assert not matches(InIgnoringCase("name", ("X" * 33_000,)), {"name": "x" * 33_000})
