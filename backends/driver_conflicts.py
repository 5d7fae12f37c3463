"""Conflicts between stores whose drivers cannot be loaded in one process."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from backends.ports.adapter import AdapterWithDrivers
from backends.ports.errors import InvalidInput, StoreError
from backends.ports.values import Json
from backends.registry import load_adapter


class _Driver(NamedTuple):
    """A driver, and the kind of the stores that choose it."""

    kind: str
    name: str


def check_together(tables: Mapping[str, Mapping[str, Json]]) -> None:
    """Raise `InvalidInput` if two stores need drivers that one process cannot load together. Opens nothing."""
    kinds = Counter(str(table.get("kind")) for table in tables.values())
    first: dict[str, tuple[str, str]] = {}
    for name, (kind, driver) in _drivers(tables, {kind for kind, number in kinds.items() if number > 1}).items():
        other, used = first.setdefault(kind, (name, driver))
        if used != driver:
            raise InvalidInput(
                f"[stores.{other}] uses the driver {used} and [stores.{name}] the driver {driver}, and one process cannot "
                f'load both: choose one driver for all stores of kind "{kind}" that are in use'
            )


def conflicting_with(
    tables: Mapping[str, Mapping[str, Json]], others: Mapping[str, Mapping[str, Json]]
) -> frozenset[str]:
    """Return the stores of `tables` that cannot be opened in a process that opens `others`."""
    kinds = {str(table.get("kind")) for table in others.values()}
    loaded = _drivers(others, kinds & {str(table.get("kind")) for table in tables.values()}).values()
    return frozenset(
        name
        for name, (kind, driver) in _drivers(tables, kinds).items()
        if any(each.kind == kind and each.name != driver for each in loaded)
    )


def _drivers(tables: Mapping[str, Mapping[str, Json]], kinds: Collection[str]) -> Mapping[str, _Driver]:
    """Return the driver of each store of these kinds that chooses one; wrong options are reported by opening the store.

    Adapters of other kinds are not imported, because that may take seconds.
    """
    found: dict[str, _Driver] = {}
    for name, table in tables.items():
        kind = str(table.get("kind"))
        options = {key: value for key, value in table.items() if key != "kind"}
        try:
            adapter = load_adapter(kind) if kind in kinds else None
            if isinstance(adapter, AdapterWithDrivers):
                found[name] = _Driver(kind, adapter.driver(options))
        except StoreError:
            continue
    return found
