"""Fields shared by the arguments and the replies of several tools."""

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError, PydanticKnownError

from backends.ports.text import MAX_NAME_POINTS
from backends.ports.values import Json
from toolsets.arguments import INTEGRAL, NOT_BLANK
from toolsets.concept_rag.numeric_ids import MAX_NUMBER
from toolsets.replies import MAX_PAGE_BYTES

MAX_QUESTION: Final = 10_000
"""The most characters of a question; the shipped embedder reads about the first 1,000."""
MAX_CONCEPTS: Final = 100
"""Each name of a call is looked up by itself."""
MAX_ROWS: Final = 1_000
"""The largest page of the ports; the size of a reply is bounded besides."""
ROOM: Final = MAX_PAGE_BYTES * 4 // 5
"""The most bytes of the rows of a reply: they are sent as content and again as text, together at most 8 MB."""


def _listed(value: Json) -> Json:
    """Return a single concept as a list; errors in it, and an empty list, are reported for the argument itself."""
    if isinstance(value, str):
        if not value.strip():
            raise PydanticCustomError("blank", "should not be blank")
        if len(value) > MAX_NAME_POINTS:
            raise PydanticKnownError("string_too_long", {"max_length": MAX_NAME_POINTS})
        return [value]
    if isinstance(value, list) and not value:
        raise PydanticKnownError("too_short", {"field_type": "List", "min_length": 1, "actual_length": 0})
    return value


Question = Annotated[
    str, Field(max_length=MAX_QUESTION, description="What you look for, in natural language or in keywords."), NOT_BLANK
]
CatalogId = Annotated[
    int, Field(ge=1, le=MAX_NUMBER, description="A document's id, as catalog_search returns it."), INTEGRAL
]
ConceptName = Annotated[str, Field(max_length=MAX_NAME_POINTS), NOT_BLANK]
ConceptNames = Annotated[
    tuple[ConceptName, ...],
    Field(max_length=MAX_CONCEPTS, strict=False),
    BeforeValidator(_listed),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "maxLength": MAX_NAME_POINTS},
                {
                    "type": "array",
                    "items": {"type": "string", "maxLength": MAX_NAME_POINTS},
                    "minItems": 1,
                    "maxItems": MAX_CONCEPTS,
                },
            ],
            "description": "A concept, or up to 100 of them; case, plural and hyphens do not matter.",
        }
    ),
]
CategoryName = Annotated[
    str, Field(max_length=MAX_NAME_POINTS, description="A name or an alias, in any case, or an id."), NOT_BLANK
]
Rows = Annotated[int, Field(ge=1, le=MAX_ROWS, description="How many are returned at most."), INTEGRAL]


def absent(value: object) -> bool:
    """Return whether a field of a reply has no value; with `exclude_if` it is then omitted."""
    return value is None


Message = Annotated[
    str | None, Field(exclude_if=absent, description="Says where the size of the reply cut it; absent otherwise.")
]
"""Needs the default None."""
