"""A filter as a condition is true for the nodes that it matches, false for the rest, and never null."""

import pytest

from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import Session
from backends.engines.kuzu.filters import FALSE, TRUE, Values, cell, compile_filter
from backends.engines.kuzu.kinds import Declared
from backends.kit.filter_evaluation import matches
from backends.ports.errors import InvalidInput
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
from backends.ports.values import MAX_INTEGER, Fields
from contracts.ports.graph_records import THING

DECLARED = Declared({spec.name: spec for spec in THING.fields})
ROWS: tuple[Fields, ...] = (
    {},
    {"name": "Straße", "colour": "red", "rank": 1, "score": 0.5, "flag": True, "tags": ("a", "b"), "names": ("One",)},
    {"name": "strasse 2", "colour": "RED", "rank": -1, "score": -0.0, "flag": False, "tags": ("1:a",)},
    {"colour": "", "rank": MAX_INTEGER, "names": ("ONE", "two")},
    {"name": "", "rank": 0, "flag": True, "tags": ("b",)},
)
WHERE: tuple[Filter, ...] = (
    Eq("colour", "red"),
    Ne("colour", "red"),
    Eq("flag", value=True),
    Eq("score", 0.0),
    Eq("rank", MAX_INTEGER),
    In("colour", ("red", "")),
    NotIn("colour", ("red", "")),
    In("colour", ()),
    NotIn("colour", ()),
    Lt("rank", 0.5),
    Le("rank", 0),
    Gt("score", -1),
    Ge("rank", 1),
    Not(Ge("rank", 1)),
    Exists("tags"),
    Exists("colour"),
    Not(Exists("names")),
    Has("tags", "a"),
    Has("tags", "1:a"),
    Not(Has("tags", "b")),
    Contains("name", "STRASSE"),
    Contains("name", ""),
    Contains("names", "wo"),
    Not(Contains("name", "2")),
    InIgnoringCase("name", ("STRASSE", "other")),
    InIgnoringCase("names", ("one",)),
    InIgnoringCase("names", ("on",)),
    InIgnoringCase("name", ()),
    And(()),
    Or(()),
    Or((And((Eq("flag", value=True), Not(Eq("rank", 1)))), Eq("colour", "RED"))),
)


def conditions(session: Session) -> list[list[object]]:
    """Store `ROWS` as nodes; return the value of each condition of `WHERE` for each."""
    for number, fields in enumerate(ROWS):
        cells = {name: value for name, value in DECLARED.cells(fields).items() if value is not None}
        columns = "".join(f", {name}: ${name}" for name in cells)
        session.run(f"CREATE (:Node {{key: $key{columns}}})", {"key": f"{number}", **cells})
    found: list[list[object]] = []
    for where in WHERE:
        values = Values()
        query = f"MATCH (n:Node) RETURN {compile_filter(where, DECLARED, values)} ORDER BY n.key"
        found.append([value for [value] in session.run(query, values.bound)])
    return found


async def test_a_condition_means_what_its_filter_means(database: DatabaseFile) -> None:
    found = await database.write(conditions)
    for where, values in zip(WHERE, found, strict=True):
        assert values == [matches(where, fields) for fields in ROWS], where


def test_no_filter_is_true_and_an_empty_choice_false() -> None:
    assert compile_filter(None, DECLARED, Values()) == compile_filter(And(()), DECLARED, Values()) == TRUE
    assert compile_filter(Or(()), DECLARED, Values()) == compile_filter(In("rank", ()), DECLARED, Values()) == FALSE


def test_values_are_bound_and_numbered_after_those_with_names() -> None:
    values = Values(ns="space")
    where = And((Eq("colour", "it's"), In("rank", (1, 2))))
    assert "it's" not in compile_filter(where, DECLARED, values)
    assert values.bound == {"ns": "space", "v1": "it's", "v2": [1.0, 2.0]}


def test_numbers_and_booleans_are_compared_as_floats() -> None:
    assert [cell(value) for value in ("1", 1, True, 0.5)] == ["1", 1.0, 1.0, 0.5]
    assert cell(MAX_INTEGER) == MAX_INTEGER


@pytest.mark.parametrize("where", [Eq("unknown", 1), Eq("rank", "one"), Contains("colour", "red"), Has("name", "a")])
def test_a_filter_that_does_not_fit_the_fields_is_refused(where: Filter) -> None:
    with pytest.raises(InvalidInput):
        compile_filter(where, DECLARED, Values())
