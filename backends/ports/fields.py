"""The rules for declarations of fields; `backends.kit.declarations` checks records against declarations."""

from collections.abc import Mapping, Sequence

from backends.ports.errors import InvalidInput
from backends.ports.ids import check_name
from backends.ports.values import MAX_FIELDS, FieldSpec


def check_field_specs(specs: Sequence[FieldSpec], *, owner: str) -> Mapping[str, FieldSpec]:
    """Return the specs by name. Raises `InvalidInput` for an invalid or repeated name, more than 16, or a wrong flag."""
    by_name = {check_name(spec.name, what="a field name"): spec for spec in specs}
    if len(by_name) != len(specs) or len(specs) > MAX_FIELDS:
        raise InvalidInput(f"{owner} may have at most {MAX_FIELDS} fields, each name once")
    for spec in specs:
        if spec.text and spec.type not in ("str", "strs"):
            raise InvalidInput(f"field {spec.name!r} of {owner} is flagged text but is {spec.type}")
        if spec.sort and spec.type == "strs":
            raise InvalidInput(f"field {spec.name!r} of {owner} is a list and cannot be flagged sort")
    return by_name
