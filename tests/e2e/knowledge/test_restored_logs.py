"""An event log that was restored from a backup, or lost: stores that know more than it are found out, then made again."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.knowledge.test_rebuilt import rebuild
from tests.e2e.knowledge.test_refused_starts import digests, refused
from tests.support.knowledge import ask, create, drained, names_in, part
from tests.support.servers import ours_http


def back_up(data: Path, copy: Path) -> None:
    with closing(sqlite3.connect(data / "events.db")) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    source.close()
    target.close()


@pytest.fixture
async def restored(tmp_path: Path) -> tuple[Path, str]:
    """A data directory whose log is older than its stores, and the id of a concept that both know."""
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    async with ours_http(data) as server:
        concept = str((await create(server.caller(), "kept", area="log"))["concept_id"])
    back_up(data, copy)
    async with ours_http(data) as server:
        caller = server.caller()
        await ask(caller, "update_concept", {"concept_id": concept, "explanation": "Too new."})
        await create(caller, "too new", area="log")
    for file in data.glob("events.db*"):
        file.unlink()
    shutil.copy(copy, data / "events.db")
    return data, concept


async def test_stores_that_are_ahead_of_the_log_stop_the_start_and_a_rebuild_mends_it(
    restored: tuple[Path, str],
) -> None:
    data, concept = restored
    before = digests(data)
    words = refused(data)
    assert "older copy" in words
    assert "entrepot rebuild" in words
    assert digests(data) == before
    await rebuild(data)
    async with ours_http(data) as server:
        caller = server.caller()
        await drained(caller)
        assert await names_in(caller, "log") == ["kept"]
        await ask(caller, "update_concept", {"concept_id": concept, "explanation": "Written afterwards."})
        found = await ask(caller, "search_concepts_semantic", {"query": "Written afterwards.", "limit": 1})
        assert concept in str(found["results"])
        read = await ask(caller, "get_concept", {"concept_id": concept})
        assert part(read, "concept")["explanation"] == "Written afterwards."


async def test_a_lost_log_refuses_the_start(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        await create(server.caller(), "only in the log", area="log")
    for file in tmp_path.glob("events.db*"):
        file.unlink()
    assert "another event log" in refused(tmp_path)
