"""Arguments of tools: JSON becomes the tool's argument model or a list of problems; nothing is coerced or clamped."""

import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from types import NoneType, UnionType
from typing import Annotated, Literal, TypeVar, Union, cast, get_args, get_origin

from annotated_types import MaxLen
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from backends.ports.text import MAX_TEXT_BYTES, text_problem
from backends.ports.validation_errors import length_rule, rule_of
from backends.ports.values import Json
from toolsets.concurrency import run_cpu
from toolsets.spec import CallContext, Envelope, Problem, Reply, ToolCall, ToolError

MAX_PROBLEMS = 100
"""The most problems that are collected; a reply shows three of them."""
_VALUES = 10
"""Values of lists that take as long to check as an event takes to read; from 2,000 on, a thread checks them."""


def _fail_fast(schema: dict[str, object]) -> None:
    """Stop the validation of every list in a core schema at its first wrong item."""
    pending: list[object] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            found = cast("dict[str, object]", part)
            if found.get("type") in ("list", "tuple", "set", "frozenset"):
                found["fail_fast"] = True
            pending.extend(found.values())
        elif isinstance(part, list | tuple):
            pending.extend(cast("Sequence[object]", part))


class Arguments(BaseModel):
    """The base of every argument model: strict, closed and frozen; NaN and infinity are refused.

    Validation of a list stops at its first wrong item, so that a list of a million wrong items is refused at once.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema with lists that fail fast."""
        schema = handler(source)
        _fail_fast(cast("dict[str, object]", schema))
        return schema


class BadArguments(Exception):
    """The arguments break their rules."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.sentence for problem in problems))
        self.problems = tuple(problems)


def _integral(value: Json) -> Json:
    # In JSON Schema, an integer is any number without a fraction, 5.0 included.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _not_blank(text: str) -> str:
    bare = text.lstrip()
    # The first letter decides for most texts; in the others, each distinct character is checked once.
    if not bare or (_has_no_width(bare[0]) and all(c.isspace() or _has_no_width(c) for c in set(bare))):
        raise PydanticCustomError("blank", "should not be blank")
    return text


def _has_no_width(character: str) -> bool:
    return unicodedata.category(character) == "Cf"


def _unsigned_zero(value: float) -> float:
    return value + 0.0


INTEGRAL = BeforeValidator(_integral)
"""Accepts 5.0 for the integer 5; placed after the bounds."""

NOT_BLANK = AfterValidator(_not_blank)
"""Refuses a text of white space and characters without width; placed last, so that lengths are checked first."""

UNSIGNED_ZERO = AfterValidator(_unsigned_zero)
"""Replaces -0.0 by 0.0: stores return one or the other, and comparisons of their digests distinguish them."""


@dataclass(frozen=True, slots=True)
class UpToBytes:
    """Allows a text argument more bytes than stores accept, if only parts of it are stored."""

    limit: int


Filled = Annotated[str, NOT_BLANK]
"""A text that is not only white space."""

ModelT = TypeVar("ModelT", bound=BaseModel)


def parse(model: type[ModelT], arguments: Mapping[str, Json]) -> ModelT:
    """Return the arguments as `model`. Null for an optional argument, and "" for an optional text, count as not sent.

    Raises `BadArguments` with at most 100 problems: texts that cannot be stored, then missing arguments, then the others
    in the order of the model. Far too many unknown names, or items in a list, are refused before anything else is checked.
    """
    names = _fields(model)
    if excess := _excess(names, arguments):
        raise BadArguments(excess)
    if unstorable := [
        problem for name, value in arguments.items() for problem in _unstorable(name, value, _limit(names, name))
    ]:
        raise BadArguments(unstorable)
    sent = {name: value for name, value in arguments.items() if name not in names or not _is_unset(names[name], value)}
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        problems = [_problem(detail, sent) for detail in error.errors(include_url=False)[:MAX_PROBLEMS]]
        raise BadArguments(sorted(problems, key=lambda problem: problem.kind != "missing")) from None


@lru_cache(maxsize=256)
def _fields(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return the fields of a model by the names under which they are sent."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _is_unset(field: FieldInfo, value: Json) -> bool:
    """Return whether a value counts as not sent: some clients send null or an empty text for every optional argument."""
    if field.is_required():
        return False
    return value is None or (value == "" and _is_text(field.annotation))


def _is_text(annotation: object) -> bool:
    """Return whether an annotation is `str` or an enumeration of texts, possibly optional or inside `Annotated`."""
    if get_origin(annotation) is Annotated:
        return _is_text(cast("object", get_args(annotation)[0]))
    if get_origin(annotation) in (Union, UnionType):
        choices = [choice for choice in get_args(annotation) if choice is not NoneType]
        return all(map(_is_text, choices))
    if get_origin(annotation) is Literal:
        return all(isinstance(value, str) for value in get_args(annotation))
    return isinstance(annotation, type) and issubclass(annotation, str)


def tool_call(
    model: type[ModelT], handler: Callable[[ModelT, CallContext], Awaitable[Reply]], envelope: Envelope
) -> ToolCall:
    """Return the call of a tool: parse, handle, and word refusals with the toolset's envelope."""

    async def call(arguments: Mapping[str, Json], context: CallContext) -> Reply:
        try:
            parsed = await run_cpu(partial(parse, model, arguments), size=_values(arguments) // _VALUES)
            return await handler(parsed, context)
        except BadArguments as bad:
            return envelope.invalid_arguments(bad.problems)
        except ToolError as error:
            return envelope.tool_error(error)

    return call


def _values(arguments: Mapping[str, Json]) -> int:
    """Return how many values the lists and objects among the arguments have, and those directly within them."""
    outer = [value for value in arguments.values() if isinstance(value, list | dict)]
    inner = chain.from_iterable(value.values() if isinstance(value, dict) else value for value in outer)
    return sum(map(len, outer)) + sum(len(value) for value in inner if isinstance(value, list | dict))


def _excess(names: Mapping[str, FieldInfo], arguments: Mapping[str, Json]) -> list[Problem]:
    """Return the problems that show without validation: many unknown names, and lists far longer than allowed."""
    if len(arguments) > len(names) + MAX_PROBLEMS:
        unknown = (name for name in arguments if name not in names)
        return [_unknown(name, arguments[name]) for name in islice(unknown, MAX_PROBLEMS)]
    problems: list[Problem] = []
    for name, value in arguments.items():
        if name in names and isinstance(value, Sized) and not isinstance(value, str) and len(value) > MAX_PROBLEMS:
            for rule in names[name].metadata:
                if isinstance(rule, MaxLen) and len(value) > rule.max_length:
                    sentence = f"{name} should have {length_rule('too_long', rule.max_length)}, not {len(value)}"
                    problems.append(Problem("breach", name, sentence, value))
    return problems


def _limit(names: Mapping[str, FieldInfo], name: str) -> int:
    """Return the most bytes that each text of an argument may have."""
    rules = names[name].metadata if name in names else ()
    return next((rule.limit for rule in rules if isinstance(rule, UpToBytes)), MAX_TEXT_BYTES)


def _unstorable(name: str, argument: Json, limit: int) -> list[Problem]:
    """Return a problem for each text in an argument, at any depth, that no store accepts or that exceeds `limit` bytes."""
    if (found := text_problem(name)) is not None:
        return [Problem("unstorable", "", f"an argument's name {found}")]
    problems: list[Problem] = []
    pending: list[Json] = [argument]
    while pending and len(problems) < MAX_PROBLEMS:
        value = pending.pop()
        match value:
            case str():
                if (found := text_problem(value, max_bytes=limit)) is not None:
                    problems.append(Problem("unstorable", name, f"{name:.80} {found}", value))
            case Mapping():
                pending.extend((*value.keys(), *value.values()))
            case Sequence():
                pending.extend(value)
            case _:
                pass
    return problems


def _problem(detail: ErrorDetails, sent: Mapping[str, Json]) -> Problem:
    location = _as_sent(detail["loc"], sent, detail["input"])
    field = ".".join(str(step) for step in location)
    match detail["type"]:
        case "missing":
            return Problem("missing", field, f"{field} is required")
        case "extra_forbidden":
            return _unknown(field, _found(sent, location))
        case _:
            return Problem("breach", field, f"{field or 'the call'} {rule_of(detail)}", _found(sent, location))


def _unknown(field: str, value: Json) -> Problem:
    return Problem("unknown", field, f"{field:.80} is not an argument of this tool", value)


def _as_sent(location: tuple[int | str, ...], sent: Json, wrong: object) -> tuple[int | str, ...]:
    """Return a location without the types that pydantic adds after each key of a JSON value, as in "a.dict.b.float".

    An object may also have a key "dict"; the right reading is the one that leads to the value that is wrong.
    """
    for first_type in (len(location), *range(1, len(location))):
        keys = (*location[:first_type], *location[first_type + 1 :: 2])
        if wrong is not None and _found(sent, keys) is wrong:
            return keys
    return location


def _found(sent: Json, location: tuple[int | str, ...]) -> Json:
    """Return the value at a path of the arguments, None if there is none."""
    for step in location:
        if isinstance(sent, Mapping) and isinstance(step, str):
            sent = sent.get(step)
        elif isinstance(sent, Sequence) and not isinstance(sent, str) and isinstance(step, int) and step < len(sent):
            sent = sent[step]
        else:
            return None
    return sent
