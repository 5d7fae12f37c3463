"""Ids: their versions, their order and the form that is accepted."""

import random
import uuid

import pytest

from backends.ports.values import Micros
from toolsets.ids import is_uuid, uuid4, uuid7

AT = Micros(1_761_575_025_123_456)


def test_uuids_have_their_version_and_come_from_the_given_rng() -> None:
    assert uuid.UUID(uuid4(random.Random(1))).version == 4
    assert uuid4(random.Random(1)) == uuid4(random.Random(1))
    seventh = uuid.UUID(uuid7(random.Random(1), AT))
    assert (seventh.version, seventh.variant, seventh.int >> 80) == (7, uuid.RFC_4122, AT // 1000)


def test_later_uuids_sort_after_earlier_ones() -> None:
    rng = random.Random(2)
    made = [uuid7(rng, Micros(AT + step * 1_000)) for step in range(50)]
    assert made == sorted(made)


@pytest.mark.parametrize(
    "text", ["", "d4e5f6a7-...", "D4E5F6A7-B8C9-4D3E-2F1A-0B9C8D7E6F5A", "d4e5f6a7-b8c9-4d3e-2f1a-0b9c8d7e6f5a\n"]
)
def test_only_the_form_we_write_is_an_id(text: str) -> None:
    assert not is_uuid(text)
