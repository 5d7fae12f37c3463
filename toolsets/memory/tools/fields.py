"""The arguments and rows that several tools share."""

from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from backends.ports.graph import Node
from backends.ports.text import MAX_NAME_POINTS
from backends.ports.values import Json
from toolsets.parsing import INTEGRAL, NOT_BLANK, Filled

DatabaseName = Annotated[Filled, Field(description="One of the names that kuzu://databases/list shows.")]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_POINTS), NOT_BLANK]
Observations = list[Filled]
Limit = Annotated[int, Field(ge=1, le=1_000), INTEGRAL]
Depth = Annotated[int, Field(ge=1, le=5), INTEGRAL]


def _within(value: Json) -> Json:
    # Said before the bounds of the schema are: the wording is documented.
    if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value <= 1:
        raise PydanticCustomError("range", "Value must be between 0.0 and 1.0")
    return value


Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(_within)]
"""A number from 0 to 1."""


class Body(BaseModel):
    """The base of every reply and every row."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class EntityRow(Body):
    """An entity as every listing shows it."""

    name: str
    type: str
    observations: tuple[str, ...]


def shown(node: Node) -> dict[str, str | tuple[str, ...]]:
    """Return what every listing shows of an entity."""
    return {
        "name": str(node.fields["name"]),
        "type": str(node.fields["type"]),
        "observations": tuple(cast("Sequence[str]", node.props["observations"])),
    }
