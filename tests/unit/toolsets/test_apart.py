"""What takes the processor long runs beside the event loop: a decision on many events, however few their streams."""

import random
from collections.abc import Sequence
from pathlib import Path
from threading import get_ident

import pytest

from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.values import Micros
from tests.unit.agent_graph.running import stores_in
from toolsets.apart import MUCH
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.sourcing.commit import Committer
from toolsets.spec import CallContext

STREAM = StreamName("agent_graph/entity/ent_1")


def events(count: int) -> Sequence[NewEvent]:
    return tuple(NewEvent(EventId(f"e{number}"), "test.happened", {}, Micros(0)) for number in range(count))


@pytest.mark.parametrize(("count", "beside"), [(3, False), (MUCH, True)])
async def test_a_decision_on_a_long_stream_runs_beside_the_loop(tmp_path: Path, count: int, beside: bool) -> None:
    async with stores_in(tmp_path) as stores:
        log = await stores.events()
        await log.append([Write(STREAM, (*events(count),))], batch=BatchId("b1"))

        def decide(histories: Histories) -> Decision[int]:
            assert len(histories[STREAM]) == count
            return Decision(get_ident())

        committer = Committer(system_now, random.Random(1))
        done = await committer.commit(log, decide, CallContext("test"), prefetch=(STREAM,))
        assert (done.value != get_ident()) == beside
