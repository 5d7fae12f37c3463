"""Declared fields: their slots, their columns, and the texts in which they are kept."""

import pytest

from backends.engines.sqlite.declarations import column_value, declare, merge, parse
from backends.engines.sqlite.schema import SLOTS
from backends.ports.errors import Conflict, InvalidInput
from backends.ports.graph import ListingSpec, Order
from backends.ports.values import FieldSpec, Value

FIELDS = (
    FieldSpec("tags", "strs", text=True),
    FieldSpec("rank", "int", sort=True),
    FieldSpec("flag", "bool"),
    FieldSpec("name", "str", sort=True, text=True),
)


def test_sortable_fields_have_the_first_slots() -> None:
    """The others keep their order behind them."""
    declared = declare(FIELDS)
    assert declared.slots == {"rank": 0, "name": 1, "tags": 2, "flag": 3}
    assert (declared.indexed, declared.texts) == (2, {"tags", "name"})
    assert [name for name in declared.specs if declared.is_list(name)] == ["tags"]


def test_every_slot_has_a_value() -> None:
    columns = declare(FIELDS).columns({"flag": True, "tags": ("a", "b")})
    assert columns == [None, None, '["a","b"]', 1, *[None] * (SLOTS - 4)]


@pytest.mark.parametrize(
    ("value", "stored"), [(("a", "ü"), '["a","ü"]'), ((), "[]"), (False, 0), (None, None), (-0.5, -0.5), ("a", "a")]
)
def test_a_value_is_stored_as_text_number_or_null(value: Value | None, stored: str | float | None) -> None:
    assert column_value(value) == stored


def test_a_declaration_is_read_as_it_was_written() -> None:
    listings = (ListingSpec((Order("rank", descending=True), Order("name")), ("flag",)),)
    declared = declare(FIELDS, totals=("name",), listings=listings)
    again = parse(declared.dump(), *declared.dump_hints())
    assert again == declared
    assert parse(declared.dump()) == declare(FIELDS)


def test_a_merged_declaration_has_the_fields_of_both_and_the_hints_of_the_new_one() -> None:
    old, new = declare(FIELDS[:2], totals=("rank",)), declare(FIELDS[2:], totals=("name",))
    merged = merge(old, new, owner="a kind")
    assert set(merged.specs) == {"tags", "rank", "flag", "name"}
    assert merged.totals == ("name",)


def test_another_type_is_a_conflict_and_too_many_fields_are_refused() -> None:
    with pytest.raises(Conflict, match="rank"):
        merge(declare(FIELDS), declare((FieldSpec("rank", "str"),)), owner="a kind")
    many = [FieldSpec(f"f{number}", "int") for number in range(SLOTS)]
    with pytest.raises(InvalidInput):
        merge(declare(FIELDS), declare(many), owner="a kind")


def test_fields_that_were_not_declared_are_refused() -> None:
    assert declare(FIELDS).kept({"rank": 1}, owner="a kind") == {"rank": 1}
    with pytest.raises(InvalidInput, match="a kind"):
        declare(FIELDS).kept({"colour": "red"}, owner="a kind")
