"""The event log's arguments are validated before the engine sees them."""

from collections.abc import Awaitable, Callable, Mapping

import anyio
import pytest

from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput
from backends.ports.events import BatchId, EventId, EventLog, Lease, NewEvent, StreamName, Write
from backends.ports.values import Micros

STREAM = StreamName("t/kind/1")


def event(name: str = "e", kind: str = "t.noted", *, schema: int = 1, at: int = 0) -> NewEvent:
    return NewEvent(EventId(name), kind, {}, Micros(at), schema)


WRITES: Mapping[str, list[Write]] = {
    "stream": [Write(StreamName("single"), (event(),))],
    "stream with a blank": [Write(StreamName("t/a b"), (event(),))],
    "stream twice": [Write(STREAM, (event(),)), Write(STREAM, (event(),))],
    "negative version": [Write(STREAM, (event(),), -1)],
    "huge version": [Write(STREAM, (event(),), 2**63)],
    "event id": [Write(STREAM, (event(""),))],
    "event type": [Write(STREAM, (event(kind="a\nb"),))],
    "time": [Write(STREAM, (event(at=2**63),))],
    "schema 0": [Write(STREAM, (event(schema=0),))],
    "huge schema": [Write(STREAM, (event(schema=2**63),))],
    "10,001 events": [Write(STREAM, (event(),) * 10_001)],
}
CALLS: Mapping[str, Callable[[EventLog], Awaitable[object]]] = {
    "stream": lambda log: log.read_streams([StreamName("single")]),
    "streams": lambda log: log.read_streams([STREAM, StreamName("/a")]),
    "versions": lambda log: log.versions([StreamName("a/")]),
    "prefix": lambda log: log.read_all("t"),
    "position": lambda log: log.read_all("t/", after=2**63),
    "limit": lambda log: log.read_all("t/", limit=10_001),
    "no limit": lambda log: log.read_all("t/", limit=0),
    "count": lambda log: log.count("t/kind"),
    "head": lambda log: log.head("/"),
    "purge of nothing": lambda log: log.purge(""),
    "purge": lambda log: log.purge("t"),
    "checkpoint": lambda log: log.load_checkpoint(""),
    "saved checkpoint": lambda log: log.save_checkpoint("a\n", 1, expected=0),
    "revision": lambda log: log.save_checkpoint("a", 1, expected=2**63),
    "lease": lambda log: log.acquire_lease("", "me", ttl_s=1),
    "owner": lambda log: log.acquire_lease("a", "", ttl_s=1),
    "no time": lambda log: log.acquire_lease("a", "me", ttl_s=0),
    "no number": lambda log: log.acquire_lease("a", "me", ttl_s=float("nan")),
    "renewed for ever": lambda log: log.renew_lease(Lease("a", "me", 1), ttl_s=1e9),
    "renewed lease": lambda log: log.renew_lease(Lease("a\0b", "me", 1), ttl_s=1),
    "renewed owner": lambda log: log.renew_lease(Lease("a", "x" * 2_001, 1), ttl_s=1),
    "renewed token 0": lambda log: log.renew_lease(Lease("a", "me", 0), ttl_s=1),
    "released lease": lambda log: log.release_lease(Lease("", "me", 1)),
    "released owner": lambda log: log.release_lease(Lease("a", "\ud800", 1)),
    "released token": lambda log: log.release_lease(Lease("a", "me", 2**63)),
    "waited-for position": lambda log: log.wait(2**63, timeout_s=0),
    "negative timeout": lambda log: log.wait(0, timeout_s=-1),
    "timeout without end": lambda log: log.wait(0, timeout_s=float("inf")),
    "timeout NaN": lambda log: log.wait(0, timeout_s=float("nan")),
}
MESSAGES: Mapping[str, Callable[[EventLog], Awaitable[object]]] = {
    "a lease's duration must be above 0 and below 1,000,000,000 seconds": lambda log: log.acquire_lease(
        "a", "me", ttl_s=2e9
    ),
    "a timeout must be 0 to below 1,000,000,000 seconds": lambda log: log.wait(0, timeout_s=2e9),
    "an expected version must be 0 to 9223372036854775807": lambda log: log.append(
        [Write(STREAM, (event(),), 2**64)], batch=BatchId("b")
    ),
    "a schema must be 1 to 9223372036854775807": lambda log: log.append(
        [Write(STREAM, (event(schema=-5),))], batch=BatchId("b")
    ),
    "must be -9223372036854775807 to 9223372036854775807": lambda log: log.read_all("t/", after=-(2**63)),
}
"""Calls by the rule that they break, as the message states it."""


@pytest.fixture
async def log(engine: Engine) -> EventLog:
    return await engine.events()


@pytest.mark.parametrize("name", WRITES)
async def test_an_append_that_breaks_a_rule_is_refused_whole(log: EventLog, name: str) -> None:
    with pytest.raises(InvalidInput):
        await log.append([Write(StreamName("t/other/1"), (event(),)), *WRITES[name]], batch=BatchId("b"))
    assert await log.head() == 0


async def test_a_batch_id_is_an_id(log: EventLog) -> None:
    with pytest.raises(InvalidInput, match="a batch id"):
        await log.append([Write(STREAM, (event(),))], batch=BatchId(""))


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_that_breaks_a_rule_is_refused(log: EventLog, name: str) -> None:
    with anyio.fail_after(5), pytest.raises(InvalidInput):
        await CALLS[name](log)


@pytest.mark.parametrize("rule", MESSAGES)
async def test_a_message_states_the_rule_that_was_broken(log: EventLog, rule: str) -> None:
    with anyio.fail_after(5), pytest.raises(InvalidInput, match=rule):
        await MESSAGES[rule](log)
