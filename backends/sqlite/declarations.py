"""Declared fields and the columns they occupy: sortable ones first, because the first columns are indexed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import orjson

from backends.declarations import dump_specs, kept_fields, merge_specs, parse_specs
from backends.ports.fields import check_field_specs
from backends.ports.values import Fields, FieldSpec, Value
from backends.sqlite.schema import SLOTS

SqlValue = str | int | float | bytes | None


@dataclass(frozen=True, slots=True)
class Declared:
    """The fields of a kind or of a collection; a field's slot is its place in `specs`, and the first `indexed` are sortable."""

    specs: Mapping[str, FieldSpec]
    slots: Mapping[str, int]
    indexed: int
    texts: frozenset[str]
    """The fields that can be searched with `Contains`."""
    totals: tuple[str, ...] = ()
    """The fields by which a kind's nodes are counted as they are written."""

    def dump(self) -> str:
        """Return the declaration as the text that `parse` reads."""
        return dump_specs(self.specs)

    def kept(self, fields: Fields, *, owner: str) -> dict[str, Value]:
        """Return fields as they are stored: no empty lists, floats as floats. Raises `InvalidInput`."""
        return kept_fields(fields, self.specs, owner=owner)

    def columns(self, kept: Mapping[str, Value]) -> list[SqlValue]:
        """Return the values of all slots."""
        row: list[SqlValue] = [None] * SLOTS
        for name, value in kept.items():
            row[self.slots[name]] = column_value(value)
        return row


def column_value(value: Value | None) -> SqlValue:
    """Return a field's value as its column holds it: lists as JSON, booleans as 0 and 1, nothing where it is missing."""
    match value:
        case tuple():
            return orjson.dumps(value).decode()
        case bool():
            return int(value)
        case _:
            return value


def declare(fields: Iterable[FieldSpec], *, owner: str, totals: tuple[str, ...] = ()) -> Declared:
    """Return the declaration of `fields`. Raises `InvalidInput`."""
    checked = check_field_specs([*fields], owner=owner)
    ordered = sorted(checked.values(), key=lambda spec: not spec.sort)
    return Declared(
        {spec.name: spec for spec in ordered},
        {spec.name: slot for slot, spec in enumerate(ordered)},
        sum(spec.sort for spec in ordered),
        frozenset(spec.name for spec in ordered if spec.text),
        totals,
    )


@lru_cache(maxsize=256)
def parse(text: str, totals: str = "[]") -> Declared:
    """Return the declaration that `dump` wrote, with its totals as JSON."""
    return declare(parse_specs(text), owner="a stored declaration", totals=tuple(orjson.loads(totals)))


def merge(old: Declared, new: Declared, *, owner: str) -> Declared:
    """Return both declarations in one. Raises `Conflict` for a changed type."""
    return declare(merge_specs(old.specs, new.specs, owner=owner), owner=owner, totals=new.totals)
