"""Maintenance of the catalog: removes paths of missing files, unused versions and unused images."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path, PurePath
from typing import Final

import anyio.to_thread

from backends.ports.filters import Filter, In
from backends.ports.graph import Node
from backends.ports.values import Micros
from toolsets.clock import SECOND
from toolsets.concept_rag.pipeline.paths import is_below, is_gone
from toolsets.concept_rag.pipeline.pictures import SPARED_S, idle_pictures, missing_pictures, remove_pictures
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.pipeline.report import FileReport
from toolsets.concept_rag.pipeline.scratch import remove_old
from toolsets.concept_rag.projections import DOCUMENT, REFUSED_FILE, VERSION, VISUAL
from toolsets.concept_rag.runtime import ConceptRag

BEGUN_S: Final = 3_600
"""An unrecorded version older than this is dropped; a run that is still working on it adds its parts again."""
_PAGE: Final = 500
"""Records in memory at once."""
_MISSING_SHOWN: Final = 10
"""Examples for an operator; of a lost folder all images are missing."""


class Maintenance:
    """Removes unused data. Every method raises the stores' errors and may be repeated."""

    def __init__(self, rag: ConceptRag, recorder: Recorder) -> None:
        self._rag = rag
        self._recorder = recorder

    async def listed(self, kind: str) -> AsyncIterator[Node]:
        """Yield the nodes of a kind by id, reading a page at a time."""
        async for nodes in self._pages(kind):
            for node in nodes:
                yield node

    async def _pages(self, kind: str, where: Filter | None = None) -> AsyncIterator[Sequence[Node]]:
        after: str | None = None
        while True:
            graph = (await self._rag.live_stores.graph()).graph
            page = await graph.find(kind, where, after=after, limit=_PAGE)
            yield page.items
            if (after := page.after) is None:
                return

    async def gone(self, roots: Set[str]) -> tuple[list[str], list[str]]:
        """Return the recorded paths below `roots` whose files no longer exist.

        The first list has the last remaining paths of documents. The second has paths of documents with another file, and
        paths without a document.
        """
        last: list[str] = []
        other_paths: list[str] = []
        async for nodes in self._pages(DOCUMENT):
            paths = [_texts(node, "paths") for node in nodes]
            missing = await _missing([path for some in paths for path in some], roots)
            for some in paths:
                gone = [path for path in some if path in missing]
                (last if len(gone) == len(some) else other_paths).extend(gone)
        async for nodes in self._pages(REFUSED_FILE):
            other_paths.extend(await _missing([str(node.fields["path"]) for node in nodes], roots))
        known = set(last)
        return last, [path for path in dict.fromkeys(other_paths) if path not in known]

    async def removed(self, path: str, *, dry_run: bool = False) -> FileReport | None:
        """Record that a file is gone, and return its report; None if no document had it."""
        if dry_run:
            owner = await self._recorder.owner(path)
        else:
            plan = await self._recorder.remove(path)
            owner = None if plan is None else plan.catalog_id
        return None if owner is None else FileReport(path, "removed", catalog_id=owner)

    async def sweep(self) -> int:
        """Drop versions that no document uses, then images that no visual uses; return the number of versions."""
        begun_before = Micros(self._rag.now() - BEGUN_S * SECOND)
        dropped = 0
        for token in [str(node.id) async for node in self.listed(VERSION)]:
            dropped += bool(await self._recorder.drop(token, begun_before=begun_before))
        directory = self._rag.directory
        if directory is not None:
            await anyio.to_thread.run_sync(remove_old, directory)
            await self._remove_idle_pictures(directory)
        return dropped

    async def missing_images(self) -> Mapping[str, int]:
        """Return at most 10 missing files of visuals, paths or addresses in the object store, each with a document's id."""
        missing: dict[str, int] = {}
        if self._rag.directory is None:
            return missing
        async for nodes in self._pages(VISUAL):
            owners = {str(node.fields["file"]): int(str(node.fields["catalog"])) for node in nodes}
            missing |= {place: owners[PurePath(place).stem] for place in await self._missing_files(owners)}
            if len(missing) >= _MISSING_SHOWN:
                break
        return dict([*missing.items()][:_MISSING_SHOWN])

    async def shared_images(self) -> Collection[str]:
        """Return the digests of all files in the object store; nothing if images are only in the directory."""
        shared = self._rag.object_store
        return () if shared is None else await anyio.to_thread.run_sync(shared.stored)

    async def incomplete(self, catalog_ids: Collection[int], stored: Collection[str] = ()) -> set[int]:
        """Return the documents among `catalog_ids` that have a visual whose file is missing.

        There are at most 1,000 `catalog_ids`; `stored` are digests of files that are known to exist.
        """
        if self._rag.directory is None or not self._rag.settings.visuals or not catalog_ids:
            return set()
        found: set[int] = set()
        async for nodes in self._pages(VISUAL, In("catalog", tuple(catalog_ids))):
            unsure = {str(node.fields["file"]) for node in nodes}.difference(stored)
            missing = {PurePath(place).stem for place in await self._missing_files(unsure)}
            found.update(int(str(node.fields["catalog"])) for node in nodes if node.fields["file"] in missing)
        return found

    async def _missing_files(self, digests: Iterable[str]) -> Sequence[str]:
        """Return the paths, or the addresses in the object store, of the files that are missing."""
        directory, shared = self._rag.directory, self._rag.object_store
        if directory is None:
            return ()
        missing_among = partial(missing_pictures, directory) if shared is None else shared.missing
        return await anyio.to_thread.run_sync(missing_among, [*digests])

    async def _remove_idle_pictures(self, directory: Path) -> None:
        shared = self._rag.object_store
        batches = idle_pictures(directory, SPARED_S) if shared is None else shared.idle(SPARED_S)
        while (digests := await anyio.to_thread.run_sync(partial(next, batches, None))) is not None:
            shown: set[str] = set()
            async for nodes in self._pages(VISUAL, In("file", tuple(digests))):
                shown.update(str(node.fields["file"]) for node in nodes)
            idle = [digest for digest in digests if digest not in shown]
            await anyio.to_thread.run_sync(remove_pictures, directory, idle, SPARED_S)
            if shared is not None:
                await anyio.to_thread.run_sync(shared.remove, idle, SPARED_S)


async def _missing(paths: Sequence[str], roots: Set[str]) -> Collection[str]:
    """Return the recorded paths below the roots whose files certainly no longer exist, in order."""

    def gone() -> Collection[str]:
        return dict.fromkeys(path for path in paths if is_below(path, roots) and is_gone(path))

    return await anyio.to_thread.run_sync(gone)


def _texts(node: Node, prop: str) -> list[str]:
    texts = node.props.get(prop)
    return [str(text) for text in texts] if isinstance(texts, list | tuple) else []
