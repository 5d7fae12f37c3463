"""A run: a file is compared and parsed while the previous one is embedded and the one before is recorded."""

import logging
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence, Set
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from backends.ports.embedder import Embedder
from backends.ports.errors import StoreError, Unavailable
from toolsets.concept_rag.ingestion.document import NotADocument, Unreadable
from toolsets.concept_rag.ingestion.files import FoundFile, Scanned, SkippedPath, display_name, scan
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.pipeline.analysis import EmbeddedDocument, Prepared, analyse, embed_chunks, prepare
from toolsets.concept_rag.pipeline.comparison import STAYS, Busy, CatalogComparison, Task, together
from toolsets.concept_rag.pipeline.description import Describer, Description
from toolsets.concept_rag.pipeline.document_vectors import DocumentVectors, embed_once
from toolsets.concept_rag.pipeline.maintenance import Maintenance
from toolsets.concept_rag.pipeline.paths import is_below, recorded_path, with_parents
from toolsets.concept_rag.pipeline.picture_descriptions import PictureDescriber, Seen
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.pipeline.report import FileReport, Observer, RunSummary, Silent
from toolsets.concept_rag.pipeline.scratch import VectorScratch
from toolsets.concept_rag.runtime import ConceptRag, picture_path
from toolsets.concept_rag.taxonomy.assignment import CategoryAssignment, embed_categories, shipped_vectors

BATCH: Final = 64
"""Chunks per embedder call; an interruption loses at most a second of work."""

_ANY_TEXT: Final = "categories"
_STAYING: Final = frozenset({"empty", "over_size_limit", "no_access"})
"""Why a path that a document has may be skipped; a path with another ending never had one."""
_EMPTY: Final = (
    "The folder is empty, as it is when its disk is not mounted. Documents below it are kept; to remove them, "
    "prune a folder above it or forget them."
)

ResultT = TypeVar("ResultT")
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run."""

    prune: bool = False
    """Whether to remove documents whose files are gone."""
    dry_run: bool = False
    """Whether to report the changes without making them."""
    batch: int = BATCH
    """Chunks per embedder call. With 1, as in a server, a file is recorded before the next one is embedded."""
    missing_fail: bool = True
    """Whether a given path that does not exist is a failure and keeps its documents; otherwise it is a file that is gone."""


@dataclass(frozen=True, slots=True)
class _Ready:
    task: Task
    prepared: Prepared
    description: Description | None
    seen: Seen | None


class Ingestion:
    """Ingests files into the catalog of one toolset."""

    def __init__(self, rag: ConceptRag, *, tool: str = "ingest", pool: ParserPool | None = None) -> None:
        """`tool` is the name of the cause in events; without an open `pool`, each run starts its own."""
        self._rag = rag
        self.recorder = Recorder(rag, tool)
        self.maintenance = Maintenance(rag, self.recorder)
        self.max_bytes = rag.settings.max_file_bytes
        self._pool = pool
        self._assignment: CategoryAssignment | None = None
        self._limiter = anyio.CapacityLimiter(1)
        self._assigning = anyio.Lock()

    async def run(self, paths: Sequence[Path], options: RunOptions, observer: Observer | None = None) -> RunSummary:
        """Ingest files and folders; return the totals. Raises `StoreError` if a store fails; a new run continues the work."""
        return await _IngestionRun(self, options, observer or Silent()).run(paths)

    async def assignment(self, embedder: Embedder) -> CategoryAssignment:
        """Return the categories with their vectors, which are stored for the next run; computing them takes a second or two."""
        async with self._assigning:
            if self._assignment is None:
                taxonomy = self._rag.taxonomy
                # Stored next to the documents' vectors, which are removed once the documents are recorded.
                directory = None if self._rag.directory is None else self._rag.directory / "taxonomy"
                scratch = VectorScratch(directory, "categories", str(embedder.identity))
                shipped = shipped_vectors(embedder.identity)
                vectors = await embed_categories(taxonomy, partial(embed_once, embedder, scratch, shipped=shipped))
                self._assignment = CategoryAssignment(taxonomy, vectors)
            return self._assignment

    async def warm_up(self) -> None:
        """Load the embedder while the first file is parsed; errors are ignored here and raised on its first use."""
        if self._assignment is not None:
            return
        with suppress(StoreError):
            embedder = await self._rag.live_stores.stores.embedder()
            await self.assignment(embedder)
            await embedder.embed([_ANY_TEXT])

    @asynccontextmanager
    async def pool(self) -> AsyncGenerator[ParserPool]:
        """Provide the parser processes inside the block."""
        if self._pool is not None:
            yield self._pool
            return
        async with ParserPool() as pool:
            yield pool

    async def prepared(self, pool: ParserPool, task: Task) -> Prepared:
        """Parse a file and split it. Raises `Unreadable`, `NotADocument`, and `Unavailable` if an image cannot be stored."""
        document = await pool.parse(task.found.path)
        directory = self._rag.directory if self._rag.settings.visuals else None
        try:
            work = partial(prepare, task.found.path, document, directory)
            prepared = await anyio.to_thread.run_sync(work, limiter=self._limiter)
            if (shared := self._rag.object_store) is not None and directory is not None:
                paths = [picture_path(directory, each.digest) for each in prepared.pictures]
                await anyio.to_thread.run_sync(shared.put, paths)
        except OSError as error:
            raise Unavailable(f"images cannot be stored in {directory}: {error}") from error
        else:
            return prepared

    def describer(self) -> Describer:
        """Return the describer of documents for one run; without a configured model it describes nothing."""
        rag = self._rag
        return Describer(rag.language, lambda: rag.taxonomy, timeout_s=rag.settings.language_timeout_s)

    def picture_describer(self) -> PictureDescriber:
        """Return the describer of pictures for one run; without a configured model it describes nothing."""
        settings = self._rag.settings
        return PictureDescriber(
            self._rag.language,
            self._rag.picture,
            most=settings.language_pictures,
            timeout_s=settings.language_timeout_s,
        )

    async def embedded(self, ready: _Ready, batch: int, advance: Callable[[int, int], None]) -> EmbeddedDocument:
        """Embed the chunks of a file. Raises `StoreError`."""
        embedder = await self._rag.live_stores.stores.embedder()
        scratch = VectorScratch(self._rag.directory, ready.prepared.document.sha256, str(embedder.identity))
        return await embed_chunks(ready.prepared, DocumentVectors(embedder, scratch, batch=batch), advance)

    async def ingested(self, ready: _Ready, embedded: EmbeddedDocument) -> FileReport:
        """Analyse and record a file. Raises `StoreError`."""
        assignment = await self.assignment(await self._rag.live_stores.stores.embedder())
        analysed = await analyse(
            ready.prepared, embedded, assignment, self._rag.taxonomy, description=ready.description, seen=ready.seen
        )
        recorded = await self.recorder.record(ready.task.path, analysed, ready.task.moved_on)
        await embedded.embedding.forget()
        if (content := recorded.content) is None:
            return FileReport(ready.task.path, "unchanged", catalog_id=recorded.plan.catalog_id)
        notes = (*content.notes, *(() if recorded.indexed else ("Indexing is pending.",)))
        return FileReport(
            ready.task.path,
            "updated" if recorded.plan.action == "update" else "added",
            " ".join(notes) or None,
            recorded.plan.catalog_id,
            content.pages,
            content.chunks,
            len(content.concepts),
            len(content.visuals),
        )


class _IngestionRun:
    """One run and its state."""

    def __init__(self, ingestion: Ingestion, options: RunOptions, observer: Observer) -> None:
        self._ingestion = ingestion
        self._options = options
        self._observer = observer
        self._comparison = CatalogComparison(ingestion.recorder, ingestion.maintenance, dry_run=options.dry_run)
        self._describer = ingestion.describer()
        self._picture_describer = ingestion.picture_describer()
        self._summary = RunSummary()
        self._settled = anyio.Event()
        self._failure: StoreError | None = None

    async def run(self, paths: Sequence[Path]) -> RunSummary:
        began = time.monotonic()
        limit = self._ingestion.max_bytes
        scanned = await anyio.to_thread.run_sync(lambda: list(scan(paths, max_bytes=limit)), abandon_on_cancel=True)
        found = [each for each in scanned if isinstance(each, FoundFile)]
        self._observer.started(len(scanned), sum(each.size for each in found))
        await self._report_skipped(scanned, await self._missing(paths))
        async with self._ingestion.pool() as pool:
            send, receive = anyio.create_memory_object_stream[_Ready]()
            async with anyio.create_task_group() as group:
                feed = partial(self._feed, pool, found, send, partial(group.start_soon, self._ingestion.warm_up))
                group.start_soon(self._guarded, group.cancel_scope, feed)
                group.start_soon(self._guarded, group.cancel_scope, partial(self._ingest, receive, group))
        if self._failure is not None:
            raise self._failure
        await self._tidy(paths, scanned)
        self._summary.seconds = time.monotonic() - began
        return self._summary

    async def _guarded(self, scope: anyio.CancelScope, work: Callable[[], Awaitable[None]]) -> None:
        """Do one part of the run; if a store fails, cancel the other part."""
        try:
            await work()
        except StoreError as error:
            self._failure = self._failure or error
            scope.cancel()
        except anyio.BrokenResourceError:
            pass  # the other part failed and raises the error

    def _finish(self, report: FileReport, size: int = 0) -> None:
        self._summary.counts[report.status] += 1
        if report.passing:
            self._summary.passing.append(report.path)
        self._observer.finished(report, size)

    async def _missing(self, paths: Sequence[Path]) -> Set[str]:
        """Return the given paths that must exist and do not, in recorded form."""
        if not self._options.missing_fail:
            return frozenset()
        # `Path.exists` raises if a parent folder is not accessible.
        return await anyio.to_thread.run_sync(
            lambda: {recorded_path(path) for path in paths if not os.path.exists(path)}  # noqa: PTH110
        )

    async def _report_skipped(self, scanned: Sequence[Scanned], missing: Set[str]) -> None:
        skipped = [(recorded_path(each.path), each) for each in scanned if isinstance(each, SkippedPath)]
        owned = await self._ingestion.recorder.owned(path for path, each in skipped if each.kind in _STAYING)
        for path, each in skipped:
            reason = each.reason
            if path in missing and self._options.prune:
                reason = f"{reason} Documents below it are kept."
            elif path in owned:
                reason = f"{reason} {STAYS}"
            failed = each.kind == "no_access" or path in missing
            self._finish(FileReport(path, "failed" if failed else "skipped", reason))

    async def _feed(
        self,
        pool: ParserPool,
        found: Sequence[FoundFile],
        send: MemoryObjectSendStream[_Ready],
        warm_up: Callable[[], object],
    ) -> None:
        """Compare and parse files, and send on the parsed ones; a file with the content of one in progress waits for it.

        `warm_up` is called once, before the first file is parsed.
        """
        async with send:
            is_warm = False
            waiting = list(found)
            while waiting:
                files = waiting
                waiting = list[FoundFile]()
                settled = self._settled
                for some in together(files):
                    await self._comparison.prefetch(some)
                    for each in some:
                        try:
                            outcome = await self._comparison.compare(each)
                        except Busy:
                            waiting.append(each)
                            continue
                        if not is_warm and isinstance(outcome, Task) and outcome.plan.action != "keep":
                            warm_up()
                            is_warm = True
                        await self._hand_on(pool, each, outcome, send)
                if waiting:
                    await settled.wait()

    async def _hand_on(
        self, pool: ParserPool, found: FoundFile, outcome: FileReport | Task, send: MemoryObjectSendStream[_Ready]
    ) -> None:
        if isinstance(outcome, FileReport):
            self._finish(outcome, found.size)
            for report in self._comparison.removed():
                self._finish(report)
            return
        try:
            prepared = await self._ingestion.prepared(pool, outcome)
            if outcome.plan.action == "keep":
                self._settle(outcome, await self._comparison.completed(outcome))
                return
            # Asked here, so that it overlaps with the embedding of the previous document.
            description = await self._describer.describe(prepared.document, prepared.chunks)
            seen = None if self._describer.is_silent else await self._seen(outcome, prepared)
        except (Unreadable, NotADocument) as error:
            self._settle(outcome, await self._comparison.refused(outcome, error))
        except StoreError:
            raise
        except Exception as error:  # no document may prevent the ingestion of the others
            _logger.exception("%s cannot be prepared", outcome.path)
            self._settle(outcome, _unforeseen(outcome.path, error))
        else:
            await send.send(_Ready(outcome, prepared, description, seen))

    async def _seen(self, task: Task, prepared: Prepared) -> Seen | None:
        """Return the language model's descriptions of pictures, asking only about pictures without an earlier description."""
        document = None
        if prepared.pictures and task.plan.action == "update":
            document = await self._ingestion.recorder.document(task.plan.catalog_id)
        visuals = () if document is None else document.content.visuals
        title = prepared.document.title or display_name(Path(prepared.path.stem))
        return await self._picture_describer.describe(
            title,
            prepared.pictures,
            lambda model: {visual.file: visual.seen for visual in visuals if visual.seen and visual.seen_by == model},
        )

    async def _ingest(self, receive: MemoryObjectReceiveStream[_Ready], group: TaskGroup) -> None:
        """Embed one file after another; each is recorded, in this order, while the next one is embedded."""
        recording = anyio.Semaphore(1)
        async with receive:
            async for ready in receive:
                advance = partial(self._observer.working, ready.task.path, size=ready.task.found.size)
                work = partial(self._ingestion.embedded, ready, self._options.batch, advance)
                if (embedded := await self._attempt(ready.task, work)) is not None:
                    await recording.acquire()
                    work = partial(self._record, ready, embedded, recording)
                    if self._options.batch > 1:
                        group.start_soon(self._guarded, group.cancel_scope, work)
                    else:
                        await work()

    async def _record(self, ready: _Ready, embedded: EmbeddedDocument, recording: anyio.Semaphore) -> None:
        work = partial(self._ingestion.ingested, ready, embedded)
        if (report := await self._attempt(ready.task, work)) is not None:
            self._settle(ready.task, report)
        recording.release()

    async def _attempt(self, task: Task, work: Callable[[], Awaitable[ResultT]]) -> ResultT | None:
        """Return the result of work on a file; None after an unexpected error, which the report names."""
        try:
            return await work()
        except StoreError:
            raise
        except Exception as error:  # as above
            _logger.exception("%s cannot be analysed", task.path)
            self._settle(task, _unforeseen(task.path, error))
            return None

    def _settle(self, task: Task, report: FileReport) -> None:
        self._comparison.done(task)
        self._finish(report, task.found.size)
        self._settled.set()
        self._settled = anyio.Event()

    async def _tidy(self, paths: Sequence[Path], scanned: Sequence[Scanned]) -> None:
        """Remove files that are gone, and unused versions and images; `scanned` is what was found in `paths`."""
        maintenance, dry_run = self._ingestion.maintenance, self._options.dry_run
        roots, populated = await anyio.to_thread.run_sync(_places, paths, scanned)
        last, other_paths = await maintenance.gone(roots.keys())
        last = self._comparison.foreseen(last, other_paths)
        # Checked after the scan, because a disk may have been removed meanwhile.
        missing = await self._missing(paths)
        empty = roots.keys() - populated - missing
        if self._options.prune:
            for root in filter((with_parents(last) & empty).__contains__, roots):
                self._finish(FileReport(root, "failed", _EMPTY))
        if kept := empty | missing:
            last, other_paths = ([path for path in each if not is_below(path, kept)] for each in (last, other_paths))
        for path in last if self._options.prune else ():
            if (report := await maintenance.removed(path, dry_run=dry_run)) is not None:
                self._finish(report)
        if dry_run:
            return
        for path in other_paths:
            await maintenance.removed(path)
        await maintenance.sweep()


def _places(paths: Sequence[Path], scanned: Sequence[Scanned]) -> tuple[dict[str, None], Set[str]]:
    """Return the given paths in recorded form, and everything found in them with the folders above."""
    return dict.fromkeys(map(recorded_path, paths)), with_parents(recorded_path(each.path) for each in scanned)


def _unforeseen(path: str, error: Exception) -> FileReport:
    reason = f"An unexpected error occurred ({type(error).__name__}); see the log."
    return FileReport(path, "failed", reason, passing=True)
