"""Compiles filters to conditions on a node `n`. Different filters share few statement texts and differ in their values.

The server takes a tenth of a second to plan a new text, minutes with 200 conditions, and keeps the plan. So a text
names at most one field, which an index may answer. All other conditions form a tree in `$v.tree`, which the
server evaluates for each node.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from backends.kit.declarations import check_filter_fields, whole_element
from backends.kit.normal_form import Condition, Junction, NormalForm, SignedCondition, normal_form, parts_of
from backends.ports.filters import Contains, Eq, Exists, Filter, Ge, Gt, Has, In, InIgnoringCase, Le, Lt
from backends.ports.text import shadow
from backends.ports.values import FieldSpec, Scalar

Tree: TypeAlias = "list[Tree] | dict[str, object]"
"""Nested lists: all items of the outermost must hold, any of the next, and so on. All leaves have the same depth."""
ScalarT = TypeVar("ScalarT")
Specs = Mapping[str, FieldSpec]

TRIGRAM: Final = 3
"""The shortest needle, in code points, that the text index finds without a full scan."""
LONG_TEXT: Final = "\x00\x00\x00"
"""Indexed in place of a text that is too long. No needle contains this character."""
_SHALLOW: Final = 4
"""The usual depth. Two statements serve all filters, since the server plans each new one for a tenth of a second."""
_DEEP: Final = 16
"""The depth that the port allows (`MAX_DEPTH`)."""
_SEEKS: Final = (Eq, In, Lt, Le, Gt, Ge)
_COMPARISONS: Final = {Eq: "=", In: "IN", Lt: "<", Le: "<=", Gt: ">", Ge: ">="}
_OPERATIONS: Final[Mapping[type[Condition], tuple[str, bool]]] = {
    Eq: ("in", False),
    In: ("in", False),
    Le: ("<=", False),
    Gt: ("<=", True),
    Ge: (">=", False),
    Lt: (">=", True),
    Has: ("has", False),
    Contains: ("contains", False),
    InIgnoringCase: ("in", False),
    Exists: ("exists", False),
}
"""The server's operation, and whether it is negated: fewer alternatives are planned faster.

Of a list `InIgnoringCase` is `contains`.
"""
_LEAF: Final = (
    "x.no <> coalesce(CASE x.op"
    " WHEN 'in' THEN coalesce(n[x.long], n[x.name]) IN x.value"
    " WHEN '<=' THEN n[x.name] <= x.value"
    " WHEN '>=' THEN n[x.name] >= x.value"
    " WHEN 'has' THEN x.value IN n[x.name]"
    " WHEN 'contains' THEN any(w IN x.value WHERE coalesce(n[x.long], n[x.name]) CONTAINS w)"
    " ELSE n[x.name] IS NOT NULL"
    " END, x.missing)"
)
_TEXT_INDEX: Final = "MATCH (n:EntrepotNode) USING TEXT INDEX n:EntrepotNode({short}) WHERE n.{short}"
_SEARCH: Final = (
    f"CALL () {{{{ {_TEXT_INDEX} CONTAINS $v.needle RETURN n"
    f" UNION ALL {_TEXT_INDEX} = '\\u0000\\u0000\\u0000' AND n.{{long}} CONTAINS $v.needle RETURN n }}}} WITH n"
)


@dataclass(frozen=True, slots=True)
class Selection:
    """How to select the nodes that match a filter: a clause that yields them as `n`, a condition, and the values of both."""

    nodes: str
    condition: str
    values: Mapping[str, object]


def value_property(spec: FieldSpec) -> str:
    """Return the property of a field's value."""
    return f"f_{spec.name}"


def sort_property(spec: FieldSpec) -> str:
    """Return the property of a sortable field's sort key, which is indexed."""
    return f"s_{spec.name}"


def short_property(spec: FieldSpec) -> str:
    """Return the property in which a text is searched, which is indexed."""
    return f"t_{spec.name}"


def long_property(spec: FieldSpec) -> str:
    """Return the property in which a text too long for the index is searched."""
    return f"u_{spec.name}"


def sort_key(value: ScalarT) -> ScalarT | str:
    """Return the key that sorts a value.

    In memory, Neo4j compares texts by UTF-16 units. Their UTF-8 bytes read as Latin-1 sort by code point
    in every comparison; ASCII texts stay the same.
    """
    return value.encode().decode("latin-1") if isinstance(value, str) else value


def select(where: Filter | None, specs: Specs) -> Selection:
    """Return the selection of a graph's matching nodes. Raises `InvalidInput` for an invalid filter."""
    terms = _conditions(where, specs)
    for place, part in enumerate(terms):
        if (term := _held(part)) is None:
            continue
        if isinstance(term, Contains | InIgnoringCase) and (needle := _indexed_needle(term, specs)) is not None:
            spec = specs[term.field]
            nodes = _SEARCH.format(short=short_property(spec), long=long_property(spec))
            # A text that contains the needle need not be equal to it.
            proved = isinstance(term, Contains) or spec.type == "strs"
            rest, values = _tree(terms[:place] + terms[place + proved :], specs)
            return Selection(nodes, rest, {**values, "needle": needle})
    return Selection("MATCH (n:EntrepotNode)", *_condition(terms, specs))


def condition(where: Filter | None, specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return the condition that `n` matches, where null means no, and its values. Raises `InvalidInput`."""
    return _condition(_conditions(where, specs), specs)


def _condition(terms: list[NormalForm], specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return one condition that an index may answer, if any, and the tree of the others."""
    held = [(place, _held(part)) for place, part in enumerate(terms)]
    seeks = [(place, term) for place, term in held if isinstance(term, _SEEKS) and specs[term.field].sort]
    if not seeks:
        return _tree(terms, specs)
    # An equality is likely to match fewer nodes than a set, a set fewer than a range.
    first, sought = min(seeks, key=lambda found: _SEEKS.index(type(found[1])))
    rest, values = _tree(terms[:first] + terms[first + 1 :], specs)
    value = [sort_key(it) for it in sought.values] if isinstance(sought, In) else sort_key(sought.value)
    seek = f"n.{sort_property(specs[sought.field])} {_COMPARISONS[type(sought)]} $v.sought"
    return f"{seek} AND {rest}", {**values, "sought": value}


def _conditions(where: Filter | None, specs: Specs) -> list[NormalForm]:
    """Return the conditions that must all hold."""
    return [] if where is None else [*parts_of(normal_form(check_filter_fields(where, specs)), every=True)]


def _held(part: NormalForm) -> Condition | None:
    """Return the condition on one field that must hold, None for any other part."""
    return part.condition if isinstance(part, SignedCondition) and part.holds else None


def _tree(terms: list[NormalForm], specs: Specs) -> tuple[str, Mapping[str, object]]:
    if not terms:
        return "true", {}
    levels = _SHALLOW if 1 + max(map(_height, terms)) <= _SHALLOW else _DEEP
    return _TREES[levels], {"tree": [_branch(part, specs, levels - 1) for part in terms]}


def _height(part: NormalForm) -> int:
    return 1 + max(map(_height, part.parts), default=0) if isinstance(part, Junction) else 0


def _branch(part: NormalForm, specs: Specs, levels: int) -> Tree:
    if levels == 0:
        return _leaf(part, specs)
    return [_branch(inner, specs, levels - 1) for inner in parts_of(part, every=levels % 2 == 0)]


def _leaf(part: NormalForm, specs: Specs) -> dict[str, object]:
    """Return a leaf. It holds if the operation's result, or `missing` for a null result, differs from `no`."""
    if isinstance(part, Junction):
        raise TypeError("a filter is deeper than its tree")
    where = part.condition
    spec = specs[where.field]
    operation, opposite = _OPERATIONS[type(where)]
    name = sort_property(spec) if spec.sort else value_property(spec)
    leaf = {
        "op": operation,
        "name": name,
        "long": name,
        "value": _operand(where, spec),
        "no": part.holds == opposite,
        "missing": isinstance(where, Lt | Gt),
    }
    if isinstance(where, Contains | InIgnoringCase):
        leaf |= {"name": short_property(spec), "long": long_property(spec)}
    if isinstance(where, InIgnoringCase) and spec.type == "strs":
        leaf["op"] = "contains"
    return leaf


def _indexed_needle(term: Contains | InIgnoringCase, specs: Specs) -> str | None:
    """Return the needle by which the text index finds all nodes that satisfy a term; None if it cannot answer the term."""
    match term:
        case Contains(needle=needle):
            found = shadow(needle)
        case InIgnoringCase(field=field, values=(value,)):
            found = _folded(value, specs[field])
        case _:
            return None
    return found if len(found) >= TRIGRAM else None


def _folded(value: str, spec: FieldSpec) -> str:
    return whole_element(value) if spec.type == "strs" else shadow(value)


def _operand(where: Condition, spec: FieldSpec) -> object:
    match where:
        case Eq(value=value):
            return _keys((value,), spec)
        case In(values=values):
            return _keys(values, spec)
        case Contains(needle=needle):
            return [shadow(needle)]
        case InIgnoringCase(values=values):
            return [_folded(value, spec) for value in values]
        case Exists():
            return None
        case _:
            return where.value


def _keys(values: tuple[Scalar, ...], spec: FieldSpec) -> list[object]:
    return [sort_key(value) if spec.sort else value for value in values]


def _quantified(levels: int) -> str:
    """Return the condition that a tree with this many levels holds."""
    text = _LEAF
    for level in range(levels, 0, -1):
        item, items = "x" if level == levels else f"x{level}", "$v.tree" if level == 1 else f"x{level - 1}"
        text = f"{'all' if level % 2 else 'any'}({item} IN {items} WHERE {text})"
    return text


_TREES: Final = {levels: _quantified(levels) for levels in (_SHALLOW, _DEEP)}
