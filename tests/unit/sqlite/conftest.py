"""A store in a real directory, opened as the gateway opens it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backends.sqlite.adapter import ADAPTER, SqliteEngine


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[SqliteEngine]:
    opened = await ADAPTER.open({}, tmp_path)
    yield opened
    await opened.close()
