"""The arguments and rows that several tools share."""

from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from backends.ports.graph import Node
from backends.ports.text import MAX_NAME_POINTS
from backends.ports.values import Json
from toolsets.arguments import INTEGRAL, NOT_BLANK, UNSIGNED_ZERO, Filled
from toolsets.memory.projections import observations_of
from toolsets.replies import Body, counted, cut_sentence

DatabaseName = Annotated[
    Filled | None,
    Field(description="One of the names that kuzu://databases/list shows; left out, it is the primary one."),
]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_POINTS), NOT_BLANK]
Observations = list[Filled]
Limit = Annotated[int, Field(ge=1, le=1_000), INTEGRAL]
Depth = Annotated[int, Field(ge=1, le=5), INTEGRAL]


def _within(value: Json) -> Json:
    # Checked before the bounds in the schema, because this wording is documented.
    if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value <= 1:
        raise PydanticCustomError("range", "must be between 0.0 and 1.0")
    return value


Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(_within), UNSIGNED_ZERO]
"""A number from 0 to 1."""


class ListReply(Body):
    """The base of replies with a list; `message` is present only if the list was cut by its size."""

    message: str | None = Field(default=None, exclude_if=lambda text: text is None)


def cut_message(shown: int, found: int, one: str = "entity", several: str = "entities") -> str | None:
    """Return the message of a list that was cut by its size, None for a whole list."""
    return f"{counted(found, one, several)} found{cut_sentence(shown, found)}" if shown < found else None


class EntityRow(Body):
    """An entity in a listing."""

    name: str
    type: str
    observations: tuple[str, ...]


def shown_fields(node: Node) -> dict[str, str | tuple[str, ...]]:
    """Return the fields that every listing shows of an entity."""
    return {
        "name": str(node.fields["name"]),
        "type": str(node.fields["type"]),
        "observations": observations_of(node),
    }
