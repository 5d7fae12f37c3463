"""Synthetic documents in the concept_rag tools: how they get there, and the calls that are measured.

Words are those of real manuals with their frequency, names are their nouns, alone and in pairs. Vectors are mixtures of those of
some names, so that a question about a name has near documents without every chunk being embedded.
"""

import hashlib
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, count
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from backends.ports.vectors import text_hash, unit_vector
from tests.bench.library.books import fetch
from tests.bench.questions import Question, always
from tests.bench.seed_data import CONTEXT, followed, open_stores
from toolsets.clock import system_now
from toolsets.concept_rag.document import CategoryFact, ConceptFact
from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture
from toolsets.concept_rag.ingestion.epub import parse_epub
from toolsets.concept_rag.names import normal_form
from toolsets.concept_rag.numeric_ids import concept_id_of, document_id_of
from toolsets.concept_rag.part import ChunkFact
from toolsets.concept_rag.pipeline.analysis import Analysed, Prepared, Visual
from toolsets.concept_rag.pipeline.pictures import store_pictures
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.streams import TOOLSET
from toolsets.concept_rag.taxonomy.model import Category, Taxonomy, load_taxonomy
from toolsets.concept_rag.vocabulary import ConceptEntry
from toolsets.concept_rag.wordnet import wordnet
from toolsets.spec import Services

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.embedder import Embedder
    from backends.ports.vectors import Vector

KEEP: Final = Path.home() / ".cache" / "entrepot-bench" / "library"
_BOOKS: Final = ("developers-reference.epub", "policy.epub", "debmake-doc.epub", "live-manual")
_LENGTHS: Final = (20, 60, 400, 110, 35)
"""Chunks of documents, in turn: a mean of 125."""
_NAMES: Final = 20_000
_CONCEPTS: Final = 60
"""Concepts of a document; of each chunk some eight."""
_EMBEDDED: Final = 1_500
"""Names whose vectors are real; the others have mixtures of those."""
_WORDS: Final = 140
_VISUALS: Final = 3
# A PNG of one pixel.
_PIXEL: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6360606000000004000"
    "1f61738550000000049454e44ae426082"
)


@dataclass(frozen=True, slots=True)
class Document:
    """A document to be made: its number and how many chunks it has."""

    number: int
    chunks: int

    @property
    def title(self) -> str:
        """Two of its names, and its number."""
        first, second = self.names[:2]
        return f"{first.capitalize()} and {second} {self.number}"

    @property
    def digest(self) -> str:
        """The hash of a file that nobody has."""
        return hashlib.sha256(self.title.encode()).hexdigest()

    @property
    def names(self) -> Sequence[str]:
        """Its concepts, the main ones first."""
        rng = random.Random(self.number)
        vocabulary = names()
        # The tenth name is in half of the documents, the thousandth in one of 150.
        places: set[int] = set()
        while len(places) < _CONCEPTS:
            places.add(int(len(vocabulary) ** rng.random()) - 1)
        return [vocabulary[place] for place in sorted(places, reverse=True)]


def documents(size: int) -> Sequence[Document]:
    """Return documents with that many chunks altogether."""
    made: list[Document] = []
    left = size
    while left:
        chunks = min(left, _LENGTHS[len(made) % len(_LENGTHS)])
        made.append(Document(len(made), chunks))
        left -= chunks
    return made


@cache
def frequencies() -> tuple[Sequence[str], Sequence[int]]:
    """Return the words of some manuals as they are written, with the running totals of their occurrences."""
    found: Counter[str] = Counter()
    files = fetch(KEEP)
    for book in _BOOKS:
        parsed = parse_epub(files[book], files[book].read_bytes())
        found.update(word for block in parsed.blocks for word in block.text.split())
    return tuple(found), tuple(accumulate(found.values()))


@cache
def names() -> Sequence[str]:
    """Return names for concepts, the most common first: nouns of the manuals, then pairs of them."""
    words, totals = frequencies()
    weights = {word: total - before for word, total, before in zip(words, totals, (0, *totals), strict=False)}
    nouns: Counter[str] = Counter()
    lexicon = wordnet()
    for word, weight in weights.items():
        if word.isascii() and word.isalpha() and word.islower() and len(word) > 3:
            usage = lexicon.usage(word)
            if usage is not None and usage.noun_share > 0.6:
                nouns[word] += weight
    single = [word for word, _ in nouns.most_common()]
    rng = random.Random(11)
    pairs = (" ".join(rng.sample(single[:800], 2)) for _ in range(2 * _NAMES))
    unique = {normal_form(name): name for name in reversed([*single, *pairs])}
    return [*reversed(unique.values())][:_NAMES]


class _Maker:
    """Makes documents with their vectors."""

    def __init__(self, base: "NDArray[numpy.float32]", taxonomy: Taxonomy) -> None:
        self._base = base
        self._taxonomy = taxonomy

    def made(self, document: Document, directory: Path) -> Analysed:
        """Return a document as the pipeline hands it to the recorder."""
        rng = random.Random(document.number)
        topics = document.names
        facts: list[ChunkFact] = []
        vectors: dict[str, Vector] = {}
        held: Counter[str] = Counter()
        for ordinal in range(document.chunks):
            some = rng.sample(topics, min(8, len(topics)))
            held.update(some)
            text = _text(rng, [*some, *rng.choices(topics, k=4)])
            page = 1 + ordinal // 3
            facts.append(
                ChunkFact(
                    ordinal=ordinal,
                    text=text,
                    page=page,
                    last_page=page,
                    kind="body" if ordinal % 10 else "front_matter",
                    headings=(),
                    concepts=tuple((concept_id_of(name), 0.02) for name in some),
                )
            )
            vectors[text_hash(text)] = self._near([*some[:2], topics[0]], ordinal + 1_000 * document.number)
        concepts = self._concepts(topics, held, vectors)
        made = self._analysed(document, directory, tuple(facts), concepts, vectors)
        content = made.content(1)
        vectors[text_hash(content.searched)] = self._near(topics[:3], document.number)
        return made

    def _analysed(
        self,
        document: Document,
        directory: Path,
        chunks: tuple[ChunkFact, ...],
        concepts: tuple[ConceptFact, ...],
        vectors: "dict[str, Vector]",
    ) -> Analysed:
        picture = Picture(_PIXEL, 1, "figure", "A figure", "", 1, 1)
        pages = chunks[-1].last_page
        parsed = ParsedDocument(
            "pdf", document.title, "Nobody", "2020", pages, (), (picture,) * _VISUALS, (), document.digest
        )
        bare, pictures = store_pictures(parsed, directory)
        visuals = tuple(
            Visual(stored, place, f"Figure {place}: {concepts[place].name}", (concepts[place].id,), seen="")
            for place, stored in enumerate(pictures)
        )
        rng = random.Random(document.number)
        categories = rng.choices(self._taxonomy.categories, cum_weights=_skewed(len(self._taxonomy.categories)), k=2)
        return Analysed(
            prepared=Prepared(Path(f"/library/{document.number}.pdf"), bare, pictures, (), ()),
            title=document.title,
            summary=_text(rng, document.names[:10]),
            concepts=concepts,
            chunks=chunks,
            categories=tuple({each.id: self._category(each) for each in categories}.values()),
            visuals=visuals,
            seen_by="",
            glosses={concept.id: wordnet().definition(concept.name, "n") for concept in concepts},
            notes=(),
            vectors=vectors,
        )

    def _concepts(
        self, topics: Sequence[str], held: Counter[str], vectors: "dict[str, Vector]"
    ) -> tuple[ConceptFact, ...]:
        lexicon = wordnet()
        facts: list[ConceptFact] = []
        for place, name in enumerate(topics):
            fact = ConceptFact(
                id=concept_id_of(name),
                name=name,
                key=normal_form(name),
                role="primary" if place < 15 else "related",
                score=round(1 / (1 + place), 4),
                chunks=held[name],
                pages=tuple(range(1, min(100, 1 + held[name]))),
                related=tuple((other, 0.5) for other in range(len(topics))[place + 1 : place + 6]),
            )
            facts.append(fact)
            entry = ConceptEntry(id=fact.id, name=name, key=fact.key, gloss=lexicon.definition(name, "n"))
            vectors[text_hash(entry.text)] = self._near([name], fact.id)
        return tuple(facts)

    def _near(self, some: Sequence[str], seed: int) -> "Vector":
        """Return a vector near those of some names."""
        import numpy

        drawn = cast("Vector", numpy.random.default_rng(seed).standard_normal(self._base.shape[1], dtype=numpy.float32))
        total = self._base[[base_of(name) for name in some]].sum(axis=0)
        return unit_vector(cast("Vector", total + numpy.float32(0.03) * drawn))

    def _category(self, category: Category) -> CategoryFact:
        return CategoryFact(
            id=category.id,
            name=category.name,
            description=category.description,
            parent=category.parent,
            path=self._taxonomy.path(category),
            aliases=category.aliases,
            related=category.related,
        )


def base_of(name: str) -> int:
    """Return which of the real vectors a name is near to."""
    return concept_id_of(name.split(maxsplit=1)[0]) % _EMBEDDED


@cache
def _skewed(number: int) -> Sequence[float]:
    return [*accumulate(1 / (1 + place) for place in range(number))]


def _text(rng: random.Random, some: Sequence[str]) -> str:
    """Return a text of words as frequent as in the manuals, with some names in it."""
    words, totals = frequencies()
    text = rng.choices(words, cum_weights=totals, k=_WORDS)
    for name in some:
        text.insert(rng.randrange(len(text)), name)
    return " ".join(text)


async def _vectors(model: "Embedder") -> "NDArray[numpy.float32]":
    """Return the vectors of the names that others are near to."""
    chosen = {base_of(name): name.split()[0] for name in reversed(names())}
    return await model.embed([chosen.get(place, names()[place]) for place in range(_EMBEDDED)])


async def fill_concept_rag(directory: Path, items: Sequence[Document]) -> Mapping[str, str]:
    """Store documents as the pipeline does; return their ids by title."""
    ids: dict[str, str] = {}
    async with open_stores(directory) as stores:
        services = Services(stores, system_now, random.SystemRandom(), ConceptRagSettings(), directory / TOOLSET)
        rag = ConceptRag(services)
        await rag.sourced.ready()
        maker = _Maker(await _vectors(await stores.embedder()), load_taxonomy(None))
        recorder = Recorder(rag, CONTEXT.tool)
        for document in items:
            ids[document.title] = str(document_id_of(document.digest))
            # What was interrupted goes on.
            if await recorder.document(document_id_of(document.digest)) is None:
                analysed = maker.made(document, directory / TOOLSET)
                await recorder.record(str(analysed.prepared.path), analysed, ())
        await followed(rag.sourced)
    return ids


class ConceptRagQuestions:
    """Endless arguments for each measured row of the concept_rag tools."""

    def __init__(self, items: Sequence[Document], ids: Mapping[str, str]) -> None:
        self._random = random.Random(7)
        self._items = items
        self._ids = ids
        self._taxonomy = load_taxonomy(None)
        # Another number in each run: data that stay for the next run have the names of the last one.
        self._numbers = count(time.time_ns() // 1_000)

    def rows(self) -> Mapping[str, Iterator[Question]]:
        """Return the rows in the order in which they are printed."""
        return {
            "ping": always("ping", {}),
            "catalog_search": self._searches("catalog_search"),
            "broad_chunks_search": self._searches("broad_chunks_search"),
            "chunks_search": self._within(),
            "concept_search": self._concepts(slice(0, 15)),
            "concept_search, everywhere": self._concepts(slice(-1, None)),
            "extract_concepts": self._extractions(),
            "source_concepts": self._sources("source_concepts"),
            "concept_sources": self._sources("concept_sources"),
            "category_search": self._categories("category_search", {}),
            "category_search, children": self._categories("category_search", {"includeChildren": True}),
            "list_categories": always("list_categories", {}),
            "list_concepts_in_category": self._categories("list_concepts_in_category", {}),
            "get_visuals": self._visuals(),
            "get_guidance": always("get_guidance", {}),
        }

    def new_text(self) -> str:
        """Return a question that no cache has seen."""
        one, other = self._document().names[1:3]
        words, totals = frequencies()
        some = " ".join(self._random.choices(words, cum_weights=totals, k=4))
        return f"How does the {one} change {some} of a {other}? {next(self._numbers)}"

    def _document(self) -> Document:
        return self._random.choice(self._items)

    def _searches(self, tool: str) -> Iterator[Question]:
        while True:
            yield tool, {"text": self.new_text()}

    def _within(self) -> Iterator[Question]:
        while True:
            yield "chunks_search", {"text": self.new_text(), "catalog_id": int(self._ids[self._document().title])}

    def _concepts(self, which: slice) -> Iterator[Question]:
        while True:
            yield "concept_search", {"concept": self._random.choice(self._document().names[which])}

    def _extractions(self) -> Iterator[Question]:
        while True:
            yield "extract_concepts", {"document_query": self.new_text()}

    def _sources(self, tool: str) -> Iterator[Question]:
        while True:
            yield tool, {"concept": self._document().names[:3]}

    def _categories(self, tool: str, more: Mapping[str, object]) -> Iterator[Question]:
        # The first ones of the taxonomy have most documents.
        while True:
            yield tool, {"category": self._random.choice(self._taxonomy.categories[:5]).name, **more}

    def _visuals(self) -> Iterator[Question]:
        while True:
            yield "get_visuals", {"catalog_id": int(self._ids[self._document().title])}
