"""Projections of documents, chunks and concepts into the graph and the vector store."""

from collections.abc import Iterable

from backends.ports.events import StreamName
from backends.ports.graph import KindSpec, Node
from backends.ports.values import FieldSpec, NodeId, RecordId, Revision, Scalar, Value
from toolsets.concept_rag.document import ConceptFact, Document, VisualFact, document_of
from toolsets.concept_rag.file_record import file_of
from toolsets.concept_rag.part import MAX_CHUNKS, part_of, version_of
from toolsets.concept_rag.streams import (
    CONCEPTS,
    DOCUMENTS,
    FILES,
    PARTS,
    TOOLSET,
    VERSIONS,
    chunk_record,
    concept_node,
    document_node,
    membership_node,
    mention_node,
    visual_node,
)
from toolsets.concept_rag.vocabulary import concept_of
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import Collection, Passage, Projection, Projector, StreamKind

DOCUMENT = "document"
MENTION = "mention"
MEMBERSHIP = "membership"
VISUAL = "visual"
CONCEPT = "concept"
VERSION = "version"
REFUSED_FILE = "refused_file"
"""The kinds of nodes."""

CATALOG_TEXTS = "catalog"
CONCEPT_NAMES = "concepts"
CHUNKS = "chunks"
"""The collections: documents by title, summary and concepts; concepts by name and gloss; chunks by text."""

_TITLE = 500
"""The most code points of a title or an author; a sortable text has at most 2,000 bytes."""


def _document(stream: StreamName, history: History) -> Projection:
    document = document_of(history)
    if document is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev = Revision(document.version)
    nodes = {node.id: node for node in _nodes(document, rev)} if document.live else {}
    record = RecordId(document_node(document.catalog_id))
    passage = Passage(CATALOG_TEXTS, record, document.content.searched, _catalog_fields(document))
    return Projection(
        stream,
        rev,
        nodes=tuple(nodes.values()),
        passages=(passage,) if document.live else (),
        deleted_nodes=tuple(id_ for id_ in _ever(document) if id_ not in nodes),
        deleted_passages=() if document.live else ((CATALOG_TEXTS, record),),
    )


def _ever(document: Document) -> Iterable[NodeId]:
    """Yield the ids of all nodes of all versions of the document."""
    yield document_node(document.catalog_id)
    yield from (mention_node(document.catalog_id, each) for each in sorted(document.ever_concepts))
    yield from (membership_node(document.catalog_id, each) for each in sorted(document.ever_categories))
    yield from (visual_node(each) for each in sorted(document.ever_visuals))


def _nodes(document: Document, rev: Revision) -> Iterable[Node]:
    yield Node(document_node(document.catalog_id), DOCUMENT, _document_fields(document), rev, _document_props(document))
    for concept in document.content.concepts:
        yield _mention(document, concept, rev)
    for category in document.content.categories:
        yield Node(
            membership_node(document.catalog_id, category.id),
            MEMBERSHIP,
            {
                "category": category.id,
                "name": category.name,
                "catalog": document.catalog_id,
                "chunks": document.content.chunks,
                "concepts": len(document.content.concepts),
            },
            rev,
            category.model_dump(mode="json", exclude={"id", "name"}),
        )
    for place, visual in enumerate(document.content.visuals):
        yield _visual(document, visual, place, rev)


def _document_fields(document: Document) -> dict[str, Value]:
    content = document.content
    numbers: dict[str, Scalar] = {
        "pages": content.pages,
        "chunks": content.chunks,
        "concepts": len(content.concepts),
        "visuals": len(content.visuals),
        "added_at": document.added_at,
        "updated_at": document.updated_at,
    }
    texts: dict[str, Scalar] = {
        "title": content.title[:_TITLE],
        "author": content.author[:_TITLE],
        "year": content.year,
        "format": content.format,
        "hash": content.content_hash,
        "token": content.token,
        "path": document.paths[0] if document.paths else "",
    }
    return {
        "catalog": document.catalog_id,
        **numbers,
        **{name: text for name, text in texts.items() if text},
        "categories": _category_ids(document),
    }


def _document_props(document: Document) -> dict[str, str | list[str]]:
    content = document.content
    return {
        "summary": content.summary,
        "paths": list(document.paths),
        "primary": [concept.name for concept in content.concepts if concept.role == "primary"],
        "related": [concept.name for concept in content.concepts if concept.role == "related"],
        "categories": [category.name for category in content.categories],
        "notes": list(content.notes),
    }


def _category_ids(document: Document) -> tuple[str, ...]:
    return tuple(str(category.id) for category in document.content.categories)


def _catalog_fields(document: Document) -> dict[str, Value]:
    return {
        "catalog": document.catalog_id,
        "token": document.content.token,
        "categories": _category_ids(document),
    }


def _mention(document: Document, concept: ConceptFact, rev: Revision) -> Node:
    concepts = document.content.concepts
    related = [
        {"id": concepts[place].id, "name": concepts[place].name, "score": score} for place, score in concept.related
    ]
    return Node(
        mention_node(document.catalog_id, concept.id),
        MENTION,
        {
            "concept": concept.id,
            "name": concept.name,
            "role": concept.role,
            "score": concept.score,
            "catalog": document.catalog_id,
            "chunks": concept.chunks,
            "categories": _category_ids(document),
        },
        rev,
        {"pages": list(concept.pages), "related": related},
    )


def _visual(document: Document, visual: VisualFact, place: int, rev: Revision) -> Node:
    return Node(
        visual_node(visual.id),
        VISUAL,
        {
            "visual": visual.id,
            "catalog": document.catalog_id,
            "place": place,
            "type": visual.type,
            "page": visual.page,
            "file": visual.file,
            "concepts": tuple(map(str, visual.concepts)),
        },
        rev,
        {"description": visual.description, "width": visual.width, "height": visual.height},
    )


def _concept(stream: StreamName, history: History) -> Projection:
    recorded = concept_of(history)
    if recorded is None:
        raise UnreadableEvent(f"{stream} has no events")
    entry, rev = recorded.entry, Revision(recorded.version)
    node_id = concept_node(entry.id)
    fields = {"concept": entry.id, "name": entry.name, "key": entry.key}
    node = Node(node_id, CONCEPT, fields, rev, {"gloss": entry.gloss})
    passage = Passage(CONCEPT_NAMES, RecordId(node_id), entry.text, {"concept": entry.id})
    return Projection(stream, rev, nodes=(node,), passages=(passage,))


def _part(stream: StreamName, history: History) -> Projection:
    state = part_of(history)
    if state is None:
        raise UnreadableEvent(f"{stream} has no events")
    part, rev = state.part, Revision(state.version)
    records = [chunk_record(part.token, part.number, place) for place in range(len(part.chunks))]
    if state.dropped:
        return Projection(stream, rev, deleted_passages=tuple((CHUNKS, record) for record in records))
    passages = tuple(
        Passage(
            CHUNKS,
            record,
            chunk.text,
            {
                "catalog": part.catalog_id,
                "token": part.token,
                "kind": chunk.kind,
                "page": chunk.page,
                "last_page": chunk.last_page,
                "ordinal": chunk.ordinal,
                "concepts": tuple(str(concept_id) for concept_id, _ in chunk.concepts),
            },
        )
        for record, chunk in zip(records, part.chunks, strict=True)
    )
    return Projection(stream, rev, passages=passages)


def _version(stream: StreamName, history: History) -> Projection:
    """Return a node for each version whose parts may have to be dropped."""
    version = version_of(history)
    if version is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev, node_id = Revision(version.version), NodeId(version.token)
    if version.state in ("committed", "dropped"):
        return Projection(stream, rev, deleted_nodes=(node_id,))
    fields = {"catalog": version.catalog_id, "state": version.state, "changed_at": version.changed_at}
    return Projection(stream, rev, nodes=(Node(node_id, VERSION, fields, rev),))


def _file(stream: StreamName, history: History) -> Projection:
    record = file_of(history)
    if record is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev, node_id = Revision(record.version), NodeId(stream[len(FILES) :])
    if record.cleared:
        return Projection(stream, rev, deleted_nodes=(node_id,))
    refusal = record.refusal
    fields: dict[str, Value] = {"path": refusal.path, "status": refusal.status, "kind": refusal.kind, "at": record.at}
    return Projection(stream, rev, nodes=(Node(node_id, REFUSED_FILE, fields, rev, {"reason": refusal.reason}),))


def _sorted(type_: str, *names: str) -> tuple[FieldSpec, ...]:
    kind = "int" if type_ == "int" else "str"
    return tuple(FieldSpec(name, kind, sort=True) for name in names)


_CATEGORIES = FieldSpec("categories", "strs")
_CONCEPT_IDS = FieldSpec("concepts", "strs")

PROJECTOR = Projector(
    prefix=f"{TOOLSET}/",
    namespace=TOOLSET,
    kinds=(
        KindSpec(
            DOCUMENT,
            (
                *_sorted("int", "catalog", "pages", "chunks", "concepts", "visuals", "added_at", "updated_at"),
                FieldSpec("title", "str", sort=True, text=True),
                FieldSpec("author", "str", sort=True, text=True),
                *_sorted("str", "year", "format", "hash", "token"),
                FieldSpec("path", "str"),
                _CATEGORIES,
            ),
        ),
        KindSpec(
            MENTION,
            (
                *_sorted("int", "concept", "catalog", "chunks"),
                *_sorted("str", "name", "role"),
                FieldSpec("score", "float", sort=True),
                _CATEGORIES,
            ),
        ),
        KindSpec(
            MEMBERSHIP,
            (*_sorted("int", "category", "catalog", "chunks", "concepts"), *_sorted("str", "name")),
            totals=("category",),
        ),
        KindSpec(
            VISUAL,
            (*_sorted("int", "visual", "catalog", "place", "page"), *_sorted("str", "type", "file"), _CONCEPT_IDS),
        ),
        KindSpec(
            CONCEPT,
            (*_sorted("int", "concept"), FieldSpec("name", "str", sort=True, text=True), *_sorted("str", "key")),
        ),
        KindSpec(VERSION, (*_sorted("int", "catalog", "changed_at"), *_sorted("str", "state"))),
        KindSpec(REFUSED_FILE, (FieldSpec("path", "str"), *_sorted("str", "status", "kind"), *_sorted("int", "at"))),
    ),
    collections=(
        Collection(
            CHUNKS,
            (
                *_sorted("int", "catalog", "page", "last_page", "ordinal"),
                *_sorted("str", "token", "kind"),
                _CONCEPT_IDS,
            ),
        ),
        Collection(CATALOG_TEXTS, (*_sorted("int", "catalog"), *_sorted("str", "token"), _CATEGORIES)),
        Collection(CONCEPT_NAMES, _sorted("int", "concept")),
    ),
    streams=(
        StreamKind(DOCUMENTS, _document, graph="node", collection=CATALOG_TEXTS),
        StreamKind(CONCEPTS, _concept, graph="node", collection=CONCEPT_NAMES),
        StreamKind(PARTS, _part, collection=CHUNKS, weight=MAX_CHUNKS),
        StreamKind(VERSIONS, _version, graph="node"),
        StreamKind(FILES, _file, graph="node"),
    ),
)
"""Nodes of documents, mentions, memberships, visuals, concepts, versions to be dropped and refused files; passages of
documents, concepts and chunks."""
