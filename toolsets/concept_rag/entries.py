"""Entries: documents, mentions and visuals as the tools use them, parsed from graph nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sys import getsizeof
from typing import cast

from backends.ports.graph import Node
from backends.ports.values import Json, Revision
from toolsets.concept_rag.document import CategoryFact, Role
from toolsets.concept_rag.ingestion.document import VisualType


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document of the catalog, parsed from its node."""

    catalog_id: int
    rev: Revision
    title: str
    author: str
    """Empty if unknown, as is `year`."""
    year: str
    path: str
    hash: str
    token: str
    """The token of the version whose chunks are current."""
    chunks: int
    summary: str
    primary: tuple[str, ...]
    related: tuple[str, ...]
    """Names of concepts, best first, as are `primary`."""
    categories: tuple[str, ...]
    category_ids: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """The approximate memory use."""
        texts = (self.title, self.author, self.path, self.summary, *self.primary, *self.related, *self.categories)
        return 1_000 + sum(map(getsizeof, texts)) + 8 * len(texts)

    @property
    def searched(self) -> str:
        """The text matched with the words of a query; the title is also scored on its own."""
        return "\n".join((self.title, self.summary, ", ".join((*self.primary, *self.related)), *self.categories))


@dataclass(frozen=True, slots=True)
class MentionEntry:
    """A mention of a concept in a document."""

    catalog_id: int
    concept_id: int
    name: str
    role: Role
    score: float
    chunks: int
    """The number of the document's chunks that name the concept."""
    pages: tuple[int, ...]
    related: tuple[tuple[int, str, float], ...]
    """Id, name and score of the related concepts in this document, best first."""


@dataclass(frozen=True, slots=True)
class VisualEntry:
    """A visual of a document."""

    id: int
    catalog_id: int
    type: VisualType
    page: int
    file: str
    description: str
    concepts: tuple[int, ...]


def document_entry(node: Node) -> DocumentEntry:
    """Return the document of a node."""
    fields = node.fields
    return DocumentEntry(
        catalog_id=_whole(node, "catalog"),
        rev=node.rev,
        title=_text(node, "title"),
        author=_text(node, "author"),
        year=_text(node, "year"),
        path=_text(node, "path"),
        hash=_text(node, "hash"),
        token=_text(node, "token"),
        chunks=_whole(node, "chunks"),
        summary=str(node.props.get("summary", "")),
        primary=_texts(node.props.get("primary")),
        related=_texts(node.props.get("related")),
        categories=_texts(node.props.get("categories")),
        category_ids=_ids(fields.get("categories")),
    )


def mention_entry(node: Node) -> MentionEntry:
    """Return the mention of a node."""
    relatives = cast("Sequence[Mapping[str, Json]]", node.props.get("related") or ())
    return MentionEntry(
        catalog_id=_whole(node, "catalog"),
        concept_id=_whole(node, "concept"),
        name=_text(node, "name"),
        role="primary" if node.fields.get("role") == "primary" else "related",
        score=float(cast("float", node.fields.get("score", 0.0))),
        chunks=_whole(node, "chunks"),
        pages=tuple(cast("Sequence[int]", node.props.get("pages") or ())),
        related=tuple(
            (cast("int", each["id"]), str(each["name"]), float(cast("float", each["score"]))) for each in relatives
        ),
    )


def category_fact(node: Node) -> CategoryFact:
    """Return the category of a document's membership."""
    return CategoryFact.model_validate({**node.props, "id": _whole(node, "category"), "name": _text(node, "name")})


def visual_entry(node: Node) -> VisualEntry:
    """Return the visual of a node."""
    return VisualEntry(
        id=_whole(node, "visual"),
        catalog_id=_whole(node, "catalog"),
        type=cast("VisualType", node.fields["type"]),
        page=_whole(node, "page"),
        file=_text(node, "file"),
        description=str(node.props.get("description", "")),
        concepts=_ids(node.fields.get("concepts")),
    )


def _text(node: Node, field: str) -> str:
    return str(node.fields.get(field, ""))


def _whole(node: Node, field: str) -> int:
    return int(cast("int", node.fields.get(field, 0)))


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


def _ids(value: object) -> tuple[int, ...]:
    return tuple(int(each) for each in cast("Sequence[str]", value)) if isinstance(value, list | tuple) else ()
