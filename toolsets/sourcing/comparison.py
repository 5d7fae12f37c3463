"""Comparison of two generations of one projector, and of its live stores with other ones."""

import random
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import Timeout, Unusable
from backends.ports.events import EventLog
from backends.ports.values import Json, JsonObject, Micros
from toolsets.reports import ComparisonReport, Difference, Progress
from toolsets.sourcing.contents import Contents, Digest, Generation, Key, contents, read_pairs, side_by_side
from toolsets.sourcing.follower import load_progress
from toolsets.sourcing.lineage import LOG_IDENTITY_NAME, log_identity
from toolsets.sourcing.projection import PORT_NAMES, Projector
from toolsets.sourcing.relay import Relay
from toolsets.sourcing.stores import LiveStores
from toolsets.sourcing.write_path import InFlight, WakeUp

MAX_DIFFERENCES: Final = 1_000
"""Records that are read again because they differ; with more of them, two generations differ."""
SHOWN: Final = 20
"""Differences that a report names."""
ROUNDS: Final = 10
"""How often records that differ are read again while the log grows."""
UNMOVED: Final = 3
"""Reads after which a record that is written again and again counts as not following the log, if it never changed."""
MAX_STALL_S: Final = 60.0
"""How long stores may make no progress while they are behind the log."""
PAUSE_S: Final = 0.2
"""Time for other processes to project what they have appended, before differing records are read again."""
REPORT_EVERY: Final = 1_000
"""Records between two reports of progress, each of which writes to a terminal or to a client."""

_NAMES: Final[tuple[Literal["node"], Literal["edge"], Literal["passage"]]] = ("node", "edge", "passage")

BringUp: TypeAlias = Callable[[], Awaitable[None]]


async def compare_generations(
    projector: Projector, one: Generation, other: Generation, bring_up: BringUp
) -> tuple[Contents, bool]:
    """Return the contents of `one`, and whether `other` has the same records; both may be written meanwhile.

    They are read side by side. A record that differs may have been written between the two reads, or to one of them
    only, so it is read again from both after `bring_up`, which brings them up to the log. Raises the stores' errors.
    """
    await bring_up()
    digest, suspects = Digest(), set[Key]()
    async with aclosing(side_by_side(projector, one, other)) as pairs:
        async for key, here, there in pairs:
            if here is not None:
                digest.add(key, here)
            if here != there:
                suspects.add(key)
            if len(suspects) > MAX_DIFFERENCES:
                return await contents(projector, one), False
    return digest.contents(), await _become_equal(projector, one, other, suspects, bring_up)


async def _become_equal(
    projector: Projector, one: Generation, other: Generation, suspects: Collection[Key], bring_up: BringUp
) -> bool:
    """Read the records that differ again until all agree; return False if one still differs and has not changed meanwhile.

    A record that is written faster than both generations can be read does not count as a difference.
    """
    former: Mapping[Key, tuple[Json, Json]] = {}
    for _ in range(ROUNDS):
        await bring_up()
        read = await read_pairs(projector, one, other, suspects)
        pairs = {key: (here, there) for key, here, there in read if here != there}
        if not pairs:
            return True
        if any(former.get(key) == pair for key, pair in pairs.items()):
            return False
        suspects, former = pairs.keys(), pairs
        await anyio.sleep(PAUSE_S)
    return True


class StoreComparer:
    """Compares the live stores of one projector with other stores."""

    def __init__(self, live_stores: LiveStores, now: Callable[[], Micros]) -> None:
        self._live_stores = live_stores
        self._projector = live_stores.projector
        self._now = now

    async def compare(self, progress: Progress, other: Stores) -> ComparisonReport:
        """Bring both up to the log and compare all their records. Servers may use either of them meanwhile.

        A record that differs may have been written between the two reads, so it is read again from both stores.
        Raises `Unusable` for other stores that are these ones, were never filled or have another log, `Timeout` for
        stores that do not catch up with the log, and the stores' errors.
        """
        log = await self._live_stores.log()
        there = LiveStores(other, self._projector, random.SystemRandom())
        await self._check_comparable(log, there)
        sides = [
            _Side(stores, Relay(stores, self._now, InFlight(), WakeUp(), _do_not_upgrade))
            for stores in (self._live_stores, there)
        ]
        position = await self._bring_up(log, sides)
        one, two = [await side.generation() for side in sides]
        comparison = _GenerationComparison(self._projector, one, two)
        await comparison.read(progress)
        for _ in range(ROUNDS):
            if not comparison.suspects:
                break
            position = await self._bring_up(log, sides)
            await comparison.read_again()
            if await log.head(self._projector.prefix) == position:
                break
        else:
            comparison.drop_moving()
        return comparison.report(position)

    async def _check_comparable(self, log: EventLog, there: LiveStores) -> None:
        ports = self._projector.ports()
        ours = await log_identity(log, self._live_stores.rng)
        theirs = await (await there.log()).load_checkpoint(LOG_IDENTITY_NAME)
        if theirs is None or theirs.value != ours:
            raise Unusable("The other stores use another event log: a server that uses them would lack these facts.")
        if all([await there.identity(port) == await self._live_stores.identity(port) for port in ports]):
            raise Unusable("The other stores are the live ones; there is nothing to compare.")
        head = await log.head(self._projector.prefix)
        for port in ports:
            reached, _ = await load_progress(log, self._projector, await there.store(port))
            if head and not reached.position:
                raise Unusable(f"The other {PORT_NAMES[port]} was never filled: run `entrepot rebuild --to` first.")

    async def _bring_up(self, log: EventLog, sides: "Collection[_Side]") -> int:
        """Bring all stores up to the present end of the log, and return that position."""
        head = await log.head(self._projector.prefix)
        for side in sides:
            await side.bring_up(log, head)
        return head


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two sets of stores; this process brings it up to the log, or the server that leads there does."""

    live_stores: LiveStores
    relay: Relay

    async def bring_up(self, log: EventLog, head: int) -> None:
        reached, since = -1, anyio.current_time()
        while (position := await self._position(log)) < head:
            if position > reached:
                reached, since = position, anyio.current_time()
            elif anyio.current_time() - since > MAX_STALL_S:
                raise Timeout(f"some stores stay at position {position} of the log, which ends at {head}")
            await self.relay.catch_up()
            # Also saves the checkpoint; a server that uses these stores may lead again.
            await self.relay.release()
            await anyio.sleep(PAUSE_S)

    async def generation(self) -> Generation:
        live = self.live_stores
        return Generation(await live.graph(), await live.vectors() if live.projector.collections else None)

    async def _position(self, log: EventLog) -> int:
        """Return the position that all stores have reached."""
        projector = self.live_stores.projector
        reached = [
            await load_progress(log, projector, await self.live_stores.store(port)) for port in projector.ports()
        ]
        return min(progress.position for progress, _ in reached)


@dataclass(slots=True)
class _GenerationComparison:
    """Two generations, read side by side."""

    projector: Projector
    one: Generation
    other: Generation
    suspects: dict[Key, Literal["missing", "unexpected", "different"]] = field(
        default_factory=dict[Key, Literal["missing", "unexpected", "different"]]
    )
    contents: tuple[Contents, Contents] | None = None
    unmoved: dict[Key, tuple[Json, int]] = field(default_factory=dict[Key, tuple[Json, int]])
    """The last record of a suspect in the other stores, and how many times in a row it was read unchanged."""

    async def read(self, progress: Progress) -> None:
        """Read both completely, and note which records differ."""
        digests = Digest(), Digest()
        done = 0
        async for key, *pair in side_by_side(self.projector, self.one, self.other):
            for digest, record in zip(digests, pair, strict=True):
                if record is not None:
                    digest.add(key, record)
            self._note(key, *pair)
            done += 1
            if done % REPORT_EVERY == 0:
                await progress(done, None, "comparing records")
        self.contents = digests[0].contents(), digests[1].contents()

    async def read_again(self) -> None:
        """Read the records that differ again, and keep those that still differ."""
        keys = [*self.suspects]
        self.suspects.clear()
        for key, here, there in await read_pairs(self.projector, self.one, self.other, keys):
            self._note(key, here, there)
            last, times = self.unmoved.get(key, (None, 0))
            self.unmoved[key] = there, times + 1 if there == last else 1

    def drop_moving(self) -> None:
        """Keep only suspects that never change in the other stores; the rest are written faster than both can be read."""
        for key in [*self.suspects]:
            if self.unmoved[key][1] < UNMOVED:
                del self.suspects[key]

    def report(self, position: int) -> ComparisonReport:
        """Return the outcome of the comparison."""
        if self.contents is None:
            raise AssertionError("reported before it was read")
        here, there = self.contents
        # Writes between the two reads change a digest without being a difference.
        same = not self.suspects and self._same_model()
        return ComparisonReport(
            position,
            here.nodes,
            here.edges,
            here.vectors,
            here.digest,
            here.digest if same else there.digest,
            len(self.suspects),
            tuple(
                Difference(_NAMES[sort], group, id_, found)
                for (sort, group, id_), found in sorted(self.suspects.items())[:SHOWN]
            ),
        )

    def _note(self, key: Key, here: Json, there: Json) -> None:
        if len(self.suspects) >= MAX_DIFFERENCES or _plain(here) == _plain(there):
            return
        self.suspects[key] = "unexpected" if here is None else "missing" if there is None else "different"

    def _same_model(self) -> bool:
        one, other = self.one.vectors, self.other.vectors
        return one is None or other is None or one.embedder.identity == other.embedder.identity


async def _do_not_upgrade() -> None:
    """Do not upgrade: outdated records are an error here, until a server has replaced them."""


def _plain(record: Json) -> Json:
    """Return a record without the model of its embedding, which may differ."""
    if not isinstance(record, dict):
        return record
    return {name: value for name, value in cast("JsonObject", record).items() if name != "model"}
