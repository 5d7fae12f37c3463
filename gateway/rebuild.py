"""Rebuilds of toolsets' stores from their events; damaged files are moved aside first, while no other process uses them."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import anyio
from filelock import FileLock, Timeout

from backends.integrity import Unverified
from backends.ports.errors import StoreError, Undecodable, Unusable
from config.settings import Settings
from gateway.assignment import Assignment, check_libraries
from gateway.composition import assemble_gateway, check_data_dir_exists, other_stores
from gateway.data_dir_lock import exclusive_lock
from gateway.errors import Refused
from gateway.quarantine import quarantine
from toolsets.reports import Progress, Rebuildable, RebuildReport

MAX_REPLACED = 8
"""The most stores that may be found damaged in one rebuild; with more, the disk is the problem."""


class Reporter(Protocol):
    """Reports the progress of a rebuild to an operator."""

    def notice(self, text: str) -> None:
        """Report something that the operator must know, such as files that were moved."""
        ...

    def progress(self, toolset: str) -> Progress:
        """Return the progress callback for a toolset."""
        ...


class RebuildStopped(Refused):
    """A rebuild could not be finished; stores that it had not switched are unchanged."""


class _Damaged(Exception):
    """Stores whose files must be moved aside before the rebuild can go on."""

    def __init__(self, problems: Sequence[StoreError]) -> None:
        super().__init__(*problems)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The reports by toolset, and a sentence for each cause that stopped the rebuild of others."""

    reports: Mapping[str, RebuildReport]
    stopped: Sequence[str] = ()


@dataclass(slots=True)
class Rebuild:
    """One rebuild of a data directory."""

    settings: Settings
    toolset: str | None
    """The only toolset to rebuild; None for every toolset that can be rebuilt."""
    target: Settings | None
    """The settings whose stores are filled instead; None to rebuild the toolsets' own stores."""
    reporter: Reporter
    moved: list[Path] = field(default_factory=list[Path])
    """The folders with files that were moved aside."""
    sound: set[str] = field(default_factory=set[str])
    """The target's stores that were verified: toolsets share them, and to read them takes longer than to fill them."""

    async def run(self) -> Rebuilt:
        """Rebuild each toolset; one whose events or stores cannot be used does not stop the others.

        Raises `Refused` if there is nothing to rebuild from or a store does not answer; the message names moved files.
        """
        for each in (self.settings, self.target):
            if each is not None:
                check_libraries(each)
        data_dir = self.settings.data_dir
        check_data_dir_exists(data_dir)
        try:
            with _only_rebuild(data_dir), ExitStack() as until_filled:
                return await self._until_sound(until_filled)
        except RebuildStopped as problem:
            raise Refused(self._stopped_sentence(problem)) from problem
        except (Refused, OSError) as problem:
            if self.moved:
                raise Refused(self._stopped_sentence(problem)) from problem
            raise
        except anyio.get_cancelled_exc_class():
            if self.moved:
                self.reporter.notice(self._unfilled())
            raise

    async def _until_sound(self, until_filled: ExitStack) -> Rebuilt:
        """Rebuild, moving damaged files aside until none is found."""
        while len(self.moved) < MAX_REPLACED:
            try:
                found = await self._attempt()
            except _Damaged as damaged:
                # All stores are closed here. From the first move on, no process may use stores that are not filled yet.
                if not self.moved:
                    until_filled.enter_context(exclusive_lock(self.settings.data_dir))
                for problem in damaged.problems:
                    self.moved.append(quarantine(problem.replaceable))
                    self.reporter.notice(f"{problem}\nMoved to {self.moved[-1]}; rebuilding it.")
            else:
                if not self.moved:
                    return found
                # The digest of the empty store that replaces a damaged one would be meaningless.
                reports = {name: replace(report, former_digest=None) for name, report in found.reports.items()}
                return replace(found, reports=reports)
        raise Refused(f"Stores were found damaged {MAX_REPLACED} times; check the disk.")

    async def _attempt(self) -> Rebuilt:
        async with assemble_gateway(self.settings, None if self.toolset is None else [self.toolset]) as gateway:
            # Stores are not opened here, because a rebuild is the remedy if one of them cannot be opened.
            able = {each.toolset.name: each.running.rebuild for each in gateway.served if each.running.rebuild}
            if not able:
                raise Refused("No such toolset builds its stores from events; there is nothing to rebuild.")
            _raise_obstacle(await gateway.stores.verify(), gateway.assignments, read_only=self.target is not None)
            reports: dict[str, RebuildReport] = {}
            stopped: dict[str, list[str]] = {}
            for name, rebuildable in able.items():
                try:
                    reports[name] = await self._rebuild_one(rebuildable, name)
                except RebuildStopped as problem:
                    if isinstance(problem.__cause__, StoreError) and problem.__cause__.retryable:
                        raise
                    # Without a cause, the sentence is about the files of stores and names no toolset.
                    names = stopped.setdefault(str(problem.__cause__ or problem), [])
                    names.extend([name] if problem.__cause__ else [])
            sentences = (_sentence_of(names, cause) if names else cause for cause, names in stopped.items())
            return Rebuilt(reports, list(map(self._stopped_sentence, sentences)))

    async def _rebuild_one(self, rebuildable: Rebuildable, name: str) -> RebuildReport:
        async with AsyncExitStack() as stack:
            stores = None
            if self.target is not None:
                other = await stack.enter_async_context(other_stores(self.target, name))
                found = await other.opened.verify(but=self.sound)
                _raise_obstacle(found, [other.assignment])
                self.sound |= {*other.assignment.stores.values()} - {*found}
                stores = other.stores
            try:
                return await rebuildable.rebuild(self.reporter.progress(name), stores)
            except StoreError as problem:
                if problem.replaceable:
                    raise _Damaged([problem]) from problem
                raise RebuildStopped(_sentence_of([name], str(problem))) from problem

    def _stopped_sentence(self, problem: object) -> str:
        """Return the sentence about what stopped a rebuild, and how the stores are now."""
        state = self._unfilled() if self.moved else "Stores that were not switched yet are unchanged"
        sentence = str(problem)
        return f"{sentence if sentence.endswith('?') else sentence.rstrip('.') + '.'} {state}"

    def _unfilled(self) -> str:
        return (
            f"Damaged files were moved to {', '.join(map(str, self.moved))}, and the new ones are not filled yet: fix what "
            "stopped the rebuild and run it again, or start the server, which also fills them."
        )


def _sentence_of(names: Sequence[str], cause: str) -> str:
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"The rebuild of {listed} stopped: {cause}"


@contextmanager
def _only_rebuild(data_dir: Path) -> Generator[None]:
    """Refuse a second rebuild of the data directory, which would move the files that the first has just created."""
    try:
        with FileLock(data_dir / "rebuild.lock", timeout=0):
            yield
    except Timeout as problem:
        raise Refused(f"Another rebuild of {data_dir} is running; wait until it has finished.") from problem


def _raise_obstacle(
    found: Mapping[str, StoreError], assigned: Iterable[Assignment], *, read_only: bool = False
) -> None:
    """Raise the problem that prevents a rebuild: a damaged log or, unless `read_only`, stores that it would write to.

    A log with events that cannot be decoded prevents only the rebuild of the toolset that reads them. All damaged stores
    are named at once, because reading the others again takes as long as the rebuild.
    """
    logs = {each.stores.get("events") for each in assigned}
    problems = {name: problem for name, problem in found.items() if not isinstance(problem, Undecodable)}
    for name, problem in problems.items():
        if name in logs and isinstance(problem, Unusable) and not problem.replaceable:
            raise RebuildStopped(f"There is nothing to rebuild from: {problem}")
        if isinstance(problem, Unverified) and not read_only:
            raise RebuildStopped(f"Nothing was rebuilt, because some files could not be read: {problem}")
    damaged = [problem for problem in problems.values() if problem.replaceable]
    if damaged and not read_only:
        raise _Damaged(damaged)
