"""The longest legal arguments of every tool, of the nastiest kinds, made from the published schemas."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from backends.ports.text import MAX_TEXT_BYTES
from backends.ports.values import Json, JsonObject
from gateway.value_limit import MAX_VALUES

MAX_MESSAGE_BYTES = 3_900_000
"""JSON of one call; the server takes messages of 4 MiB."""

PIECES: Mapping[str, str] = {
    "combining marks": "\u0315\u0300",
    "marks of class 0": "\u0f73",
    "one word": "a",
    "one word of capitals": "A",
    "short words": "a b ",
    "sharp s": "ß",
    "iota with marks": "\u0390",
    "jamo": "\u1112\u1161\u11ab",
    "compatibility ligatures": "\ufdfa",
    "astral letters": "𝒳",
    "emoji joined": "👨\u200d👩\u200d👧\u200d👦",
    "Han": "漢",
    "Thai": "ก็",
    "Arabic": "لا ",
    "mixed scripts": "aбγ字א",
    "humps": "aB",
    "digits": "1",
    "dotted": "1.a-",
    "white space": " \t\n",
    "line ends": "A\n",
    "quotes": "\"'",
    "brackets": "([{",
    "regex bait": "(a+)+$",
    "glob bait": "*?[%_",
    "query bait": '" OR NEAR(a) ',
    "possessives": "Bob's ",
    "addresses": "http://a.b/",
    "full stops": "A. ",
    "names": "Alice Baker, ",
    "statements": "Zub uses Docker and ",
    "controls": "\x01\x7f",
    "chat": "Customer: It fails.\nAgent: Open the menu, then click Save. If you use Windows 10, restart it.\n",
    "secrets told": "Customer: my password is hunter2x and the key: abc1234 for account number 12345678\nAgent: ok\n",
    "secrets asked for": "What is your password?\nhunter2x\n",
    "headers": "From: a\n",
    "stars": "*",
    "lone full stops": "a . ",
    "emphasis": "**a** ",
    "fences": "a ```b\n",
    "key blocks": "-----BEGIN PRIVATE KEY-----\nAAAA\n",
}
"""What is repeated."""

TEXTS: Mapping[str, str] = {
    "marks at an end": "e" + "\u0301" * 131_071,
    "blanks before a letter": " " * 262_143 + "a",
    "distinct words": " ".join(f"w{number:x}" for number in range(40_000)),
    "distinct names": " ".join(f"Zub{number:x} uses Kub{number:x}." for number in range(12_000)),
}
"""Texts that are no repetition, each cut to what is wanted."""
KINDS = (*PIECES, *TEXTS)


@dataclass(frozen=True, slots=True)
class Case:
    """One call: the argument that is as long as it may be, what it is made of, and all arguments."""

    tool: str
    argument: str
    kind: str
    arguments: JsonObject


def text_of(kind: str, *, points: int | None = None, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Return the longest text of a kind with at most `points` characters and `max_bytes` bytes, never blank."""
    if kind in PIECES:
        piece = PIECES[kind]
        times = max_bytes // len(piece.encode())
        whole = "" if points is None else piece * (points // len(piece) + 1)
        text = whole[:points] if points is not None and len(whole[:points].encode()) <= max_bytes else piece * times
    else:
        text = TEXTS[kind][:points].encode()[:max_bytes].decode(errors="ignore")
    return text if text.strip() else text[:-1] + "a"


def cases(tool: str, schema: JsonObject, known: Mapping[str, Json], kinds: tuple[str, ...] = KINDS) -> Iterator[Case]:
    """Yield the calls of a tool: each argument that can be long, of each kind; numbers at their maximum.

    Beside it stand the other required arguments and those optional ones that `known` has a good value for.
    """
    definitions = cast("Mapping[str, JsonObject]", schema.get("$defs", {}))
    properties = cast("Mapping[str, JsonObject]", schema.get("properties", {}))
    required = cast("tuple[str, ...]", schema.get("required", ()))
    plain: dict[str, Json] = {
        name: known[name] if name in known else _longest(part, "one word", definitions, short=True)
        for name, part in properties.items()
        if name in required or name in known or "maximum" in part
    }
    for name, part in properties.items():
        if _is_long(part, definitions):
            for kind in kinds:
                yield Case(tool, name, kind, {**plain, name: _longest(part, kind, definitions)})
    yield Case(tool, "-", "-", plain)


def _is_long(part: JsonObject, definitions: Mapping[str, JsonObject]) -> bool:
    part = _resolved(part, definitions)
    return part.get("type") in ("array", "object") or (part.get("type") == "string" and "enum" not in part)


def _resolved(part: JsonObject, definitions: Mapping[str, JsonObject]) -> JsonObject:
    """Return a schema without references; of alternatives the first that is not null."""
    while True:
        if "$ref" in part:
            part = definitions[str(part["$ref"]).removeprefix("#/$defs/")]
        elif "anyOf" in part or "oneOf" in part:
            choices = cast("list[JsonObject]", part.get("anyOf") or part.get("oneOf"))
            part = next(choice for choice in choices if choice.get("type") != "null")
        elif isinstance(part.get("type"), list):
            kinds = cast("list[str]", part["type"])
            part = {**part, "type": next(kind for kind in kinds if kind != "null")}
        else:
            return part


def _longest(
    part: JsonObject, kind: str, definitions: Mapping[str, JsonObject], *, short: bool = False, room: int = 0
) -> Json:
    """Return the longest value that a schema allows, or with `short` a plain one; `room` is for all items of a list."""
    part = _resolved(part, definitions)
    room = room or MAX_MESSAGE_BYTES
    if "enum" in part:
        return cast("list[Json]", part["enum"])[-1]
    match part.get("type"):
        case "string":
            points = cast("int | None", part.get("maxLength"))
            return "x" if short else text_of(kind, points=points, max_bytes=min(MAX_TEXT_BYTES, room))
        case "array":
            item = cast("JsonObject", part.get("items", {"type": "string"}))
            most = cast("int | None", part.get("maxItems"))
            return _longest_list(item, kind, definitions, most, room, short=short)
        case "object":
            inner = cast("Mapping[str, JsonObject]", part.get("properties", {}))
            share = room // max(1, len(inner))
            return {name: _longest(each, kind, definitions, short=short, room=share) for name, each in inner.items()}
        case "boolean":
            return True
        case _:
            return part.get("maximum", part.get("minimum", 1))


def _longest_list(
    item: JsonObject,
    kind: str,
    definitions: Mapping[str, JsonObject],
    most: int | None,
    room: int,
    *,
    short: bool,
) -> list[Json]:
    """Return a list with as many different items as it may have and the message takes, each as long as there is room."""
    if short:
        return [_longest(item, kind, definitions, short=True)]
    if most is None:
        # A message may have so many values; each object has some of its own.
        most = MAX_VALUES - 100 if _resolved(item, definitions).get("type") == "string" else 1_000
    items: list[Json] = []
    each = max(16, room // most - 64)
    for number in range(most):
        value = _longest(item, kind, definitions, room=each)
        items.append(_numbered(value, number))
    return items


def _numbered(value: Json, number: int) -> Json:
    """Return a value that differs from those with other numbers and is no longer."""
    if isinstance(value, str):
        mark = f"{number:x}"
        return mark + value[len(mark) :] if len(value) > len(mark) else value
    return value


def distinct(case: Case, number: int) -> JsonObject:
    """Return the arguments of a case with every long text made different by a number at its front and its end."""
    mark = f"{number:x} "

    def changed(value: Json) -> Json:
        if isinstance(value, str) and len(value) > 100:
            return (mark + value)[: len(value) - len(mark.encode()) * 2] + f" {number:x}"
        return value

    return {
        name: [changed(item) for item in itertools.islice(value, 200)] if isinstance(value, list) else changed(value)
        for name, value in case.arguments.items()
    }
