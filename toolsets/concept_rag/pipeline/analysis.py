"""Analysis of a parsed document: chunks, concepts, summary and categories, with the vectors of its texts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.chunks import Chunk, chunks_of
from toolsets.concept_rag.concepts import (
    Candidates,
    Concept,
    DocumentConcepts,
    Embed,
    candidates_of,
    document_phrases,
    find_concepts,
    preferring,
)
from toolsets.concept_rag.document import CategoryFact, ConceptFact, Content, VisualFact
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.files import display_name
from toolsets.concept_rag.mentions import ConceptMatcher, related_concepts
from toolsets.concept_rag.names import normal_form, words_of
from toolsets.concept_rag.numeric_ids import concept_id_of, visual_id_of
from toolsets.concept_rag.part import ChunkFact, version_token
from toolsets.concept_rag.phrases import Phrases
from toolsets.concept_rag.pipeline.description import Description
from toolsets.concept_rag.pipeline.document_vectors import Advance, DocumentVectors
from toolsets.concept_rag.pipeline.picture_descriptions import Seen
from toolsets.concept_rag.pipeline.pictures import StoredPicture, descriptions, store_pictures
from toolsets.concept_rag.sections import SectionKind, section_kinds
from toolsets.concept_rag.senses import definition_in
from toolsets.concept_rag.summary import summarise
from toolsets.concept_rag.taxonomy.assignment import CategoryAssignment, document_meaning, telling_terms
from toolsets.concept_rag.taxonomy.model import Category, Taxonomy
from toolsets.concurrency import run_beside

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

MAX_PAGES: Final = 100
"""The most pages of a document that are recorded for a concept."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A parsed document before embedding; its images are in files."""

    path: Path
    document: ParsedDocument
    pictures: tuple[StoredPicture, ...]
    kinds: Sequence[SectionKind]
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class _TextAnalysis:
    """What a document's text says without its vectors."""

    phrases: Phrases
    candidates: Candidates
    words: Sequence[Sequence[str]]
    """The words of each chunk in normal form."""
    counts: Mapping[str, int]
    """The count of each word in all chunks."""


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """What is known of a document once its chunks are embedded."""

    embedding: DocumentVectors
    vectors: "NDArray[numpy.float32]"
    """A row per chunk."""
    reading: _TextAnalysis


@dataclass(frozen=True, slots=True)
class Visual:
    """A picture with its description and concepts, and the number of equal pictures before it in the document."""

    stored: StoredPicture
    occurrence: int
    description: str
    concepts: tuple[int, ...]
    seen: str
    """A language model's description of it, or ""."""

    def fact(self, catalog_id: int, model: str) -> VisualFact:
        """Return the fact recorded for the visual in the document with this id; `model` is the model that described it."""
        picture = self.stored.picture
        return VisualFact(
            id=visual_id_of(str(catalog_id), self.stored.digest, self.occurrence),
            type=picture.visual_type,
            page=picture.page,
            description=self.description,
            file=self.stored.digest,
            width=picture.width,
            height=picture.height,
            concepts=self.concepts,
            seen=self.seen,
            seen_by=model if self.seen else "",
        )


@dataclass(frozen=True, slots=True)
class Analysed:
    """The analysed content of a document, independent of its id; `vectors` are by the hash of their text."""

    prepared: Prepared
    title: str
    summary: str
    concepts: tuple[ConceptFact, ...]
    chunks: tuple[ChunkFact, ...]
    categories: tuple[CategoryFact, ...]
    visuals: tuple[Visual, ...]
    seen_by: str
    """The language model that described some of the visuals, or ""."""
    glosses: Mapping[int, str]
    """The WordNet definition of each known concept, in the document's sense, by id."""
    notes: tuple[str, ...]
    vectors: "Mapping[str, Vector]"

    def content(self, catalog_id: int) -> Content:
        """Return the content of the document with this id. CPU-bound: run it in a thread."""
        document = self.prepared.document
        return Content(
            content_hash=document.sha256,
            token=version_token(catalog_id, self.chunks),
            format=document.format,
            title=self.title,
            author=document.author,
            year=document.year,
            pages=document.pages,
            chunks=len(self.chunks),
            summary=self.summary,
            concepts=self.concepts,
            categories=self.categories,
            visuals=tuple(visual.fact(catalog_id, self.seen_by) for visual in self.visuals),
            notes=self.notes,
        )

    def without(self, ids: Collection[int]) -> "Analysed":
        """Return a copy without the given concepts."""
        kept = [place for place, concept in enumerate(self.concepts) if concept.id not in ids]
        places = {former: place for place, former in enumerate(kept)}
        concepts = (
            self.concepts[former].model_copy(
                update={"related": tuple((places[at], by) for at, by in self.concepts[former].related if at in places)}
            )
            for former in kept
        )
        chunks = (
            chunk.model_copy(update={"concepts": tuple(each for each in chunk.concepts if each[0] not in ids)})
            for chunk in self.chunks
        )
        visuals = (
            replace(visual, concepts=tuple(each for each in visual.concepts if each not in ids))
            for visual in self.visuals
        )
        return replace(self, concepts=tuple(concepts), chunks=tuple(chunks), visuals=tuple(visuals))


def prepare(path: Path, document: ParsedDocument, directory: Path | None) -> Prepared:
    """Split a document into chunks and store its images. Blocks: run it in a thread.

    Raises `OSError` if an image cannot be stored.
    """
    bare, pictures = store_pictures(document, directory)
    kinds = section_kinds(bare.blocks)
    return Prepared(path, bare, pictures, kinds, chunks_of(bare, kinds))


async def embed_chunks(prepared: Prepared, embedding: DocumentVectors, advance: Advance) -> EmbeddedDocument:
    """Embed a document's chunks, which takes most of the time of ingesting it; its text is read in a thread meanwhile.

    Raises the embedder's errors.
    """
    embedded = partial(embedding.chunks, [chunk.text for chunk in prepared.chunks], advance)
    vectors, reading = await run_beside(embedded, partial(_read, prepared))
    return EmbeddedDocument(embedding, vectors, reading)


async def analyse(
    prepared: Prepared,
    embedded: EmbeddedDocument,
    assignment: CategoryAssignment,
    taxonomy: Taxonomy,
    *,
    description: Description | None = None,
    seen: Seen | None = None,
) -> Analysed:
    """Return a document's analysed content; all but the embedding of short texts runs in a thread.

    The parts of a language model's description replace those found offline, and its descriptions of pictures are
    appended to the captions.

    Raises the embedder's errors.
    """
    vectors, reading = embedded.vectors, embedded.reading

    async def work(embed: Embed) -> Analysed:
        document = prepared.document
        title = document.title or display_name(Path(prepared.path.stem))
        found = await find_concepts(reading.candidates, _meaning(prepared.chunks, vectors), embed)
        said = description or Description("")
        if said.concepts:
            found = preferring(found, said.concepts, reading.phrases)
        summary = said.summary or await summarise(document, prepared.kinds, prepared.chunks, vectors, embed)
        naming = _Naming(found)
        chunks = tuple(map(naming.chunk, count(), prepared.chunks, reading.words))
        concepts = tuple(naming.concepts(chunks, await embed([concept.name for concept in naming.known])))
        meaning = (await embed([document_meaning(title, summary, found.primary)]))[0]
        categories = said.categories or assignment.assign(meaning, found.primary, telling_terms(reading.phrases))
        return Analysed(
            prepared,
            title,
            summary,
            concepts,
            chunks,
            tuple(_category(category, taxonomy) for category in categories),
            tuple(naming.visuals(prepared.pictures, title, seen.texts if seen else {})),
            seen.model if seen else "",
            naming.glosses(reading.counts),
            tuple(note for note in (*document.notes, found.note, *_models_notes(prepared, description, seen)) if note),
            embedded.embedding.known,
        )

    return await embedded.embedding.in_thread(work)


def _read(prepared: Prepared) -> _TextAnalysis:
    words = [words_of(chunk.text) for chunk in prepared.chunks]
    phrases = document_phrases(prepared.document, prepared.kinds)
    return _TextAnalysis(phrases, candidates_of(phrases), words, Counter(chain.from_iterable(words)))


def _models_notes(prepared: Prepared, description: Description | None, seen: Seen | None) -> Iterator[str]:
    """Yield the report's sentences about the language model's part."""
    if description is not None:
        yield description.note
    if seen is not None:
        yield seen.note(prepared.pictures)


def _meaning(chunks: Sequence[Chunk], vectors: "NDArray[numpy.float32]") -> "NDArray[numpy.float32]":
    """Return the mean vector of the body's chunks, of all chunks if there is no body, or zeros if there are no chunks."""
    import numpy

    body = [place for place, chunk in enumerate(chunks) if chunk.kind == "body"] or list(range(len(chunks)))
    share = numpy.zeros(len(chunks), dtype=numpy.float32)
    share[body] = 1 / max(1, len(body))
    return share @ vectors


class _Naming:
    """The concepts of a document with their ids, and the chunks and pages that name them."""

    def __init__(self, found: DocumentConcepts) -> None:
        ids: dict[int, Concept] = {}
        for concept in found.all:
            # Two spellings that the document separates may share an id; the higher-scored one is used.
            ids.setdefault(concept_id_of(concept.name), concept)
        self._by_id = ids
        self.known = tuple(ids.values())
        self._ids = {concept.key: number for number, concept in ids.items()}
        self._primary = {concept.key for concept in found.primary}
        self._matcher = ConceptMatcher(self.known)

    def chunk(self, ordinal: int, chunk: Chunk, words: Sequence[str]) -> ChunkFact:
        """Return the fact of a chunk with its concepts; `words` are its words in normal form."""
        mentions = self._matcher.find_in(words)
        return ChunkFact(
            ordinal=ordinal,
            text=chunk.text,
            page=chunk.page,
            last_page=chunk.last_page,
            kind=chunk.kind,
            headings=chunk.headings,
            concepts=tuple((self._ids[mention.concept.key], round(mention.density, 4)) for mention in mentions),
            start=chunk.start,
            end=chunk.end,
        )

    def concepts(self, chunks: Sequence[ChunkFact], vectors: "NDArray[numpy.float32]") -> Iterator[ConceptFact]:
        """Yield the concepts with chunk counts, pages and related concepts; `vectors` are those of their names."""
        keys = {self._ids[concept.key]: concept.key for concept in self.known}
        counts: Counter[int] = Counter()
        pages: defaultdict[int, set[int]] = defaultdict(set)
        for chunk in chunks:
            for number, _ in chunk.concepts:
                counts[number] += 1
                pages[number].add(chunk.page)
        passages = [[keys[number] for number, _ in chunk.concepts] for chunk in chunks]
        related = related_concepts(self.known, passages, vectors) if self.known else {}
        places = {concept.key: place for place, concept in enumerate(self.known)}
        for concept in self.known:
            number = self._ids[concept.key]
            yield ConceptFact(
                id=number,
                name=concept.name,
                key=normal_form(concept.name),
                role="primary" if concept.key in self._primary else "related",
                score=round(concept.score, 4),
                chunks=counts[number],
                pages=tuple(sorted(pages[number])[:MAX_PAGES]),
                related=tuple((places[each.concept.key], round(each.score, 4)) for each in related[concept.key]),
            )

    def glosses(self, counts: Mapping[str, int]) -> Mapping[int, str]:
        """Return the WordNet definitions of the concepts, in the sense that fits the document's words."""
        found = {id_: definition_in(concept.name, counts) for id_, concept in self._by_id.items()}
        return {id_: gloss for id_, gloss in found.items() if gloss}

    def visuals(self, pictures: Sequence[StoredPicture], title: str, seen: Mapping[str, str]) -> Iterator[Visual]:
        """Yield the pictures with the concepts named in their descriptions and in the text around them."""
        for stored, occurrence, description in descriptions(pictures, title, seen):
            picture, described = stored.picture, seen.get(stored.digest, "")
            mentions = self._matcher.find(f"{picture.caption}\n{picture.context}\n{picture.nearby_text}\n{described}")
            concepts = tuple(self._ids[each.concept.key] for each in mentions)
            yield Visual(stored, occurrence, description, concepts, described)


def _category(category: Category, taxonomy: Taxonomy) -> CategoryFact:
    return CategoryFact(
        id=category.id,
        name=category.name,
        description=category.description,
        parent=category.parent,
        path=taxonomy.path(category),
        aliases=category.aliases,
        related=category.related,
    )
