"""Options of a store are checked and named."""

from pathlib import Path

import pytest

from backends.engines.lancedb.adapter import ADAPTER
from backends.ports.errors import InvalidInput


@pytest.mark.parametrize(
    "options", [{"uri": "db://cloud"}, {"uri": ""}, {"space": "a/b"}, {"space": "../x"}, {"timeout_s": 0}]
)
async def test_an_option_out_of_bounds_is_refused(tmp_path: Path, options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open(options, tmp_path)
