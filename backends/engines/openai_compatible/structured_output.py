"""Structured output: a type's JSON schema for the request, and an answer parsed as an instance of that type."""

from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from backends.ports.errors import Unusable
from backends.ports.language import AnswerT
from backends.ports.validation_errors import rule_of

_SCHEMA: Final = TypeAdapter(dict[str, JsonValue])
_FENCE: Final = "```"
_MOST_FENCES: Final = 64
"""The most fences of an answer that are read: each block that may be an object is parsed."""


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice]


def schema_of(shape: type[BaseModel]) -> JsonValue:
    """Return the schema of a type as endpoints enforce it: every field is required, no other is allowed."""
    return _closed(_SCHEMA.validate_python(shape.model_json_schema()))


def _closed(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(value) for key, value in node.items() if key != "default"}
    properties = node.get("properties")
    if isinstance(properties, dict):
        closed["properties"] = {name: _closed(value) for name, value in properties.items()}
        closed["required"] = list(properties)
        closed["additionalProperties"] = False
    return closed


def answer_of(body: bytes, shape: type[AnswerT], endpoint: str) -> AnswerT:
    """Return the answer in a response. Raises `Unusable` for a refusal, a truncated answer and one of another shape."""
    try:
        choice = _Reply.model_validate_json(body).choices[0]
    except (ValidationError, IndexError):
        raise Unusable(f"{endpoint} returned something that is not a chat completion; check base_url") from None
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise Unusable(f"{endpoint}: the model refused to answer")
    if choice.finish_reason == "length":
        raise Unusable(f"{endpoint}: the answer was cut off; raise max_tokens, or request less")
    problem = "it is empty"
    for candidate in _candidates(choice.message.content or ""):
        try:
            return shape.model_validate_json(candidate)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            problem = f"{'.'.join(map(str, first['loc'])) or 'it'} {rule_of(first)}"
    raise Unusable(f"{endpoint}: the answer is not a {shape.__name__}: {problem}")


def _candidates(text: str) -> Iterator[str]:
    """Yield the texts that may be the object, the likeliest last, so that its problem is reported."""
    answer = _without_thoughts(text).strip()
    if not answer:
        return
    yield answer
    yield from _fenced(answer)
    if "{" in answer and "}" in answer:
        yield answer[answer.index("{") : answer.rindex("}") + 1]


# Searched without regular expressions: in a text of unclosed marks theirs would take quadratic time.
def _without_thoughts(text: str) -> str:
    kept: list[str] = []
    start = 0
    while (begin := text.find("<think>", start)) >= 0 and (end := text.find("</think>", begin)) >= 0:
        kept.append(text[start:begin])
        start = end + len("</think>")
    return "".join([*kept, text[start:]])


def _fenced(text: str) -> Iterator[str]:
    """Yield the content of each fenced block of JSON or of no language that may be an object."""
    parts = text.split(_FENCE, _MOST_FENCES)
    number = 1
    while number < len(parts) - 1:
        block = parts[number].removeprefix("json")
        content = block.lstrip()
        is_block = "\n" in block[: len(block) - len(content)]
        if is_block and content.startswith("{"):
            yield content
        number += 2 if is_block else 1
