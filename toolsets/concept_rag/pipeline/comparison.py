"""Comparison: decides by a file's hash and the catalog whether it must be parsed."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import anyio.to_thread

from toolsets.concept_rag.catalog import Plan, PlanOutdated
from toolsets.concept_rag.document import Document
from toolsets.concept_rag.file_record import FileRefusal
from toolsets.concept_rag.ingestion.document import FailureKind, NotADocument, SkipKind, Unreadable
from toolsets.concept_rag.ingestion.files import FoundFile, sha256_of
from toolsets.concept_rag.ingestion.formats import REVISION
from toolsets.concept_rag.pipeline.maintenance import Maintenance
from toolsets.concept_rag.pipeline.paths import file_path, recorded_path
from toolsets.concept_rag.pipeline.recorder import Known, Recorder
from toolsets.concept_rag.pipeline.report import FileReport

_PASSING: Final[frozenset[FailureKind | SkipKind]] = frozenset({"changed", "no_access", "not_parsed", "not_a_file"})
"""Causes that do not depend on the file's content; the next run retries the file."""

STAYS: Final = "The version ingested before stays in the library."
"""What the reason of a file that is no longer read adds."""
_MADE_AGAIN: Final = "The document's missing images are made again."
_NOT_MADE: Final = "Images of the document are missing, and its file gives others now: forget it, then ingest the file."

_TOGETHER: Final = 100
_TOGETHER_BYTES: Final = 64 * 2**20
"""A batch is looked up before its first file is parsed, so larger ones make a run begin later."""


@dataclass(frozen=True, slots=True)
class Task:
    """A file that must be parsed."""

    found: FoundFile
    path: str
    content_hash: str
    plan: Plan
    moved_on: frozenset[str]
    """Other paths of its document whose files no longer have the document's content."""


class Busy(Exception):
    """Another file with the same content is being ingested; this one must wait for it."""


class CatalogComparison:
    """Compares files with the catalog, one at a time."""

    def __init__(self, recorder: Recorder, maintenance: Maintenance, *, dry_run: bool) -> None:
        """If `dry_run`, nothing is written."""
        self._recorder = recorder
        self._maintenance = maintenance
        self._dry_run = dry_run
        self._under_way: dict[str, Task] = {}
        self._prefetched: dict[str, tuple[str, Known]] = {}
        """The hash and catalog state of unchanged and refused files, by path."""
        self._contents: defaultdict[str, set[str]] = defaultdict(set)
        """The paths that have each content in this run, by the content's hash."""
        self._removed: list[FileReport] = []
        self._incomplete: set[int] = set()
        """Documents with missing images, among those of the prefetched files."""
        self._shared_images: Collection[str] | None = None
        self._paths: dict[int, set[str]] = {}
        """In a dry run, the paths that documents which gain or lose one would have, by id."""

    async def prefetch(self, files: Sequence[FoundFile]) -> None:
        """Look up a batch of files before each is compared, which makes unchanged files fast."""
        hashes = await anyio.to_thread.run_sync(_hashes, files, abandon_on_cancel=True)
        for path, content_hash in hashes.items():
            self._contents[content_hash].add(path)
        decided = await self._recorder.decided(hashes)
        self._prefetched = {
            path: (hashes[path], known)
            for path, known in decided.items()
            if known.refusal is None or known.refusal.revision == REVISION
        }
        if kept := {known.plan.catalog_id for known in decided.values() if known.refusal is None}:
            if self._shared_images is None:
                self._shared_images = await self._maintenance.shared_images()
            self._incomplete = await self._maintenance.incomplete(kept, self._shared_images)

    async def compare(self, found: FoundFile) -> FileReport | Task:
        """Return the task of a file that must be parsed, or the report of another one and of every file in a dry run.

        Raises `Busy` and the log's errors.
        """
        path = recorded_path(found.path)
        if path in self._prefetched:
            return await self._compared(found, path, *self._prefetched.pop(path))
        try:
            content_hash = await anyio.to_thread.run_sync(sha256_of, found.path, abandon_on_cancel=True)
        except Unreadable as error:
            return FileReport(path, "failed", error.reason, passing=True)
        except NotADocument as error:
            return FileReport(path, "skipped", error.reason, passing=True)
        return await self._compared(found, path, content_hash)

    async def _compared(
        self, found: FoundFile, path: str, content_hash: str, known: Known | None = None
    ) -> FileReport | Task:
        if (first := self._under_way.get(content_hash)) is not None:
            if not self._dry_run:
                raise Busy(path)
            return FileReport(path, "unchanged", _same(first.path), first.plan.catalog_id)
        known = known or await self._recorder.known(path, content_hash)
        self._contents[content_hash].add(path)
        if (report := await self._known_report(path, content_hash, known)) is not None:
            return report
        task = await self._task(found, path, content_hash, known)
        self._under_way[content_hash] = task
        if not self._dry_run:
            return task
        if task.plan.action == "keep":
            return FileReport(path, "unchanged", _MADE_AGAIN, task.plan.catalog_id)
        return FileReport(path, "updated" if task.plan.action == "update" else "added", catalog_id=task.plan.catalog_id)

    async def completed(self, task: Task) -> FileReport:
        """Report an unchanged file that was parsed because images of its document were missing."""
        reason = _NOT_MADE if await self._maintenance.incomplete([task.plan.catalog_id]) else _MADE_AGAIN
        return FileReport(task.path, "unchanged", reason, task.plan.catalog_id)

    def done(self, task: Task) -> None:
        """Record that a file is no longer being ingested."""
        self._under_way.pop(task.content_hash, None)

    async def refused(self, task: Task, error: Unreadable | NotADocument) -> FileReport:
        """Report a file that a parser refused, and record the refusal unless its cause is outside the file."""
        status = "failed" if isinstance(error, Unreadable) else "skipped"
        if error.kind not in _PASSING and task.plan.action != "keep":
            refusal = FileRefusal(
                path=task.path,
                content_hash=task.content_hash,
                status=status,
                kind=error.kind,
                reason=error.reason,
                revision=REVISION,
            )
            await self._recorder.refuse(refusal)
        return FileReport(task.path, status, _with_former(error.reason, task.plan), passing=error.kind in _PASSING)

    async def _known_report(self, path: str, content_hash: str, known: Known) -> FileReport | None:
        plan, refusal = known.plan, known.refusal
        # Checked first: bytes refused for this path's ending may be a document under another ending.
        if refusal is not None and (refusal.content_hash, refusal.revision) == (content_hash, REVISION):
            return FileReport(path, refusal.status, _with_former(refusal.reason, plan))
        if plan.action == "keep" and refusal is None:
            if plan.catalog_id in self._incomplete:
                self._incomplete.remove(plan.catalog_id)
                return None
            first = await self._oldest(path, content_hash, plan.catalog_id)
            return FileReport(path, "unchanged", None if first == path else _same(first), plan.catalog_id)
        if plan.action in ("keep", "join"):
            former = None if plan.leaves is None else await self._recorder.document(plan.leaves)
            try:
                if not self._dry_run:
                    await self._recorder.join(path, content_hash)
            except PlanOutdated:
                return None
            if former is not None and self._left(former, path) == {path}:
                reason = "Its only file has the content of another document now."
                self._removed.append(FileReport(path, "removed", reason, former.catalog_id))
            return await self._joined(path, plan)
        return None

    async def _oldest(self, path: str, content_hash: str, catalog_id: int) -> str:
        """Return the oldest path of a document among those that have its content in this run."""
        found = self._contents[content_hash]
        document = await self._recorder.document(catalog_id) if len(found) > 1 else None
        return path if document is None else next((each for each in document.paths if each in found), path)

    def removed(self) -> Sequence[FileReport]:
        """Return the reports of the documents that the files compared since the last call have left, and which are gone."""
        removed, self._removed = self._removed, []
        return removed

    def foreseen(self, last: Sequence[str], other_paths: Sequence[str]) -> list[str]:
        """Return the last paths of documents that would be among these missing ones after a dry run.

        `last` are the last paths of documents now, and the result unless this is a dry run; `other_paths` are the other ones.
        """
        missing = {*last, *other_paths}
        ends = {path for paths in self._paths.values() if paths <= missing for path in paths}
        stays = {path for paths in self._paths.values() for path in paths} - ends
        return [*(path for path in last if path not in stays), *(path for path in other_paths if path in ends)]

    def _left(self, former: Document, path: str) -> Set[str]:
        """Return the paths of a document that a path leaves, including this one."""
        if not self._dry_run:
            return frozenset(former.paths)
        before = self._paths.get(former.catalog_id, set(former.paths))
        self._paths[former.catalog_id] = before - {path}
        return before

    async def _joined(self, path: str, plan: Plan) -> FileReport:
        """Report a file that has the content of a document."""
        document = await self._recorder.document(plan.catalog_id)
        if document is not None and self._dry_run:
            self._paths.setdefault(document.catalog_id, set(document.paths)).add(path)
        first = next((other for other in document.paths if other != path), None) if document else None
        if first is None:
            return FileReport(path, "unchanged", None, plan.catalog_id)
        return FileReport(path, "unchanged", _same(first), plan.catalog_id)

    async def _task(self, found: FoundFile, path: str, content_hash: str, known: Known) -> Task:
        if known.plan.leaves is None:
            return Task(found, path, content_hash, known.plan, frozenset())
        document = await self._recorder.document(known.plan.leaves)
        former = document.content.content_hash if document is not None else ""
        moved_on = await anyio.to_thread.run_sync(_without_content, known.others, former)
        plan = known.plan
        if moved_on >= set(known.others):
            plan = Plan("update", known.plan.leaves)
        elif document is not None:
            self._left(document, path)
        return Task(found, path, content_hash, plan, moved_on)


def together(files: Sequence[FoundFile]) -> Iterator[list[FoundFile]]:
    """Yield batches of files to look up together, small enough that the first file is soon compared."""
    some: list[FoundFile] = []
    size = 0
    for each in files:
        if some and (len(some) == _TOGETHER or size + each.size > _TOGETHER_BYTES):
            yield some
            some, size = [], 0
        some.append(each)
        size += each.size
    if some:
        yield some


def _same(path: str) -> str:
    return f"The same content as {path}."


def _with_former(reason: str, plan: Plan) -> str:
    """Return why a file is not ingested, and whether the library has an earlier version of it."""
    return f"{reason} {STAYS}" if plan.action in ("keep", "update") or plan.leaves is not None else reason


def _without_content(paths: Collection[str], content_hash: str) -> frozenset[str]:
    """Return the paths whose files do not have the given content."""
    return frozenset(path for path in paths if _hash_of(path) != content_hash)


def _hashes(files: Sequence[FoundFile]) -> Mapping[str, str]:
    """Return the hashes of the readable files, by path."""
    hashes: dict[str, str] = {}
    for found in files:
        with suppress(Unreadable, NotADocument):
            hashes[recorded_path(found.path)] = sha256_of(found.path)
    return hashes


def _hash_of(path: str) -> str | None:
    try:
        return sha256_of(file_path(path))
    except (Unreadable, NotADocument):
        return None
