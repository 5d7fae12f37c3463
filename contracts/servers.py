"""Where the suite finds the engines it tries: options from the environment, and a corner of its own on servers.

`ENTREPOT_TEST_<KIND>_<OPTION>` is an option of every store of that kind, e.g. `ENTREPOT_TEST_NEO4J_URI`.
"""

import json
import os
import secrets
import tomllib
from collections.abc import Mapping
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from backends.ports.values import Json
from backends.registry import load_adapter

FOR_TESTS = "ENTREPOT_TEST_"
SPACE = "space"
"""The option that keeps several installations apart on one server, where an adapter has it."""


class _Store(BaseModel):
    model_config = ConfigDict(extra="ignore")

    kind: str


class _Profile(BaseModel):
    model_config = ConfigDict(extra="ignore")

    stores: dict[str, _Store]


def stores_of(profile: str) -> Mapping[str, str]:
    """Return the kind of each store of a shipped profile, by name. Raises `FileNotFoundError` for an unknown profile."""
    text = (files("config") / "profiles" / f"{profile}.toml").read_text(encoding="utf-8")
    return {name: store.kind for name, store in _Profile.model_validate(tomllib.loads(text)).stores.items()}


def options_of(kind: str) -> Mapping[str, Json]:
    """Return the options that the environment has for an adapter, with a fresh space where the adapter knows spaces."""
    beginning = f"{FOR_TESTS}{kind.upper()}_"
    named = {
        name.removeprefix(beginning).lower(): value_of(text)
        for name, text in os.environ.items()
        if name.startswith(beginning)
    }
    return {**({SPACE: fresh_space()} if SPACE in load_adapter(kind).settings.model_fields else {}), **named}


def variables_of(profile: str) -> Mapping[str, str]:
    """Return the variables that make a server of a profile use the engines of the suite."""
    return {
        f"ENTREPOT_STORES__{name.upper()}__{option.upper()}": value if isinstance(value, str) else json.dumps(value)
        for name, kind in stores_of(profile).items()
        for option, value in options_of(kind).items()
    }


def fresh_space() -> str:
    """Return a space that nobody has used."""
    return f"t{secrets.token_hex(6)}"


def value_of(text: str) -> Json:
    """Return a value given as text: JSON, or else the text itself."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value
