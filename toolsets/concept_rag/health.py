"""Health of the toolset: its stores, the files of its visuals, its watched folders and failed files."""

import logging
import shlex
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import anyio

from backends.ports.errors import StoreError
from backends.ports.filters import Eq
from backends.ports.graph import Order
from toolsets.clock import SECOND
from toolsets.concept_rag.pipeline.maintenance import Maintenance
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.pipeline.report import FileReport
from toolsets.concept_rag.projections import DOCUMENT, REFUSED_FILE
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.wordnet import wordnet
from toolsets.replies import counted
from toolsets.sourcing.health import embedder_problems
from toolsets.spec import ToolsetHealth

SHOWN_FAILURES: Final = 3
"""Examples for an operator; of the others only the number is shown."""
IMAGES_EVERY_S: Final = 60
"""How long the list of missing images is cached; checking takes about 5 ms per thousand images."""


_MAX_FAILURES: Final = 20
"""The latest are kept in memory and logged; a folder may have thousands."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class FolderStatus:
    """Progress of the process that watches the folders."""

    leads: bool = False
    path: str = ""
    """The file that is being ingested, or ""."""
    waiting: int = 0
    """The number of files still to be ingested."""
    failed: "OrderedDict[str, str]" = field(default_factory=OrderedDict[str, str])
    """The files that failed most recently, with the reasons."""
    kept: Mapping[str, str] = field(default_factory=dict[str, str])
    """Paths below which documents stay although their files are missing, with the reason."""
    problem: str = ""
    """Why the folders cannot be watched, or ""."""

    def notes(self) -> list[str]:
        """Return the status as sentences."""
        notes = [_kept_note(path, reason) for path, reason in [*self.kept.items()][:SHOWN_FAILURES]]
        if (more := len(self.kept) - len(notes)) > 0:
            notes.append(f"documents of {counted(more, 'more path', 'more paths')} stay")
        if self.path:
            return [*notes, f"ingesting {self.path}, {counted(self.waiting, 'file', 'files')} to go"]
        return [*notes, f"{counted(self.waiting, 'file', 'files')} to be ingested"] if self.waiting else notes

    def stopped(self, *, leads: bool) -> None:
        """Record that the folders are not watched by this process, so that another one may know more."""
        self.leads, self.path, self.waiting, self.kept = leads, "", 0, {}
        self.failed.clear()

    def keeps(self, kept: Mapping[str, str]) -> None:
        """Record why documents stay although their files are missing, and log what is new of it."""
        for path, reason in [*kept.items()][:_MAX_FAILURES]:
            if self.kept.get(path) != reason:
                _logger.warning("%s", _kept_note(path, reason))
        self.kept = kept

    def started(self, files: int, size: int) -> None:
        """Record the number of files of a run."""
        self.waiting = files

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Record the file that is being embedded."""
        self.path = path

    def finished(self, report: FileReport, size: int) -> None:
        """Record and log the result of a file."""
        if report.path == self.path:
            self.path = ""
        if report.status != "removed":
            self.waiting = max(0, self.waiting - 1)
        former = self.failed.pop(report.path, None)
        if report.status == "failed":
            self.failed[report.path] = report.reason or ""
            while len(self.failed) > _MAX_FAILURES:
                self.failed.popitem(last=False)
            if former != report.reason:  # a file whose failure may pass is ingested again and again
                _logger.warning("%s", report.line())
        elif report.status != "unchanged":
            _logger.info("%s", report.line())


def _kept_note(path: str, reason: str) -> str:
    return f"{path} {reason}; its documents stay"


class ConceptRagHealth:
    """Reports the toolset's health."""

    def __init__(self, rag: ConceptRag, folders: FolderStatus) -> None:
        self._rag = rag
        self._folders = folders
        self._maintenance = Maintenance(rag, Recorder(rag, "health"))
        self._missing: Mapping[str, int] = {}
        self._due_at = 0

    async def __call__(self) -> ToolsetHealth:
        """Query the stores and the file system. Never raises `StoreError`."""
        from toolsets.concept_rag.taxonomy.model import TaxonomyError

        problems = list(await embedder_problems(self._rag.live_stores.stores))
        try:
            _ = self._rag.taxonomy
        except TaxonomyError as error:
            problems.append(f"the categories cannot be used: {error}")
        try:
            await anyio.to_thread.run_sync(wordnet)
        except (OSError, ValueError) as error:
            problems.append(f"WordNet cannot be used: {error}")
        if self._folders.problem:
            problems.append(f"the folders are not being ingested: {self._folders.problem}")
        sourced = await self._rag.sourced.health()
        notes = self._folders.notes()
        try:
            problems += await self._missing_images()
            notes += await self._failures()
        except StoreError:
            pass  # sourced.health() already reports the stores' failures
        return replace(sourced.toolset_health(*problems), notes=tuple(notes))

    async def _missing_images(self) -> list[str]:
        if self._rag.now() >= self._due_at:
            self._missing = await self._maintenance.missing_images()
            self._due_at = self._rag.now() + IMAGES_EVERY_S * SECOND
        if not self._missing:
            return []
        more = f" and {len(self._missing) - 1} more" if len(self._missing) > 1 else ""
        place = "data directory" if self._rag.object_store is None else "object store"
        image, catalog_id = next(iter(self._missing.items()))
        graph = (await self._rag.live_stores.graph()).graph
        page = await graph.find(DOCUMENT, Eq("catalog", catalog_id), limit=1)
        file = shlex.quote(str(page.items[0].fields["path"])) if page.items else "FILE"
        return [
            f"images of visuals are missing: {image}{more}; put the {place}'s files back, or have them made again: "
            f"`entrepot ingest {file}`"
        ]

    async def _failures(self) -> list[str]:
        """Return sentences about the files that failed, in this process and in others."""
        graph = (await self._rag.live_stores.graph()).graph
        where = Eq("status", "failed")
        groups = await graph.count_nodes(REFUSED_FILE, where=where)
        page = await graph.find(REFUSED_FILE, where, order=(Order("at", descending=True),), limit=SHOWN_FAILURES)
        found = {str(node.fields["path"]): str(node.props.get("reason", "")) for node in page.items}
        # Causes outside the file's content, such as its permissions, are not recorded.
        passing = {path: reason for path, reason in self._folders.failed.items() if path not in found}
        total = (groups[0].count if groups else 0) + len(passing)
        shown = dict(list({**passing, **found}.items())[:SHOWN_FAILURES])
        return failure_notes(shown, total)


def failure_notes(failed: Mapping[str, str], total: int) -> list[str]:
    """Return a sentence for each of the `failed` files, and one for the rest of `total`."""
    notes = [f"{path} failed: {reason}" for path, reason in failed.items()]
    more = total - len(failed)
    return [*notes, f"{counted(more, 'more file', 'more files')} failed"] if more > 0 else notes
