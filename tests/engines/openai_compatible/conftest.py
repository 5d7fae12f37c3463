"""An endpoint that answers what a test wants, and engines that ask it."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from backends.engines.openai_compatible.adapter import ADAPTER, OpenAICompatibleEngine
from backends.ports.errors import StoreError
from tests.support.chat import Asked, Chat, Reply, chat, says

GOOD = '{"name": "Ada", "age": 36, "friends": [{"name": "Charles", "friends": []}]}'
KEY = "sk-s3cret"


class Person(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    age: int | None = Field(default=None, ge=0)
    friends: list["Person"] = Field(default_factory=list["Person"])


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
