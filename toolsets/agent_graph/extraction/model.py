"""The result of an extractor, and the contract of extractors."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

# fmt: off
EntityType: TypeAlias = Literal[
    "person", "organization", "project", "technology", "concept", "location", "document", "task",
]
RelationType: TypeAlias = Literal[
    "WORKS_ON", "OWNS", "DEPENDS_ON", "RELATED_TO", "MEMBER_OF", "USES", "CREATED", "MODIFIED", "REFERENCES", "BLOCKS",
    "CONTRADICTS",
]
# fmt: on
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
RELATION_TYPES: tuple[RelationType, ...] = get_args(RelationType)


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity that the text names: `name` as written there, `aliases` its other names in the text.

    `confidence` is in (0, 1] and reflects the rule that found it.
    """

    name: str
    type: EntityType
    confidence: float
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that the text states; `source` and `target` are names of entities of the same extraction, never aliases.

    `label` is the word that states the relation, None if there is none.
    """

    source: str
    type: RelationType
    target: str
    confidence: float
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """The entities and relations of a text.

    Entities are in the order of their first mention; no name or alias occurs twice, ignoring case. Relations are in the
    order of their first statement, each (source, type, target) once, never from an entity to itself.
    """

    entities: tuple[NamedEntity, ...] = ()
    relations: tuple[Relation, ...] = ()
    complete: bool = True
    """Whether the text was read to its end; the work of one extraction is bounded."""


class Extractor(Protocol):
    """Extracts entities and relations from texts."""

    async def extract(self, text: str) -> Extraction:
        """Return the entities and relations of any text, none if it states none.

        The work is done outside the event loop, so that a long text delays no other call. Equal texts yield equal
        extractions unless a language model reads them.
        """
        ...
