"""The shape that is asked for, and the answers that have it or not."""

import pytest
from pydantic import BaseModel, Field, JsonValue

from backends.ports.errors import Unusable
from tests.engines.openai_compatible.conftest import GOOD, KEY, Person, ask, problem
from tests.support.chat import Chat, Reply, fails, says


class PartSchema(BaseModel):
    required: list[str]
    properties: dict[str, dict[str, JsonValue]]
    closed: bool = Field(alias="additionalProperties")


class WholeSchema(BaseModel):
    definitions: dict[str, PartSchema] = Field(alias="$defs")


class Form(BaseModel):
    strict: bool
    form: WholeSchema = Field(alias="schema")


async def test_the_shape_is_asked_for_as_a_closed_schema(endpoint: Chat) -> None:
    person = await ask(endpoint, max_tokens=77)
    assert person == Person(name="Ada", age=36, friends=[Person(name="Charles")])
    [asked] = endpoint.asked
    assert asked.key == f"Bearer {KEY}"
    assert (asked.model, asked.max_tokens, asked.temperature, asked.prompt) == ("m", 77, 0, "Who is Ada?")
    assert asked.messages[0].content.startswith("Say who it is.")
    assert asked.response_format is not None
    form = Form.model_validate(asked.response_format["json_schema"])
    assert form.strict
    person_schema = form.form.definitions["Person"]
    assert person_schema.required == ["name", "age", "friends"]
    assert person_schema.closed is False
    assert "default" not in person_schema.properties["age"]


@pytest.mark.parametrize(
    "content",
    [
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here you are:\n```\n{GOOD}\n```\nAnything else?",
        f"```python\nprint()\n```\nand\n```json \n\n{GOOD}```",
        f"<think>one</think><think>two {{</think>{GOOD}<think>",
        f"<think>Is it {{Ada}}? Maybe.</think>\n{GOOD}",
        f"The answer is {GOOD}. I hope this helps!",
        "```json\n" * 10_000 + f"```\n{GOOD}\n```",
    ],
)
async def test_an_object_within_text_is_found(endpoint: Chat, content: str) -> None:
    endpoint.answering = lambda _: says(content)
    assert (await ask(endpoint)).name == "Ada"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (says("I am only a model."), "is not a Person"),
        (says('{"name": "Ada", "age": "old"}'), "age"),
        (says('{"name": ""}'), "name"),
        (says('{"name": "Ada", "secret": 1}'), "secret"),
        (says('["Ada"]'), "is not a Person"),
        (says('{"name": "Ada", "frien'), "is not a Person"),
        (says(""), "empty"),
        (says(None), "empty"),
        (says("<think>" + "{" * 5_000 + "</think>"), "empty"),
        (says("{" * 100_000), "is not a Person"),
        (says("<think>" * 500_000), "is not a Person"),
        (says("```" + "\n" * 1_500_000 + "x"), "is not a Person"),
        (says(GOOD[:20], finish="length"), "max_tokens"),
        (says(None, finish="content_filter"), "refused"),
        (says(None, refusal="I cannot help with that."), "refused"),
        (Reply(200, b'{"choices": []}'), "not a chat completion"),
        (Reply(200, b"<html>It works!</html>"), "not a chat completion"),
        (Reply(200, b"\xff\xfe"), "not a chat completion"),
        (Reply(200, b""), "not a chat completion"),
        (Reply(200, b" " * (5 * 1024 * 1024)), "bytes"),
        (Reply(307, b"", (("Location", "http://127.0.0.1:1/"),)), "base_url"),
        (fails(401, "Incorrect API key"), "api_key"),
        (fails(403, "no"), "api_key"),
        (fails(404, "The model m does not exist"), "The model m does not exist"),
    ],
)
async def test_an_unusable_response_is_reported(endpoint: Chat, reply: Reply, words: str) -> None:
    endpoint.answering = lambda _: reply
    assert words in await problem(endpoint, Unusable)
