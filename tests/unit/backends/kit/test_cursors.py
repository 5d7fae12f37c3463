"""A cursor gives back the keys that it was made of, and no other text is one."""

import base64

import pytest

from backends.kit import cursors
from backends.ports.errors import InvalidInput


def test_keys_and_id_come_back_with_booleans_as_numbers() -> None:
    cursor = cursors.encode(("é", 1, 0.5, True, None), "id/1")
    assert cursors.decode(cursor, ("str", "int", "float", "bool", "str")) == (("é", 1, 0.5, 1, None), "id/1")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "é",
        base64.urlsafe_b64encode(b"[]").decode(),
        base64.urlsafe_b64encode(b"5").decode(),
        base64.urlsafe_b64encode(b'["a",7]').decode(),
        cursors.encode((), "id"),
        cursors.encode(("text", 1), "id"),
        cursors.encode((1,), "id"),
        cursors.encode(([1],), "id"),
    ],
)
def test_a_text_that_is_no_cursor_of_this_listing_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not a cursor"):
        cursors.decode(cursor, ("str",))
