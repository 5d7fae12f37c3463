"""The tables of a file, and the version that distinguishes it from another program's."""

from backends.engines.kuzu import schema
from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import Session
from backends.ports.values import MAX_FIELDS


async def test_a_new_file_has_the_version_that_is_written(database: DatabaseFile) -> None:
    assert await database.read(schema.version) == schema.VERSION


async def test_tables_of_another_program_have_none(database: DatabaseFile) -> None:
    def without_note(session: Session) -> str | None:
        session.run("MATCH (n:Note) DELETE n")
        no_value = schema.version(session)
        session.run("DROP TABLE Note")
        assert no_value is None
        return schema.version(session)

    assert await database.write(without_note) is None


def test_every_field_has_a_column_of_each_type_and_lists_share_one() -> None:
    columns = schema.slot_columns()
    assert len(columns) == len(set(columns)) == 3 * MAX_FIELDS + 1
    assert columns[0] == "s0 STRING"
    assert columns[-1] == "lists STRING[]"
