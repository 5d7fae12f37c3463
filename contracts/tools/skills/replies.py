"""The documented replies of the skills tools, field by field; nothing may be missing and nothing added."""

from typing import Literal

from pydantic import Field

from contracts.shapes import Shape

UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"

Code = Literal[
    "invalid_request",
    "nothing_to_learn",
    "too_large",
    "skill_not_found",
    "store_unavailable",
    "store_failed",
    "timeout",
    "internal_error",
    "not_found",
    "method_not_allowed",
    "forbidden",
]


class ErrorEnvelope(Shape):
    """An error."""

    error: Code
    detail: str = Field(min_length=1)


class Document(Shape):
    """A skill."""

    skill_id: str = Field(pattern=UUID)
    title: str = Field(min_length=1)
    version: int = Field(ge=1)
    problem: str = Field(min_length=1)
    resolution: str = Field(min_length=1)
    conditions: list[str]
    keywords: list[str]
    product_area: str
    issue_type: str
    confidence: float = Field(ge=0, le=1)
    times_used: int = Field(ge=0)
    times_confirmed: int = Field(ge=0)
    created_at: str = Field(pattern=TIME)
    updated_at: str = Field(pattern=TIME)


class Match(Shape):
    """A skill that was found."""

    skill_id: str = Field(pattern=UUID)
    title: str
    score: float = Field(ge=0, le=1)
    resolution: str
    conditions: list[str]


class SearchReply(Shape):
    """The reply of search_skills."""

    matches: list[Match]
    query: str
    search_time_ms: float = Field(ge=0)


class Created(Shape):
    """The reply of create_skill."""

    skill_id: str = Field(pattern=UUID)
    title: str
    skill: Document
    created: bool


class Updated(Shape):
    """The reply of update_skill."""

    skill_id: str = Field(pattern=UUID)
    title: str
    changes: list[str] = Field(min_length=1)
    version: int = Field(ge=2)


class Version(Shape):
    """A version in the resource."""

    version: int
    changes: list[str] = Field(min_length=1)
    skill: Document


class Versions(Shape):
    """What the resource holds."""

    skill: Document
    versions: list[Version]
    total_versions: int
