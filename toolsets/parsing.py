"""Strict arguments: JSON in, the tool's argument model or a list of problems out; nothing is coerced or clamped."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from backends.ports.text import text_problem
from backends.ports.values import Json
from toolsets.reply import Refused
from toolsets.spec import CallContext, Envelope, Reply, ToolCall

ProblemKind: TypeAlias = Literal["unstorable", "missing", "unknown", "breach"]

_SUBJECT = re.compile(r"^(?:Input|String|Value|List|Tuple|Dictionary) (?=should|must)")
_IN_JSON = (
    (re.compile(r" after validation\b"), ""),
    (re.compile(r"\ba valid (?:tuple|list|set|frozenset)\b"), "a list"),
    (re.compile(r"\ba valid dictionary(?: or (?:an )?(?:object|instance)\b.*)?"), "an object"),
    (re.compile(r"\ba valid string\b"), "a text"),
    (re.compile(r"\ba valid boolean\b"), "true or false"),
    (re.compile(r"\ba valid (number|integer)\b"), r"a \1"),
    (re.compile(r"\ba integer\b"), "an integer"),
    (re.compile(r"\bNone\b"), "null"),
)
"""What the checks say in words of Python, and how one who sends JSON calls it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a call's arguments.

    `sentence` names the field; `value` is what was sent, None when nothing was.
    """

    kind: ProblemKind
    field: str
    sentence: str
    value: Json = None


class ToolsetEnvelope(Envelope, Protocol):
    """An envelope that also words refused arguments."""

    def refused(self, problems: Sequence[Problem]) -> Reply:
        """Word one problem or more; the most telling one comes first."""
        ...


class Arguments(BaseModel):
    """The base of every argument model: strict, closed, frozen; NaN and infinity are no numbers."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class BadArguments(Exception):
    """The arguments break their rules."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.sentence for problem in problems))
        self.problems = tuple(problems)


def _integral(value: Json) -> Json:
    # JSON Schema's integer is a number without a fraction, however it is written: 5.0 is one.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "Value should not be blank")
    return text


INTEGRAL = BeforeValidator(_integral)
"""Marks an argument that is a whole number, so that 5.0 counts as 5; it comes after the bounds."""

NOT_BLANK = AfterValidator(_not_blank)
"""Refuses a text of nothing but white space; it stands last, so that lengths are judged before."""

Filled = Annotated[str, NOT_BLANK]
"""A text of more than white space."""

ModelT = TypeVar("ModelT", bound=BaseModel)


def parse(model: type[ModelT], arguments: Mapping[str, Json]) -> ModelT:
    """Return the arguments as `model`; null for an optional one counts as not sent.

    Raises `BadArguments` with the problems: texts that cannot be stored, then what is missing, then the others in
    the order of the model.
    """
    unstorable = [problem for name, value in arguments.items() for problem in _unstorable(name, value)]
    if unstorable:
        raise BadArguments(unstorable)
    optional = {field.alias or name for name, field in model.model_fields.items() if not field.is_required()}
    sent = {name: value for name, value in arguments.items() if value is not None or name not in optional}
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        problems = [_problem(detail["type"], detail["loc"], detail["msg"], sent) for detail in error.errors()]
        raise BadArguments(sorted(problems, key=lambda problem: problem.kind != "missing")) from None


def tool_call(
    model: type[ModelT], handler: Callable[[ModelT, CallContext], Awaitable[Reply]], envelope: ToolsetEnvelope
) -> ToolCall:
    """Return the call of a tool: parse, handle, and answer refusals in the toolset's envelope."""

    async def call(arguments: Mapping[str, Json], context: CallContext) -> Reply:
        try:
            return await handler(parse(model, arguments), context)
        except BadArguments as bad:
            return envelope.refused(bad.problems)
        except Refused as refused:
            return refused.reply

    return call


def _unstorable(name: str, argument: Json) -> list[Problem]:
    """Find texts in an argument, at any depth, that no store accepts."""
    if (trouble := text_problem(name)) is not None:
        return [Problem("unstorable", "", f"an argument's name {trouble}")]
    problems: list[Problem] = []
    pending: list[Json] = [argument]
    while pending:
        value = pending.pop()
        match value:
            case str():
                if (trouble := text_problem(value)) is not None:
                    problems.append(Problem("unstorable", name, f"{name:.80} {trouble}", value))
            case Mapping():
                pending.extend((*value.keys(), *value.values()))
            case Sequence():
                pending.extend(value)
            case _:
                pass
    return problems


def _problem(kind: str, location: tuple[int | str, ...], message: str, sent: Mapping[str, Json]) -> Problem:
    field = ".".join(str(step) for step in location)
    match kind:
        case "missing":
            return Problem("missing", field, f"{field} is required")
        case "extra_forbidden":
            return Problem("unknown", field, f"{field:.80} is not an argument of this tool", _found(sent, location))
        case _:
            words = _in_json(_SUBJECT.sub("", message))
            return Problem(
                "breach", field, f"{field or 'the call'} {words[:1].lower()}{words[1:]}", _found(sent, location)
            )


def _in_json(words: str) -> str:
    for python, ours in _IN_JSON:
        words = python.sub(ours, words)
    return words


def _found(sent: Json, location: tuple[int | str, ...]) -> Json:
    """Return what was sent at a place; None where the path leads nowhere."""
    for step in location:
        if isinstance(sent, Mapping) and isinstance(step, str):
            sent = sent.get(step)
        elif isinstance(sent, Sequence) and not isinstance(sent, str) and isinstance(step, int) and step < len(sent):
            sent = sent[step]
        else:
            return None
    return sent
