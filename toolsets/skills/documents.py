"""The documents of skills in replies: the current state, and the versions."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from toolsets.clock import iso_millis
from toolsets.replies import Body, fitting_rows
from toolsets.skills.skill import Skill, SkillVersion


class SkillDocument(Body):
    """The document of a skill."""

    skill_id: Annotated[str, Field(json_schema_extra={"format": "uuid"})]
    title: str
    version: int
    problem: str
    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    product_area: str
    issue_type: str
    confidence: float
    times_used: int
    times_confirmed: int
    created_at: str
    updated_at: str


class VersionDocument(Body):
    """The last state of a skill at one version, and sentences that describe what the version changed."""

    version: int
    changes: tuple[str, ...]
    skill: SkillDocument


class VersionsDocument(Body):
    """A skill with its versions, newest first; the oldest are left out if all of them are too large for a reply."""

    skill: SkillDocument
    versions: tuple[VersionDocument, ...]
    total_versions: int


def document_of(skill: Skill) -> SkillDocument:
    """Return the document of a skill."""
    return SkillDocument(
        skill_id=skill.skill_id,
        title=skill.title,
        version=skill.version,
        problem=skill.problem,
        resolution=skill.resolution,
        conditions=skill.conditions,
        keywords=skill.keywords,
        product_area=skill.product_area,
        issue_type=skill.issue_type,
        confidence=skill.confidence,
        times_used=skill.times_used,
        times_confirmed=skill.times_confirmed,
        created_at=iso_millis(skill.created_at),
        updated_at=iso_millis(skill.updated_at),
    )


def version_document(version: SkillVersion) -> VersionDocument:
    """Return the document of a version."""
    return VersionDocument(version=version.skill.version, changes=version.changes, skill=document_of(version.skill))


def versions_document(versions: Sequence[SkillVersion], room: int) -> VersionsDocument:
    """Return a skill with the newest versions that fit into `room` bytes of JSON; `versions` are oldest first."""
    newest_first = [version_document(version) for version in reversed(versions)]
    kept = fitting_rows(newest_first, room)
    return VersionsDocument(skill=newest_first[0].skill, versions=kept, total_versions=len(versions))
