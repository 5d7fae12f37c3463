"""Replies: from a typed body to what the gateway sends, and the sentences that every envelope shares."""

import json
from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel

from backends.ports.values import Json, JsonObject
from toolsets.spec import Image, Problem, Reply

RowT = TypeVar("RowT", bound=BaseModel)

MAX_PAGE_BYTES = 3_900_000
"""What the rows of one reply may take by `row_size`: sent twice, as content and as text, about 8 MB together."""

MAX_SHOWN = 200
"""Characters of a refused value that are shown to the caller."""

SCORE_DIGITS = 4
"""Digits of a similarity or a utility in a reply; more of them differ from engine to engine."""

MAX_SENTENCES = 3
"""Problems of one call that its reply names."""

UNFORESEEN = "Something unforeseen went wrong; the server's log says more"


class Body(BaseModel):
    """The base of everything in a reply; a default is a value that is always sent."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class CamelBody(BaseModel):
    """The base of everything in a reply whose names are in camel case; the schema does not require what has a default."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


def problem_sentences(problems: Sequence[Problem]) -> str:
    """Return the sentences of the first three problems."""
    return "; ".join(problem.sentence for problem in problems[:MAX_SENTENCES])


def deadline_sentence(seconds: float) -> str:
    """Return the sentence about a call that passed its deadline; it may have been carried out all the same."""
    return f"The call took longer than {seconds:g} seconds; read what is there to see whether it was done"


def answer(body: BaseModel, *, meta: JsonObject | None = None, images: tuple[Image, ...] = ()) -> Reply:
    """Return a success reply."""
    return Reply(body.model_dump(mode="json"), meta=meta or {}, images=images)


def fitting(rows: Sequence[RowT], room: int = MAX_PAGE_BYTES) -> tuple[RowT, ...]:
    """Return the first rows that take at most `room` bytes together by `row_size`, but at least one of them."""
    # A row takes at most six bytes for a character of its repr, which is far cheaper to make.
    if 6 * sum(len(repr(row.__dict__)) for row in rows) <= room:
        return tuple(rows)
    used = 0
    for place, row in enumerate(rows):
        used += row_size(row)
        if used > room:
            return tuple(rows[: max(1, place)])
    return tuple(rows)


def row_size(row: BaseModel) -> int:
    """Return half of the bytes that a row and its comma take in a reply: once as JSON, once escaped in the JSON text."""
    json_of_row = row.model_dump_json().encode()
    return (len(json_of_row) + escaped_length(json_of_row)) // 2 + 1


def escaped_length(text: bytes) -> int:
    """Return how many bytes a text in UTF-8 takes inside a JSON string; of control characters, line ends and tabs count."""
    return len(text) + sum(map(text.count, (b'"', b"\\", b"\n", b"\r", b"\t")))


def shown_details(details: JsonObject) -> dict[str, Json]:
    """Return what of an error's details has a value and can be written as JSON, in the form that is shown."""
    kept: dict[str, Json] = {}
    for name, value in details.items():
        try:
            value_shown = shown(value)
        except ValueError:
            continue
        if value_shown is not None:
            kept[name] = value_shown
    return kept


def cut_sentence(shown: int, found: int) -> str:
    """Return the end of a message about a page that was cut by its size; empty for a whole one."""
    return "" if shown >= found else f"; {shown} of {found} shown, because a reply stops at about 8 MB"


def counted(count: int, one: str, several: str) -> str:
    """Return a count with its noun: 1 entity, 2 entities."""
    return f"{count} {one if count == 1 else several}"


def number(value: float) -> int | float:
    """Return a whole number without its fraction, as people write it: 90, but 90.5."""
    return int(value) if float(value).is_integer() else value


def shown(value: Json) -> Json:
    """Return `value` short enough to be shown: 200 characters of a text, or of the JSON of anything else.

    Raises `ValueError` when it cannot be written as JSON in UTF-8 (NaN, infinity, a lone surrogate).
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()
    if isinstance(value, str):
        return value[:MAX_SHOWN]
    return value if len(text) <= MAX_SHOWN else text[:MAX_SHOWN]


def too_large(limit: int) -> str:
    """Return a sentence about a reply that would have more than `limit` bytes."""
    return f"the reply would be longer than {limit // 1_000_000} MB and was not sent; what was to be written is written"


Number = Annotated[float, PlainSerializer(number), WithJsonSchema({"type": "number"})]
"""A number in a reply, printed without a fraction when it has none."""
