"""A store that was built from another log, or is ahead of its log, is refused."""

import json
import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from backends.ports.events import EventLog
from tests.unit.toolsets.sourcing.library import library_in
from toolsets.sourcing.lineage import (
    FOLLOWS,
    OtherLog,
    advance_lineage,
    check_lineage,
    followed_to,
    log_identity,
    record_lineage,
)
from toolsets.sourcing.projection_store import StoreMeta

PREFIX = "library/"
RNG = random.Random(7)


@dataclass
class Store:
    """A graph and the log that it follows."""

    log: EventLog
    meta: StoreMeta

    async def note(self, **changed: object) -> None:
        """Note the lineage, with some of it changed afterwards."""
        await record_lineage(self.log, self.meta, PREFIX, RNG)
        noted = json.loads(str(await self.meta.get_meta(FOLLOWS)))
        await self.meta.set_meta(FOLLOWS, json.dumps(noted | changed))

    async def check(self) -> None:
        await check_lineage(self.log, "graph", self.meta, PREFIX, RNG, remedy="Put it back.")

    async def is_accepted(self) -> bool:
        try:
            await self.check()
        except OtherLog:
            return False
        return True


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with library_in(tmp_path) as library:
        await library.title("a", "one")
        live = library.sourced.live_stores
        yield Store(await live.log(), (await live.store("graph")).meta)


async def test_a_log_keeps_its_identity(store: Store) -> None:
    identity = await log_identity(store.log, random.Random(1))
    assert await log_identity(store.log, random.Random(2)) == identity


async def test_a_store_of_this_log_is_accepted(store: Store) -> None:
    await store.note(log="another")
    assert not await store.is_accepted()
    await store.note()
    assert await store.is_accepted()


@pytest.mark.parametrize("value", ["", "no json", "{}"])
async def test_a_store_that_says_nothing_is_accepted(store: Store, value: str) -> None:
    await store.note(log="another")
    assert not await store.is_accepted()
    await store.meta.set_meta(FOLLOWS, value)
    assert await store.is_accepted()


async def test_a_store_of_another_log_is_refused_with_the_remedy(store: Store) -> None:
    await store.note(log="another")
    with pytest.raises(
        OtherLog, match=r"^The graph was built from another event log than the present one\. Put it back\.$"
    ):
        await store.check()


@pytest.mark.parametrize("ahead", [{"own": 1_000}, {"own": None, "position": 1_000}])
async def test_a_store_that_is_ahead_of_the_log_is_refused(store: Store, ahead: dict[str, int | None]) -> None:
    await store.note(**ahead)
    with pytest.raises(OtherLog, match="to position 1000, but the log ends at"):
        await store.check()


async def test_a_toolset_without_events_blocks_no_restore(store: Store) -> None:
    await store.note(log="another", own=1, position=1_000)
    assert not await store.is_accepted()
    await store.note(log="another", own=0, position=1_000)
    assert await store.is_accepted()


async def test_a_store_that_has_followed_an_event_that_the_log_lacks_is_refused(store: Store) -> None:
    """A log that was restored and has grown since is as long as the store has followed it."""
    await store.note()
    assert await followed_to(store.meta) == await store.log.head(PREFIX)
    await store.note(event="another")
    with pytest.raises(OtherLog, match="has another event"):
        await store.check()


@pytest.mark.parametrize("evidence", [{"log": "another"}, {"own": 1_000}, {"event": "another"}])
async def test_advancing_leaves_the_evidence_of_another_log(store: Store, evidence: dict[str, str | int]) -> None:
    await store.note(**evidence)
    recorded = await store.meta.get_meta(FOLLOWS)
    with pytest.raises(OtherLog):
        await advance_lineage(store.log, "graph", store.meta, PREFIX, RNG)
    assert await store.meta.get_meta(FOLLOWS) == recorded
