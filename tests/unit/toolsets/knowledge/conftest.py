"""A fresh knowledge toolset per test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.toolsets.knowledge import Instance, toolset_in


@pytest.fixture
async def knowledge(tmp_path: Path) -> AsyncGenerator[Instance]:
    """The toolset on an empty data directory, without background work: what the write path does is all there is."""
    async with toolset_in(tmp_path) as instance:
        yield instance
