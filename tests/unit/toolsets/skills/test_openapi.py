"""The description of the routes is valid OpenAPI 3.1 and says what the tools' schemas say."""

import json
from typing import cast

from openapi_spec_validator import OpenAPIV31SpecValidator

from backends.ports.values import JsonObject
from toolsets.schemas import input_schema
from toolsets.skills.openapi import api_description
from toolsets.skills.tools.lessons import CreateSkill, UpdateSkill
from toolsets.skills.tools.search import SearchSkills


def test_it_is_valid() -> None:
    OpenAPIV31SpecValidator(json.loads(json.dumps(api_description()))).validate()


def test_its_requests_are_the_arguments_of_the_tools() -> None:
    components = cast("dict[str, dict[str, JsonObject]]", api_description()["components"])
    schemas = components["schemas"]
    for model in (SearchSkills, CreateSkill, UpdateSkill):
        described = schemas[model.__name__]
        of_the_tool = input_schema(model)
        assert described["required"] == of_the_tool["required"]
        assert described["additionalProperties"] is False
        assert {
            name: {key: value for key, value in part.items() if key != "title"}
            for name, part in cast("dict[str, JsonObject]", described["properties"]).items()
        } == of_the_tool["properties"]


def test_each_route_has_the_answers_of_the_guard() -> None:
    paths = cast("dict[str, dict[str, dict[str, JsonObject]]]", api_description()["paths"])
    for operations in paths.values():
        for operation in operations.values():
            assert {"401", "403", "421"} <= operation["responses"].keys()


def test_only_create_finds_nothing_to_learn() -> None:
    paths = cast("dict[str, dict[str, dict[str, dict[str, JsonObject]]]]", api_description()["paths"])
    refused = {
        path: str(paths[path]["post"]["responses"]["400"]["description"]) for path in ("/search", "/create", "/update")
    }
    assert [path for path, description in refused.items() if "nothing to learn" in description] == ["/create"]
