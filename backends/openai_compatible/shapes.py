"""The asked type as a JSON schema that a model can be held to, and its answer as an instance of that type."""

import re
from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from backends.ports.errors import Unusable
from backends.ports.language import AnswerT

_SCHEMA: Final = TypeAdapter(dict[str, JsonValue])
_THOUGHTS: Final = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCED: Final = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice]


def schema_of(shape: type[BaseModel]) -> JsonValue:
    """Return the schema of a type in the form that endpoints enforce: every field is required, no other is allowed."""
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
    """Return the answer in a reply. Raises `Unusable` for a refusal, for one cut off, and for what is not of the shape."""
    try:
        choice = _Reply.model_validate_json(body).choices[0]
    except (ValidationError, IndexError):
        raise Unusable(f"{endpoint} answered something that is no chat completion; check base_url") from None
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise Unusable(f"{endpoint}: the model refused to answer")
    if choice.finish_reason == "length":
        raise Unusable(f"{endpoint}: the answer was cut off; raise max_tokens, or ask for less")
    problem = "it is empty"
    for candidate in _candidates(choice.message.content or ""):
        try:
            return shape.model_validate_json(candidate)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            problem = f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
    raise Unusable(f"{endpoint}: the answer is not a {shape.__name__}: {problem}")


def _candidates(text: str) -> Iterator[str]:
    """Yield the places where the object may be, the likeliest last, so that its problem is the one reported."""
    said = _THOUGHTS.sub("", text).strip()
    if not said:
        return
    yield said
    yield from _FENCED.findall(said)
    if "{" in said and "}" in said:
        yield said[said.index("{") : said.rindex("}") + 1]
