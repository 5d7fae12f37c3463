"""The options of a store's table, read into its adapter's settings model."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from backends.ports.errors import InvalidInput
from backends.ports.values import Json

SettingsT = TypeVar("SettingsT", bound=BaseModel)


def parse_options(model: type[SettingsT], options: Mapping[str, Json]) -> SettingsT:
    """Return the settings that the options say. Raises `InvalidInput` naming each wrong option."""
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        problems = "; ".join(f"option {'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise InvalidInput(problems) from error
