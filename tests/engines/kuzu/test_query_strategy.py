"""A statement for each row gives the same rows as one statement for all."""

import pytest

from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import Row, Session
from backends.engines.kuzu.query_strategy import STRATEGIES, each

NAMES = ["a", "b", "c"]


def filled(session: Session) -> None:
    for name in NAMES:
        session.run("CREATE (:Note {key: $key, ns: '', text: $text})", {"key": name, "text": f"text of {name}"})


@pytest.mark.parametrize("looped", [0, 2, 3, 100])
async def test_rows_are_found_by_key(database: DatabaseFile, looped: int) -> None:
    def read(session: Session) -> list[Row]:
        rows = [{"key": name} for name in (*NAMES[1:], "unknown")]
        return each(session, "MATCH (n:Note {key: @key}) RETURN n.text", rows, looped=looped)

    await database.write(filled)
    assert sorted(await database.read(read), key=str) == [["text of b"], ["text of c"]]


@pytest.mark.parametrize("looped", [0, 100])
async def test_rows_may_have_several_columns(database: DatabaseFile, looped: int) -> None:
    def change(session: Session) -> list[Row]:
        rows = [{"key": name, "text": name * 2} for name in NAMES]
        each(session, "MATCH (n:Note {key: @key}) SET n.text = @text", rows, looped=looped)
        return session.run("MATCH (n:Note) WHERE n.key IN $names RETURN n.text ORDER BY n.text", {"names": NAMES})

    await database.write(filled)
    assert await database.write(change) == [["aa"], ["bb"], ["cc"]]


async def test_no_rows_are_no_statement(database: DatabaseFile) -> None:
    assert await database.read(lambda session: each(session, "this is no statement @key", [], looped=1)) == []


def test_each_driver_has_a_strategy() -> None:
    assert set(STRATEGIES) == {"kuzu", "ladybug"}
