"""Replies: typed bodies, their size in bytes, and the sentences that all envelopes share."""

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel

from backends.ports.values import Json, JsonObject
from toolsets.spec import Image, Problem, Reply

RowT = TypeVar("RowT", bound=BaseModel)

MAX_PAGE_BYTES = 3_900_000
"""The most that the rows of one reply take by `row_size`; sent as content and as text they are about 8 MB."""

FIRST_PAGE = 32
"""The rows of a long list that are read first; their size decides how many more are read."""

MAX_SHOWN = 200
"""The most characters of a refused value that a reply shows."""

SCORE_DIGITS = 4
"""Decimal digits of a similarity or utility in a reply; further digits differ between engines."""

MAX_SENTENCES = 3
"""The most problems of a call that its reply names."""

UNFORESEEN = "An unexpected error occurred; see the server's log"


class Body(BaseModel):
    """The base of reply models; fields with a default are always sent, and the schema requires them."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class CamelBody(BaseModel):
    """The base of reply models in camel case; the schema does not require fields with a default."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


def problem_sentences(problems: Sequence[Problem]) -> str:
    """Return the sentences of the first three problems, and how many more there are."""
    more = len(problems) - MAX_SENTENCES
    sentences = [problem.sentence for problem in problems[:MAX_SENTENCES]]
    return "; ".join([*sentences, f"and {more} more"] if more > 0 else sentences)


def deadline_sentence(seconds: float) -> str:
    """Return the sentence about a call that passed its deadline, which may have taken effect all the same."""
    return f"The call took longer than {seconds:g} seconds; check the stored data to see whether it took effect"


def reply_of(body: BaseModel, *, meta: JsonObject | None = None, images: tuple[Image, ...] = ()) -> Reply:
    """Return a success reply."""
    return Reply(body.model_dump(mode="json"), meta=meta or {}, images=images)


def fitting_rows(rows: Sequence[RowT], room: int = MAX_PAGE_BYTES) -> tuple[RowT, ...]:
    """Return the first rows that together take at most `room` bytes by `row_size`, but at least one row."""
    # A row takes at most six bytes per character of its repr, which is far cheaper to compute.
    if 6 * sum(len(repr(row.__dict__)) for row in rows) <= room:
        return tuple(rows)
    used = 0
    for index, row in enumerate(rows):
        used += row_size(row)
        if used > room:
            return tuple(rows[: max(1, index)])
    return tuple(rows)


class FittingRows(Generic[RowT]):
    """The first rows of a list that together take at most `MAX_PAGE_BYTES`, but at least one; read page by page."""

    def __init__(self) -> None:
        self._rows: list[RowT] = []
        self._used = 0
        self.is_full = False
        """Whether a row did not fit, so that no more rows need to be read."""

    @property
    def rows(self) -> tuple[RowT, ...]:
        """The rows that fit."""
        return tuple(self._rows)

    def add(self, rows: Iterable[RowT]) -> None:
        """Add the next rows, up to the first that does not fit; rows after it are not taken from `rows`."""
        for row in rows:
            size = row_size(row)
            if self._rows and self._used + size > MAX_PAGE_BYTES:
                self.is_full = True
                return
            self._used += size
            self._rows.append(row)

    def next_page(self, left: int) -> int:
        """Return how many of the `left` rows to read next: about as many as fit, judged by those read so far."""
        if not self._rows:
            return min(left, FIRST_PAGE)
        mean = self._used / len(self._rows)
        return min(left, max(0, int((MAX_PAGE_BYTES - self._used) / mean)) + 1)


def row_size(row: BaseModel) -> int:
    """Return half the bytes of a row and its comma in a reply, which has it as JSON and escaped in the JSON text."""
    json_of_row = row.model_dump_json().encode()
    return (len(json_of_row) + escaped_length(json_of_row)) // 2 + 1


def escaped_length(text: bytes) -> int:
    """Return the bytes of a UTF-8 text inside a JSON string. Of the control characters only line ends and tabs count."""
    return len(text) + sum(map(text.count, (b'"', b"\\", b"\n", b"\r", b"\t")))


def shown_details(details: JsonObject) -> dict[str, Json]:
    """Return the details of an error that have a value and can be written as JSON, each cut by `shortened`."""
    kept: dict[str, Json] = {}
    for name, value in details.items():
        try:
            value_shown = shortened(value)
        except ValueError:
            continue
        if value_shown is not None:
            kept[name] = value_shown
    return kept


def cut_sentence(shown_count: int, found: int) -> str:
    """Return the end of the message about a list that was cut by its size, an empty text for a whole list."""
    return "" if shown_count >= found else f"; {shown_count} of {found} shown, because a reply stops at about 8 MB"


def counted(count: int, one: str, several: str) -> str:
    """Return a count with its noun, such as "1 entity" or "2 entities"."""
    return f"{count} {one if count == 1 else several}"


def plain_number(value: float) -> int | float:
    """Return a whole number as an integer, any other number unchanged: 90, but 90.5."""
    return int(value) if float(value).is_integer() else value


def shortened(value: Json) -> Json:
    """Return `value` shortened for display: at most 200 characters of a text, or of the JSON of another value.

    Raises `ValueError` if it cannot be written as JSON in UTF-8 (NaN, infinity, a lone surrogate).
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()
    if isinstance(value, str):
        return value[:MAX_SHOWN]
    return value if len(text) <= MAX_SHOWN else text[:MAX_SHOWN]


def too_large_sentence(limit: int) -> str:
    """Return the sentence about a reply of more than `limit` bytes."""
    return f"the reply would be longer than {limit // 1_000_000} MB and was not sent; changes that the call made were saved"


Number = Annotated[float, PlainSerializer(plain_number), WithJsonSchema({"type": "number"})]
"""A number in a reply; whole numbers are printed without a fraction."""
