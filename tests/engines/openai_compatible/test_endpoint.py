"""What an endpoint is asked, and one that hangs, goes away and comes back."""

import asyncio

import pytest

from backends.ports.errors import InvalidInput, Timeout, Unavailable
from contracts.documents import plain_png
from tests.engines.openai_compatible.conftest import GOOD, Person, engine, good, problem
from tests.support.chat import Asked, Chat, Reply, chat, fails, says


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
