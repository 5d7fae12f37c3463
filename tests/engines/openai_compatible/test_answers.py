"""The outcome of every kind of response, and of a missing endpoint."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from backends.engines.openai_compatible.adapter import ADAPTER, OpenAICompatibleEngine
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable
from contracts.documents import plain_png
from tests.support.chat import Asked, Chat, Reply, chat, fails, says

GOOD = '{"name": "Ada", "age": 36, "friends": [{"name": "Charles", "friends": []}]}'
KEY = "sk-s3cret"


class Person(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    age: int | None = Field(default=None, ge=0)
    friends: list["Person"] = Field(default_factory=list["Person"])


class PartSchema(BaseModel):
    required: list[str]
    properties: dict[str, dict[str, JsonValue]]
    closed: bool = Field(alias="additionalProperties")


class WholeSchema(BaseModel):
    definitions: dict[str, PartSchema] = Field(alias="$defs")


class Form(BaseModel):
    strict: bool
    form: WholeSchema = Field(alias="schema")


def good(asked: Asked) -> Reply:
    return says(GOOD)


@pytest.fixture
def endpoint() -> Generator[Chat]:
    with chat(good) as running:
        yield running


@asynccontextmanager
async def engine(endpoint: Chat, **options: JsonValue) -> AsyncGenerator[OpenAICompatibleEngine]:
    opened = await ADAPTER.open({"base_url": endpoint.base_url, "model": "m", "api_key": KEY, **options}, Path())
    try:
        yield opened
    finally:
        await opened.close()


async def ask(endpoint: Chat, **options: JsonValue) -> Person:
    async with engine(endpoint, **options) as opened:
        return await (await opened.language()).answer("Who is Ada?", Person, instructions="Say who it is.")


async def problem(endpoint: Chat, kind: type[StoreError], **options: JsonValue) -> str:
    with pytest.raises(StoreError) as caught:
        await ask(endpoint, **options)
    assert type(caught.value) is kind
    assert KEY not in str(caught.value)
    return str(caught.value)


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


@pytest.mark.parametrize("status", [400, 422, 501])
async def test_an_endpoint_without_schema_support_is_asked_in_the_prompt_from_then_on(
    endpoint: Chat, status: int
) -> None:
    endpoint.answering = lambda asked: (
        says(GOOD) if asked.response_format is None else fails(status, "response_format?")
    )
    async with engine(endpoint) as opened:
        language = await opened.language()
        assert (await language.answer("one", Person)).name == "Ada"
        assert (await language.answer("two", Person)).name == "Ada"
    assert [(asked.prompt, asked.response_format is None) for asked in endpoint.asked] == [
        ("one", False),
        ("one", True),
        ("two", True),
    ]
    assert '"additionalProperties":false' in endpoint.asked[-1].messages[0].content


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


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (fails(400, "maximum context length is 4096 tokens"), InvalidInput),
        (fails(413, "too large"), InvalidInput),
        (fails(429, "slow down"), Unavailable),
        (fails(500, "oops"), Unavailable),
        (fails(503, "loading the model"), Unavailable),
        (Reply(502, b"<html>Bad gateway</html>"), Unavailable),
        (fails(504, "upstream"), Timeout),
    ],
)
async def test_an_error_status_has_the_matching_store_error(
    endpoint: Chat, reply: Reply, kind: type[StoreError]
) -> None:
    endpoint.answering = lambda _: reply
    assert str(reply.status) in await problem(endpoint, kind)


async def test_images_are_parts_of_the_prompt_and_a_text_alone_is_a_text(endpoint: Chat) -> None:
    first, second = plain_png(2, 3, (255, 0, 0)), plain_png(4, 5, (0, 0, 255))
    async with engine(endpoint) as opened:
        language = await opened.language()
        await language.answer("Who are they?", Person, instructions="Look.", images=[first, second])
        await language.answer("Who is Ada?", Person)
    seen, told = endpoint.asked
    assert (seen.prompt, seen.images) == ("Who are they?", [first, second])
    assert [part.type for part in seen.messages[-1].parts] == ["text", "image_url", "image_url"]
    assert seen.messages[0].content.startswith("Look.")
    assert told.is_plain
    assert seen.messages[0].is_plain


async def test_an_endpoint_that_refuses_images_still_answers_texts_with_a_schema(endpoint: Chat) -> None:
    endpoint.answering = lambda asked: fails(400, "no images") if asked.images else says(GOOD)
    async with engine(endpoint) as opened:
        language = await opened.language()
        with pytest.raises(InvalidInput, match="no images"):
            await language.answer("one", Person, images=[plain_png(2, 3, (255, 0, 0))])
        assert await language.answer("two", Person)
    assert endpoint.asked[-1].response_format is not None


def test_the_switch_says_whether_the_model_is_sent_images() -> None:
    options: dict[str, JsonValue] = {"base_url": "http://localhost/v1", "model": "m"}
    assert ADAPTER.capabilities_with(options).images
    assert not ADAPTER.capabilities_with({**options, "images": False}).images


async def test_an_endpoint_that_hangs_times_out(endpoint: Chat) -> None:
    def late(asked: Asked) -> Reply:
        endpoint.ended.wait()
        return says(GOOD)

    endpoint.answering = late
    async with asyncio.timeout(5):
        assert "0.2 seconds" in await problem(endpoint, Timeout, timeout_s=0.2)


async def test_an_endpoint_that_comes_back_is_used_again() -> None:
    with chat(good) as endpoint:
        port = int(endpoint.base_url.split(":")[-1].split("/")[0])
        async with engine(endpoint) as opened:
            language = await opened.language()
            assert (await opened.health()).ok
            assert await language.answer("one", Person)
    async with engine(endpoint) as opened:
        language = await opened.language()
        with pytest.raises(Unavailable, match="does not answer"):
            await language.answer("two", Person)
        assert not (await opened.health()).ok
        with chat(good, port=port):
            assert await language.answer("three", Person)
            assert (await opened.health()).versions == {"model": "m"}


async def test_a_closed_engine_answers_nothing(endpoint: Chat) -> None:
    async with engine(endpoint) as opened:
        language = await opened.language()
    with pytest.raises(Unavailable, match="closed"):
        await language.answer("one", Person)
    assert not (await opened.health()).ok


@pytest.mark.parametrize("options", [{"base_url": "localhost"}, {"model": ""}, {"timeout_s": 0}])
async def test_wrong_options_are_named(endpoint: Chat, options: dict[str, JsonValue]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open({"base_url": endpoint.base_url, "model": "m", **options}, Path())
