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
class Entity:
    """Something the text names: `name` as written there, `aliases` the other names the text gives it.

    `confidence` is in (0, 1] and reflects the rule that found it.
    """

    name: str
    type: EntityType
    confidence: float
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A fact the text states; `source` and `target` are names of entities of the same extraction, never aliases.

    `label` is the word of the text that carried the fact, where there was one.
    """

    source: str
    type: RelationType
    target: str
    confidence: float
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that a text yielded.

    Entities stand in the order in which the text first names them, and no name or alias occurs twice, letter case aside.
    Relations stand in the order of their statement, each (source, type, target) once, never from an entity to itself.
    """

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    complete: bool = True
    """Whether the text was read to its end; the work of one extraction is bounded."""


class Extractor(Protocol):
    """Reads texts."""

    async def extract(self, text: str) -> Extraction:
        """Return what `text` says. Any text is accepted; one that says nothing yields an empty extraction.

        Works off the event loop, so that a long text delays nobody else. Equal texts yield equal extractions
        unless a language model reads them.
        """
        ...
