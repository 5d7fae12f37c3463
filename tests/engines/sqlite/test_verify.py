"""Verification finds damage that no read has met; a log is checked for a second before its first use."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite import verify
from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import Unusable
from backends.ports.events import BatchId
from backends.stores import open_engine
from tests.engines.sqlite.damage import PAGE, filled, grown_log, refused
from tests.engines.sqlite.samples import write


async def test_a_log_damaged_in_its_middle_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """In one line, although SQLite's own words have several."""
    file = await grown_log(tmp_path)
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // PAGE * PAGE
    content[middle : middle + 3 * PAGE] = b"\xa5" * (3 * PAGE)
    file.write_bytes(content)
    message = await refused(tmp_path, Unusable)
    assert re.fullmatch(
        r".*/events\.db is damaged or not a database \(.+\)\. .* restore it from a backup\. .*", message
    )
    assert "***" not in message
    assert file.read_bytes() == content


async def test_looking_through_a_log_ends_in_time_and_leaves_the_rest_to_verifying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await grown_log(tmp_path)
    content = bytearray(file.read_bytes())
    content[-PAGE:] = b"\xa5" * PAGE
    file.write_bytes(content)
    monkeypatch.setattr(verify, "QUICK_CHECK_S", 0.0)
    monkeypatch.setattr(verify, "STEPS", 1)
    engine = await open_engine(ADAPTER, {}, tmp_path)
    with pytest.raises(Unusable, match=r"events\.db is damaged"):
        await engine.verify()
    await engine.close()


async def test_verifying_finds_damage_that_no_read_has_met(tmp_path: Path) -> None:
    """In the log too, even an index that lacks events; a rebuild must not replace the log."""
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    await log.append([write("a/b", events=50)], batch=BatchId("b"))
    await engine.verify()
    await engine.close()
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = sql || ' WHERE version > 9' WHERE name = 'events_p1'")
        connection.commit()
    engine = await open_engine(ADAPTER, {}, tmp_path)
    with pytest.raises(Unusable, match=r"events.db is damaged .* restore it from a backup") as problem:
        await engine.verify()
    assert problem.value.replaceable == ()
    await engine.close()


@pytest.mark.parametrize(
    ("port", "statement", "index"),
    [
        ("events", "DELETE FROM events", "events_p1"),
        ("graph", "DELETE FROM nodes", "nodes_kind"),
        ("vectors", "DELETE FROM records", "records_live"),
    ],
)
async def test_an_index_that_does_not_fit_its_table_is_found_by_a_verification(
    engine: Engine, tmp_path: Path, port: str, statement: str, index: str
) -> None:
    await filled(engine)
    await engine.verify()
    without_index(tmp_path / f"{port}.db", index, statement)
    with pytest.raises(Unusable, match=f"index {index}"):
        await engine.verify()


def without_index(path: Path, index: str, statement: str) -> None:
    """Run a statement that leaves an index as it is: SQLite does not see it meanwhile."""
    row: tuple[object, ...] = ()
    for step in (0, 1, 2):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            if step == 0:
                row = connection.execute("SELECT * FROM sqlite_master WHERE name = ?", (index,)).fetchone()
                connection.execute("DELETE FROM sqlite_master WHERE name = ?", (index,))
            elif step == 1:
                connection.execute(statement)
            else:
                connection.execute("INSERT INTO sqlite_master VALUES(?, ?, ?, ?, ?)", row)
            connection.commit()
