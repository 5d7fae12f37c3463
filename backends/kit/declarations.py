"""Declared fields: checks against a declaration, declarations as text and their growth, and the stored form of fields.

Everything else is checked before a call reaches an adapter (`backends.ports.checked`). Only the engine knows what a graph
or a collection declares, so the adapter makes these checks, with the functions here.
"""

import math
from collections.abc import Mapping, Sequence

import orjson

from backends.ports.errors import Conflict, InvalidInput, NotFound, Unusable
from backends.ports.filters import (
    And,
    Contains,
    Eq,
    Exists,
    Filter,
    Ge,
    Gt,
    Has,
    In,
    InIgnoringCase,
    Le,
    Leaf,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.graph import KindSpec, Order, check_group_field
from backends.ports.text import MAX_INDEXED_BYTES, MAX_SORT_BYTES, MAX_TEXT_BYTES, shadow, text_problem
from backends.ports.values import INTEGER_RANGE, MAX_FIELDS, MAX_INTEGER, Fields, FieldSpec, Scalar, Value
from backends.ports.vectors import CollectionSpec


def undeclared_kind(kind: str) -> InvalidInput:
    """Return the error for a kind that was never declared."""
    return InvalidInput(f"no kind {kind!r:.60} is declared in this graph")


def undeclared_collection(name: str) -> NotFound:
    """Return the error for a collection that was never declared, or was dropped."""
    return NotFound(f"no collection {name!r:.60} is declared here")


def check_filter_fields(where: Filter, specs: Mapping[str, FieldSpec]) -> Filter:
    """Return `where`. Raises `InvalidInput` for an undeclared field, and for a value or operator that does not fit its type."""
    match where:
        case And(terms=terms) | Or(terms=terms):
            for term in terms:
                check_filter_fields(term, specs)
        case Not(term=term):
            check_filter_fields(term, specs)
        case _:
            field = specs.get(where.field)
            if field is None:
                raise InvalidInput(f"no field {where.field!r} here")
            _check_leaf(where, field)
    return where


def _check_leaf(term: Leaf, field: FieldSpec) -> None:
    match term:
        case Exists():
            return
        case Eq() | Ne():
            _check_value(term.value, field)
        case In() | NotIn():
            for value in term.values:
                _check_value(value, field)
        case Lt() | Le() | Gt() | Ge():
            # A whole-number field may have a fractional bound.
            if field.type not in ("int", "float"):
                raise InvalidInput(f"field {field.name!r} is not a number")
        case Has() | Contains() | InIgnoringCase():
            if not (field.type == "strs" if isinstance(term, Has) else field.text):
                raise InvalidInput(f"{type(term).__name__} does not fit field {field.name!r}")


def _check_value(value: Scalar, field: FieldSpec) -> None:
    fits = False  # also for a value of a type that no field has, which only callers without type checks pass
    match value:
        case bool():
            fits = field.type == "bool"
        case int():
            fits = field.type in ("int", "float")
        case float():
            fits = field.type == "float"
        case str():
            fits = field.type == "str"
    if not fits:
        raise InvalidInput(f"{value!r:.60} does not fit field {field.name!r} of type {field.type}")


def sort_fields(order: Sequence[Order], specs: Mapping[str, FieldSpec]) -> list[FieldSpec]:
    """Return the fields to sort by, in order. Raises `InvalidInput` for one that is not flagged sort."""
    fields: list[FieldSpec] = []
    for key in order:
        spec = specs.get(key.field)
        if spec is None or not spec.sort:
            raise InvalidInput(f"cannot sort by {key.field!r:.60}: no field of that name is flagged sort")
        fields.append(spec)
    return fields


def group_fields(by: Sequence[str], specs: Mapping[str, FieldSpec]) -> list[FieldSpec]:
    """Return the fields to count by, in order. Raises `InvalidInput` for an undeclared field and for a list."""
    return [check_group_field(name, specs) for name in by]


def check_fields(fields: Fields, specs: Mapping[str, FieldSpec], *, owner: str) -> None:
    """Check fields against a declaration; `owner` names the kind or collection in messages.

    Raises `InvalidInput` for an undeclared field, a value of another type, a number that is not finite or has more than
    53 bits, and a text that cannot be stored or is too long: 2,000 bytes for sortable fields and elements of lists, else
    256 kB.
    """
    for name, value in fields.items():
        spec = specs.get(name)
        if spec is None:
            raise InvalidInput(f"{owner} has no field {name!r:.60}")
        if not _fits(value, spec):
            raise InvalidInput(f"field {name!r} of {owner} {_rule_broken_by(value, spec)}")


def _rule_broken_by(value: Value, spec: FieldSpec) -> str:
    """Return the rule for the values of a field that `value` breaks."""
    if spec.type in ("int", "float") and type(value) is int:
        return f"must be {'an integer' if spec.type == 'int' else 'a float, or an integer'} from {INTEGER_RANGE}"
    if spec.type == "float" and isinstance(value, float):
        return "must be a finite number"
    return f"is {spec.type}; this is {type(value).__name__}"


def _fits(value: Value, spec: FieldSpec) -> bool:
    match value:
        case str():
            most = MAX_SORT_BYTES if spec.sort else MAX_TEXT_BYTES
            # Nearly every text passes this cheap test: surrogates and NUL are not printable.
            if len(value) <= most // 4 and value.isprintable():
                return spec.type == "str"
            if problem := text_problem(value, max_bytes=most):
                raise InvalidInput(f"field {spec.name!r} {problem}")
            return spec.type == "str"
        case bool():
            return spec.type == "bool"
        case int():
            return spec.type in ("int", "float") and -MAX_INTEGER <= value <= MAX_INTEGER
        case float():
            return spec.type == "float" and math.isfinite(value)
        case tuple():
            for element in value:
                if problem := text_problem(element, max_bytes=MAX_SORT_BYTES):
                    raise InvalidInput(f"an element of field {spec.name!r} {problem}")
            return spec.type == "strs"


def storable_fields(fields: Fields, specs: Mapping[str, FieldSpec], *, owner: str) -> dict[str, Value]:
    """Return fields as they are stored: without empty lists, and with integers in float fields as floats.

    Raises `InvalidInput` as `check_fields` does.
    """
    check_fields(fields, specs, owner=owner)
    kept = dict(fields)
    for name, value in fields.items():
        if value == ():
            del kept[name]
        elif isinstance(value, int) and specs[name].type == "float":
            kept[name] = float(value)
    return kept


def parse_fields(text: str) -> dict[str, Value]:
    """Return the fields that were stored as JSON text; lists become tuples."""
    found: dict[str, Value] = orjson.loads(text)
    if "[" in text:
        for name, value in found.items():
            if isinstance(value, list):
                found[name] = tuple(value)
    return found


def searched_text(value: Value) -> str | None:
    """Return the text in which the value of a text field is searched; None for a text over 32 kB, which is not searched.

    For a text it is the shadow; for a list it is the elements' shadows with a NUL around each, which no text contains. So a
    needle is found within one element, and `whole_element` finds a whole element.
    """
    match value:
        case str():
            return shadow(value) if len(value.encode()) <= MAX_INDEXED_BYTES else None
        case tuple():
            return "\x00".join(("", *map(shadow, value), ""))
        case _:
            return None


def whole_element(value: str) -> str:
    """Return the text that the `searched_text` of a list contains if an element equals `value` with case folded."""
    return f"\x00{shadow(value)}\x00"


def specs_by_name(fields: Sequence[FieldSpec]) -> dict[str, FieldSpec]:
    """Return a declaration's fields by name, in order."""
    return {field.name: field for field in fields}


def specs_by_kind(kinds: Sequence[KindSpec]) -> dict[str, Mapping[str, FieldSpec]]:
    """Return the fields of each kind by name. If a kind occurs twice, the last one counts."""
    return {kind.name: specs_by_name(kind.fields) for kind in kinds}


def check_same_model(spec: CollectionSpec, *, model: str, dim: int) -> None:
    """Compare a declaration with the collection that is stored under its name, which has `model` and `dim`.

    Raises `Unusable` for vectors of another model, `Conflict` for another dimension.
    """
    if model != spec.model:
        raise Unusable(
            f"collection {spec.name!r} holds vectors of {model}, but the embedder is {spec.model}; "
            "choose that embedder again, or run `entrepot rebuild` to make a generation for the new one"
        )
    if dim != spec.dim:
        raise Conflict(f"collection {spec.name!r} has {dim} dimensions, not {spec.dim}", key=spec.name)


def dump_specs(specs: Mapping[str, FieldSpec]) -> str:
    """Return specs, in order, as the text that `parse_specs` reads."""
    return orjson.dumps([[spec.name, spec.type, spec.sort, spec.text] for spec in specs.values()]).decode()


def parse_specs(text: str) -> list[FieldSpec]:
    """Return the specs that `dump_specs` wrote, in order."""
    return [FieldSpec(*spec) for spec in orjson.loads(text)]


def merge_specs(old: Mapping[str, FieldSpec], new: Mapping[str, FieldSpec], *, owner: str) -> list[FieldSpec]:
    """Return both declarations merged, old fields first: fields and flags can only be added.

    Raises `Conflict` for a changed type, and `InvalidInput` for more than 16 fields together.
    """
    fields = dict(old)
    for name, spec in new.items():
        known = fields.get(name, spec)
        if known.type != spec.type:
            raise Conflict(f"field {name!r} of {owner} is {known.type} and cannot become {spec.type}", key=name)
        fields[name] = FieldSpec(name, spec.type, sort=known.sort or spec.sort, text=known.text or spec.text)
    if len(fields) > MAX_FIELDS:
        raise InvalidInput(f"{owner} may have at most {MAX_FIELDS} fields, each name once")
    return list(fields.values())
