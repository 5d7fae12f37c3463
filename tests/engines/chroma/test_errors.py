"""The engine's broad exceptions and messages become store errors."""

import pytest
from chromadb.errors import InternalError, InvalidArgumentError, NotFoundError

from backends.engines.chroma.driver import BucketGone, BucketTaken
from backends.engines.chroma.errors import translated
from backends.ports.errors import InvalidInput, StoreError, Unavailable

SQLITE = "error returned from database:"


@pytest.mark.parametrize(
    ("error", "became"),
    [
        (InternalError("Collection [entrepot.here.things.records] already exists"), BucketTaken),
        (NotFoundError("Collection [it already exists] does not exist"), BucketGone),
        (InternalError(f"Database error: {SQLITE} (code: 1032) attempt to write a readonly database"), Unavailable),
        (InternalError(f"Query error: Database error: {SQLITE} (code: 13) database or disk is full"), Unavailable),
        (InternalError(f"Database error: {SQLITE} (code: 2067) UNIQUE constraint failed: x.disk I/O"), StoreError),
        (InvalidArgumentError("no field 'the disk is full, it already exists'"), InvalidInput),
    ],
)
def test_values_in_an_error_message_do_not_change_its_meaning(error: Exception, became: type[Exception]) -> None:
    """The engine's exception classes are broad, so its messages are matched by position."""
    with pytest.raises(became) as raised, translated("Chroma"):
        raise error
    assert type(raised.value) is became
