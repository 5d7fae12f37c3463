"""Compiles filters to conditions on a node `n`. Different filters share few statement texts and differ in their values.

The server takes a tenth of a second to plan a new text, minutes with 200 conditions, and keeps the plan. So a text
names at most one field, which an index may answer. All other conditions form a tree in `$v.tree`, which the
server evaluates for each node.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from backends.kit.declarations import check_filter_fields, whole_element
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
    InFold,
    Le,
    Leaf,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.ids import check_name
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
_DEEP: Final = 16
_SEEKS: Final = (Eq, In, Lt, Le, Gt, Ge)
_COMPARISONS: Final = {Eq: "=", In: "IN", Lt: "<", Le: "<=", Gt: ">", Ge: ">="}
_OPERATIONS: Final[Mapping[type[Leaf], tuple[str, bool]]] = {
    Eq: ("in", False),
    Ne: ("in", True),
    In: ("in", False),
    NotIn: ("in", True),
    Le: ("<=", False),
    Gt: ("<=", True),
    Ge: (">=", False),
    Lt: (">=", True),
    Has: ("has", False),
    Contains: ("contains", False),
    InFold: ("in", False),
    Exists: ("exists", False),
}
"""The server's operation, and whether it is negated. Fewer alternatives are planned faster. `InFold` of a list contains."""
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
    return f"f_{check_name(spec.name, what='a field name')}"


def sort_property(spec: FieldSpec) -> str:
    """Return the property of a sortable field's sort key, which is indexed."""
    return f"s_{check_name(spec.name, what='a field name')}"


def short_property(spec: FieldSpec) -> str:
    """Return the property in which a text is searched, which is indexed."""
    return f"t_{check_name(spec.name, what='a field name')}"


def long_property(spec: FieldSpec) -> str:
    """Return the property in which a text too long for the index is searched."""
    return f"u_{check_name(spec.name, what='a field name')}"


def sort_key(value: ScalarT) -> ScalarT | str:
    """Return the key that sorts a value.

    In memory, Neo4j compares texts by UTF-16 units. Their UTF-8 bytes read as Latin-1 sort by code point
    in every comparison; ASCII texts stay the same.
    """
    return value.encode().decode("latin-1") if isinstance(value, str) else value


def select(where: Filter | None, specs: Specs) -> Selection:
    """Return the selection of a graph's matching nodes. Raises `InvalidInput` for an invalid filter."""
    terms = _conditions(where, specs)
    for place, term in enumerate(terms):
        if isinstance(term, Contains | InFold) and (needle := _indexed_needle(term, specs)) is not None:
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


def _condition(terms: list[Filter], specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return one condition that an index may answer, if any, and the tree of the others."""
    seeks = [term for term in terms if isinstance(term, _SEEKS) and specs[term.field].sort]
    if not seeks:
        return _tree(terms, specs)
    # An equality is likely to match fewer nodes than a set, a set fewer than a range.
    sought = min(seeks, key=lambda term: _SEEKS.index(type(term)))
    rest, values = _tree([term for term in terms if term is not sought], specs)
    value = [sort_key(it) for it in sought.values] if isinstance(sought, In) else sort_key(sought.value)
    seek = f"n.{sort_property(specs[sought.field])} {_COMPARISONS[type(sought)]} $v.sought"
    return f"{seek} AND {rest}", {**values, "sought": value}


def _conditions(where: Filter | None, specs: Specs) -> list[Filter]:
    """Return the conditions that must all hold."""
    parts = () if where is None else _parts(check_filter_fields(where, specs), negated=False, every=True)
    return [Not(part) if negated else part for part, negated in parts]


def _tree(terms: list[Filter], specs: Specs) -> tuple[str, Mapping[str, object]]:
    if not terms:
        return "true", {}
    where = And(tuple(terms))
    levels = _SHALLOW if _height(where, negated=False, every=True) <= _SHALLOW else _DEEP
    return _TREES[levels], {"tree": _branch(where, specs, levels, negated=False)}


def _parts(where: Filter, *, negated: bool, every: bool) -> Iterator[tuple[Filter, bool]]:
    """Yield the parts that must all hold (`every`), or of which one must, and whether each is negated."""
    match where:
        case Not(term=term):
            yield from _parts(term, negated=not negated, every=every)
        case And(terms=terms) | Or(terms=terms) if (isinstance(where, And) != negated) == every:
            for term in terms:
                yield from _parts(term, negated=negated, every=every)
        case _:
            yield where, negated


def _height(where: Filter, *, negated: bool, every: bool) -> int:
    parts = _parts(where, negated=negated, every=every)
    inner = [_height(part, negated=no, every=not every) for part, no in parts if isinstance(part, And | Or)]
    return 1 + max(inner, default=0)


def _branch(where: Filter, specs: Specs, levels: int, *, negated: bool) -> Tree:
    if levels == 0:
        return _leaf(where, specs, negated=negated)
    parts = _parts(where, negated=negated, every=levels % 2 == 0)
    return [_branch(part, specs, levels - 1, negated=no) for part, no in parts]


def _leaf(where: Filter, specs: Specs, *, negated: bool) -> dict[str, object]:
    """Return a leaf. It holds if the operation's result, or `missing` for a null result, differs from `no`."""
    if isinstance(where, And | Or | Not):
        raise TypeError("a filter is deeper than its tree")
    spec = specs[where.field]
    operation, opposite = _OPERATIONS[type(where)]
    name = sort_property(spec) if spec.sort else value_property(spec)
    leaf = {
        "op": operation,
        "name": name,
        "long": name,
        "value": _operand(where, spec),
        "no": negated != opposite,
        "missing": isinstance(where, Lt | Gt),
    }
    if isinstance(where, Contains | InFold):
        leaf |= {"name": short_property(spec), "long": long_property(spec)}
    if isinstance(where, InFold) and spec.type == "strs":
        leaf["op"] = "contains"
    return leaf


def _indexed_needle(term: Contains | InFold, specs: Specs) -> str | None:
    """Return what the text index finds all nodes by for which a term holds; None for a term that it does not answer."""
    match term:
        case Contains(needle=needle):
            found = shadow(needle)
        case InFold(field=field, values=(value,)):
            found = _folded(value, specs[field])
        case _:
            return None
    return found if len(found) >= TRIGRAM else None


def _folded(value: str, spec: FieldSpec) -> str:
    return whole_element(value) if spec.type == "strs" else shadow(value)


def _operand(where: Leaf, spec: FieldSpec) -> object:
    match where:
        case Eq(value=value) | Ne(value=value):
            return _keys((value,), spec)
        case In(values=values) | NotIn(values=values):
            return _keys(values, spec)
        case Contains(needle=needle):
            return [shadow(needle)]
        case InFold(values=values):
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
