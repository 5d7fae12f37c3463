"""The nodes and the passages that skills are projected to."""

from typing import Final, cast

from backends.ports.events import StreamName
from backends.ports.graph import KindSpec, Node
from backends.ports.values import FieldSpec, Json, Micros, NodeId, RecordId, Revision
from toolsets.lexical_scores import terms
from toolsets.skills.extraction import ExtractedSkill
from toolsets.skills.skill import Skill, skill_of
from toolsets.skills.streams import SKILLS, TOOLSET
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import Collection, Passage, Projection, Projector, StreamKind

SKILL = "skill"
TEXTS = "skills"
"""The collection of the skills' texts."""
BEGINNING: Final = 500
"""The number of characters of a resolution that are embedded as they are; chosen by measurement, as 400 to 700 are as good."""


def passage_of(skill: Skill | ExtractedSkill) -> str:
    """Return the text by which a skill is found: title, problem, the beginning of the resolution, and all further words once.

    An embedder averages what it reads, so many steps would hide what the skill is about; searches for words need all of them.
    """
    beginning, rest = _divided(skill.resolution)
    parts = [skill.title, skill.problem, beginning]
    said = set(terms("\n".join(parts)))
    for text in (*skill.conditions, *skill.keywords):
        if not said.issuperset(words := terms(text)):
            parts.append(text)
            said.update(words)
    further: list[str] = []
    for text in rest.split():
        if not said.issuperset(words := terms(text)):
            further.append(text)
            said.update(words)
    return "\n".join((*parts, " ".join(further)) if further else parts)


def _divided(resolution: str) -> tuple[str, str]:
    """Return the beginning of a resolution, which ends with a word, and the rest."""
    if len(resolution) <= BEGINNING:
        return resolution, ""
    at = max(resolution.rfind(border, 1, BEGINNING) for border in " \n")
    at = at if at > 0 else BEGINNING
    return resolution[:at], resolution[at:]


def skill_in(node: Node) -> Skill:
    """Return the skill of a node."""
    fields, props = node.fields, node.props
    return Skill(
        skill_id=node.id,
        title=str(fields["title"]),
        version=_integer(fields["version"]),
        problem=str(props["problem"]),
        resolution=str(props["resolution"]),
        conditions=_texts(props["conditions"]),
        keywords=_texts(props["keywords"]),
        product_area=str(fields["product_area"]),
        issue_type=str(fields["issue_type"]),
        confidence=float(cast("float", fields["confidence"])),
        times_used=_integer(props["times_used"]),
        times_confirmed=_integer(props["times_confirmed"]),
        created_at=Micros(_integer(fields["created_at"])),
        updated_at=Micros(_integer(fields["updated_at"])),
        revision=node.rev,
    )


def _project(stream: StreamName, history: History) -> Projection:
    skill = skill_of(history)
    if skill is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev = Revision(skill.revision)
    node = Node(
        NodeId(skill.skill_id),
        SKILL,
        {
            "title": skill.title,
            "product_area": skill.product_area,
            "issue_type": skill.issue_type,
            "version": skill.version,
            "confidence": skill.confidence,
            "created_at": skill.created_at,
            "updated_at": skill.updated_at,
        },
        rev,
        {
            "problem": skill.problem,
            "resolution": skill.resolution,
            "conditions": list(skill.conditions),
            "keywords": list(skill.keywords),
            "times_used": skill.times_used,
            "times_confirmed": skill.times_confirmed,
        },
    )
    passage = Passage(TEXTS, RecordId(skill.skill_id), passage_of(skill))
    return Projection(stream, rev, nodes=(node,), passages=(passage,))


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


PROJECTOR = Projector(
    prefix=f"{TOOLSET}/",
    namespace=TOOLSET,
    kinds=(
        KindSpec(
            SKILL,
            (
                FieldSpec("title", "str"),
                FieldSpec("product_area", "str"),
                FieldSpec("issue_type", "str"),
                FieldSpec("version", "int"),
                FieldSpec("confidence", "float"),
                FieldSpec("created_at", "int", sort=True),
                FieldSpec("updated_at", "int"),
            ),
        ),
    ),
    collections=(Collection(TEXTS),),
    streams=(StreamKind(SKILLS, _project, graph="node", collection=TEXTS),),
    version=2,
)
"""A node and a passage for each skill."""
