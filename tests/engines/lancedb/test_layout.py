"""The layout of a table is read from its metadata, and that of another program or version is refused."""

from pathlib import Path

import pytest

from backends.engines.lancedb.driver import ARROW, LANCE
from backends.ports.errors import Unusable
from contracts.ports.vector_records import NAME, THINGS
from tests.engines.lancedb.tables import SPACE, TABLE, opened


async def _foreign(directory: Path, note: dict[str, str]) -> None:
    place = directory / "lancedb" / SPACE
    connection = await LANCE.connect_async(str(place), storage_options={})
    columns = [ARROW.field("id", ARROW.utf8()), ARROW.field("value", ARROW.utf8())]
    await connection.create_table(TABLE, schema=ARROW.schema(columns, metadata=note))


@pytest.mark.parametrize(
    ("note", "sentence"),
    [({}, "another program"), ({"entrepot": '{"format":2,"dim":3,"model":"m"}'}, "newer version of Entrepot")],
)
async def test_a_table_of_another_program_or_version_is_refused(
    tmp_path: Path, note: dict[str, str], sentence: str
) -> None:
    await _foreign(tmp_path, note)
    async with opened(tmp_path) as vectors:
        with pytest.raises(Unusable, match=sentence):
            await vectors.ensure(THINGS)
        with pytest.raises(Unusable, match=sentence):
            await vectors.count(NAME)
