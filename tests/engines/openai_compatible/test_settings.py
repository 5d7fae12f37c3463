"""Options of an endpoint are checked and named."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from backends.engines.openai_compatible.adapter import ADAPTER
from backends.ports.errors import InvalidInput
from tests.support.chat import Chat


@pytest.mark.parametrize("options", [{"base_url": "localhost"}, {"model": ""}, {"timeout_s": 0}])
async def test_wrong_options_are_named(endpoint: Chat, options: dict[str, JsonValue]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open({"base_url": endpoint.base_url, "model": "m", **options}, Path())
