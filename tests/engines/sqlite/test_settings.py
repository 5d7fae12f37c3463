"""Options of a store are checked and named."""

from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.errors import InvalidInput
from backends.stores import open_engine


async def test_a_wrong_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="busy_timeout_s"):
        await open_engine(ADAPTER, {"busy_timeout_s": -1}, tmp_path)
    with pytest.raises(InvalidInput, match="colour"):
        await open_engine(ADAPTER, {"colour": "red"}, tmp_path)
