"""Health of the toolset: its stores, the files of its visuals, the folders it looks after and what failed."""

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from backends.ports.errors import StoreError
from backends.ports.filters import Eq
from backends.ports.graph import Order
from toolsets.clock import SECOND
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.pipeline.report import FileReport
from toolsets.concept_rag.pipeline.upkeep import Upkeep
from toolsets.concept_rag.projections import REFUSED_FILE
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.sourcing.health import embedder_problems
from toolsets.spec import ToolsetHealth

SHOWN_FAILURES: Final = 3
IMAGES_EVERY_S: Final = 60
"""How long the answer holds which images are missing: asking for each of them takes some 5 ms a thousand."""


_MAX_FAILURES: Final = 20

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class FolderStatus:
    """What the process that looks after the folders is doing."""

    leads: bool = False
    path: str = ""
    """The file that is being ingested, "" for none."""
    waiting: int = 0
    """Files that are still to be ingested."""
    failed: "OrderedDict[str, str]" = field(default_factory=OrderedDict[str, str])
    """The last files that failed, with the reason."""
    unreadable: tuple[str, ...] = ()
    """Folders that are not there or are another disk than before: their documents stay."""
    problem: str = ""
    """Why the folders cannot be looked after, "" when they can."""

    def notes(self) -> list[str]:
        """Return it in sentences."""
        notes = [f"{path} cannot be read; its documents stay" for path in self.unreadable]
        if self.path:
            return [*notes, f"ingesting {self.path}, {self.waiting} files to go"]
        return [*notes, f"{self.waiting} files to be ingested"] if self.waiting else notes

    def started(self, files: int, size: int) -> None:
        """Take the number of files of a run."""
        self.waiting = files

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Take the file that is being embedded."""
        self.path = path

    def finished(self, report: FileReport, size: int) -> None:
        """Take what became of a file, and write it to the log."""
        self.path = ""
        self.waiting = max(0, self.waiting - 1)
        self.failed.pop(report.path, None)
        if report.status == "failed":
            self.failed[report.path] = report.reason or ""
            while len(self.failed) > _MAX_FAILURES:
                self.failed.popitem(last=False)
            _logger.warning("%s", report.line())
        elif report.status != "unchanged":
            _logger.info("%s", report.line())


class ConceptRagHealth:
    """Tells how the toolset is."""

    def __init__(self, rag: ConceptRag, folders: FolderStatus) -> None:
        self._rag = rag
        self._folders = folders
        self._upkeep = Upkeep(rag, Recorder(rag, "health"))
        self._missing: Sequence[str] = ()
        self._look_at = 0

    async def __call__(self) -> ToolsetHealth:
        """Ask the stores and the file system. Raises nothing of the stores'."""
        from toolsets.concept_rag.taxonomy.model import TaxonomyError

        problems = list(await embedder_problems(self._rag.live_stores.stores))
        try:
            _ = self._rag.taxonomy
        except TaxonomyError as error:
            problems.append(f"the categories cannot be used: {error}")
        if self._folders.problem:
            problems.append(f"the folders are not looked after: {self._folders.problem}")
        sourced = await self._rag.sourced.health()
        notes = self._folders.notes()
        try:
            problems += await self._missing_images()
            notes += await self._failures()
        except StoreError:
            pass  # the stores' own sentences stand among the problems
        return replace(sourced.toolset_health(*problems), notes=tuple(notes))

    async def _missing_images(self) -> list[str]:
        if self._rag.now() >= self._look_at:
            self._missing = await self._upkeep.missing_images()
            self._look_at = self._rag.now() + IMAGES_EVERY_S * SECOND
        if not self._missing:
            return []
        more = f" and {len(self._missing) - 1} more" if len(self._missing) > 1 else ""
        place = "data directory" if self._rag.object_store is None else "object store"
        return [f"images of visuals are missing: {self._missing[0]}{more}; put the {place}'s files back"]

    async def _failures(self) -> list[str]:
        """Return what is known of files that failed, in this process and in others."""
        graph = (await self._rag.live_stores.graph()).graph
        where = Eq("status", "failed")
        groups = await graph.count_nodes(REFUSED_FILE, where=where)
        page = await graph.find(REFUSED_FILE, where, order=(Order("at", descending=True),), limit=SHOWN_FAILURES)
        found = {str(node.fields["path"]): str(node.props.get("reason", "")) for node in page.items}
        # What lies outside of a file, such as its permissions, is not recorded.
        passing = {path: reason for path, reason in self._folders.failed.items() if path not in found}
        total = (groups[0].count if groups else 0) + len(passing)
        shown = dict(list({**passing, **found}.items())[:SHOWN_FAILURES])
        return failure_notes(shown, total)


def failure_notes(failed: Mapping[str, str], total: int) -> list[str]:
    """Return a sentence for each of a few files that failed, and one for the others."""
    notes = [f"{path} failed: {reason}" for path, reason in failed.items()]
    more = total - len(failed)
    return [*notes, f"{more} more files failed"] if more > 0 else notes
