"""An engine that needs no installation, opened as the gateway opens it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backends.ports.adapter import Engine
from backends.registry import load_adapter
from backends.stores import open_engine


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    opened = await open_engine(load_adapter("sqlite"), {}, tmp_path)
    yield opened
    await opened.close()
