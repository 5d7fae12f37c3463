"""Options of a store are checked and named."""

from pathlib import Path

import pytest

from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import InvalidInput


@pytest.mark.parametrize(
    "options",
    [{"driver": "neo4j"}, {"timeout_s": 0}, {"buffer_pool_mib": 8}, {"max_size_gib": 3}, {"threads": 0}, {"colour": 1}],
)
async def test_a_wrong_option_is_named(tmp_path: Path, options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open(options, tmp_path)
    assert not [*tmp_path.iterdir()]
