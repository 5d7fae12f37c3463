"""Rebuild and comparison of all live databases in sequence, with one report."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from backends.ports.adapter import Stores
from backends.ports.errors import Unusable
from toolsets.memory.databases import Databases
from toolsets.memory.open_databases import OpenDatabases
from toolsets.memory.purge import reset_forgotten
from toolsets.reports import ComparisonReport, Progress, RebuildReport
from toolsets.sourcing.comparison import SHOWN


class MemoryRebuild:
    """Rebuilds the stores of all databases."""

    def __init__(self, stores: Stores, databases: Databases, open_databases: OpenDatabases) -> None:
        self._stores = stores
        self._databases = databases
        self._open_databases = open_databases

    async def rebuild(self, progress: Progress, destination: Stores | None = None) -> RebuildReport:
        """Rebuild each database; the digests cover all of them.

        A failure ends the rebuild: earlier databases have been switched, later ones are unchanged. Raises the errors of a
        single rebuild. A database whose events cannot be read stays as it is, and its error is raised after the others.
        """
        reports: dict[str, RebuildReport] = {}
        unusable: dict[str, Unusable] = {}
        for name, database in (await self._databases.live()).items():
            rebuilder = self._open_databases.sourced_of(database).rebuilder
            try:
                reports[name] = await rebuilder.rebuild(_named(name, progress), destination)
            except Unusable as error:
                if error.replaceable:
                    raise
                unusable[name] = error
        if unusable:
            raise Unusable("; ".join(f"the database {name}: {error}" for name, error in unusable.items()))
        if destination is None:
            await self._databases.note_log()
            await reset_forgotten(self._stores)
        return combined_rebuild(reports)

    async def compare(self, progress: Progress, other: Stores) -> ComparisonReport:
        """Compare each database; the digests cover all of them. Raises what the comparison of one raises."""
        reports: dict[str, ComparisonReport] = {}
        for name, database in (await self._databases.live()).items():
            rebuilder = self._open_databases.sourced_of(database).rebuilder
            reports[name] = await rebuilder.compare(_named(name, progress), other)
        return combined_comparison(reports)


def combined_comparison(reports: Mapping[str, ComparisonReport]) -> ComparisonReport:
    """Return the comparisons of several databases as one report; differences name the database."""
    each = tuple(reports.values())
    differences = [replace(found, part=name) for name, report in reports.items() for found in report.differences]
    return ComparisonReport(
        position=max((report.position for report in each), default=0),
        nodes=sum(report.nodes for report in each),
        edges=sum(report.edges for report in each),
        vectors=sum(report.vectors for report in each),
        digest=_digest({name: report.digest for name, report in reports.items()}),
        other_digest=_digest({name: report.other_digest for name, report in reports.items()}),
        differing=sum(report.differing for report in each),
        differences=tuple(differences[:SHOWN]),
    )


def combined_rebuild(reports: Mapping[str, RebuildReport]) -> RebuildReport:
    """Return the rebuilds of several databases as one report; `generation` is the highest."""
    each = tuple(reports.values())
    former = {name: report.former_digest for name, report in reports.items()}
    return RebuildReport(
        events=sum(report.events for report in each),
        nodes=sum(report.nodes for report in each),
        edges=sum(report.edges for report in each),
        vectors=sum(report.vectors for report in each),
        embedded=sum(report.embedded for report in each),
        digest=_digest({name: report.digest for name, report in reports.items()}),
        former_digest=None if None in former.values() else _digest({name: str(one) for name, one in former.items()}),
        generation=max((report.generation for report in each), default=1),
    )


def _digest(digests: Mapping[str, str]) -> str:
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _named(name: str, progress: Progress) -> Progress:
    async def advance(done: float, total: float | None = None, message: str | None = None) -> None:
        await progress(done, total, f"{name}: {message}" if message else name)

    return advance
