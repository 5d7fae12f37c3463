"""What the adapter declares, and an engine that was closed."""

import pytest
from pydantic import JsonValue

from backends.engines.openai_compatible.adapter import ADAPTER
from backends.ports.errors import Unavailable
from tests.engines.openai_compatible.conftest import Person, engine
from tests.support.chat import Chat


def test_the_switch_says_whether_the_model_is_sent_images() -> None:
    options: dict[str, JsonValue] = {"base_url": "http://localhost/v1", "model": "m"}
    assert ADAPTER.capabilities_with(options).images
    assert not ADAPTER.capabilities_with({**options, "images": False}).images


async def test_a_closed_engine_answers_nothing(endpoint: Chat) -> None:
    async with engine(endpoint) as opened:
        language = await opened.language()
    with pytest.raises(Unavailable, match="closed"):
        await language.answer("one", Person)
    assert not (await opened.health()).ok
