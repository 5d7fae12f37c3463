"""Parses the options of a store's table into its adapter's settings model."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from backends.ports.errors import InvalidInput
from backends.ports.validation_errors import rule_of
from backends.ports.values import Json

SettingsT = TypeVar("SettingsT", bound=BaseModel)


def parse_options(model: type[SettingsT], options: Mapping[str, Json]) -> SettingsT:
    """Return the options as an instance of `model`. Raises `InvalidInput` naming each wrong option."""
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        raise InvalidInput("; ".join(_sentence(model, each) for each in error.errors())) from error


def _sentence(model: type[BaseModel], problem: ErrorDetails) -> str:
    name = ".".join(map(str, problem["loc"]))
    if problem["type"] != "extra_forbidden":
        return f"option {name} {rule_of(problem)}"
    if len(problem["loc"]) > 1:
        return f"option {name}: there is no such option"
    near = get_close_matches(name, model.model_fields, n=1)
    known = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(model.model_fields))}"
    return f"option {name}: there is no such option; {known}"
