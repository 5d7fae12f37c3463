"""A filter as a condition is true for what the filter matches, false for the rest, and never null."""

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.filters import (
    FALSE,
    LONGEST_PHRASE,
    TRUE,
    compile_filter,
    conjuncts,
    elements_of,
    first_folded,
    first_needle,
    index_condition,
    near_query,
    proved_by_query,
    short_needle,
    trigram_query,
    without,
)
from backends.engines.sqlite.schema import slot_columns, statement
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
from backends.ports.values import Fields, FieldSpec

DECLARED = declare(
    (
        FieldSpec("colour", "str", sort=True),
        FieldSpec("rank", "int", sort=True),
        FieldSpec("score", "float"),
        FieldSpec("flag", "bool"),
        FieldSpec("tags", "strs"),
        FieldSpec("name", "str", text=True),
        FieldSpec("names", "strs", text=True),
    )
)
ROWS: tuple[Fields, ...] = (
    {},
    {"colour": "red", "rank": 1, "score": 0.5, "flag": True, "tags": ("a", "b")},
    {"colour": "RED", "rank": -1, "score": -0.0, "flag": False, "tags": ("b",)},
    {"colour": "", "rank": 2**53 - 1, "score": 1e300, "tags": ("'",)},
    {"rank": 0, "flag": True},
)
WHERE: tuple[Filter, ...] = (
    Eq("colour", "red"),
    Ne("colour", "red"),
    Eq("flag", value=True),
    Ne("flag", value=True),
    Eq("score", 0.0),
    Eq("rank", 2**53 - 1),
    In("colour", ("red", "")),
    NotIn("colour", ("red", "")),
    In("colour", ()),
    NotIn("colour", ()),
    In("score", (0.5, 1e300)),
    In("colour", (*(f"no{number}" for number in range(100)), "red")),
    NotIn("rank", tuple(range(1, 101))),
    In("score", tuple(number / 2 for number in range(100))),
    Lt("rank", 1),
    Le("rank", 0.5),
    Gt("score", -1),
    Ge("rank", 1),
    Exists("tags"),
    Has("tags", "b"),
    Has("tags", "'"),
    Not(Has("tags", "b")),
    Not(Lt("rank", 1)),
    Not(Exists("colour")),
    And(()),
    Or(()),
    And((Eq("flag", value=True), Not(Or((Eq("rank", 1), Eq("colour", "red")))))),
    Or((And((Ge("rank", 0), Lt("rank", 2))), Not(In("colour", ("", "red", "RED"))))),
)


@pytest.fixture
def connection() -> Generator[sqlite3.Connection]:
    """Return a table with the columns of the slots, and in them `ROWS` in their order."""
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.execute(f"CREATE TABLE n({', '.join(slot_columns())})")
        for fields in ROWS:
            opened.execute(f"INSERT INTO n VALUES({', '.join('?' * 16)})", DECLARED.columns(fields))
        yield opened


@pytest.mark.parametrize("where", WHERE)
def test_a_condition_means_what_its_filter_means(connection: sqlite3.Connection, where: Filter) -> None:
    clause = compile_filter(where, DECLARED, "n")
    found = connection.execute(statement("SELECT {c} FROM n ORDER BY rowid", c=clause.sql), clause.values).fetchall()
    assert [value for [value] in found] == [matches(where, fields) for fields in ROWS]


def test_no_filter_is_true() -> None:
    assert compile_filter(None, DECLARED, "n") == TRUE
    assert compile_filter(Or(()), DECLARED, "n") == FALSE


@pytest.mark.parametrize(
    "where", [Eq("unknown", 1), Eq("rank", "one"), Contains("colour", "red"), Has("colour", "red")]
)
def test_a_filter_that_does_not_fit_the_fields_is_refused(where: Filter) -> None:
    with pytest.raises(InvalidInput):
        compile_filter(where, DECLARED, "n")


@pytest.mark.parametrize("members", [tuple(f"m{number}" for number in range(65)), tuple(range(65))])
def test_a_long_set_is_bound_as_one_value(members: tuple[str, ...] | tuple[int, ...]) -> None:
    """Each number of values would be a statement of its own."""
    field = "colour" if isinstance(members[0], str) else "rank"
    assert len(compile_filter(In(field, members), DECLARED, "n").values) == 1
    assert len(compile_filter(In(field, members[:64]), DECLARED, "n").values) == 64


def test_floats_are_bound_one_by_one() -> None:
    """JSON does not preserve each of them exactly."""
    assert len(compile_filter(In("score", tuple(map(float, range(65)))), DECLARED, "n").values) == 65


def test_conditions_that_must_all_hold_are_found_in_nested_terms() -> None:
    one, two, other = Eq("rank", 1), Exists("tags"), Or((Eq("rank", 2),))
    assert [*conjuncts(And((And((one, two)), other)))] == [one, two, other]
    assert [*conjuncts(None)] == []


def test_a_proved_term_is_left_out() -> None:
    one, two = Eq("rank", 1), Exists("tags")
    assert without(And((And((one,)), two)), one) == And((two,))
    assert without(one, one) is None
    assert without(And((one,)), one) is None
    assert without(And((one, two)), None) == And((one, two))
    assert without(Or((one, two)), one) == Or((one, two))


@pytest.mark.parametrize(
    ("term", "query"),
    [
        (Contains("name", "ABC"), 'c5 : "abc"'),
        (Contains("name", 'a"bc'), 'c5 : "a""bc"'),
        (Contains("name", "ab"), None),
        (Contains("name", "a\nbc"), 'c5 : "a\nbc"'),
        (Contains("names", "a\nbc"), None),
    ],
)
def test_a_needle_of_three_characters_is_searched_in_the_index(term: Contains, query: str | None) -> None:
    """A needle with a line break might span two elements of a list."""
    assert trigram_query(term, DECLARED) == query


def test_the_rest_of_a_long_needle_is_checked_in_the_texts() -> None:
    fits, longer = Contains("name", "x" * LONGEST_PHRASE), Contains("name", "x" * (LONGEST_PHRASE + 1))
    assert trigram_query(longer, DECLARED) == trigram_query(fits, DECLARED)
    assert (proved_by_query(fits), proved_by_query(longer)) == (fits, None)
    found = first_needle(And((Eq("rank", 1), longer)), DECLARED)
    assert found is not None
    assert found.proved is None


def test_equal_texts_are_searched_in_the_index_if_none_is_short() -> None:
    assert near_query(InIgnoringCase("name", ("One", "two")), DECLARED) == 'c5 : "one" OR c5 : "two"'
    for values in ((), ("one", "tw")):
        assert near_query(InIgnoringCase("name", values), DECLARED) is None
    assert near_query(InIgnoringCase("names", ("one",)), DECLARED) is None


def test_elements_of_a_list_have_an_index() -> None:
    term = InIgnoringCase("names", ("One", "two"))
    assert first_folded(And((Eq("rank", 1), term)), DECLARED) is term
    assert first_folded(InIgnoringCase("name", ("one",)), DECLARED) is None
    assert elements_of(("space", "thing"), term, DECLARED).values == ("space", "thing", 6, "one", "two")


@pytest.mark.parametrize(
    ("where", "condition"),
    [
        (Eq("rank", 1), " AND n.indexed > 1"),
        (And((Exists("tags"), Ge("colour", 1))), " AND n.indexed > 0"),
        (Eq("score", 1.0), ""),
        (Or((Eq("rank", 1),)), ""),
        (None, ""),
    ],
)
def test_a_comparison_of_a_sortable_field_names_the_rows_of_its_index(where: Filter | None, condition: str) -> None:
    assert index_condition(where, DECLARED, "n") == condition


def test_a_short_needle_is_a_pattern_without_wildcards() -> None:
    clause = short_needle(Contains("name", "*?"), DECLARED, "t")
    assert clause is not None
    assert clause.values == ("*[*][?]*", "*?")
    for needle in ("", "abc"):
        assert short_needle(Contains("name", needle), DECLARED, "t") is None
