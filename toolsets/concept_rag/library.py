"""The tools' view of the library: documents, mentions and names, read from the graph, or the log while the graph fails."""

import logging
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from backends.kit.byte_cache import ByteCache
from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.filters import Eq, Filter, In
from backends.ports.graph import Graph, Node, Order
from backends.ports.values import MAX_PAGE, NodeId, RecordId
from backends.ports.vectors import Hit
from toolsets.clock import SECOND
from toolsets.concept_rag.catalog_index import CatalogIndex, catalog_index
from toolsets.concept_rag.categories import CategoryTree, category_tree
from toolsets.concept_rag.entries import DocumentEntry, MentionEntry, document_entry, mention_entry
from toolsets.concept_rag.errors import not_found, translate_to
from toolsets.concept_rag.part import MAX_CHUNKS
from toolsets.concept_rag.projections import CHUNKS, CONCEPT_NAMES, DOCUMENT, MENTION
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.search.query import of_unknown_words
from toolsets.concept_rag.search.scripts import UNRELATED, understands
from toolsets.concept_rag.streams import (
    DOCUMENTS,
    chunk_record,
    concept_node,
    concept_stream,
    document_node,
    document_stream,
    mention_node,
)
from toolsets.concurrency import gather_bounded, run_cpu
from toolsets.lexical_scores import LexicalRanking, lexical_ranking
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.projection_store import VectorStore
from toolsets.sourcing.reads import LIFETIME_S, CountCache

if TYPE_CHECKING:
    from backends.ports.vectors import Vector
    from toolsets.concept_rag.taxonomy.model import Taxonomy

MAX_NAMES: Final = 100_000
"""The most cached concept names, about 10 MB; a concept's name never changes."""
MAX_CONCEPT_VECTORS: Final = 10_000
"""The most cached concept vectors, about 16 MB."""
MAX_COMPLETE: Final = 10_000
"""The most document versions cached as complete."""
MAX_ENTRY_BYTES: Final = 16 * 2**20
"""The cache of recently read documents, about 4,000 of them."""
MAX_INDEXED: Final = 50_000
"""The catalog index is kept between calls up to this many documents, about 2 kB each."""

_COUNTED_AT_ONCE: Final = 200
"""The number of documents whose chunks are counted in one query."""
_SAMPLED: Final = 400
"""The number of sampled chunks: the share of a word in 15 % of the chunks is then right to within 4 %, in 19 of 20 samples."""
_SAMPLED_DOCUMENTS: Final = 500
"""The documents from which chunks are sampled: the first by id, which is a hash of the content."""
_LEAST_SAMPLE: Final = 300
"""With fewer sampled chunks of any kind no word counts as common: searching for every word then takes only milliseconds."""
_COMMON_SHARE: Final = 0.15
"""A word in at least this share of the chunks is common."""

_AS_UNKNOWN: Final = 0.999
"""The least cosine with unknown words of a text that the model takes for them."""

_logger = logging.getLogger(__name__)


class Library:
    """Reads of the toolset's stores, shared by the tools; a failure raises the documented error."""

    def __init__(self, rag: ConceptRag) -> None:
        self.rag = rag
        self.settings = rag.settings
        self._indexes: CountCache[CatalogIndex] = CountCache(rag.now)
        self._last_index = CatalogIndex()
        self._tree: CategoryTree | None = None
        self._common: Mapping[str, float] = {}
        self._sample = lexical_ranking(())
        self._sampled_until = 0
        self._names: dict[int, str] = {}
        self._entries = ByteCache[int, DocumentEntry](MAX_ENTRY_BYTES, lambda _, entry: entry.bytes)
        self._complete: OrderedDict[str, None] = OrderedDict()
        self._concept_vectors: OrderedDict[int, Vector] = OrderedDict()
        self._concept_vectors_of = ""
        self._understands: bool | None = None

    async def graph(self) -> Graph:
        """Return the live graph. Raises `ToolError` while it is unavailable."""
        with store_errors(translate_to("DATABASE_ERROR", "Opening the graph")):
            return (await self.rag.live_stores.graph()).graph

    def reading(self, during: str) -> AbstractContextManager[None]:
        """Convert failures of the graph or the log inside the block; after one, the graph is reopened before its next use."""
        return self.rag.sourced.using("graph", translate_to("DATABASE_ERROR", during))

    async def vectors(self) -> VectorStore:
        """Return the live vector store. Raises `ToolError` while it is unavailable."""
        with store_errors(translate_to("SEARCH_ERROR", "Opening the vectors")):
            return await self.rag.live_stores.vectors()

    def searching(self, during: str) -> AbstractContextManager[None]:
        """Convert failures of the vector store inside the block; after a failure it is reopened before its next use."""
        return self.rag.sourced.using("vectors", translate_to("SEARCH_ERROR", during))

    async def embed(self, text: str) -> "Vector":
        """Return the vector of a query; all zeros if the model knows no word of it. Raises `ToolError`.

        The model gives such a query, for example "ქართული", the vector of any other unknown words, and of texts that consist of
        them.
        """
        with store_errors(translate_to("SEARCH_ERROR", "Embedding the query")):
            vector = await self.rag.sourced.embed(text)
            if text.isascii() or any(point.isascii() and point.isalnum() for point in text):
                return vector
            unknown = await self.rag.sourced.embed(of_unknown_words(text))
        return vector * 0 if float(vector @ unknown) > _AS_UNKNOWN else vector

    async def understands_other_scripts(self) -> bool:
        """Return whether the model understands Russian and Chinese; computed once. Raises `ToolError`."""
        if self._understands is None:
            pairs = [(await self.embed(one), await self.embed(other)) for one, other in UNRELATED]
            self._understands = understands(pairs)
        return self._understands

    async def nearest(
        self, collection: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Return the records nearest to the vector of a query, best first; none if it is all zeros. Raises the store's errors."""
        if not vector.any():
            return []
        store = await self.vectors()
        return await store.vectors.dense(collection, vector, k, where=where, min_score=min_score)

    async def categories(self) -> CategoryTree:
        """Return the categories with their documents; they are reloaded after a document was recorded or forgotten."""
        index = await self._index()
        if self._tree is None or self._tree.index is not index:
            self._tree = category_tree(index, self._taxonomy())
        return self._tree

    def _taxonomy(self) -> "Taxonomy | None":
        from toolsets.concept_rag.taxonomy.model import TaxonomyError

        try:
            return self.rag.taxonomy
        except TaxonomyError as error:
            _logger.warning("only categories of documents are shown, the taxonomy cannot be used: %s", error)
            return None

    async def _index(self) -> CatalogIndex:

        async def count(graph: Graph) -> CatalogIndex:
            index = await catalog_index(graph, self._last_index)
            self._last_index = index if len(index.documents) <= MAX_INDEXED else CatalogIndex()
            return index

        with self.reading("Reading the catalog"):
            return await self.rag.sourced.cached_count(self._indexes, DOCUMENTS, count)

    async def documents(self, ids: Iterable[int]) -> Mapping[int, DocumentEntry]:
        """Return the live documents among `ids`, in their order.

        Cached documents are reused while their revision is unchanged, because a search has dozens of candidates.
        """
        wanted = {document_node(id_): id_ for id_ in ids}
        found = await self._unchanged(wanted)
        streams = {node: document_stream(id_) for node, id_ in wanted.items() if id_ not in found}
        if streams:
            for entry in map(document_entry, (await self._nodes(streams, "Reading the documents")).values()):
                found[entry.catalog_id] = entry
                self._entries.put(entry.catalog_id, entry)
        return {id_: found[id_] for id_ in wanted.values() if id_ in found}

    async def live_documents(
        self, ids: Iterable[int], searched: Collection[int]
    ) -> tuple[Mapping[int, DocumentEntry], frozenset[str]]:
        """Return the live documents among `ids`, and the tokens of those in `searched` that are completely indexed."""
        found = await self.documents(ids)
        return found, await self.complete([found[id_] for id_ in searched if id_ in found])

    async def _unchanged(self, wanted: Mapping[NodeId, int]) -> dict[int, DocumentEntry]:
        """Return the cached documents whose revision is unchanged; none while the graph fails."""
        known = {node: entry for node, id_ in wanted.items() if (entry := self._entries.get(id_)) is not None}
        if not known:
            return {}
        try:
            revisions = await (await self.rag.live_stores.graph()).graph.node_revisions(known.keys())
        except StoreError:  # reading the other documents then raises the error
            return {}
        return {entry.catalog_id: entry for node, entry in known.items() if revisions.get(node) == entry.rev}

    async def document(self, catalog_id: int) -> DocumentEntry:
        """Return a document. Raises `ToolError` if no document has this id."""
        found = await self.documents((catalog_id,))
        if catalog_id not in found:
            raise not_found("document", "catalog_id", catalog_id)
        return found[catalog_id]

    async def mentions(self, pairs: Iterable[tuple[int, int]]) -> Sequence[MentionEntry]:
        """Return the mentions for pairs of document and concept ids; pairs without a mention are left out."""
        streams = {mention_node(catalog, concept): document_stream(catalog) for catalog, concept in pairs}
        return [*map(mention_entry, (await self._nodes(streams, "Reading the concepts of documents")).values())]

    async def mentions_of(self, concept_id: int, limit: int | None = None) -> Sequence[MentionEntry]:
        """Return all mentions of a concept, most salient first, ties by document.

        With `limit`, from 1 to 1,000, only that many are read.
        """
        order = (Order("score", descending=True), Order("catalog"))
        where = Eq("concept", concept_id)
        if limit is None:
            return [mention_entry(node) async for node in self.found(MENTION, where, order)]
        graph = await self.graph()
        with self.reading("Reading the documents of a concept"):
            page = await graph.find(MENTION, where, order=order, limit=limit)
        return [*map(mention_entry, page.items)]

    async def documents_naming(self, concept_ids: Collection[int]) -> Mapping[int, int]:
        """Return the number of documents that mention each of at most 1,000 concepts; unmentioned concepts are left out."""
        if not concept_ids:
            return {}
        graph = await self.graph()
        with self.reading("Counting the documents of concepts"):
            groups = await graph.count_nodes(MENTION, by=("concept",), where=In("concept", tuple(concept_ids)))
        return {int(str(group.key[0])): group.count for group in groups}

    async def documents_count(self) -> int:
        """Return the number of documents in the library."""
        graph = await self.graph()
        with self.reading("Counting the documents"):
            groups = await graph.count_nodes(DOCUMENT)
        return sum(group.count for group in groups)

    async def found(
        self, kind: str, where: Filter | None, order: Sequence[Order] = (), page_size: int = MAX_PAGE
    ) -> AsyncIterator[Node]:
        """Yield the matching nodes of a kind, in order, reading a page at a time."""
        graph = await self.graph()
        after: str | None = None
        while True:
            with self.reading("Reading the graph"):
                page = await graph.find(kind, where, order=order, after=after, limit=page_size)
            for node in page.items:
                yield node
            if (after := page.after) is None:
                return

    async def names(self, ids: Collection[int]) -> Mapping[int, str]:
        """Return the names of concepts; concepts that were never recorded are left out."""
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in self._names]
        if missing:
            streams = {concept_node(id_): concept_stream(id_) for id_ in missing}
            nodes = await self._nodes(streams, "Reading the names of concepts")
            if len(self._names) + len(nodes) > MAX_NAMES:
                kept = {id_: self._names[id_] for id_ in ids if id_ in self._names}
                self._names = kept
            self._names |= {int(str(node.fields["concept"])): str(node.fields["name"]) for node in nodes.values()}
        return {id_: self._names[id_] for id_ in ids if id_ in self._names}

    async def definitions(self, ids: Collection[int]) -> Mapping[int, str]:
        """Return the recorded WordNet definitions of concepts; concepts without one are left out."""
        if not ids:
            return {}
        streams = {concept_node(id_): concept_stream(id_) for id_ in ids}
        nodes = await self._nodes(streams, "Reading the definitions of concepts")
        return {
            int(str(node.fields["concept"])): gloss for node in nodes.values() if (gloss := str(node.props["gloss"]))
        }

    async def concept_vectors(self, ids: Collection[int]) -> "Mapping[int, Vector]":
        """Return the vectors of the concepts' names and glosses; concepts that were never recorded are left out.

        The cache holds for one generation of the vector store: the passages for one question name hundreds of concepts.
        """
        store = await self.vectors()
        if self._concept_vectors_of != store.incarnation:
            self._concept_vectors.clear()
            self._concept_vectors_of = store.incarnation
        known = self._concept_vectors
        missing = {RecordId(concept_node(id_)): id_ for id_ in ids if id_ not in known}
        found = {id_: known[id_] for id_ in ids if id_ in known}
        with self.searching("Reading the concepts"):
            records = await store.vectors.get(CONCEPT_NAMES, [*missing])
        found |= {missing[record_id]: record.vector for record_id, record in records.items()}
        if store.incarnation == self._concept_vectors_of:
            for id_, vector in found.items():
                known[id_] = vector
                known.move_to_end(id_)
            while len(known) > MAX_CONCEPT_VECTORS:
                known.popitem(last=False)
        return found

    async def complete(self, documents: Collection[DocumentEntry]) -> frozenset[str]:
        """Return the tokens of the documents whose chunks are all in the vector store; once complete, a version stays complete.

        A document is searchable only once it is complete, even while the vector store lags behind the log.
        """
        unknown = [entry for entry in documents if entry.token not in self._complete]
        groups = [unknown[start : start + _COUNTED_AT_ONCE] for start in range(0, len(unknown), _COUNTED_AT_ONCE)]
        for group in groups:
            # No document has more chunks than it records, so an equal sum shows that every document is complete.
            if (await self._indexed(group)) >= sum(entry.chunks for entry in group):
                self._complete |= dict.fromkeys(entry.token for entry in group)
                continue
            counts = await gather_bounded([partial(self._indexed, (entry,)) for entry in group])
            for entry, count in zip(group, counts, strict=True):
                if count >= entry.chunks:
                    self._complete[entry.token] = None
                else:
                    _logger.debug("%d of %d chunks of document %d are indexed", count, entry.chunks, entry.catalog_id)
        while len(self._complete) > MAX_COMPLETE + len(documents):
            self._complete.popitem(last=False)
        return frozenset(entry.token for entry in documents if entry.token in self._complete)

    async def _indexed(self, documents: Collection[DocumentEntry]) -> int:
        """Return the number of chunks of at most 200 documents that the vector store has."""
        # A token belongs to one document, and counting by token alone is served by an index.
        tokens = tuple(entry.token for entry in documents)
        store = (await self.vectors()).vectors
        with self.searching("Counting chunks"):
            return await store.count(CHUNKS, In("token", tokens))

    async def common_words(self) -> Mapping[str, float]:
        """Return the stems of common words with their share of a sample of chunks; cached for five minutes.

        The result is empty for a small library.
        """
        await self.sampled_chunks()
        return self._common

    async def sampled_chunks(self) -> LexicalRanking:
        """Return the statistics of a sample of chunks, the same for the same library; cached for five minutes.

        The sample is empty for a small library.
        """
        if self.rag.now() >= self._sampled_until:
            graph, store = await self.graph(), await self.vectors()
            with self.reading("Sampling the documents"):
                page = await graph.find(DOCUMENT, limit=_SAMPLED_DOCUMENTS)
            with self.searching("Sampling the chunks"):
                texts = await _sample([*map(document_entry, page.items)], store)
            self._sample = await run_cpu(partial(lexical_ranking, texts), size=len(texts))
            self._common = await run_cpu(partial(_common_words, self._sample), size=len(texts))
            self._sampled_until = self.rag.now() + LIFETIME_S * SECOND
        return self._sample

    async def _nodes(self, streams: Mapping[NodeId, StreamName], during: str) -> Mapping[NodeId, Node]:
        with self.reading(during):
            return await self.rag.sourced.nodes(streams)


async def _sample(documents: Sequence[DocumentEntry], store: VectorStore) -> Sequence[str]:
    """Return the texts of chunks at equal distances in the bodies of the documents, the same from every engine.

    There are none if the documents have few chunks, or few are indexed.
    """
    ends = [*accumulate(entry.chunks for entry in documents)]
    total = ends[-1] if ends else 0
    size = min(total, _SAMPLED)
    ids: list[RecordId] = []
    for place in range(size):
        number = place * total // size
        document = bisect_right(ends, number)
        within = number - (ends[document - 1] if document else 0)
        # A part of very long chunks has fewer, so some ids name no record.
        ids.append(chunk_record(documents[document].token, *divmod(within, MAX_CHUNKS)))
    records = await store.vectors.get(CHUNKS, ids)
    if len(records) < _LEAST_SAMPLE:
        return []
    return [record.text for record in records.values() if record.fields["kind"] == "body"]


def _common_words(sample: LexicalRanking) -> Mapping[str, float]:
    holders = Counter(chain.from_iterable(text.counts for text in sample.texts))
    size = len(sample.texts)
    return {word: count / size for word, count in holders.items() if count >= _COMMON_SHARE * size}
