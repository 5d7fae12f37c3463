"""Watched folders of a running server: one process scans them periodically and ingests the changes."""

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from backends.ports.errors import StoreError
from toolsets.clock import SECOND
from toolsets.concept_rag.health import FolderStatus
from toolsets.concept_rag.ingestion.files import FoundFile, scan
from toolsets.concept_rag.pipeline.places import is_below, is_gone, recorded_path
from toolsets.concept_rag.pipeline.run import Ingestion, RunOptions
from toolsets.concept_rag.projections import DOCUMENT
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import TOOLSET
from toolsets.concept_rag.taxonomy.model import TaxonomyError
from toolsets.ids import uuid4
from toolsets.sourcing.claims import digest_of
from toolsets.sourcing.leadership import Leadership, NotLeader

GONE_S: Final = 60.0
"""How long a file must be missing before its document is removed; editors and sync tools replace files in two steps."""
BATCH: Final = 1
"""Chunks per embedder call: one chunk occupies one worker, and leaves the others to tool calls."""
_RENEW_S: Final = 1.0

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
        self._roots = tuple(recorded_path(path) for path in self._paths)
        # Servers with different folders elect separate leaders.
        self._leadership = Leadership(f"{TOOLSET}/folders/{digest_of(sorted(self._roots))}", uuid4(rag.rng))
        self._seen: dict[Path, _Signature] = {}
        self._done: dict[Path, _Signature] = {}
        self._devices: dict[Path, int] = {}
        self._recorded: set[str] | None = None
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
            self.status.leads, self.status.path, self.status.waiting = self._leadership.leads, "", 0
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
        self._seen, self._done, self._recorded = {}, {}, None
        self._gone_since.clear()
        _logger.info("watching %s", ", ".join(self._roots))
        failure: StoreError | TaxonomyError | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._renew)
            try:
                with self._leadership.alone():
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
        limit = self._rag.settings.max_file_bytes
        scanned = await anyio.to_thread.run_sync(
            lambda: list(scan(self._paths, max_bytes=limit)), abandon_on_cancel=True
        )
        found = {each.path: _signature(each) for each in scanned if isinstance(each, FoundFile)}
        settled = [path for path, signature in found.items() if self._seen.get(path) == signature]
        changed = [path for path in settled if self._done.get(path) != found[path]]
        self._seen = found
        if changed:
            _ = self._rag.taxonomy
            await self._ingestion.run(changed, RunOptions(batch=BATCH, missing_fail=False), self.status)
            self._done.update({path: found[path] for path in changed})
        self._done = {path: self._done[path] for path in found if path in self._done}
        await self._remove_gone({recorded_path(path) for path in found})

    async def _remove_gone(self, present: set[str]) -> None:
        if self._recorded is None:
            self._recorded = await self._recorded_paths()
        self._recorded |= present
        readable = await anyio.to_thread.run_sync(self._readable_roots, self._recorded)
        self.status.unreadable = tuple(root for root in self._roots if root not in readable)
        missing = [path for path in self._recorded - present if is_below(path, readable)]
        gone = await anyio.to_thread.run_sync(lambda: {path for path in missing if is_gone(path)})
        now = self._rag.now()
        self._gone_since = {path: self._gone_since.get(path, now) for path in gone}
        for path in sorted(gone):
            if now - self._gone_since[path] < GONE_S * SECOND:
                continue
            if (report := await self._ingestion.upkeep.removed(path)) is not None:
                self.status.finished(report, 0)
            self._recorded.discard(path)
            self._gone_since.pop(path)
        if gone - self._gone_since.keys():
            await self._ingestion.upkeep.sweep()

    async def _recorded_paths(self) -> set[str]:
        paths: set[str] = set()
        async for node in self._ingestion.upkeep.listed(DOCUMENT):
            recorded = node.props.get("paths")
            for path in recorded if isinstance(recorded, Sequence) else ():
                if is_below(str(path), self._roots):
                    paths.add(str(path))
        return paths

    def _readable_roots(self, recorded: Collection[str]) -> tuple[str, ...]:
        """Return the roots below which a missing file was certainly deleted, which excludes roots on a missing disk."""
        readable: list[str] = []
        for path, root in zip(self._paths, self._roots, strict=True):
            try:
                device = path.stat().st_dev
            except OSError:
                # A file that is named in the settings may be deleted like any other.
                if root in recorded and path.parent.is_dir():
                    readable.append(root)
                continue
            if self._devices.setdefault(path, device) == device:
                readable.append(root)
        return tuple(readable)


def _signature(found: FoundFile) -> _Signature:
    return found.size, found.mtime_ns, found.inode
