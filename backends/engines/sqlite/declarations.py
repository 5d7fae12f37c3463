"""Declared fields and their columns. Sortable fields come first, because only the first columns are indexed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import orjson

from backends.engines.sqlite.schema import SLOTS
from backends.kit.declarations import dump_specs, merge_specs, parse_specs, storable_fields
from backends.ports.graph import ListingSpec, Order
from backends.ports.values import Fields, FieldSpec, Value

SqlValue = str | int | float | bytes | None


@dataclass(frozen=True, slots=True)
class Declared:
    """The fields of a kind or collection. A field's slot is its position in `specs`; the first `indexed` are sortable."""

    specs: Mapping[str, FieldSpec]
    slots: Mapping[str, int]
    indexed: int
    texts: frozenset[str]
    """The fields that can be searched with `Contains` and `InIgnoringCase`."""
    totals: tuple[str, ...] = ()
    """The fields by which a kind's nodes are counted when they are written."""
    listings: tuple[ListingSpec, ...] = ()
    """The listings for which a kind has an index."""

    def is_list(self, name: str) -> bool:
        """Return whether a field is a list."""
        return self.specs[name].type == "strs"

    def dump(self) -> str:
        """Return the declaration as the text that `parse` reads."""
        return dump_specs(self.specs)

    def dump_hints(self) -> tuple[str, str]:
        """Return totals and listings as the texts that `parse` reads."""
        listings = [[[(key.field, key.descending) for key in each.order], each.equal] for each in self.listings]
        return orjson.dumps(self.totals).decode(), orjson.dumps(listings).decode()

    def kept(self, fields: Fields, *, owner: str) -> dict[str, Value]:
        """Return fields as they are stored. Raises `InvalidInput` for fields that do not fit the declaration."""
        return storable_fields(fields, self.specs, owner=owner)

    def columns(self, kept: Mapping[str, Value]) -> list[SqlValue]:
        """Return the values of all slots."""
        row: list[SqlValue] = [None] * SLOTS
        for name, value in kept.items():
            row[self.slots[name]] = column_value(value)
        return row


def column_value(value: Value | None) -> SqlValue:
    """Return a field's value as it is stored: a list as JSON, a boolean as 0 or 1, NULL for a missing value."""
    match value:
        case tuple():
            return orjson.dumps(value).decode()
        case bool():
            return int(value)
        case _:
            return value


def declare(
    fields: Iterable[FieldSpec], *, totals: tuple[str, ...] = (), listings: tuple[ListingSpec, ...] = ()
) -> Declared:
    """Return the declaration of valid `fields`."""
    ordered = sorted(fields, key=lambda spec: not spec.sort)
    return Declared(
        {spec.name: spec for spec in ordered},
        {spec.name: slot for slot, spec in enumerate(ordered)},
        sum(spec.sort for spec in ordered),
        frozenset(spec.name for spec in ordered if spec.text),
        totals,
        listings,
    )


@lru_cache(maxsize=256)
def parse(text: str, totals: str = "[]", listings: str = "[]") -> Declared:
    """Return the declaration that `dump` and `dump_hints` wrote."""
    listed = (
        ListingSpec(tuple(Order(field, descending) for field, descending in order), tuple(equal))
        for order, equal in orjson.loads(listings)
    )
    return declare(parse_specs(text), totals=tuple(orjson.loads(totals)), listings=tuple(listed))


def merge(old: Declared, new: Declared, *, owner: str) -> Declared:
    """Return both declarations as one. Raises `Conflict` for a changed type, `InvalidInput` for more than 16 fields."""
    return declare(merge_specs(old.specs, new.specs, owner=owner), totals=new.totals, listings=new.listings)
