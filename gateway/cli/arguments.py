"""Tool arguments from words such as `limit=5`, typed by the tool's input schema."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import click

from config.suggestion import did_you_mean

MAX_SHOWN = 100
"""So much of a wrong argument is quoted, a line or two of a terminal."""
JSON_TYPES = frozenset({"integer", "number", "boolean", "object", "array", "null", "string"})


def parse(words: Sequence[str], schema: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments that the words give.

    `key=text` is a string, or JSON if the schema does not admit a string; `key:=JSON` is always JSON; `key=@file` is the
    text of a file. Raises `click.UsageError` for a word of another form, for text that is not UTF-8, for a key that is given
    twice, and for one that the schema does not admit.
    """
    given: dict[str, object] = {}
    for word in words:
        name, value = _sendable(word, *_argument(word, schema))
        if name in given:
            raise click.UsageError(f"The argument {name} is given twice.")
        known = _mapping(schema.get("properties"))
        if name not in known and schema.get("additionalProperties") is False:
            every = f". There are: {', '.join(known)}." if known else "; this tool takes none."
            raise click.UsageError(f"There is no argument {name}{did_you_mean(name, known) or every}")
        given[name] = value
    return given


def _sendable(word: str, name: str, value: object) -> tuple[str, object]:
    # Bytes of the command line that are not UTF-8 arrive as lone surrogates; JSON can contain some, too.
    try:
        json.dumps([name, value], ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise click.UsageError(f"{word!r} cannot be sent: it holds bytes or surrogates that are not UTF-8.") from None
    return name, value


def _argument(word: str, schema: Mapping[str, object]) -> tuple[str, object]:
    name, separator, text = word.partition("=")
    if not separator or not name.rstrip(":"):
        raise click.UsageError(f"{word!r} is not an argument: write key=value, key:=JSON or key=@file.")
    if name.endswith(":"):
        return name[:-1], _json(name, "JSON", text)
    if text.startswith("@"):
        return name, _file(name, Path(text[1:]))
    types = _types(_property(schema, name))
    if types and "string" not in types:
        return name, _json(name, f"JSON of type {' or '.join(sorted(types))}", text)
    return name, text


def _json(name: str, wanted: str, text: str) -> object:
    try:
        return cast("object", json.loads(text, parse_constant=_no_number, parse_float=_finite))
    except (ValueError, RecursionError) as error:
        shown = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
        raise click.UsageError(f"The value after {name}= must be {wanted}, but {shown!r} is not: {error}.") from None


def _no_number(name: str) -> object:
    raise ValueError(f"JSON has no {name}")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("the number is too large")
    return number


def _file(name: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise click.UsageError(
            f"The argument {name} names the file {path}, which cannot be read: {error.strerror or error}."
        ) from None
    except UnicodeDecodeError:
        raise click.UsageError(f"The argument {name} names the file {path}, which is not text in UTF-8.") from None


def _property(schema: Mapping[str, object], name: str) -> Mapping[str, object]:
    return _mapping(_mapping(schema.get("properties")).get(name))


def _types(schema: Mapping[str, object]) -> set[str]:
    """Return the JSON types that a schema admits at its root, empty if it names none."""
    said = schema.get("type")
    found = {str(each) for each in cast("list[object]", said)} if isinstance(said, list) else {str(said)}
    for branch in _branches(schema):
        found |= _types(branch)
    return found & JSON_TYPES


def _branches(schema: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            yield from (_mapping(branch) for branch in cast("list[object]", branches))
    if "enum" in schema and "type" not in schema:
        values = cast("list[object]", schema["enum"])
        yield {"type": "string"} if any(isinstance(value, str) for value in values) else {}


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
