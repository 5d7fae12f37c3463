"""The layout of a table is read from its metadata, and that of another program or version is refused."""

from pathlib import Path

import pytest

from backends.engines.lancedb.driver import ARROW, FTS, LANCE, Bitmap, BTree, LabelList
from backends.engines.lancedb.layout import indexes_of, layout_of, schema_of
from backends.ports.errors import Unusable
from contracts.ports.vector_records import NAME, THINGS
from tests.engines.lancedb.tables import SPACE, TABLE, opened


async def _foreign(directory: Path, note: dict[str, str]) -> None:
    location = directory / "lancedb" / SPACE
    connection = await LANCE.connect_async(str(location), storage_options={})
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


def test_a_declaration_is_read_from_the_table_it_was_written_to() -> None:
    layout = layout_of(schema_of(THINGS), location="here")
    assert (layout.dim, layout.model) == (THINGS.dim, THINGS.model)
    assert layout.specs == {spec.name: spec for spec in THINGS.fields}
    assert layout.record_columns[:5] == ["id", "rev", "dead", "vector", "text"]
    assert layout.record_columns[5:] == [f"f_{spec.name}" for spec in THINGS.fields]


def test_fields_have_the_index_of_their_type() -> None:
    """Ranges are read along a tree, few values from a bitmap, elements of lists by their label."""
    indexes = indexes_of(layout_of(schema_of(THINGS), location="here"))
    assert {name: type(index) for name, index in indexes.items()} == {
        "id": BTree,
        "words": FTS,
        "f_colour": BTree,
        "f_rank": BTree,
        "f_score": BTree,
        "f_flag": Bitmap,
        "f_tags": LabelList,
    }
