"""A projector's stores with all that works on them: the write path, the relay, the rebuild, and how they stand."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import anyio

from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.graph import Graph
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.counting import CountCache
from toolsets.sourcing.health import Trouble, sourced_trouble
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.projection import Projector
from toolsets.sourcing.rebuild import Rebuilder
from toolsets.sourcing.relay import Relay
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.stats import waiting
from toolsets.sourcing.targets import PortName
from toolsets.sourcing.writing import Bell, WritePath
from toolsets.spec import Services

AnswerT = TypeVar("AnswerT")

RELEASE_S = 0.5


class Sourced:
    """The log and the stores of one projector; opens nothing by itself."""

    def __init__(self, services: Services, projector: Projector) -> None:
        self.sites = Sites(services.stores, projector, services.random)
        in_flight, bell = InFlight(), Bell()

        def projected(stream: StreamName) -> bool:
            return projector.keys(stream) is not None

        committer = Committer(services.now, services.random, told=projected)
        self.writes = WritePath(self.sites, committer, in_flight, bell)
        self.relay = Relay(self.sites, services.now, in_flight, bell)
        self.rebuilder = Rebuilder(self.sites, services.now, in_flight)

    async def ready(self) -> None:
        """Open the stores and catch up for a moment. Raises `StoreError`: one that waiting does not mend stops the start."""
        await self.sites.open()
        await self.relay.catch_up_before_serving()

    async def release(self) -> None:
        """Let another process go on at once; a lease that is not given back within half a second only runs out later."""
        with anyio.move_on_after(RELEASE_S, shield=True):
            await self.relay.release()

    @contextmanager
    def doubting(self, port: PortName) -> Generator[None]:
        """Open a store again before its next use when it fails inside the block."""
        try:
            yield
        except StoreError:
            self.sites.doubt(port)
            raise

    async def counted(
        self, cache: CountCache[AnswerT], prefix: str, count: Callable[[Graph], Awaitable[AnswerT]]
    ) -> AnswerT:
        """Return what `count` makes of the graph, from `cache` while nothing changed under `prefix`.

        A log that does not answer is no hindrance. Raises the graph's errors.
        """
        target = await self.sites.graph()

        async def settled() -> bool:
            return await waiting(self.sites, "graph") == 0

        async def answer() -> AnswerT:
            return await count(target.graph)

        try:
            key = target.incarnation, await (await self.sites.log()).head(prefix)
        except StoreError:
            key = None
        return await cache.get(key, settled=settled, count=answer)

    async def trouble(self) -> Trouble:
        """Return how many projections are still to be made, and what is wrong with log, stores and projections."""
        return await sourced_trouble(self.sites)
