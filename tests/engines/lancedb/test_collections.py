"""A table that was created again, or grown, by another engine is opened again."""

from pathlib import Path

import pytest

from backends.ports.errors import NotFound
from backends.ports.filters import Eq, Not
from backends.ports.values import FieldSpec
from backends.ports.vectors import CollectionSpec
from contracts.ports.vector_records import DIM, MODEL, NAME, fill, names_stored, record
from tests.engines.lancedb.tables import opened


async def test_a_table_that_another_engine_recreated_is_reopened(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors, opened(tmp_path) as other:
        await fill(vectors, record("old"))
        assert await names_stored(other) == ["old"]
        await vectors.drop(NAME)
        with pytest.raises(NotFound):
            await other.count(NAME)
        await fill(vectors, record("new"))
        assert await names_stored(other) == ["new"]


async def test_a_declaration_that_grows_keeps_what_is_stored(tmp_path: Path) -> None:
    first = CollectionSpec(NAME, DIM, MODEL, (FieldSpec("rank", "int"),))
    grown = CollectionSpec(NAME, DIM, MODEL, (FieldSpec("rank", "int", sort=True), FieldSpec("tags", "strs")))
    async with opened(tmp_path) as vectors, opened(tmp_path) as other:
        await vectors.ensure(first)
        await vectors.upsert(NAME, [record("r", rank=1)])
        await other.ensure(grown)
        await other.upsert(NAME, [record("r", rank=2, tags=("a",), rev=2)])
        # A writer that does not know the new field still replaces the whole record.
        await vectors.upsert(NAME, [record("r", rank=3, rev=3)])
        assert [item.fields for item in (await other.scan(NAME)).items] == [{"rank": 3}]
        await vectors.ensure(first)
        assert await vectors.count(NAME, Not(Eq("rank", 3))) == 0
