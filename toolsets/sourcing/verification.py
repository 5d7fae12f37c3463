"""Verification: whether other stores hold what the live ones hold, both brought up to the same position of the log."""

import random
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Literal, cast

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import Timeout, Unusable
from backends.ports.events import EventLog
from backends.ports.values import Json, JsonObject, Micros
from toolsets.reports import Difference, Progress, VerifyReport
from toolsets.sourcing.comparison import (
    MAX_DIFFERENCES,
    Contents,
    Digest,
    Generation,
    Key,
    read_again,
    records,
)
from toolsets.sourcing.follower import InFlight, load_progress
from toolsets.sourcing.lineage import IDENTITY, log_identity
from toolsets.sourcing.projection import PORTS, Projector
from toolsets.sourcing.relay import Relay
from toolsets.sourcing.stores import LiveStores
from toolsets.sourcing.write_path import WakeUp

SHOWN: Final = 20
ROUNDS: Final = 10
"""How often records that differ are read again while the log grows."""
UNMOVED: Final = 3
"""How often in a row a record that is written again and again may be read unchanged in stores that follow the log."""
PATIENCE_S: Final = 60.0
"""How long stores may stay behind the log without coming nearer to it."""
LOOK_S: Final = 0.2
REPORT_EVERY: Final = 1_000
_NAMES: Final[tuple[Literal["node"], Literal["edge"], Literal["passage"]]] = ("node", "edge", "passage")


class Verifier:
    """Compares the stores of one projector with other ones."""

    def __init__(self, live_stores: LiveStores, now: Callable[[], Micros]) -> None:
        self._live_stores = live_stores
        self._projector = live_stores.projector
        self._now = now

    async def verify(self, progress: Progress, other: Stores) -> VerifyReport:
        """Bring both up to the log and compare all that they hold. Servers may use either of them meanwhile.

        A record that differs may have been written between the two reads, so it is read again from both.
        Raises `Unusable` for other stores that are these ones, were never filled or have another log, `Timeout` for
        stores that do not come up to the log, and the stores' errors.
        """
        log = await self._live_stores.log()
        there = LiveStores(other, self._projector, random.SystemRandom())
        await self._check_comparable(log, there)
        sides = [
            _Side(stores, Relay(stores, self._now, InFlight(), WakeUp(), _left_to_servers))
            for stores in (self._live_stores, there)
        ]
        position = await self._settled(log, sides)
        one, two = [await side.generation() for side in sides]
        compared = _Comparison(self._projector, one, two)
        await compared.read(progress)
        for _ in range(ROUNDS):
            if not compared.suspects:
                break
            position = await self._settled(log, sides)
            await compared.read_again()
            if await log.head(self._projector.prefix) == position:
                break
        else:
            compared.drop_moving()
        return compared.report(position)

    async def _check_comparable(self, log: EventLog, there: LiveStores) -> None:
        ports = self._projector.ports()
        ours = await log_identity(log, self._live_stores.rng)
        theirs = await (await there.log()).load_checkpoint(IDENTITY)
        if theirs is None or theirs.value != ours:
            raise Unusable("The other stores have another event log: a server with them would not find these facts.")
        if all([await there.identity(port) == await self._live_stores.identity(port) for port in ports]):
            raise Unusable("The other stores are the live ones; there is nothing to compare.")
        head = await log.head(self._projector.prefix)
        for port in ports:
            reached, _ = await load_progress(log, self._projector, await there.store(port))
            if head and not reached.position:
                raise Unusable(f"The other {PORTS[port]} was never filled: run `entrepot rebuild --to` first.")

    async def _settled(self, log: EventLog, sides: "Collection[_Side]") -> int:
        """Bring all stores up to where the log ends now, and return that position."""
        head = await log.head(self._projector.prefix)
        for side in sides:
            await side.settled(log, head)
        return head


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two sets of stores; brought up by this process, or by the server that leads there."""

    live_stores: LiveStores
    relay: Relay

    async def settled(self, log: EventLog, head: int) -> None:
        reached, since = -1, anyio.current_time()
        while (position := await self._position(log)) < head:
            if position > reached:
                reached, since = position, anyio.current_time()
            elif anyio.current_time() - since > PATIENCE_S:
                raise Timeout(f"some stores stay at position {position} of the log, which ends at {head}")
            await self.relay.catch_up()
            # Also saves how far it came; a server that uses these stores may lead again.
            await self.relay.release()
            await anyio.sleep(LOOK_S)

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
class _Comparison:
    """Two generations, read side by side."""

    projector: Projector
    one: Generation
    other: Generation
    suspects: dict[Key, Literal["missing", "unexpected", "different"]] = field(
        default_factory=dict[Key, Literal["missing", "unexpected", "different"]]
    )
    contents: tuple[Contents, Contents] | None = None
    unmoved: dict[Key, tuple[Json, int]] = field(default_factory=dict[Key, tuple[Json, int]])
    """What the other stores held of a suspect the last time, and how often it was read since it changed."""

    async def read(self, progress: Progress) -> None:
        """Read both whole, and note which records differ."""
        digests = Digest(), Digest()
        left, right = records(self.projector, self.one), records(self.projector, self.other)
        first, second = await anext(left, None), await anext(right, None)
        done = 0
        while first is not None or second is not None:
            key = min(record[0] for record in (first, second) if record is not None)
            here = first[1] if first is not None and first[0] == key else None
            there = second[1] if second is not None and second[0] == key else None
            self._note(key, here, there)
            if here is not None:
                first = await _added(digests[0], key, here, left)
            if there is not None:
                second = await _added(digests[1], key, there, right)
            done += 1
            if done % REPORT_EVERY == 0:
                await progress(done, None, "comparing records")
        self.contents = digests[0].contents(), digests[1].contents()

    async def read_again(self) -> None:
        """Read the records that differ again, and keep those that still do."""
        keys = [*self.suspects]
        self.suspects.clear()
        here = await read_again(self.projector, self.one, keys)
        there = await read_again(self.projector, self.other, keys)
        for key in keys:
            self._note(key, here.get(key), there.get(key))
            last, times = self.unmoved.get(key, (None, 0))
            self.unmoved[key] = there.get(key), times + 1 if there.get(key) == last else 1

    def drop_moving(self) -> None:
        """Keep the suspects that the other stores do not follow; others are written faster than both can be read."""
        for key in [*self.suspects]:
            if self.unmoved[key][1] < UNMOVED:
                del self.suspects[key]

    def report(self, position: int) -> VerifyReport:
        """Return what was found."""
        if self.contents is None:
            raise AssertionError("reported before it was read")
        here, there = self.contents
        # Writes between the two reads change a digest and are no difference.
        same = not self.suspects and self._same_model()
        return VerifyReport(
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


async def _left_to_servers() -> None:
    """Make nothing anew: records of an earlier version are an error here, until a server has replaced them."""


async def _added(
    digest: Digest, key: Key, record: Json, following: AsyncIterator[tuple[Key, Json]]
) -> tuple[Key, Json] | None:
    """Add a record to a digest and return the next one."""
    digest.add(key, record)
    return await anext(following, None)


def _plain(record: Json) -> Json:
    """Return a record without the model of its embedding, which may differ."""
    if not isinstance(record, dict):
        return record
    return {name: value for name, value in cast("JsonObject", record).items() if name != "model"}
