"""Rebuilding toolsets' stores from their events: damaged files are moved aside first, and nothing else works there meanwhile."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import anyio
from filelock import FileLock, Timeout

from backends.integrity import Unverified
from backends.ports.errors import StoreError, Unusable
from config.settings import Settings
from gateway.assignment import Assignment, check_libraries
from gateway.composition import assembled, check_there, other_stores
from gateway.data_dir_lock import alone
from gateway.errors import Refused
from gateway.quarantine import set_aside
from toolsets.reports import Progress, Rebuildable, RebuildReport

MAX_REPLACED = 8
"""How many stores may be found damaged in one rebuild; a disk that damages more makes a rebuild pointless."""


class Reporter(Protocol):
    """Tells an operator how a rebuild goes on."""

    def notice(self, text: str) -> None:
        """Tell that something was done that the operator must know of, such as files that were moved."""
        ...

    def progress(self, toolset: str) -> Progress:
        """Return what a toolset reports its progress to."""
        ...


class RebuildStopped(Refused):
    """A rebuild could not be finished; what it had not switched is as it was."""


@dataclass(slots=True)
class Rebuild:
    """One rebuild of a data directory."""

    settings: Settings
    toolset: str | None
    """Only this one; None for every toolset that keeps its stores from events."""
    target: Settings | None
    """The settings whose stores are filled instead; None to rebuild the toolsets' own stores and switch to them."""
    reporter: Reporter
    moved: list[Path] = field(default_factory=list[Path])
    """The folders that hold files which were moved aside."""

    async def run(self) -> dict[str, RebuildReport]:
        """Rebuild and return a report for each toolset.

        Raises `Refused` where there is nothing to rebuild from or something stops it; the message names moved files.
        """
        for each in (self.settings, self.target):
            if each is not None:
                check_libraries(each)
        data_dir = self.settings.data_dir
        check_there(data_dir)
        try:
            with _only_rebuild(data_dir), ExitStack() as until_filled:
                return await self._until_sound(until_filled)
        except (Refused, OSError) as problem:
            text = str(problem).rstrip(".")
            if self.moved:
                raise Refused(f"{text}. {self._unfilled()}") from problem
            if isinstance(problem, RebuildStopped):
                raise Refused(f"{text}. What it had not switched is as it was") from problem
            raise
        except anyio.get_cancelled_exc_class():
            if self.moved:
                self.reporter.notice(self._unfilled())
            raise

    async def _until_sound(self, until_filled: ExitStack) -> dict[str, RebuildReport]:
        """Rebuild, moving damaged files aside until none is found."""
        while len(self.moved) < MAX_REPLACED:
            try:
                reports = await self._attempt()
            except StoreError as problem:
                # All stores are closed here. From the first move on nobody may find the stores that are not filled yet.
                if not self.moved:
                    until_filled.enter_context(alone(self.settings.data_dir))
                self.moved.append(set_aside(problem.replaceable))
                self.reporter.notice(f"{problem}\nMoved to {self.moved[-1]}; building it again.")
            else:
                # The digest of the empty store that replaces a damaged one would say nothing.
                return {n: replace(r, former_digest=None) for n, r in reports.items()} if self.moved else reports
        raise Refused(f"Stores were found damaged {MAX_REPLACED} times; check the disk.")

    async def _attempt(self) -> dict[str, RebuildReport]:
        async with assembled(self.settings, None if self.toolset is None else [self.toolset]) as gateway:
            # Stores are not opened here: a rebuild is the way out when one of them cannot be.
            able = {each.toolset.name: each.running.rebuild for each in gateway.served if each.running.rebuild}
            if not able:
                raise Refused("No such toolset keeps its stores from events; there is nothing to rebuild.")
            _stop_at(await gateway.stores.verify(), gateway.assignments, read_only=self.target is not None)
            return {name: await self._one(rebuildable, name) for name, rebuildable in able.items()}

    async def _one(self, rebuildable: Rebuildable, name: str) -> RebuildReport:
        async with AsyncExitStack() as stack:
            stores = None
            if self.target is not None:
                other = await stack.enter_async_context(other_stores(self.target, name))
                _stop_at(await other.opened.verify(), [other.assignment])
                stores = other.stores
            try:
                return await rebuildable.rebuild(self.reporter.progress(name), stores)
            except StoreError as problem:
                if problem.replaceable:
                    raise
                raise RebuildStopped(f"The rebuild of {name} stopped: {problem}") from problem

    def _unfilled(self) -> str:
        return (
            f"Damaged files were moved to {', '.join(map(str, self.moved))}, and what is in their place is not filled yet: "
            "mend what stopped the rebuild and run it again, or start the server, which fills it too."
        )


@contextmanager
def _only_rebuild(data_dir: Path) -> Generator[None]:
    """Refuse a second rebuild of the data directory, which would move what the first has just made."""
    try:
        with FileLock(data_dir / "rebuild.lock", timeout=0):
            yield
    except Timeout as problem:
        raise Refused(f"Another rebuild of {data_dir} is running; wait for its end.") from problem


def _stop_at(found: Mapping[str, StoreError], assigned: Iterable[Assignment], *, read_only: bool = False) -> None:
    """Raise the problem that makes a rebuild useless: a damaged log, or unless `read_only` a store it would write to."""
    logs = {each.stores.get("events") for each in assigned}
    for name, problem in found.items():
        if name in logs and isinstance(problem, Unusable) and not problem.replaceable:
            raise RebuildStopped(f"There is nothing to rebuild from: {problem}")
        if problem.replaceable and not read_only:
            raise problem
        if isinstance(problem, Unverified) and not read_only:
            raise RebuildStopped(f"Nothing was built, since not all that is there could be looked through: {problem}")
