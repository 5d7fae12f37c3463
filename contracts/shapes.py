"""The bases of documented replies: no field may be missing, none may be added, and types must match exactly."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """An object whose fields are named as they are on the wire."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CamelShape(Shape):
    """An object whose fields are in camel case on the wire."""

    model_config = ConfigDict(alias_generator=to_camel)
