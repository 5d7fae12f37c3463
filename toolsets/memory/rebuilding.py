"""Rebuild: every live database, one after the other, told as one."""

import hashlib
from collections.abc import Mapping

from backends.ports.adapter import Stores
from toolsets.memory.attaching import Attachments
from toolsets.memory.catalogue import Catalogue
from toolsets.spec import Progress, RebuildReport


class MemoryRebuild:
    """Builds the stores of all databases again."""

    def __init__(self, catalogue: Catalogue, attachments: Attachments) -> None:
        self._catalogue = catalogue
        self._attachments = attachments

    async def rebuild(self, progress: Progress, target: Stores | None = None) -> RebuildReport:
        """Rebuild each database as the others are left alone; the digests are those of all of them together.

        A failure ends it: the databases before it have been switched, the others are as they were.
        Raises what rebuilding one raises.
        """
        reports: dict[str, RebuildReport] = {}
        for name, database in (await self._catalogue.live()).items():
            rebuilder = self._attachments.unattached(database).rebuilder
            reports[name] = await rebuilder.rebuild(_about(name, progress), target)
        if target is None:
            await self._catalogue.note_log()
        return joined(reports)


def joined(reports: Mapping[str, RebuildReport]) -> RebuildReport:
    """Return the reports of several databases as one; `generation` is the highest."""
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


def _about(name: str, progress: Progress) -> Progress:
    async def advance(done: float, total: float | None = None, message: str | None = None) -> None:
        await progress(done, total, f"{name}: {message}" if message else name)

    return advance
