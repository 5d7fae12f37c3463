"""A store in a real directory, opened as the gateway opens it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.stores import open_engine


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    opened = await open_engine(ADAPTER, {}, tmp_path)
    yield opened
    await opened.close()
