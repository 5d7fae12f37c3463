"""What the vectors port refuses, whatever the engine: the checks of its arguments."""

import math
from collections.abc import Mapping, Sequence

from backends.ports.errors import Conflict, InvalidInput, Unusable
from backends.ports.fields import check_field_specs
from backends.ports.ids import check_id, check_name
from backends.ports.text import check_text
from backends.ports.values import FieldSpec
from backends.ports.vectors import MAX_HITS, CollectionSpec, VectorRecord
from backends.revisions import check_revision


def check_spec(spec: CollectionSpec) -> Mapping[str, FieldSpec]:
    """Return the fields of a collection by name. Raises `InvalidInput`."""
    check_name(spec.name, what="a collection's name")
    if not 1 <= spec.dim <= 65_536:
        raise InvalidInput(f"a vector has 1 to 65,536 dimensions: {spec.dim}")
    if not spec.model:
        raise InvalidInput("a collection names the model of its vectors")
    if any(field.text for field in spec.fields):
        raise InvalidInput("fields of a collection cannot be flagged text; its text is searched by words")
    return check_field_specs(spec.fields, owner=f"collection {spec.name!r}")


def check_same(spec: CollectionSpec, *, model: str, dim: int) -> None:
    """Raise `Unusable` for a collection that holds another `model`'s vectors, `Conflict` for one of another dimension."""
    if model != spec.model:
        raise Unusable(
            f"collection {spec.name!r} holds vectors of {model}, but the embedder is {spec.model}; "
            "choose that embedder again, or run `entrepot rebuild` to make a generation for the new one"
        )
    if dim != spec.dim:
        raise Conflict(f"collection {spec.name!r} has {dim} dimensions, not {spec.dim}", key=spec.name)


def check_records(records: Sequence[VectorRecord]) -> list[VectorRecord]:
    """Return the records, of doubles the last. Raises `InvalidInput`."""
    last: dict[str, VectorRecord] = {}
    for record in records:
        check_id(record.id, what="a record id")
        check_revision(record.rev)
        check_text(record.text, what="a record's text")
        last[record.id] = record
    return list(last.values())


def check_between(what: str, value: int, most: int = MAX_HITS) -> None:
    """Raise `InvalidInput` unless `value` is 1 to `most`."""
    if not 1 <= value <= most:
        raise InvalidInput(f"{what} must be 1 to {most}: {value}")


def check_min_score(value: float | None) -> None:
    """Raise `InvalidInput` for a least score that is no number."""
    if value is not None and not math.isfinite(value):
        raise InvalidInput(f"min_score is a number: {value}")
