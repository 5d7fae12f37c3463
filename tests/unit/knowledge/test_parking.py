"""A stream that cannot be projected is parked and counted, others pass it, and it is tried again in time."""

import random
from pathlib import Path

from backends.ports.adapter import Stores
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.values import Micros
from tests.unit.knowledge.running import stores_in
from toolsets.knowledge.concept import Certainty, Placement, create
from toolsets.knowledge.projections import KnowledgeProjector
from toolsets.knowledge.relationship import Link
from toolsets.knowledge.streams import relationship_stream
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.follower import Follower
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.stats import Outbox, event_counts, outbox
from toolsets.spec import CallContext

A, B, C = (f"{digit * 8}-1111-4111-8111-111111111111" for digit in "abc")
CHANCE = random.Random(1)
LINK = Link(A, B, "includes")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = Micros(0)

    def __call__(self) -> Micros:
        return self.time


async def record(stores: Stores, stream: StreamName, type_: str, **data: str | float) -> None:
    event = NewEvent(EventId(f"{stream}{type_}"), type_, data, Micros(0))
    await (await stores.events()).append([Write(stream, (event,))], batch=BatchId(f"b{stream}{type_}"))


async def file_concept(stores: Stores, clock: Clock, concept_id: str) -> None:
    committer = Committer(clock, CHANCE)
    await committer.commit(
        await stores.events(),
        lambda histories: create(histories, concept_id, concept_id, "x", Placement(), Certainty(1.0, by_hand=True)),
        CallContext("test"),
    )


async def counted(sites: Sites) -> Outbox:
    return await outbox(sites, await event_counts(await sites.log(), sites.projector))


async def test_an_edge_waits_for_its_ends_while_others_pass(tmp_path: Path) -> None:
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        graph = await sites.graph()
        follower = Follower(await stores.events(), sites.projector, graph, clock, InFlight(), random.Random(1))
        await record(
            stores,
            relationship_stream(LINK.key),
            "knowledge.relationship_created",
            source_id=A,
            target_id=B,
            kind="includes",
            strength=1.0,
        )
        await file_concept(stores, clock, A)
        await follower.start()
        while await follower.advance():
            pass
        await follower.save()
        assert set(follower.standing.parked) == {relationship_stream(LINK.key)}
        assert await graph.graph.count_edges() == {}
        assert (await counted(sites)).failed == 1

        await file_concept(stores, clock, B)
        while await follower.advance():
            pass
        await follower.retry_parked()
        assert follower.standing.parked, "it is not due yet"
        clock.time = Micros(3_000_000)
        await follower.retry_parked()
        await follower.save()
        assert follower.standing.parked == {}
        assert await graph.graph.count_edges() == {"includes": 1}
        assert await counted(sites) == Outbox(pending=2, processed=3, failed=0)


async def test_a_fact_that_cannot_be_read_fails_alone_and_later_each_time(tmp_path: Path) -> None:
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        await record(stores, StreamName(f"knowledge/concept/{C}"), "knowledge.concept_imagined")
        await file_concept(stores, clock, A)
        follower = Follower(
            await stores.events(), sites.projector, await sites.vectors(), clock, InFlight(), random.Random(1)
        )
        await follower.start()
        while await follower.advance():
            pass
        for attempt in (1, 2, 3):
            (parked,) = follower.standing.parked.values()
            assert (parked.attempts, parked.retry_at - clock.time) == (attempt, 2**attempt * 1_000_000)
            assert "imagined" in parked.error
            clock.time = Micros(parked.retry_at)
            await follower.retry_parked()
        await follower.save()
        assert await counted(sites) == Outbox(pending=2, processed=1, failed=1)
        other = Follower(
            await stores.events(), sites.projector, await sites.vectors(), clock, InFlight(), random.Random(1)
        )
        await other.start()
        assert other.standing == follower.standing
