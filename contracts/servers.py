"""How the suite finds the engines to test: options from the environment, and a separate space on servers.

`ENTREPOT_TEST_<KIND>_<OPTION>` is an option of every store of that kind, e.g. `ENTREPOT_TEST_NEO4J_URI`.
"""

import json
import os
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, JsonValue

from backends.ports.adapter import capabilities_with
from backends.ports.capabilities import Capabilities
from backends.ports.values import Json
from backends.registry import load_adapter

FOR_TESTS = "ENTREPOT_TEST_"
KIND = "kind"
SPACE = "space"
"""The option that separates installations on one server, if an adapter has it."""


class _Profile(BaseModel):
    model_config = ConfigDict(extra="ignore")

    stores: dict[str, dict[str, JsonValue]]


@dataclass(frozen=True, slots=True)
class Combination:
    """A shipped profile in which some ports may use other engines: `engines` is the kind by port."""

    profile: str
    engines: Mapping[str, str] = field(default_factory=dict[str, str])

    def kinds(self) -> Sequence[str]:
        """Return the engines it uses, sorted. Raises `FileNotFoundError` for an unknown profile."""
        return sorted({*self._stores().values()})

    def capabilities(self) -> Sequence[Capabilities]:
        """Return what each of its stores can do."""
        shipped = _profile(self.profile).stores
        found: list[Capabilities] = []
        for name, kind in self._stores().items():
            options = {**shipped.get(name, {}), **options_of(kind)}
            options.pop(KIND, None)
            found.append(capabilities_with(load_adapter(kind), options))
        return found

    def variables(self) -> Mapping[str, str]:
        """Return the variables that make a server use these engines, in a new space on servers."""
        chosen = {f"ENTREPOT_STORES__{kind.upper()}__KIND": kind for kind in self.engines.values()}
        chosen |= {f"ENTREPOT_DEFAULTS__{port.upper()}": kind for port, kind in self.engines.items()}
        options = {
            f"ENTREPOT_STORES__{name.upper()}__{option.upper()}": value if isinstance(value, str) else json.dumps(value)
            for name, kind in self._stores().items()
            for option, value in options_of(kind).items()
        }
        return {**chosen, **options}

    def _stores(self) -> Mapping[str, str]:
        named = {name: str(store[KIND]) for name, store in _profile(self.profile).stores.items()}
        return {**named, **{kind: kind for kind in self.engines.values()}}


def _profile(name: str) -> _Profile:
    text = (files("config") / "profiles" / f"{name}.toml").read_text(encoding="utf-8")
    return _Profile.model_validate(tomllib.loads(text))


def options_of(kind: str) -> Mapping[str, Json]:
    """Return the environment's options for an adapter, with a new space if the adapter has that option."""
    beginning = f"{FOR_TESTS}{kind.upper()}_"
    named = {
        name.removeprefix(beginning).lower(): value_of(text)
        for name, text in os.environ.items()
        if name.startswith(beginning)
    }
    return {**({SPACE: fresh_space()} if SPACE in load_adapter(kind).settings.model_fields else {}), **named}


def fresh_space() -> str:
    """Return an unused space."""
    return f"t{secrets.token_hex(6)}"


def value_of(text: str) -> Json:
    """Return a value given as text: parsed as JSON, otherwise the text itself."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value
