"""Records become rows and come back; tombstones are rows without a vector."""

import numpy
import pytest

from backends.engines.lancedb.layout import Layout
from backends.engines.lancedb.rows import dead_rows, live_rows, numbers, records, texts
from backends.ports.errors import InvalidInput
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.vectors import VectorRecord
from contracts.ports.vector_records import DIM, FIELDS, MODEL, axis, record

LAYOUT = Layout(DIM, MODEL, {spec.name: spec for spec in FIELDS})


def test_records_come_back_as_they_were() -> None:
    stored = [
        record("a", axis(1), "some words", rank=2**53 - 1, flag=False, tags=("x", "", "x"), rev=3),
        record("é", axis(2), "", colour="it's", score=5e-324),
    ]
    back = [*records(live_rows(stored, LAYOUT), LAYOUT)]
    assert [(item.id, item.text, item.rev, item.fields) for item in back] == [
        (item.id, item.text, item.rev, item.fields) for item in stored
    ]
    assert all(numpy.array_equal(one.vector, two.vector) for one, two in zip(back, stored, strict=True))


def test_every_row_has_every_column() -> None:
    """For a missing column an upsert would keep the old value."""
    rows = live_rows([record("a")], LAYOUT)
    for column in ("f_colour", "f_rank", "f_score", "f_flag", "f_tags"):
        assert rows.column(column).to_pylist() == [None]


def test_minus_zero_is_stored_as_zero() -> None:
    """The engine distinguishes them."""
    [back] = live_rows([record("a", score=-0.0)], LAYOUT).column("f_score").to_pylist()
    assert str(back) == "0.0"


def test_tombstones_have_a_revision_and_are_no_records() -> None:
    rows = dead_rows({"a": 2, "b": 7}, LAYOUT)
    assert (texts(rows, "id"), numbers(rows, "rev")) == (["a", "b"], [2, 7])
    assert (rows.column("vector").to_pylist(), rows.column("words").to_pylist()) == ([None, None], [None, None])
    assert [*records(rows, LAYOUT)] == []


def test_a_text_is_stored_whole_and_indexed_by_its_words() -> None:
    """One that is too long is not searched."""
    rows = live_rows([record("a", None, "It's RED!"), record("b", None, "x" * (MAX_INDEXED_BYTES + 1))], LAYOUT)
    assert texts(rows, "text") == ["It's RED!", "x" * (MAX_INDEXED_BYTES + 1)]
    assert rows.column("words").to_pylist() == ["it s red", None]


@pytest.mark.parametrize("wrong", [record("a", axis(0, DIM + 1)), record("a", shape="round"), record("a", rank="one")])
def test_a_record_that_does_not_fit_the_declaration_is_refused(wrong: VectorRecord) -> None:
    with pytest.raises(InvalidInput):
        live_rows([record("b"), wrong], LAYOUT)
