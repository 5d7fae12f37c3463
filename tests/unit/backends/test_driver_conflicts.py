"""Which stores of a configuration cannot be open in one process."""

import pytest

from backends.driver_conflicts import check_together, conflicting_with
from backends.ports.errors import InvalidInput
from backends.ports.values import Json

KUZU: dict[str, Json] = {"kind": "kuzu"}
LADYBUG: dict[str, Json] = {"kind": "kuzu", "driver": "ladybug"}
SQLITE: dict[str, Json] = {"kind": "sqlite"}


def test_two_drivers_of_one_kind_are_refused_with_both_stores_named() -> None:
    with pytest.raises(
        InvalidInput, match=r"\[stores\.old\] uses the driver kuzu and \[stores\.new\] the driver ladybug"
    ):
        check_together({"log": SQLITE, "old": KUZU, "new": LADYBUG})


def test_stores_of_one_driver_may_be_open_together() -> None:
    tables = {"one": LADYBUG, "two": {**LADYBUG, "file": "other"}, "log": SQLITE, "more": SQLITE}
    with pytest.raises(InvalidInput):
        check_together({**tables, "old": KUZU})
    check_together(tables)


def test_a_wrong_option_is_left_to_the_opening() -> None:
    tables: dict[str, dict[str, Json]] = {
        "one": LADYBUG,
        "two": {"kind": "kuzu", "driver": "mysql"},
        "three": {"kind": "unheard-of"},
    }
    with pytest.raises(
        InvalidInput, match=r"\[stores\.one\] uses the driver ladybug and \[stores\.old\] the driver kuzu"
    ):
        check_together({**tables, "old": KUZU})
    check_together(tables)


def test_a_store_conflicts_with_one_of_another_driver() -> None:
    assert conflicting_with({"new": LADYBUG, "log": SQLITE}, {"old": KUZU, "log": SQLITE}) == {"new"}
    assert conflicting_with({"new": LADYBUG, "log": SQLITE}, {"old": LADYBUG, "log": SQLITE}) == frozenset()
    assert conflicting_with({"new": LADYBUG}, {"old": SQLITE}) == frozenset()
