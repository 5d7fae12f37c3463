"""The recorder: writes decisions about files as batches of events, and projects each batch immediately."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import anyio.to_thread

from backends.ports.errors import Conflict
from backends.ports.events import StreamName
from backends.ports.values import Micros
from toolsets.concept_rag.catalog import (
    Plan,
    PlanOutdated,
    forget,
    other_paths,
    plan_file,
    record_content,
    record_path,
    remove_path,
)
from toolsets.concept_rag.document import Content, Document, document_of
from toolsets.concept_rag.file_record import FileRefusal, refusal_of, refuse
from toolsets.concept_rag.numeric_ids import document_id_of
from toolsets.concept_rag.part import Part, PartsDropped, add_parts, begin, drop_version, parts_of
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import CONTENTS, PATHS, document_stream, file_stream
from toolsets.concept_rag.vocabulary import ConceptEntry, record_concepts
from toolsets.concurrency import run_cpu
from toolsets.sourcing.aggregate import Decision, Histories, History, NotLoaded
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext

if TYPE_CHECKING:
    from toolsets.concept_rag.pipeline.analysis import Analysed

PARTS_AT_ONCE: Final = 4
"""Parts per batch: about 200 passages, whose projection takes a fraction of a second."""
_ATTEMPTS: Final = 10
"""An attempt fails only if another process records the same file or content meanwhile."""

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Known:
    """The catalog's state for a file."""

    plan: Plan
    refusal: FileRefusal | None
    others: tuple[str, ...]
    """The other paths of the document that the path belongs to."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of recording a file; `content` is None if another path had the content recorded already."""

    plan: Plan
    content: Content | None
    indexed: bool
    """Whether every store has the document."""


class Recorder:
    """Writes to the catalog of one toolset. Every method raises the log's errors, and has then written nothing."""

    def __init__(self, rag: ConceptRag, tool: str) -> None:
        """`tool` is the name of the cause in events."""
        self._writes = rag.sourced.writes
        self._live_stores = rag.live_stores
        self._context = CallContext(tool)

    async def known(self, path: str, content_hash: str) -> Known:
        """Return the catalog's state for a file with this content."""

        def decide(histories: Histories) -> Decision[Known]:
            refusal = refusal_of(histories[file_stream(path)])
            return Decision(Known(plan_file(histories, path, content_hash), refusal, other_paths(histories, path)))

        return (await self._write(decide, path, content_hash)).value

    async def decided(self, files: Mapping[str, str]) -> Mapping[str, Known]:
        """Return the catalog's state for the files that need no parsing; `files` has hashes by path.

        These are files whose documents already have their content, and refused files that no document has.
        """
        streams = [stream for path, content_hash in files.items() for stream in _own_streams(path, content_hash)]
        loaded = await self._histories(streams)
        refused = await run_cpu(partial(_refused, loaded, files), size=len(streams))
        # Their plans need the documents whose ids follow from the hashes; other files do not, which saves reading them.
        loaded |= await self._histories([document_stream(document_id_of(files[path])) for path in refused])

        def decide() -> Mapping[str, Known]:
            histories = Histories(loaded)
            return {path: known for path, each in files.items() if (known := _decided(histories, path, each))}

        return await run_cpu(decide, size=len(streams))

    async def _histories(self, streams: Sequence[StreamName]) -> dict[StreamName, History]:
        if not streams:
            return {}
        return await self._live_stores.read_streams(streams)

    async def document(self, catalog_id: int) -> Document | None:
        """Return a document, forgotten or not; None if it never existed."""
        stream = document_stream(catalog_id)
        return document_of((await self._live_stores.read_streams((stream,)))[stream])

    async def owner(self, path: str) -> int | None:
        """Return the id of the document that a path belongs to, or None."""
        stream = PATHS.stream((path,))
        owner = PATHS.holder((await self._live_stores.read_streams((stream,)))[stream])
        return None if owner is None else int(owner)

    async def owned(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the paths that belong to a document."""
        streams = {PATHS.stream((path,)): path for path in paths}
        if not streams:
            return frozenset()
        histories = await self._live_stores.read_streams([*streams])
        return frozenset(path for each, path in streams.items() if PATHS.holder(histories[each]))

    async def refuse(self, refusal: FileRefusal) -> None:
        """Record that a file cannot be ingested."""
        await self._writes.write(partial(refuse, refusal=refusal), self._context, streams=(file_stream(refusal.path),))

    async def join(self, path: str, content_hash: str) -> Plan:
        """Record another path of a document's content. Raises `PlanOutdated` if no document has the content any more."""
        decide = partial(record_path, path=path, content_hash=content_hash)
        return (await self._write(decide, path, content_hash)).value

    async def remove(self, path: str) -> Plan | None:
        """Record that a file is gone; return None if it had no document."""
        streams = (PATHS.stream((path,)), file_stream(path))
        return (await self._writes.write(partial(remove_path, path=path), self._context, streams=streams)).value

    async def forget(self, catalog_id: int) -> Document:
        """Forget a document. Raises `UnknownDocument`."""
        decide = partial(forget, catalog_id=catalog_id)
        return (await self._writes.write(decide, self._context, streams=(document_stream(catalog_id),))).value

    async def drop(self, token: str, *, begun_before: Micros) -> int:
        """Drop the parts of a version that no document uses; return their number."""
        decide = partial(drop_version, token=token, begun_before=begun_before)
        return (await self._writes.write(decide, self._context, streams=())).value

    async def record(self, path: str, analysed: "Analysed", moved_on: Collection[str]) -> Recorded:
        """Record a file's content: concepts, then parts, then the document; or add its path to an existing document.

        Raises `Conflict` after ten attempts that lost against other writers.
        """
        content_hash = analysed.prepared.document.sha256
        analysed, indexed = await self._concepts(analysed)
        for _ in range(_ATTEMPTS):
            decide = partial(plan_file, path=path, content_hash=content_hash, moved_on=moved_on)
            plan = (await self._write(lambda histories: Decision(decide(histories)), path, content_hash)).value  # noqa: B023
            try:
                if plan.action in ("keep", "join"):
                    return Recorded(await self.join(path, content_hash), None, indexed)
                content = await anyio.to_thread.run_sync(analysed.content, plan.catalog_id)
                indexed = await self._parts(analysed, content, plan.catalog_id) and indexed
                commit = partial(record_content, path=path, content=content, plan=plan, moved_on=moved_on)
                written = await self._write(commit, path, content_hash, analysed)
            except (PlanOutdated, PartsDropped):
                continue
            return Recorded(plan, content, indexed and written.indexed)
        raise Conflict(f"others recorded {path} at the same time", key=path)

    async def _concepts(self, analysed: "Analysed") -> "tuple[Analysed, bool]":
        """Record the new concepts; return the document without concepts whose id belongs to another concept."""
        entries = _entries(analysed)
        decide = partial(record_concepts, entries=entries)
        written = await self._writes.write(decide, self._context, streams=(), known_vectors=analysed.vectors)
        foreign = written.value
        return (analysed.without(foreign) if foreign else analysed), written.indexed

    async def _parts(self, analysed: "Analysed", content: Content, catalog_id: int) -> bool:
        """Add the missing parts of a version; return whether every store has them."""
        parts = parts_of(catalog_id, content.token, analysed.chunks)
        if not parts:
            return True
        await self._writes.write(partial(begin, parts=parts), self._context, streams=())
        indexed = True
        for start in range(0, len(parts), PARTS_AT_ONCE):
            some: Sequence[Part] = parts[start : start + PARTS_AT_ONCE]
            written = await self._writes.write(
                partial(add_parts, parts=some), self._context, streams=(), known_vectors=analysed.vectors
            )
            indexed = indexed and written.indexed
        return indexed

    async def _write(
        self,
        decide: Callable[[Histories], Decision[ValueT]],
        path: str,
        content_hash: str,
        analysed: "Analysed | None" = None,
    ) -> Written[ValueT]:
        # Read in one snapshot: a document that another run adds between two reads would seem to have other content.
        streams = (*_own_streams(path, content_hash), document_stream(document_id_of(content_hash)))
        known = None if analysed is None else analysed.vectors
        return await self._writes.write(decide, self._context, streams=streams, known_vectors=known)


def _own_streams(path: str, content_hash: str) -> tuple[StreamName, ...]:
    return PATHS.stream((path,)), CONTENTS.stream((content_hash,)), file_stream(path)


def _refused(loaded: Mapping[StreamName, History], files: Mapping[str, str]) -> Collection[str]:
    """Return the paths of the files that were refused with their present content."""
    refusals = {path: refusal_of(loaded[file_stream(path)]) for path in files}
    return [path for path, each in refusals.items() if each is not None and each.content_hash == files[path]]


def _decided(histories: Histories, path: str, content_hash: str) -> Known | None:
    try:
        plan = plan_file(histories, path, content_hash)
    except NotLoaded:
        return None  # the decision needs more than the claims
    refusal = refusal_of(histories[file_stream(path)])
    if refusal is None:
        return Known(plan, None, ()) if plan.action == "keep" else None
    return Known(plan, refusal, ()) if plan.action == "add" and plan.leaves is None else None


def _entries(analysed: "Analysed") -> list[ConceptEntry]:
    return [
        ConceptEntry(id=concept.id, name=concept.name, key=concept.key, gloss=analysed.glosses.get(concept.id, ""))
        for concept in analysed.concepts
    ]
