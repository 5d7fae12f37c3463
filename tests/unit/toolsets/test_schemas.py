"""The schemas that tools publish."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from backends.ports.values import JsonObject
from toolsets.arguments import (
    INTEGRAL,
    Arguments,
    Filled,
)
from toolsets.schemas import input_schema, output_schema


class Sample(Arguments):
    name: Annotated[Filled, Field(max_length=5)]
    count: Annotated[int, Field(ge=1, le=9), INTEGRAL] = 3
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    loud: bool = False


def test_the_published_schema_is_closed_and_says_only_what_a_caller_needs() -> None:
    assert input_schema(Sample) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 5},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            "loud": {"type": "boolean", "default": False},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


class Nested(Arguments):
    inner: Sample
    more: list[Sample] | None = None


def test_references_are_resolved_and_optional_arguments_are_not_nullable() -> None:
    schema = input_schema(Nested)
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert schema["required"] == ["inner"]
    assert properties["inner"] == input_schema(Sample)
    assert properties["more"] == {"type": "array", "items": input_schema(Sample)}
    assert input_schema(Arguments) == {"type": "object", "properties": {}, "additionalProperties": False}


class Success(BaseModel):
    status: Literal["success"] = "success"
    rows: int | None


class Partial(BaseModel):
    status: Literal["partial"] = "partial"
    rows: int | None


def test_a_reply_is_one_of_its_forms_or_an_error() -> None:
    error: JsonObject = {"status": {"type": "string", "const": "error"}, "message": {"type": "string"}}
    schema = output_schema((Success, Partial), error=error)
    assert schema["properties"] == {
        "status": {"type": "string", "enum": ["error", "success", "partial"]},
        "message": {"type": "string"},
        "rows": {"type": ["integer", "null"]},
    }
    assert schema["anyOf"] == [{"required": ["rows"]}, {"required": ["rows"]}, {"required": ["status", "message"]}]
