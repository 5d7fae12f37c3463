"""Comparison: a digest of a generation, and whether two generations, or two sets of stores, hold the same."""

import hashlib
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, Protocol, TypeAlias, TypeVar, cast

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import Timeout, Unusable
from backends.ports.events import EventLog
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, Json, JsonObject, Micros, NodeId, Page, RecordId
from backends.ports.vectors import VectorRecord
from toolsets.reports import ComparisonReport, Difference, Progress
from toolsets.sourcing.follower import load_progress
from toolsets.sourcing.lineage import LOG_IDENTITY_NAME, log_identity
from toolsets.sourcing.projection import PORT_NAMES, Projector
from toolsets.sourcing.projection_store import GraphStore, VectorStore
from toolsets.sourcing.relay import Relay
from toolsets.sourcing.stores import LiveStores
from toolsets.sourcing.write_path import InFlight, WakeUp

_PAGE: Final = 1_000
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

NODES, EDGES, PASSAGES = range(3)
_NAMES: Final[tuple[Literal["node"], Literal["edge"], Literal["passage"]]] = ("node", "edge", "passage")
ItemT = TypeVar("ItemT")

BringUp: TypeAlias = Callable[[], Awaitable[None]]
Key: TypeAlias = tuple[int, str, str]
"""The key of a record: its sort, its kind or collection, and its id; generations are read in this order."""


@dataclass(frozen=True, slots=True)
class Generation:
    """The stores of one generation."""

    graph: GraphStore
    vectors: VectorStore | None

    def stores(self) -> tuple[GraphStore | VectorStore, ...]:
        """Return the stores, the graph first."""
        return (self.graph,) if self.vectors is None else (self.graph, self.vectors)


@dataclass(frozen=True, slots=True)
class Contents:
    """The number of live records of each sort in a generation, and the digest of all."""

    nodes: int
    edges: int
    vectors: int
    digest: str


class _ReadPage(Protocol[ItemT]):
    async def __call__(self, *, after: str | None, limit: int) -> Page[ItemT]: ...


class Digest:
    """Counts records and hashes them in order, without revisions and floats."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._counts = [0, 0, 0]

    def add(self, key: Key, record: Json) -> None:
        """Add the next record."""
        line = json.dumps(record, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        self._sha256.update(line.encode() + b"\n")
        self._counts[key[0]] += 1

    def contents(self) -> Contents:
        """Return the counts and the digest of the records added so far."""
        return Contents(self._counts[NODES], self._counts[EDGES], self._counts[PASSAGES], self._sha256.hexdigest())


async def contents(projector: Projector, generation: Generation) -> Contents:
    """Return counts and digest of a generation, reading all of it page by page.

    A vector enters the digest as the hash of its text and the embedder's identity. Raises the stores' errors.
    """
    digest = Digest()
    async for key, record in records(projector, generation):
        digest.add(key, record)
    return digest.contents()


async def compare_generations(
    projector: Projector, one: Generation, other: Generation, bring_up: BringUp
) -> tuple[Contents, bool]:
    """Return the contents of `one`, and whether `other` has the same records; both may be written meanwhile.

    They are read side by side. A record that differs may have been written between the two reads, or to one of them
    only, so it is read again from both after `bring_up`, which brings them up to the log. Raises the stores' errors.
    """
    await bring_up()
    digest, suspects = Digest(), set[Key]()
    left, right = records(projector, one), records(projector, other)
    first, second = await anext(left, None), await anext(right, None)
    while first is not None or (second is not None and len(suspects) <= MAX_DIFFERENCES):
        key = min(record[0] for record in (first, second) if record is not None)
        if first != second:
            suspects.add(key)
        if second is not None and second[0] == key:
            second = await anext(right, None) if len(suspects) <= MAX_DIFFERENCES else None
        if first is not None and first[0] == key:
            digest.add(*first)
            first = await anext(left, None)
    if len(suspects) > MAX_DIFFERENCES:
        return digest.contents(), False
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
        here, there = await read_again(projector, one, suspects), await read_again(projector, other, suspects)
        pairs = {key: (here.get(key), there.get(key)) for key in suspects if here.get(key) != there.get(key)}
        if not pairs:
            return True
        if any(former.get(key) == pair for key, pair in pairs.items()):
            return False
        suspects, former = pairs.keys(), pairs
        await anyio.sleep(PAUSE_S)
    return True


async def read_again(projector: Projector, generation: Generation, keys: Collection[Key]) -> Mapping[Key, Json]:
    """Return the records among `keys` that a generation contains. Raises the stores' errors."""
    nodes = await generation.graph.graph.get_nodes([NodeId(key[2]) for key in keys if key[0] == NODES])
    edges = await generation.graph.graph.get_edges([EdgeId(key[2]) for key in keys if key[0] == EDGES])
    found: dict[Key, Json] = {(NODES, node.kind, node.id): _node(node) for node in nodes.values()}
    found |= {(EDGES, "", edge.id): _edge(edge) for edge in edges.values()}
    if generation.vectors is not None:
        for collection in {key[1] for key in keys if key[0] == PASSAGES}:
            ids = [RecordId(key[2]) for key in keys if key[:2] == (PASSAGES, collection)]
            for record in (await generation.vectors.vectors.get(collection, ids)).values():
                shown = _passage(projector, generation.vectors, collection, record)
                found[PASSAGES, collection, record.id] = shown
    return found


async def records(projector: Projector, generation: Generation) -> AsyncIterator[tuple[Key, Json]]:
    """Yield every live record with its key, in the order of the keys. Raises the stores' errors."""
    graph = generation.graph.graph
    for kind in sorted(kind.name for kind in projector.kinds):
        async for node in _paged(partial(graph.find, kind)):
            yield (NODES, kind, node.id), _node(node)
    async for edge in _paged(graph.scan_edges):
        yield (EDGES, "", edge.id), _edge(edge)
    if (vectors := generation.vectors) is None:
        return
    for collection in sorted(collection.name for collection in projector.collections):
        async for record in _paged(partial(vectors.vectors.scan, collection)):
            yield (PASSAGES, collection, record.id), _passage(projector, vectors, collection, record)


async def _paged(read: _ReadPage[ItemT]) -> AsyncIterator[ItemT]:
    after: str | None = None
    while True:
        page = await read(after=after, limit=_PAGE)
        for item in page.items:
            yield item
        if (after := page.after) is None:
            return


def _node(node: Node) -> Json:
    return {"node": node.id, "kind": node.kind, "fields": dict(node.fields), "props": dict(node.props)}


def _edge(edge: Edge) -> Json:
    ends: list[Json] = [edge.source, edge.target, edge.type]
    return {"edge": edge.id, "ends": ends, "confidence": repr(edge.confidence), "props": dict(edge.props)}


def _passage(projector: Projector, vectors: VectorStore, collection: str, record: VectorRecord) -> Json:
    # A single collection is not named, as in builds before the first release, so that digests stay comparable.
    named: dict[str, Json] = {"collection": collection} if len(projector.collections) > 1 else {}
    model = str(vectors.embedder.identity)
    return {"passage": record.id, "text": record.text_hash, "fields": dict(record.fields), "model": model, **named}


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
            _Side(stores, Relay(stores, self._now, InFlight(), WakeUp(), _left_to_servers))
            for stores in (self._live_stores, there)
        ]
        position = await self._settled(log, sides)
        one, two = [await side.generation() for side in sides]
        comparison = _GenerationComparison(self._projector, one, two)
        await comparison.read(progress)
        for _ in range(ROUNDS):
            if not comparison.suspects:
                break
            position = await self._settled(log, sides)
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

    async def _settled(self, log: EventLog, sides: "Collection[_Side]") -> int:
        """Bring all stores up to the present end of the log, and return that position."""
        head = await log.head(self._projector.prefix)
        for side in sides:
            await side.settled(log, head)
        return head


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two sets of stores; this process brings it up to the log, or the server that leads there does."""

    live_stores: LiveStores
    relay: Relay

    async def settled(self, log: EventLog, head: int) -> None:
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
        """Read the records that differ again, and keep those that still differ."""
        keys = [*self.suspects]
        self.suspects.clear()
        here = await read_again(self.projector, self.one, keys)
        there = await read_again(self.projector, self.other, keys)
        for key in keys:
            self._note(key, here.get(key), there.get(key))
            last, times = self.unmoved.get(key, (None, 0))
            self.unmoved[key] = there.get(key), times + 1 if there.get(key) == last else 1

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


async def _left_to_servers() -> None:
    """Do not upgrade: outdated records are an error here, until a server has replaced them."""


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
