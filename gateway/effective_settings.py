"""The effective settings, including the defaults of the chosen engines and toolsets."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic.fields import FieldInfo

from backends.ports.errors import StoreError
from backends.registry import load_adapter
from config.explain import Default, Explained, explain, explain_given
from config.secrets import secret_fields
from config.settings import TABLE
from config.sources import KeyPath, LoadedSettings, Sources
from gateway.assignment import assignments
from gateway.errors import Refused
from gateway.plugins import load
from toolsets.spec import DefaultFrom


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The effective values, sorted by key; `problem` says what is wrong and why some are missing, if any are."""

    values: tuple[Explained, ...]
    problem: str | None = None


def effective_settings(loaded: LoadedSettings) -> EffectiveSettings:
    """Return all effective values with secrets masked, except the defaults of engines that are not installed."""
    problem = None
    tables = list(_stores(loaded.settings.stores))
    secrets = _secrets(loaded.settings.toolsets)
    try:
        tables.extend(_toolsets(loaded))
    except Refused as refused:
        problem = str(refused)
    defaults = [default for table in tables for default in table.defaults]
    secrets |= {key for table in tables for key in table.secrets}
    return EffectiveSettings(explain(loaded, defaults, secrets), problem)


def given_settings(sources: Sources) -> tuple[Explained, ...]:
    """Return the values that the sources set, with secrets masked, where the settings as a whole are wrong."""
    merged = sources.merged()
    stores, toolsets = (each if isinstance(each := merged.get(name), dict) else {} for name in ("stores", "toolsets"))
    tables = {name: table for name, table in stores.items() if isinstance(table, dict)}
    secrets = {key for table in _stores(tables) for key in table.secrets}
    return explain_given(sources, secrets | _secrets(toolsets))


@dataclass(frozen=True, slots=True)
class _TableValues:
    """The values of one table, and its keys that hold a secret."""

    defaults: list[Default]
    secrets: list[KeyPath]


def _table_values(place: KeyPath, model: type[BaseModel], values: BaseModel | None) -> _TableValues:
    given: Mapping[str, JsonValue] = {}
    if values is not None:
        given = TABLE.validate_python(values.model_dump(mode="json"))
    defaults = [Default((*place, name), value, _source(model.model_fields[name])) for name, value in given.items()]
    return _TableValues(defaults, [(*place, name) for name in secret_fields(model)])


def _source(field: FieldInfo) -> str:
    """Name the environment variable that decides the default of a field, if one does."""
    variables = (each.variable for each in field.metadata if isinstance(each, DefaultFrom))
    return next((f"environment {name}" for name in variables if os.environ.get(name, "").strip()), "default")


def _stores(tables: Mapping[str, Mapping[str, JsonValue]]) -> Iterator[_TableValues]:
    for name, table in tables.items():
        options = {key: value for key, value in table.items() if key != "kind"}
        try:
            model = load_adapter(str(table.get("kind"))).settings
        except StoreError:
            continue
        try:
            values = model.model_validate(options)
        except ValidationError:  # the start refuses it; given values and defaults are explained all the same
            values = model.model_construct()
        yield _table_values(("stores", name), model, values)


def _secrets(toolsets: Iterable[str]) -> set[KeyPath]:
    """Return the keys that hold a secret of a toolset, though its settings or others may be wrong."""
    found: set[KeyPath] = set()
    for name in toolsets:
        with suppress(Refused):
            [toolset] = load([name])
            found |= {("toolsets", name, secret) for secret in secret_fields(toolset.settings)}
    return found


def _toolsets(loaded: LoadedSettings) -> Iterator[_TableValues]:
    for each in assignments(loaded.settings):
        place = ("toolsets", each.toolset.name)
        yield _TableValues([Default((*place, "enabled"), value=True)], [])
        yield _table_values(place, each.toolset.settings, each.settings)
        stores = [
            Default((*place, port), store, f"{loaded.origin(('defaults', port))} defaults.{port}")
            for port, store in each.stores.items()
        ]
        unnamed = [Default((*place, port), None) for port in each.toolset.optional_ports - each.stores.keys()]
        yield _TableValues([*stores, *unnamed], [])
