"""Calls end with the engine."""

from pathlib import Path

import pytest

from backends.ports.errors import StoreError, Unavailable
from contracts.ports.vector_records import NAME, fill, record
from tests.engines.lancedb.tables import opened


async def test_a_closed_store_is_unavailable(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r"))
    with pytest.raises(StoreError) as problem:
        await vectors.count(NAME)
    assert isinstance(problem.value, Unavailable)
