"""Skills as callers see them: the present document, and every version there was."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from toolsets.clock import iso_millis
from toolsets.replies import Body, fitting
from toolsets.skills.skill import Skill, Version


class SkillDocument(Body):
    """A skill as callers see it."""

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
    """A version of a skill as it stood while it was the current one, and what it changed."""

    version: int
    changes: tuple[str, ...]
    skill: SkillDocument


class VersionsDocument(Body):
    """A skill with its versions, the newest first; the oldest ones are left out where all of them are too much."""

    skill: SkillDocument
    versions: tuple[VersionDocument, ...]
    total_versions: int


def document_of(skill: Skill) -> SkillDocument:
    """Return a skill as callers see it."""
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


def version_document(version: Version) -> VersionDocument:
    """Return a version as callers see it."""
    return VersionDocument(version=version.skill.version, changes=version.changes, skill=document_of(version.skill))


def versions_document(versions: Sequence[Version], room: int) -> VersionsDocument:
    """Return a skill with as many versions as fit into `room` bytes of JSON; `versions` come oldest first."""
    newest_first = [version_document(version) for version in reversed(versions)]
    kept = fitting(newest_first, room)
    return VersionsDocument(skill=newest_first[0].skill, versions=kept, total_versions=len(versions))
