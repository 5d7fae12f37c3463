"""Watched folders of a running server: one process scans them periodically and ingests the changes."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from backends.ports.errors import StoreError
from toolsets.clock import SECOND
from toolsets.concept_rag.deletions import MISSING, Deletions
from toolsets.concept_rag.health import FolderStatus
from toolsets.concept_rag.ingestion.files import FoundFile, display_name, scan
from toolsets.concept_rag.pipeline.paths import is_below, recorded_path
from toolsets.concept_rag.pipeline.run import Ingestion, RunOptions
from toolsets.concept_rag.projections import DOCUMENT, REFUSED_FILE
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import TOOLSET
from toolsets.concept_rag.taxonomy.model import TaxonomyError
from toolsets.concurrency import run_cpu
from toolsets.ids import uuid4
from toolsets.sourcing.backoff import backoff_s
from toolsets.sourcing.claims import digest_of
from toolsets.sourcing.leadership import Leadership, NotLeader

GONE_S: Final = 60.0
"""How long a file must be missing before its document is removed; editors and sync tools replace files in two steps."""
_FIRST_RETRY_S: Final = 60.0
_LONGEST_RETRY_S: Final = 86_400.0
"""The first and the longest wait before a file is ingested again that failed for a reason that may pass; each wait doubles."""
BATCH: Final = 1
"""Chunks per embedder call: one chunk occupies one worker, and leaves the others to tool calls."""
_RENEW_S: Final = 1.0
"""A lease lasts five seconds, so several renewals may fail before it is lost."""

_logger = logging.getLogger(__name__)

_Signature = tuple[int, int, int]
"""Size, modification time and inode; a file with an equal signature is unchanged."""


class Folders:
    """Keeps the configured folders ingested while this process holds their lease."""

    def __init__(self, rag: ConceptRag, status: FolderStatus | None = None) -> None:
        """`status` receives the progress."""
        self.status = status or FolderStatus()
        self._rag = rag
        self._ingestion = Ingestion(rag, tool="folders")
        self._paths = tuple(map(rag.place, rag.settings.folders))
        self._roots = dict.fromkeys(map(recorded_path, self._paths))
        # Servers with different folders elect separate leaders.
        self._leadership = Leadership(f"{TOOLSET}/folders/{digest_of(sorted(self._roots))}", uuid4(rag.rng))
        self._seen: dict[str, _Signature] = {}
        self._done: dict[str, _Signature] = {}
        self._failed: dict[str, _FailedFile] = {}
        self._deletions = Deletions(self._paths)
        self._recorded: set[str] | None = None
        self._compared_at = 0
        self._gone_since: dict[str, int] = {}

    async def run(self) -> None:
        """Run until cancelled; errors are logged and the work is retried."""
        while True:
            try:
                await self._lead()
            except NotLeader:
                pass
            except (StoreError, TaxonomyError) as error:
                if self.status.problem != str(error):
                    _logger.warning("the folders cannot be scanned now: %s", error)
                self.status.problem = str(error)
            except Exception:
                _logger.exception("scanning the folders failed unexpectedly")
                self.status.problem = "scanning failed unexpectedly; see the log"
            self.status.stopped(leads=self._leadership.leads)
            await anyio.sleep(self._rag.settings.poll_s)

    async def release(self) -> None:
        """Release the lease, so that another process can take over at once. Raises the log's errors."""
        if self._leadership.may_hold:
            await self._leadership.release(await self._rag.live_stores.log())

    async def _lead(self) -> None:
        """Scan the folders repeatedly while this process holds the lease. Raises `NotLeader` without it."""
        log = await self._rag.live_stores.log()
        if not await self._leadership.acquire(log):
            raise NotLeader("another process watches the folders")
        self._seen, self._done, self._failed, self._recorded = {}, {}, {}, None
        self._gone_since.clear()
        _logger.info("watching %s", ", ".join(self._roots))
        failure: StoreError | TaxonomyError | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._renew)
            try:
                with self._leadership.single_writer():
                    while True:
                        self.status.leads = True
                        await self.poll()
                        self.status.problem = ""
                        await anyio.sleep(self._rag.settings.poll_s)
            except (StoreError, TaxonomyError) as error:
                failure = error
            group.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _renew(self) -> None:
        while True:
            await anyio.sleep(_RENEW_S)
            try:
                await self._leadership.renew(await self._rag.live_stores.log())
            except StoreError as error:
                _logger.debug("the lease of the folders is not renewed: %s", error)

    async def poll(self) -> None:
        """Ingest new and changed files that have stopped growing; remove documents whose files were missing for a minute.

        Raises `StoreError` and `TaxonomyError`.
        """
        scanned = await anyio.to_thread.run_sync(self._scan, self._rag.now(), abandon_on_cancel=True)
        self._seen, self._done = scanned.found, scanned.done
        if scanned.changed:
            _ = self._rag.taxonomy
            summary = await self._ingestion.run(
                scanned.changed, RunOptions(batch=BATCH, missing_fail=False), self.status
            )
            self._done.update({str(path): scanned.found[str(path)] for path in scanned.changed})
            self._failed = await anyio.to_thread.run_sync(self._failures, summary.passing, scanned)
        await self._remove_gone(scanned)

    def _scan(self, now: int) -> "_Scanned":
        """Scan the folders, which may have very many files. Blocks."""
        scanned = _Scanned()
        for each in scan(self._paths, max_bytes=self._rag.settings.max_file_bytes):
            if isinstance(each, FoundFile):
                path, signature = str(each.path), _signature(each)
                scanned.found[path] = signature
                scanned.recorded.add(display_name(each.path))
                failure = self._failed.get(path)
                if self._done.get(path) == signature and not (failure and failure.is_due(each.path, now)):
                    scanned.done[path] = signature
                elif self._seen.get(path) == signature:
                    scanned.changed.append(each.path)
            elif each.kind == "no_access":
                scanned.unreadable[display_name(each.path)] = MISSING
        return scanned

    def _failures(self, passing: Collection[str], scanned: "_Scanned") -> dict[str, "_FailedFile"]:
        """Return when to ingest files again that were not ingested for a reason that may pass. Blocks."""
        now, changed, again = self._rag.now(), set(map(str, scanned.changed)), set(passing)
        failed = {path: each for path, each in self._failed.items() if path in scanned.done and path not in changed}
        for path in scanned.changed:
            if display_name(path) in again:
                former = self._failed.get(str(path))
                attempts = 1 if former is None else former.attempts + 1
                wait_s = backoff_s(attempts, first_s=_FIRST_RETRY_S, longest_s=_LONGEST_RETRY_S)
                failed[str(path)] = _FailedFile(_changed_at(path), now + int(wait_s * SECOND), attempts)
        return failed

    async def _remove_gone(self, scanned: "_Scanned") -> None:
        if self._recorded is None:
            self._recorded, self._compared_at = await self._recorded_paths(), self._rag.now()
        lost = await anyio.to_thread.run_sync(
            self._deletions.find, self._recorded, scanned.recorded, abandon_on_cancel=True
        )
        self._recorded = {*lost.recorded}
        self.status.keeps({**lost.kept, **scanned.unreadable})
        now = self._rag.now()
        if lost.kept and now - self._compared_at >= GONE_S * SECOND:
            # The kept documents may have been forgotten.
            self._recorded &= await self._recorded_paths()
            self._compared_at = now
        self._gone_since = {path: self._gone_since.get(path, now) for path in lost.deleted}
        due = sorted(path for path, since in self._gone_since.items() if now - since >= GONE_S * SECOND)
        for path in due:
            if (report := await self._ingestion.maintenance.removed(path)) is not None:
                self.status.finished(report, 0)
            self.status.failed.pop(path, None)
            self._recorded.discard(path)
            self._gone_since.pop(path)
        if due:
            await self._ingestion.maintenance.sweep()

    async def _recorded_paths(self) -> set[str]:
        """Return the paths below the folders of all documents and of all refused files."""
        paths: set[str] = set()
        async for node in self._ingestion.maintenance.listed(DOCUMENT):
            recorded = node.props.get("paths")
            paths.update(map(str, recorded if isinstance(recorded, Sequence) else ()))
        async for node in self._ingestion.maintenance.listed(REFUSED_FILE):
            paths.add(str(node.fields["path"]))
        return await run_cpu(lambda: {path for path in paths if is_below(path, self._roots.keys())}, size=len(paths))


@dataclass(frozen=True, slots=True)
class _FailedFile:
    """A file that was not ingested for a reason that may pass, such as its permissions."""

    changed_at: int
    due: int
    attempts: int

    def is_due(self, path: Path, now: int) -> bool:
        """Return whether the file is ingested again: later and later, and at once when its permissions change."""
        return now >= self.due or _changed_at(path) != self.changed_at


@dataclass(frozen=True, slots=True)
class _Scanned:
    """What is in the folders."""

    found: dict[str, _Signature] = field(default_factory=dict[str, _Signature])
    done: dict[str, _Signature] = field(default_factory=dict[str, _Signature])
    """The files that are unchanged since they were ingested."""
    changed: list[Path] = field(default_factory=list[Path])
    """The other files, if they have stopped growing."""
    recorded: set[str] = field(default_factory=set[str])
    """The recorded paths of all files."""
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    """The paths that this process may not read, with the reason."""


def _changed_at(path: Path) -> int:
    """Return when a file's content, permissions or owner were changed, or 0."""
    try:
        return path.stat().st_ctime_ns
    except OSError:
        return 0


def _signature(found: FoundFile) -> _Signature:
    return found.size, found.mtime_ns, found.inode
