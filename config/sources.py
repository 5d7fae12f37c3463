"""The sources of settings, strongest first: flags, the environment, entrepot.toml, the profile, defaults."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias, cast

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from config.errors import ConfigError, WrongValue
from config.settings import DEFAULT_PROFILE, PREFIX, TABLE, Settings
from config.suggestion import closest, did_you_mean

Table: TypeAlias = Mapping[str, JsonValue]
KeyPath: TypeAlias = tuple[str, ...]

FILE_NAME = "entrepot.toml"
FOR_TESTS = f"{PREFIX}TEST_"
_KINDS: Mapping[str, str] = {
    "int_type": "an integer",
    "bool_type": "true or false",
    "string_type": "a text",
    "literal_error": "a text",
    "tuple_type": "a list",
    "path_type": "a path",
}
"""What a setting takes, by the error that another value causes."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings of one source, and its display name."""

    source: str
    table: Table


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The effective settings, with their layers, strongest first."""

    settings: Settings
    layers: tuple[Layer, ...]

    def origin(self, key: KeyPath) -> str:
        """Name the source that decided the value at `key`."""
        return _origin(self.layers, key)


@dataclass(frozen=True, slots=True)
class Sources:
    """The layers that could be read, strongest first; `problem` is the first reason why another one could not be."""

    layers: tuple[Layer, ...]
    problem: ConfigError | None = None

    def origin(self, key: KeyPath) -> str:
        """Name the source that decided the value at `key`."""
        return _origin(self.layers, key)

    def merged(self) -> dict[str, JsonValue]:
        """Return the table of all layers, unchecked; a stronger layer's value replaces a weaker one's."""
        merged: dict[str, JsonValue] = {}
        for layer in reversed(self.layers):
            merged = _merge(merged, layer.table)
        return merged


def load(flags: Table | None = None, config_file: Path | None = None) -> LoadedSettings:
    """Return the effective settings.

    Without `config_file`, `entrepot.toml` of the current directory is read if it exists. Raises `ConfigError` for a named
    file that is missing, a file that is not TOML, and an unknown profile, key or variable; `WrongValue` for a wrong value.
    """
    sources = read(flags, config_file)
    if sources.problem is not None:
        raise sources.problem
    layers = _without_options_of_undefined_stores(sources.layers)
    try:
        return LoadedSettings(Settings.model_validate(Sources(layers).merged()), layers)
    except ValidationError as error:
        raise _error(error, layers) from None


def read(flags: Table | None = None, config_file: Path | None = None) -> Sources:
    """Return what the sources say, without checking names and values of settings. Raises nothing."""
    layers, problems = [Layer("flag", flags or {})], list[ConfigError]()
    for source in (_environment, partial(_file, config_file)):
        try:
            layers.extend(source())
        except ConfigError as problem:
            problems.append(problem)
    try:
        layers.append(_chosen_profile(layers))
    except ConfigError as problem:
        problems.append(problem)
    return Sources(tuple(layers), next(iter(problems), None))


def _chosen_profile(above: Sequence[Layer]) -> Layer:
    source, profile = next(
        ((layer.source, layer.table["profile"]) for layer in above if "profile" in layer.table), ("", DEFAULT_PROFILE)
    )
    if isinstance(profile, dict | list):
        raise ConfigError(
            f"{source}: profile must be a text, not a {'table' if isinstance(profile, dict) else 'list'}."
        )
    return _profile(profile)


def profiles() -> tuple[str, ...]:
    """Return the names of the profiles that are shipped, sorted."""
    found = (entry.name for entry in files("config").joinpath("profiles").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def _profile(name: JsonValue) -> Layer:
    known = profiles()
    if name not in known:
        hint = did_you_mean(str(name), known) or "."
        raise ConfigError(f"There is no profile {name!r}{hint} There are: {', '.join(known)}.")
    text = files("config").joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8")
    return Layer(f"profile {name}", tomllib.loads(text))


def _file(named: Path | None) -> list[Layer]:
    path = named or Path(FILE_NAME)
    if named is None and not path.is_file():
        return []
    try:
        return [Layer(str(path), TABLE.validate_python(tomllib.loads(path.read_text(encoding="utf-8"))))]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The configuration file {path} cannot be read: {error}.") from None
    except ValidationError as error:
        key = ".".join(str(part) for part in error.errors()[0]["loc"][:-1])
        raise ConfigError(f"{path}: {key} has a date or a time, which no setting takes.") from None


def _environment() -> list[Layer]:
    # Like the library, without regard to case.
    for name in (name for name in os.environ if name.upper().startswith(PREFIX)):
        key = tuple(name[len(PREFIX) :].lower().split("__"))
        if key[0] not in Settings.model_fields and not name.upper().startswith(FOR_TESTS):
            meant = _intended(key)
            hint = "." if meant is None else f"; did you mean {_variable(meant)}?"
            raise ConfigError(f"The environment sets {name}, but there is no such setting{hint}")
        if (problem := _below_value(key)) is not None:
            raise ConfigError(f"The environment sets {name}, but {problem}")
    if not any(name.upper().startswith(PREFIX) for name in os.environ):
        return []
    # Importing its library takes longer than reading all settings, so it is imported only if there is a variable.
    from config.environment import variables

    return [Layer("environment", variables())]


def _below_value(key: KeyPath) -> str | None:
    """Return the end of a sentence about a key that continues below a setting with a single value, None for another key."""
    table: JsonValue = ""
    for part in reversed(key):
        table = {part: table}
    try:
        # Without the default of the data directory, which may not exist.
        Settings.model_validate({"data_dir": ".", **cast("dict[str, JsonValue]", table)})
    except ValidationError as error:
        for found in error.errors(include_url=False):
            reached = tuple(map(str, found["loc"]))
            if len(reached) < len(key) and reached == key[: len(reached)]:
                return _no_table(found)
    return None


def _no_table(found: ErrorDetails) -> str | None:
    """Return the end of a sentence about a table in the place of a single value, None for another error."""
    kind = _KINDS.get(found["type"])
    if kind is None or not isinstance(found["input"], Mapping):
        return None
    return f"{'.'.join(map(str, found['loc']))} must be {kind}, not a table."


def _without_options_of_undefined_stores(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the layers without options of stores that only other shipped profiles have.

    Files and variables can then stay the same when moving from one profile to another, for example with `rebuild --to`.
    """
    tables = [_stores(layer.table) for layer in layers]
    named = {name for stores in tables for name in stores}
    defined = {
        name for stores in tables for name, table in stores.items() if isinstance(table, dict) and table.get("kind")
    }
    if named == defined:
        return tuple(layers)
    elsewhere = {name for profile in profiles() for name in _stores(_profile(profile).table)}
    undefined = (named - defined) & elsewhere
    return tuple(
        Layer(layer.source, {**layer.table, "stores": {n: each for n, each in stores.items() if n not in undefined}})
        if undefined & stores.keys()
        else layer
        for layer, stores in zip(layers, tables, strict=True)
    )


def _stores(table: Table) -> Table:
    stores = table.get("stores")
    return stores if isinstance(stores, dict) else {}


def _merge(below: Table, above: Table) -> dict[str, JsonValue]:
    merged = dict(below)
    for key, value in above.items():
        former = merged.get(key)
        merged[key] = _merge(former, value) if isinstance(former, dict) and isinstance(value, dict) else value
    return merged


def _has(table: JsonValue | Table, key: KeyPath) -> bool:
    for part in key:
        if not isinstance(table, Mapping) or part not in table:
            return False
        table = table[part]
    return True


def _origin(layers: Sequence[Layer], key: KeyPath) -> str:
    return next((_named(layer, key) for layer in layers if _has(layer.table, key)), "default")


def _named(layer: Layer, key: KeyPath) -> str:
    return f"{layer.source} {_variable(key)}" if layer.source == "environment" else layer.source


def _variable(key: KeyPath) -> str:
    return f"{PREFIX}{'__'.join(key).upper()}"


def _error(error: ValidationError, layers: Sequence[Layer]) -> ConfigError:
    first = error.errors(include_url=False)[0]
    key = tuple(str(part) for part in first["loc"] if part != "[key]")
    if not key:
        problem = str(first.get("ctx", {}).get("error"))
        return ConfigError(f"The configuration is not consistent: {problem}{'' if problem.endswith('?') else '.'}")
    held = [key[: len(key) - cut] for cut in range(len(key))]
    where = next((_named(layer, k) for k in held for layer in layers if _has(layer.table, k)), "configuration")
    if first["type"] == "extra_forbidden":
        return ConfigError(f"{where}: {'.'.join(key)} is not a setting{_similar(key) or '.'}")
    if (no_table := _no_table(first)) is not None:
        return ConfigError(f"{where}: {no_table}")
    if first["type"] in ("model_type", "dict_type"):
        return ConfigError(f"{where}: {'.'.join(key)} must be a table, not a single value.")
    return WrongValue(f"{where}: {'.'.join(key)}", first)


def _similar(key: KeyPath) -> str:
    """Suggest a setting similar to a key that does not exist, by its last part if the other parts do exist."""
    if len(key) == 1:
        meant = _intended(key)
        return "" if meant is None else f"; did you mean {'.'.join(meant)}?"
    fields = Settings.model_fields
    for part in key[:-1]:
        fields = _fields_below(fields, part)
    return did_you_mean(key[-1], fields)


def _intended(key: KeyPath) -> KeyPath | None:
    """Return the setting that a key with an unknown first part probably means.

    The first part may be misspelt, and the second one too; or the section is missing, or joined by one underscore.
    """
    section, *rest = key
    if rest:
        section = closest(section, Settings.model_fields)
        if section is None:
            return None
        known = _fields_below(Settings.model_fields, section)
        inner = rest[0] if rest[0] in known else closest(rest[0], known) or rest[0]
        return (section, inner, *rest[1:])
    spellings: dict[str, KeyPath] = {}
    for name in Settings.model_fields:
        for inner in _fields_below(Settings.model_fields, name):
            spellings |= {inner: (name, inner), f"{name}_{inner}": (name, inner)}
    spellings |= {name: (name,) for name in Settings.model_fields}
    close = closest(section, spellings)
    return None if close is None else spellings[close]


def _fields_below(fields: Mapping[str, FieldInfo], name: str) -> Mapping[str, FieldInfo]:
    """Return the fields of the section in a field, none if it has no fixed ones."""
    kind = fields[name].annotation if name in fields else None
    return kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else {}


def flag_table(values: Mapping[str, str | int | Path | None]) -> Table:
    """Return flags such as `server.port` as a layer, without those that were not given."""
    table: dict[str, JsonValue] = {}
    for dotted, value in values.items():
        if value is None:
            continue
        *parents, last = dotted.split(".")
        inner = table
        for parent in parents:
            inner = cast("dict[str, JsonValue]", inner.setdefault(parent, {}))
        inner[last] = str(value) if isinstance(value, Path) else value
    return table
