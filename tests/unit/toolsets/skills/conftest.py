"""A fresh skills toolset per test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.toolsets.skills import Instance, toolset_in


@pytest.fixture
async def skills(tmp_path: Path) -> AsyncGenerator[Instance]:
    """The toolset on an empty data directory."""
    async with toolset_in(tmp_path) as instance:
        yield instance
