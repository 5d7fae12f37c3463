"""Clock, ids and replies: small forms that documents and callers rely on."""

import random
import uuid

import pytest

from backends.ports.values import Json, Micros
from toolsets.clock import iso_millis, iso_naive
from toolsets.ids import is_uuid, uuid4, uuid7
from toolsets.reply import number, shown

AT = Micros(1_761_575_025_123_456)


def test_times_are_printed_in_both_documented_forms() -> None:
    assert iso_millis(AT) == "2025-10-27T14:23:45.123Z"
    assert iso_naive(AT) == "2025-10-27T14:23:45.123456"


def test_uuids_have_their_version_and_come_from_the_given_chance() -> None:
    assert uuid.UUID(uuid4(random.Random(1))).version == 4
    assert uuid4(random.Random(1)) == uuid4(random.Random(1))
    seventh = uuid.UUID(uuid7(random.Random(1), AT))
    assert (seventh.version, seventh.variant, seventh.int >> 80) == (7, uuid.RFC_4122, AT // 1000)


def test_later_uuids_sort_after_earlier_ones() -> None:
    chance = random.Random(2)
    made = [uuid7(chance, Micros(AT + step * 1_000)) for step in range(50)]
    assert made == sorted(made)


@pytest.mark.parametrize(
    "text", ["", "d4e5f6a7-...", "D4E5F6A7-B8C9-4D3E-2F1A-0B9C8D7E6F5A", "d4e5f6a7-b8c9-4d3e-2f1a-0b9c8d7e6f5a\n"]
)
def test_only_the_form_we_write_is_an_id(text: str) -> None:
    assert not is_uuid(text)


def test_whole_numbers_are_printed_whole() -> None:
    assert [repr(number(value)) for value in (90.0, 90.5, 0.0)] == ["90", "90.5", "0"]


def test_refused_values_are_shown_short() -> None:
    assert shown("x" * 500) == "x" * 200
    long: Json = ["y" * 500]
    assert isinstance(shown(long), str)
    assert shown({"a": 1}) == {"a": 1}


@pytest.mark.parametrize("value", [float("nan"), "\ud800", [float("inf")]])
def test_what_is_no_json_is_not_shown(value: Json) -> None:
    with pytest.raises(ValueError, match=r".*"):
        shown(value)
