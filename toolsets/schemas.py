"""Published schemas: those of pydantic, reduced to what a language model needs to call a tool."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias, cast

from pydantic import BaseModel

from backends.ports.values import Json, JsonObject
from toolsets.arguments import Arguments

_Object: TypeAlias = dict[str, Json]


def input_schema(arguments: type[Arguments]) -> JsonObject:
    """Return the closed schema of a tool's arguments; optional ones are not required and not nullable."""
    generated = _generated(arguments)
    schema = _tidy(generated, _definitions(generated), nullable=False)
    return {"type": "object", "properties": {}, **schema, "additionalProperties": False}


def output_schema(replies: Sequence[type[BaseModel]], *, error: JsonObject) -> JsonObject:
    """Return the schema of a tool's reply: one of the successes, or an error envelope with all the properties of `error`."""
    properties: _Object = dict(error)
    alternatives: list[Json] = []
    for reply in replies:
        generated = _generated(reply)
        schema = _tidy(generated, _definitions(generated), nullable=True)
        for name, part in _object(schema["properties"]).items():
            properties[name] = _either(properties[name], part) if name in properties else part
        alternatives.append({"required": schema["required"]})
    return {"type": "object", "properties": properties, "anyOf": [*alternatives, {"required": list(error)}]}


def _either(one: Json, other: Json) -> Json:
    """Return a schema that admits both forms of a property."""
    first, second = _object(one), _object(other)
    values = [*_values(first), *(value for value in _values(second) if value not in _values(first))]
    if _values(first) and _values(second):
        return {"type": first["type"], "enum": values}
    return one if _values(second) else other


def _values(schema: _Object) -> Sequence[Json]:
    """Return the values of a schema with `const` or `enum`, none for any other schema."""
    return [schema["const"]] if "const" in schema else cast("Sequence[Json]", schema.get("enum", ()))


@cache
def _generated(model: type[BaseModel]) -> _Object:
    mode = "validation" if issubclass(model, Arguments) else "serialization"
    return cast("_Object", model.model_json_schema(mode=mode))


def _definitions(schema: _Object) -> Mapping[str, Json]:
    return _object(schema.get("$defs", {}))


def _object(value: Json) -> _Object:
    return dict(cast("Mapping[str, Json]", value))


def _tidy(schema: _Object, definitions: Mapping[str, Json], *, nullable: bool) -> _Object:
    """Return `schema` with references resolved, without titles, and with null merged into the type or left out."""
    schema = _in_place(schema, definitions)
    if "anyOf" in schema:
        schema = _without_null(schema, definitions, nullable=nullable)
    tidy: _Object = {}
    for key, value in schema.items():
        if key in ("title", "$defs") or (key == "default" and (nullable or value is None)):
            continue
        match key:
            case "properties":
                tidy[key] = {
                    name: _tidy(_object(part), definitions, nullable=nullable) for name, part in _object(value).items()
                }
            case "items" | "additionalProperties" if isinstance(value, Mapping):
                tidy[key] = _tidy(_object(value), definitions, nullable=nullable)
            case "description":
                if schema.get("type") != "object" or "properties" not in schema:
                    tidy[key] = value
            case _:
                tidy[key] = value
    return tidy


def _in_place(schema: _Object, definitions: Mapping[str, Json]) -> _Object:
    """Return `schema` with its reference replaced by the definition."""
    if "$ref" not in schema:
        return schema
    name = str(schema["$ref"]).removeprefix("#/$defs/")
    return {**_object(definitions[name]), **{key: schema[key] for key in schema if key != "$ref"}}


def _without_null(schema: _Object, definitions: Mapping[str, Json], *, nullable: bool) -> _Object:
    """Merge `anyOf [X, null]` into X; if `nullable`, its type admits null."""
    choices = [_in_place(_object(choice), definitions) for choice in cast("Sequence[Json]", schema["anyOf"])]
    others = [choice for choice in choices if choice.get("type") != "null"]
    if len(others) != 1 or len(choices) != 2:
        return schema
    merged = {**others[0], **{key: schema[key] for key in schema if key != "anyOf"}}
    if nullable and "type" in merged:
        merged["type"] = [merged["type"], "null"]
    return merged
