"""How entities and relationships look in the graph."""

from collections.abc import Mapping
from typing import cast

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import EdgeId, FieldSpec, Json, Micros, NodeId, Revision
from toolsets.agent_graph.entity import Entity, entity_of
from toolsets.agent_graph.extraction.model import EntityType, RelationType
from toolsets.agent_graph.relationship import Link, Relationship, relationship_of
from toolsets.agent_graph.streams import ENTITIES, RELATIONSHIPS, TOOLSET
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import GoneEdge, GoneNode, Keys, Projection

ENTITY = "entity"
BREAK = "\x1f"
"""Stands around each name in the text of all names, twice before the first, so that a whole name can be asked for."""
CROWDED = f"{BREAK}\x1e{BREAK}"
"""Ends the text of all names when it does not have them all; no name, and no part of one, is written like that."""
_ESCAPED = str.maketrans(
    {"\x1c": "\x1e\x1c\x1c", "\x1d": "\x1e\x1c\x1d", "\x1e": "\x1e\x1d\x1c", BREAK: "\x1e\x1d\x1d"}
)
"""Keeps the break out of names. No part of a code is found anywhere else, so a part of a name is still a part of the text."""


class AgentGraphProjector:
    """Makes a node of each entity and an edge of each relationship."""

    prefix = f"{TOOLSET}/"
    space = TOOLSET
    kinds = (
        KindSpec(
            ENTITY,
            (
                FieldSpec("channel", "str", sort=True),
                FieldSpec("type", "str", sort=True),
                FieldSpec("name", "str", sort=True),
                FieldSpec("rank", "str", sort=True),
                FieldSpec("updated_at", "int", sort=True),
                FieldSpec("accessed_at", "int", sort=True),
                FieldSpec("created_at", "int", sort=True),
                FieldSpec("names", "str", text=True),
                FieldSpec("description", "str", text=True),
                FieldSpec("sources", "strs"),
            ),
        ),
    )
    collection = None
    fields = ()
    prefixes: Mapping[str, Keys] = {
        ENTITIES: Keys(graph=NodeId("*")),
        RELATIONSHIPS: Keys(graph=EdgeId("*"), is_edge=True),
    }

    def keys(self, stream: StreamName) -> Keys | None:
        """Return where a stream's record is; None for a claim or a note of edges."""
        if stream.startswith(ENTITIES):
            return Keys(graph=NodeId(stream.removeprefix(ENTITIES)))
        if stream.startswith(RELATIONSHIPS):
            return Keys(graph=EdgeId(stream.removeprefix(RELATIONSHIPS)), is_edge=True)
        return None

    def project(self, stream: StreamName, history: History) -> Projection:
        """Return the record of an entity or of a relationship. Raises `UnreadableEvent`."""
        return _entity(stream, history) if stream.startswith(ENTITIES) else _relationship(stream, history)


def escaped(name: str) -> str:
    """Return a name, or a part of one, as it stands in the text of all names."""
    return name.translate(_ESCAPED)


def indexed_names(entity: Entity) -> tuple[str, ...]:
    """Return the names of an entity, its own first, as far as they fit into a text that an index takes."""
    room = MAX_INDEXED_BYTES - 2 * len(BREAK) - len(CROWDED)
    fitting: list[str] = []
    for name in (entity.name, *entity.aliases):
        room -= len(escaped(name).encode()) + len(BREAK)
        if room < 0:
            break
        fitting.append(name)
    return tuple(fitting)


def rank(entity: Entity) -> str:
    """Return a text that is the greater the more useful an entity is: by utility, then reads, then the last of them."""
    return f"{entity.utility:.15f}|{entity.accesses:012d}|{entity.accessed_at:017d}"


def rank_with(node: Node, reads: tuple[int, Micros]) -> str:
    """Return the rank of the entity that a node shows, were so many reads added, the last one at that time."""
    utility, accesses, accessed_at = str(node.fields["rank"]).split("|")
    count, last = reads
    return f"{utility}|{int(accesses) + count:012d}|{max(int(accessed_at), last):017d}"


def entity_in(node: Node) -> Entity:
    """Return the entity that a node shows."""
    fields, props = node.fields, node.props
    return Entity(
        id=node.id,
        channel=str(fields["channel"]),
        name=str(fields["name"]),
        type=cast("EntityType", fields["type"]),
        aliases=_texts(props["aliases"]),
        description=_description(node),
        confidence=_number(props["confidence"]),
        utility=_number(props["utility"]),
        accesses=int(_number(props["accesses"])),
        accessed_at=_time(fields.get("accessed_at", fields["created_at"])),
        sources=_texts(fields.get("sources", ())),
        held=_texts(props["held"]),
        created_at=_time(fields["created_at"]),
        updated_at=_time(fields["updated_at"]),
        version=node.rev,
    )


def relationship_in(edge: Edge) -> Relationship:
    """Return the relationship that an edge shows."""
    props = edge.props
    label = props.get("label")
    return Relationship(
        link=Link(edge.source, edge.target, cast("RelationType", edge.type.upper())),
        channel=str(props["channel"]),
        label=None if label is None else str(label),
        confidence=edge.confidence,
        sources=_texts(props["sources"]),
        created_at=_time(props["created_at"]),
        updated_at=_time(props["updated_at"]),
        version=edge.rev,
    )


def _entity(stream: StreamName, history: History) -> Projection:
    entity = entity_of(history)
    if entity is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev, node_id = Revision(entity.version), NodeId(entity.id)
    if entity.into is not None:
        return Projection(stream, rev, GoneNode(node_id, rev))
    searched = _beginning(entity.description or "")
    description = {} if entity.description is None else {"description": searched}
    names = indexed_names(entity)
    is_whole = len(names) == 1 + len(entity.aliases)
    # Missing until the first read: then a listing by it has what was read, and nothing else, at its beginning.
    read = {"accessed_at": entity.accessed_at} if entity.accesses else {}
    fields = {
        "channel": entity.channel,
        "type": entity.type,
        "name": entity.name,
        "rank": rank(entity),
        "updated_at": entity.updated_at,
        "created_at": entity.created_at,
        "names": f"{BREAK}{BREAK}{BREAK.join(map(escaped, names))}{BREAK if is_whole else CROWDED}",
        "sources": entity.sources,
        **description,
        **read,
    }
    props: dict[str, Json] = {
        "aliases": list(entity.aliases),
        "confidence": entity.confidence,
        "utility": entity.utility,
        "accesses": entity.accesses,
        "held": list(entity.held),
        **({} if searched == (entity.description or "") else {"description": entity.description}),
    }
    return Projection(stream, rev, Node(node_id, ENTITY, fields, rev, props))


def _beginning(text: str) -> str:
    """Return as much of a text as an index takes."""
    return text.encode()[:MAX_INDEXED_BYTES].decode(errors="ignore")


def _description(node: Node) -> str | None:
    """Return the description of the entity that a node shows: one too long for the index lies beside it whole."""
    shown = node.props.get("description", node.fields.get("description"))
    return None if shown is None else str(shown)


def _relationship(stream: StreamName, history: History) -> Projection:
    edge = relationship_of(history)
    if edge is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev, edge_id = Revision(edge.version), EdgeId(edge.link.id)
    if edge.ended:
        return Projection(stream, rev, GoneEdge(edge_id, rev))
    label = {} if edge.label is None else {"label": edge.label}
    props: dict[str, Json] = {
        "channel": edge.channel,
        "sources": list(edge.sources),
        "created_at": edge.created_at,
        "updated_at": edge.updated_at,
        **label,
    }
    ends = NodeId(edge.link.source_id), NodeId(edge.link.target_id)
    return Projection(stream, rev, Edge(edge_id, *ends, edge.link.kind.lower(), rev, edge.confidence, props))


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(str(text) for text in value) if isinstance(value, list | tuple) else ()


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _time(value: Json) -> Micros:
    return Micros(value) if isinstance(value, int) else Micros(0)
