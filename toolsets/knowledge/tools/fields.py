"""The arguments and reply fields that several tools share."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from backends.ports.values import Json
from toolsets.arguments import INTEGRAL, NOT_BLANK, UNSIGNED_ZERO, Filled
from toolsets.knowledge.relationship import EdgeType

ConceptId = Filled
Name = Annotated[str, Field(min_length=1, max_length=200), NOT_BLANK]
Explanation = Annotated[str, Field(min_length=1), NOT_BLANK]
Level = Annotated[str, Field(max_length=100), NOT_BLANK]
Score = Annotated[float, Field(ge=0, le=100), UNSIGNED_ZERO]
UpTo50 = Annotated[int, Field(ge=1, le=50), INTEGRAL]
UpTo100 = Annotated[int, Field(ge=1, le=100), INTEGRAL]


def _lower(value: Json) -> Json:
    # Replies print types in capitals, so arguments accept that form as well.
    return value.lower() if isinstance(value, str) and value.isupper() else value


KindArgument = Annotated[
    EdgeType,
    BeforeValidator(_lower),
    WithJsonSchema({"type": "string", "enum": ["prerequisite", "relates_to", "includes"]}),
]


class Success(BaseModel):
    """The base of every reply except that of ping."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    success: Literal[True] = True


class WriteReply(Success):
    """The reply to a write of a concept."""

    concept_id: str
    message: str
