"""The document aggregate: the facts in its events, and the state folded from them. All functions are pure."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from backends.ports.values import Micros
from toolsets.concept_rag.ingestion.document import Format, VisualType
from toolsets.concept_rag.streams import document_stream
from toolsets.sourcing.aggregate import Histories, History, UnreadableEvent, event_data

ADDED = "concept_rag.document_added"
UPDATED = "concept_rag.document_updated"
FORGOTTEN = "concept_rag.document_forgotten"
PATH_ADDED = "concept_rag.path_added"
PATH_REMOVED = "concept_rag.path_removed"

Role: TypeAlias = Literal["primary", "related"]


class UnknownDocument(Exception):
    """No live document has this id."""

    def __init__(self, catalog_id: int) -> None:
        super().__init__(catalog_id)
        self.catalog_id = catalog_id


class _FactData(BaseModel):
    model_config = ConfigDict(frozen=True)


class ConceptFact(_FactData):
    """A concept of a document."""

    id: int
    name: str
    key: str
    """The normal form of the name."""
    role: Role
    score: float
    chunks: int
    """The number of chunks that name it."""
    pages: tuple[int, ...]
    """The first pages on which it is named, ascending."""
    related: tuple[tuple[int, float], ...] = ()
    """Indexes in the document's list of concepts, with scores from 0 to 1, best first."""


class CategoryFact(_FactData):
    """A category as it was when the document was assigned to it, so that the document does not depend on the taxonomy."""

    id: int
    name: str
    description: str
    parent: str | None = None
    path: tuple[str, ...]
    """Names from the root to the category itself."""
    aliases: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


class VisualFact(_FactData):
    """A picture of a document."""

    id: int
    type: VisualType
    page: int
    description: str
    file: str
    """SHA-256 of the PNG file, under which the file is stored."""
    width: int
    height: int
    concepts: tuple[int, ...] = ()
    """Ids of the concepts named in the description and in the text around it."""
    seen: str = ""
    """A language model's description of the picture; also part of `description`."""
    seen_by: str = ""
    """The model's name."""


class Content(_FactData):
    """One version of a document, without its chunks."""

    content_hash: str
    """SHA-256 of the file's bytes."""
    token: str
    """The token of the version's parts, see `part.parts_of`."""
    format: Format
    title: str
    author: str = ""
    year: str = ""
    pages: int
    chunks: int
    summary: str
    concepts: tuple[ConceptFact, ...]
    categories: tuple[CategoryFact, ...]
    """At least one, best first."""
    visuals: tuple[VisualFact, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences about what could not be read."""

    @property
    def searched(self) -> str:
        """The text that is embedded for search: title, summary and primary concepts."""
        primary = ", ".join(concept.name for concept in self.concepts if concept.role == "primary")
        return f"{self.title}. {self.summary} {primary}"


class Edition(_FactData):
    """A document was added or updated: its content, and the path of the file that was read."""

    path: str
    content: Content


class PathFact(_FactData):
    """A document gained or lost a path."""

    path: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document after all its events; `content` is its latest content."""

    catalog_id: int
    content: Content
    paths: tuple[str, ...]
    """The paths of the files with its content, oldest first; empty once the document is forgotten."""
    added_at: Micros
    updated_at: Micros
    version: int
    live: bool
    ever_concepts: frozenset[int]
    ever_categories: frozenset[int]
    ever_visuals: frozenset[int]
    """The ids in all its versions; the stores delete those that the current version lacks."""


def document_of(history: History) -> Document | None:
    """Return the document of a stream, forgotten or not; None if there are no events. Raises `UnreadableEvent`."""
    state: Document | None = None
    for event in history:
        state = _evolve(state, event)
    return state


def live_document(histories: Histories, catalog_id: int) -> Document:
    """Return the document. Raises `UnknownDocument` if it does not exist or was forgotten."""
    document = document_of(histories[document_stream(catalog_id)])
    if document is None or not document.live:
        raise UnknownDocument(catalog_id)
    return document


def _evolve(state: Document | None, event: RecordedEvent) -> Document:
    match event.type:
        case "concept_rag.document_added" if state is None or not state.live:
            return _edited(_begun(event) if state is None else replace(state, added_at=event.at, paths=()), event)
        case "concept_rag.document_updated" if state is not None and state.live:
            return _edited(state, event)
        case "concept_rag.document_forgotten" if state is not None and state.live:
            return replace(state, live=False, paths=(), updated_at=event.at, version=event.version)
        case "concept_rag.path_added" if state is not None and state.live:
            return replace(state, paths=_with(state.paths, event_data(PathFact, event).path), version=event.version)
        case "concept_rag.path_removed" if state is not None and state.live:
            gone = event_data(PathFact, event).path
            paths = tuple(path for path in state.paths if path != gone)
            return replace(state, paths=paths, version=event.version)
        case _:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")


def _begun(event: RecordedEvent) -> Document:
    nothing: frozenset[int] = frozenset()
    return Document(
        catalog_id=int(event.stream.rpartition("/")[2][1:]),
        content=event_data(Edition, event).content,
        paths=(),
        added_at=event.at,
        updated_at=event.at,
        version=event.version,
        live=True,
        ever_concepts=nothing,
        ever_categories=nothing,
        ever_visuals=nothing,
    )


def _edited(state: Document, event: RecordedEvent) -> Document:
    edition = event_data(Edition, event)
    content = edition.content
    return replace(
        state,
        content=content,
        paths=_with(state.paths, edition.path),
        updated_at=event.at,
        version=event.version,
        live=True,
        ever_concepts=state.ever_concepts | {concept.id for concept in content.concepts},
        ever_categories=state.ever_categories | {category.id for category in content.categories},
        ever_visuals=state.ever_visuals | {visual.id for visual in content.visuals},
    )


def _with(paths: tuple[str, ...], path: str) -> tuple[str, ...]:
    return paths if path in paths else (*paths, path)
