"""What kinds declare is checked before any engine keeps it."""

import pytest

from backends.declarations import check_kinds
from backends.ports.errors import InvalidInput
from backends.ports.graph import KindSpec
from backends.ports.values import FieldSpec

FIELDS = (*(FieldSpec(name, "str") for name in ("area", "name", "topic", "level")), FieldSpec("tags", "strs"))


@pytest.mark.parametrize(
    "totals", [("unknown",), ("tags",), ("area", "area"), ("area", "name", "topic", "level")], ids=" ".join
)
def test_totals_are_by_up_to_three_fields_with_one_value(totals: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput):
        check_kinds([KindSpec("page", FIELDS, totals)])


def test_fields_are_told_by_kind() -> None:
    found = check_kinds([KindSpec("page", FIELDS, ("area", "name", "topic")), KindSpec("plain", ())])
    assert {kind: [*specs] for kind, specs in found.items()} == {
        "page": [field.name for field in FIELDS],
        "plain": [],
    }
