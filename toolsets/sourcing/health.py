"""How a projector's log and stores are: each is asked, and what is wrong is said in sentences for the operator."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import StoreError, Unusable
from toolsets.sourcing.lineage import check_lineage
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.stats import event_counts, outbox
from toolsets.sourcing.targets import INCARNATION, PortName, ports_of
from toolsets.spec import ToolsetHealth

PORTS: dict[PortName, str] = {"graph": "graph", "vectors": "vector store"}


@dataclass(frozen=True, slots=True)
class Trouble:
    """How many projections are still to be made, and what is wrong; the former does no harm."""

    lag: int = 0
    problems: tuple[str, ...] = ()

    def health(self, *others: str) -> ToolsetHealth:
        """Return a toolset's health, with other problems first."""
        problems = (*others, *self.problems)
        return ToolsetHealth(ok=not problems, lag=self.lag, problems=problems)


async def sourced_trouble(sites: Sites) -> Trouble:
    """Ask the log and every store of a projector at once, and count what is still to be made. Raises nothing of theirs."""
    asked: dict[str, Callable[[], Awaitable[object]]] = {"event log": partial(_ask_log, sites)}
    asked |= {PORTS[port]: partial(_ask_store, sites, port) for port in ports_of(sites.projector)}
    problems = await unanswered(asked)
    if "event log" in problems:
        return Trouble(problems=tuple(problems.values()))
    try:
        counted = await outbox(sites, await event_counts(await sites.log(), sites.projector))
    except StoreError as error:
        return Trouble(problems=(*problems.values(), f"the event log cannot be counted: {error}"))
    failed = f"{counted.failed} projections failed and are tried again"
    return Trouble(counted.pending + counted.failed, (*problems.values(), *((failed,) if counted.failed else ())))


async def embedder_trouble(stores: Stores) -> tuple[str, ...]:
    """Return a sentence when the embedder does not embed."""

    async def embed() -> None:
        await (await stores.embedder()).embed(("ready?",))

    return tuple((await unanswered({"embedder": embed})).values())


async def unanswered(asked: dict[str, Callable[[], Awaitable[object]]]) -> dict[str, str]:
    """Ask all at once; return a sentence for each that fails with an error of the stores, in the order given."""
    said: dict[str, str] = {}

    async def ask(name: str) -> None:
        try:
            await asked[name]()
        except Unusable as error:
            said[name] = str(error)
        except StoreError as error:
            said[name] = f"the {name} does not answer: {error}"

    async with anyio.create_task_group() as group:
        for name in asked:
            group.start_soon(ask, name)
    return {name: said[name] for name in asked if name in said}


async def _ask_log(sites: Sites) -> None:
    await (await sites.log()).head(sites.projector.prefix)


async def _ask_store(sites: Sites, port: PortName) -> None:
    target = await sites.target(port)
    try:
        await target.notes.get_meta(INCARNATION)
    except StoreError:
        sites.doubt(port)
        raise
    try:
        await check_lineage(await sites.log(), target, sites.chance)
    except Unusable:
        raise
    except StoreError:
        pass  # the log's, which is asked by itself
