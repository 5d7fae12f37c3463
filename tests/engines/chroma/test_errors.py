"""The engine's broad exceptions and messages become store errors."""

from pathlib import Path

import httpx
import pytest
from chromadb.errors import (
    InternalError,
    InvalidArgumentError,
    InvalidDimensionException,
    NotFoundError,
    RateLimitError,
    UniqueConstraintError,
)

from backends.engines.chroma.driver import BucketGone, BucketTaken
from backends.engines.chroma.errors import not_opened_error, translated
from backends.ports.errors import Conflict, InvalidInput, StoreError, Timeout, Unavailable, Unusable

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


@pytest.mark.parametrize(
    ("error", "became", "sentence"),
    [
        (httpx.ReadTimeout("slow"), Timeout, "Chroma did not answer in time"),
        (TimeoutError(), Timeout, "Chroma did not answer in time"),
        (httpx.ConnectError("refused"), Unavailable, "Chroma does not answer (ConnectError refused)"),
        (RateLimitError("too many"), Unavailable, "Chroma limits the rate of requests: too many"),
        (UniqueConstraintError("there"), BucketTaken, "there"),
        (InvalidDimensionException("3, not 4"), InvalidInput, "Chroma: 3, not 4"),
        (InternalError("something new"), StoreError, "Chroma: something new"),
        (ValueError("Expecting value: line 1"), Unavailable, "Chroma gave an invalid response: Expecting value"),
    ],
)
def test_an_error_of_the_driver_becomes_a_store_error(error: Exception, became: type[Exception], sentence: str) -> None:
    with pytest.raises(became) as raised, translated("Chroma"):
        raise error
    assert type(raised.value) is became
    assert str(raised.value).startswith(sentence)
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [Conflict("it", key="k"), BucketGone("it"), BucketTaken("it")])
def test_an_error_that_is_translated_already_stays_the_same(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, translated("Chroma"):
        raise error
    assert raised.value is error


@pytest.mark.parametrize(
    "text", [f"{SQLITE} (code: 11) malformed", f"{SQLITE} (code: 26) no database", "hnsw index: x"]
)
def test_damage_is_that_of_a_folder_and_never_that_of_a_server(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unusable, match="run `entrepot rebuild`"), translated("Chroma", tmp_path):
        raise InternalError(text)
    with pytest.raises(StoreError) as raised, translated("Chroma"):
        raise InternalError(text)
    assert type(raised.value) is StoreError


def test_a_folder_that_cannot_be_opened_is_damaged_unless_it_is_locked_or_full(tmp_path: Path) -> None:
    for code, kind in ((5, Unavailable), (13, Unavailable), (1, Unusable)):
        assert type(not_opened_error(InternalError(f"{SQLITE} (code: {code}) x"), tmp_path)) is kind
    assert type(not_opened_error(RuntimeError("something new"), tmp_path)) is Unusable
