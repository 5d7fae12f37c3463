"""The health of the toolset: each store is queried once, and of many databases only as many as a health check has time for."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

import anyio

from backends.ports.errors import StoreError
from toolsets.concurrency import gather_bounded
from toolsets.memory.closed_databases import LogState
from toolsets.memory.database import Database
from toolsets.memory.runtime import Memory
from toolsets.memory.streams import TOOLSET
from toolsets.replies import counted
from toolsets.sourcing.generations import STORE_IDENTITY_KEY, store_meta
from toolsets.sourcing.health import SourcedHealth, embedder_problems, failures_of
from toolsets.sourcing.projection import PORT_NAMES, ProjectionPort
from toolsets.spec import ToolsetHealth

MAX_QUERIED = 24
"""The most databases that a check by a server queries; each takes about ten milliseconds."""
BUDGET_S = 3.0
"""Seconds for querying databases; the gateway waits five for the whole check."""
_SLOW = f"it did not answer within {BUDGET_S:g} s"


@dataclass(frozen=True, slots=True)
class _Queried:
    """When a database was last queried, in the event loop's time, and whether it had problems."""

    at: float = 0.0
    had_problems: bool = False


class DatabasesHealth:
    """Checks of all databases, the next of which query other databases if there are many."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._open_databases = memory.open_databases
        self._queried: dict[str, _Queried] = {}
        """By the key of the database."""

    async def check(self) -> ToolsetHealth:
        """Query embedder, log, stores and databases; a problem of several databases is reported once.

        At most 24 databases are queried, in three seconds at most: those that had problems, those in use, and the others by
        turns. A closed one that is known to be up to the log counts as such. The number of the others is a note.
        """
        memory = self._memory
        others = await embedder_problems(memory.services.stores)
        try:
            live = await memory.databases.existing()
        except StoreError as error:
            return SourcedHealth(None).toolset_health(*others, f"the list of databases cannot be read: {error}")
        down = await _store_problems(memory)
        # Without a database, the stores of the future primary one are queried.
        names = [*live] or [memory.settings.primary]
        affected: dict[str, Sequence[str]] = dict.fromkeys(down, names)
        up_to_date: Set[str] = frozenset() if down else await self._up_to_date(live)
        found, unanswered = await self._query(live, up_to_date, most=1 if down else MAX_QUERIED)
        for name in live:
            problems = found[name].problems if name in found else (_SLOW,) if name in unanswered else ()
            for problem in (each for each in problems if each not in (*others, *down)):
                affected[problem] = (*affected.get(problem, ()), name)
        sentences = (f"{_databases(names)}: {problem}" for problem, names in affected.items())
        lags = [found[name].lag if name in found else 0 if name in up_to_date - unanswered else None for name in live]
        known = [lag for lag in lags if lag is not None]
        lag = sum(known) if len(known) == len(lags) and not down else None
        missed = 0 if down else len(live.keys() - found.keys() - unanswered - up_to_date)
        health = SourcedHealth(lag, tuple(sentences)).toolset_health(*others)
        return replace(health, notes=(_missed(missed, len(live)),)) if missed else health

    async def _up_to_date(self, live: Mapping[str, Database]) -> Set[str]:
        """Return the closed databases that are known to have no pending projections; none if all can be queried."""
        if len(live) <= MAX_QUERIED:
            return frozenset()
        closed = self._open_databases.closed
        idle = {name: each for name, each in live.items() if not self._open_databases.follows(each)}
        try:
            stores = await closed.store_identities()
            states: Sequence[LogState] = await gather_bounded(
                partial(closed.state, each.keyspace.prefix, stores) for each in idle.values()
            )
        except StoreError:
            return frozenset()
        with_states = zip(idle.items(), states, strict=True)
        return {name for (name, each), state in with_states if closed.is_up_to_date(each.keyspace.key, state)}

    async def _query(
        self, live: Mapping[str, Database], up_to_date: Set[str], *, most: int
    ) -> tuple[Mapping[str, SourcedHealth], Set[str]]:
        """Return the health of the databases that answered in time, and the names of those that were asked but did not."""
        found: dict[str, SourcedHealth] = {}
        asked: set[str] = set()

        async def ask(name: str) -> None:
            database = live[name]
            asked.add(name)
            found[name] = health = await self._open_databases.health(database)
            self._queried[database.keyspace.key] = _Queried(anyio.current_time(), bool(health.problems))

        def order(name: str) -> tuple[bool, bool, float]:
            queried = self._queried.get(live[name].keyspace.key, _Queried())
            return not queried.had_problems, name in up_to_date, queried.at

        for key in self._queried.keys() - {database.keyspace.key for database in live.values()}:
            del self._queried[key]
        chosen = sorted(live, key=order)
        # A command checks once, and has no next time for the others.
        if self._open_databases.is_running or most < MAX_QUERIED:
            chosen = chosen[:most]
        with anyio.move_on_after(BUDGET_S):
            await gather_bounded(partial(ask, name) for name in chosen)
        return found, asked - found.keys()


async def _store_problems(memory: Memory) -> Collection[str]:
    """Return a sentence for the log and for each store that does not answer."""
    stores = memory.services.stores

    async def ask_log() -> None:
        await (await stores.events()).head(f"{TOOLSET}/")

    async def ask(port: ProjectionPort) -> None:
        await (await store_meta(stores, port)).get_meta(STORE_IDENTITY_KEY)

    calls = {"event log": ask_log} | {PORT_NAMES[port]: partial(ask, port) for port in PORT_NAMES}
    return (await failures_of({**calls})).values()


def _databases(names: Sequence[str]) -> str:
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"database {names[0]}{others}"


def _missed(number: int, total: int) -> str:
    return f"{counted(number, 'database', 'databases')} of {total} could not be checked this time"
