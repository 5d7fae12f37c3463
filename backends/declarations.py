"""Declared fields: how a declaration is kept and grows, and what is stored of a record's fields."""

from collections.abc import Mapping, Sequence

import orjson

from backends.ports.errors import Conflict
from backends.ports.fields import check_field_specs, check_fields
from backends.ports.graph import KindSpec
from backends.ports.ids import check_name
from backends.ports.values import Fields, FieldSpec, Value
from backends.questions import check_groups


def check_kinds(kinds: Sequence[KindSpec]) -> dict[str, Mapping[str, FieldSpec]]:
    """Return the fields by kind. Raises `InvalidInput`."""
    checked: dict[str, Mapping[str, FieldSpec]] = {}
    for kind in kinds:
        specs = check_field_specs(kind.fields, owner=f"kind {kind.name!r}")
        check_groups(kind.totals, specs)
        checked[check_name(kind.name, what="a kind")] = specs
    return checked


def dump_specs(specs: Mapping[str, FieldSpec]) -> str:
    """Return specs as the text that `parse_specs` reads, in their order."""
    return orjson.dumps([[spec.name, spec.type, spec.sort, spec.text] for spec in specs.values()]).decode()


def parse_specs(text: str) -> list[FieldSpec]:
    """Return the specs that `dump_specs` wrote."""
    return [FieldSpec(*spec) for spec in orjson.loads(text)]


def merge_specs(old: Mapping[str, FieldSpec], new: Mapping[str, FieldSpec], *, owner: str) -> list[FieldSpec]:
    """Return both declarations in one, old fields first: fields and flags are only ever added.

    Raises `Conflict` for a changed type.
    """
    fields = dict(old)
    for name, spec in new.items():
        known = fields.get(name, spec)
        if known.type != spec.type:
            raise Conflict(f"field {name!r} of {owner} is {known.type} and cannot become {spec.type}", key=name)
        fields[name] = FieldSpec(name, spec.type, sort=known.sort or spec.sort, text=known.text or spec.text)
    return list(fields.values())


def kept_fields(fields: Fields, specs: Mapping[str, FieldSpec], *, owner: str) -> dict[str, Value]:
    """Return fields as they are stored: no empty lists, floats as floats. Raises `InvalidInput`."""
    check_fields(fields, specs, owner=owner)
    kept = dict(fields)
    for name, value in fields.items():
        if value == ():
            del kept[name]
        elif isinstance(value, int) and specs[name].type == "float":
            kept[name] = float(value)
    return kept


def stored_fields(text: str) -> dict[str, Value]:
    """Return the fields that were stored as JSON text."""
    found: dict[str, Value] = orjson.loads(text)
    if "[" in text:
        found.update({name: tuple(value) for name, value in found.items() if isinstance(value, list)})
    return found
