"""The description of the HTTP routes in OpenAPI 3.1, made from the models of the tools."""

from collections.abc import Mapping
from functools import cache
from typing import Final, TypeAlias, cast

from pydantic import BaseModel, Field
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from backends.ports.values import Json, JsonObject
from toolsets.replies import Body
from toolsets.skills.tools.lessons import CreateReply, CreateSkill, UpdateReply, UpdateSkill
from toolsets.skills.tools.search import SearchReply, SearchSkills

_Object: TypeAlias = dict[str, Json]


class ErrorBody(Body):
    """The body of every error."""

    error: str = Field(description="A code for machines.")
    detail: str = Field(description="A sentence for people.")


class HealthBody(Body):
    """The body of `/health` while all stores answer."""

    status: str


_POSTS: Final[tuple[tuple[str, str, str, type[BaseModel], type[BaseModel]], ...]] = (
    ("/search", "search_skills", "Find skills that resolve a customer's problem.", SearchSkills, SearchReply),
    ("/create", "create_skill", "Learn a skill from a support conversation.", CreateSkill, CreateReply),
    ("/update", "update_skill", "Refine a skill by another conversation and feedback.", UpdateSkill, UpdateReply),
)
_ERRORS: Final[Mapping[str, str]] = {
    "400": "The request breaks a rule.",
    "401": "The server requires a token, and the request has none or a wrong one.",
    "403": "The origin of the request is not allowed.",
    "404": "No skill has this id.",
    "405": "The path does not support this method.",
    "421": "The host of the request is not a name of this server.",
    "500": "A store or the embedder failed, the call took too long, or an unexpected error occurred.",
}

_NO_LESSON: Final = "The request breaks a rule, or there is nothing to learn from the conversation."


@cache
def api_description() -> JsonObject:
    """Return the OpenAPI document."""
    modes: list[tuple[type[BaseModel], JsonSchemaMode]] = [(ErrorBody, "serialization"), (HealthBody, "serialization")]
    for _, _, _, arguments, reply in _POSTS:
        modes.append((arguments, "validation"))
        modes.append((reply, "serialization"))
    _, schemas = models_json_schema(modes, ref_template="#/components/schemas/{model}")
    paths: _Object = {path: _post(name, summary, sent, reply) for path, name, summary, sent, reply in _POSTS}
    paths["/health"] = {
        "get": {
            "operationId": "health",
            "summary": "Check whether the stores answer.",
            "responses": {
                "200": _response("All stores answer.", HealthBody),
                **_errors("401", "403", "405", "421", "500"),
            },
        }
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Skills",
            "version": "1.0",
            "description": "Learned support skills: search, create and update them, as with the MCP tools.",
        },
        "paths": paths,
        "components": {
            "schemas": cast("_Object", schemas["$defs"]),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _post(operation: str, summary: str, arguments: type[BaseModel], reply: type[BaseModel]) -> _Object:
    found = ("404",) if operation == "update_skill" else ()
    refused = _response(_NO_LESSON if operation == "create_skill" else _ERRORS["400"], ErrorBody)
    statuses = ("400", "401", "403", *found, "405", "421", "500")
    return {
        "post": {
            "operationId": operation,
            "summary": summary,
            "requestBody": {"required": True, "content": _content(arguments)},
            "responses": {"200": _response("Done.", reply), **_errors(*statuses), "400": refused},
        }
    }


def _errors(*statuses: str) -> _Object:
    return {status: _response(_ERRORS[status], ErrorBody) for status in statuses}


def _response(description: str, model: type[BaseModel]) -> _Object:
    return {"description": description, "content": _content(model)}


def _content(model: type[BaseModel]) -> _Object:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
