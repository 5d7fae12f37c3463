"""Turns filters into conditions over the properties of a node `n`: few texts for all filters, what differs is in the values.

The server plans each new text for a tenth of a second, and for minutes if it has 200 conditions; it keeps the plan. So a
text names at most one field, the one that an index may answer; all else is a tree of conditions in `$v.tree`, which the
server computes node by node.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.filters import check_filter as check
from backends.ports.ids import check_name
from backends.ports.text import shadow
from backends.ports.values import FieldSpec, Scalar

Leaf: TypeAlias = Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains
Tree: TypeAlias = "list[Tree] | dict[str, object]"
"""Lists in lists, of which in turn all and one of the items must hold, with leaves at an equal depth."""
ScalarT = TypeVar("ScalarT")
Specs = Mapping[str, FieldSpec]

TRIGRAM: Final = 3
"""The shortest needle, in code points, that the index of texts finds without looking at all of them."""
LONG_TEXT: Final = "\x00\x00\x00"
"""What is indexed instead of a text that is too long: no needle has this character."""
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
    Exists: ("exists", False),
}
"""What the server computes, and whether its opposite is meant: planning takes the longer the more there is to choose."""
_LEAF: Final = (
    "x.no <> coalesce(CASE x.op"
    " WHEN 'in' THEN n[x.name] IN x.value"
    " WHEN '<=' THEN n[x.name] <= x.value"
    " WHEN '>=' THEN n[x.name] >= x.value"
    " WHEN 'has' THEN x.value IN n[x.name]"
    " WHEN 'contains' THEN coalesce(n[x.long], n[x.name]) CONTAINS x.value"
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
    """How the nodes that match a filter are come by: the clause that yields them as `n`, a condition, and the values of both."""

    nodes: str
    condition: str
    values: Mapping[str, object]


def value_property(spec: FieldSpec) -> str:
    """Return the property that holds a field's value."""
    return f"f_{check_name(spec.name, what='a field name')}"


def sort_property(spec: FieldSpec) -> str:
    """Return the property that holds a sortable field's sort key, and is indexed."""
    return f"s_{check_name(spec.name, what='a field name')}"


def short_property(spec: FieldSpec) -> str:
    """Return the property in which a text is searched, and which is indexed."""
    return f"t_{check_name(spec.name, what='a field name')}"


def long_property(spec: FieldSpec) -> str:
    """Return the property in which a text is searched that is too long for the index."""
    return f"u_{check_name(spec.name, what='a field name')}"


def sort_key(value: ScalarT) -> ScalarT | str:
    """Return what stands for a value where order counts.

    In memory, Neo4j compares texts by their UTF-16 units. The bytes of UTF-8, as characters, are in code-point
    order whichever way they are compared; for ASCII nothing changes.
    """
    return value.encode().decode("latin-1") if isinstance(value, str) else value


def select(where: Filter | None, specs: Specs) -> Selection:
    """Return how to come by the nodes of a graph that match. Raises `InvalidInput` for a filter that breaks a rule."""
    terms = _conditions(where, specs)
    for place, term in enumerate(terms):
        if isinstance(term, Contains) and len(needle := shadow(term.needle)) >= TRIGRAM:
            spec = specs[term.field]
            nodes = _SEARCH.format(short=short_property(spec), long=long_property(spec))
            rest, values = _tree(terms[:place] + terms[place + 1 :], specs)
            return Selection(nodes, rest, {**values, "needle": needle})
    return Selection("MATCH (n:EntrepotNode)", *_condition(terms, specs))


def condition(where: Filter | None, specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return the condition that `n` matches; where it is null, it does not. Return its values, too. Raises `InvalidInput`."""
    return _condition(_conditions(where, specs), specs)


def _condition(terms: list[Filter], specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return one condition that an index may answer, if there is any, and the tree of all others."""
    seeks = [term for term in terms if isinstance(term, _SEEKS) and specs[term.field].sort]
    if not seeks:
        return _tree(terms, specs)
    # The fewest nodes are likely to have one value, or one of some.
    sought = min(seeks, key=lambda term: _SEEKS.index(type(term)))
    rest, values = _tree([term for term in terms if term is not sought], specs)
    value = [sort_key(it) for it in sought.values] if isinstance(sought, In) else sort_key(sought.value)
    seek = f"n.{sort_property(specs[sought.field])} {_COMPARISONS[type(sought)]} $v.sought"
    return f"{seek} AND {rest}", {**values, "sought": value}


def _conditions(where: Filter | None, specs: Specs) -> list[Filter]:
    """Return what must all hold."""
    parts = () if where is None else _parts(check(where, specs), negated=False, every=True)
    return [Not(part) if negated else part for part, negated in parts]


def _tree(terms: list[Filter], specs: Specs) -> tuple[str, Mapping[str, object]]:
    if not terms:
        return "true", {}
    where = And(tuple(terms))
    levels = _SHALLOW if _height(where, negated=False, every=True) <= _SHALLOW else _DEEP
    return _TREES[levels], {"tree": _branch(where, specs, levels, negated=False)}


def _parts(where: Filter, *, negated: bool, every: bool) -> Iterator[tuple[Filter, bool]]:
    """Yield the parts of which all, or one, must hold, and whether each is negated; what is no such list is one part."""
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
    """Return what is computed: whether an operation, or `missing` where it comes to null, differs from `no`."""
    if isinstance(where, And | Or | Not):
        raise TypeError("a filter is deeper than its tree")
    spec = specs[where.field]
    operation, opposite = _OPERATIONS[type(where)]
    leaf = {
        "op": operation,
        "name": sort_property(spec) if spec.sort else value_property(spec),
        "value": _operand(where, spec),
        "no": negated != opposite,
        "missing": isinstance(where, Lt | Gt),
    }
    if isinstance(where, Contains):
        leaf |= {"name": short_property(spec), "long": long_property(spec)}
    return leaf


def _operand(where: Leaf, spec: FieldSpec) -> object:
    match where:
        case Eq(value=value) | Ne(value=value):
            return _keys((value,), spec)
        case In(values=values) | NotIn(values=values):
            return _keys(values, spec)
        case Contains(needle=needle):
            return shadow(needle)
        case Exists():
            return None
        case _:
            return where.value


def _keys(values: tuple[Scalar, ...], spec: FieldSpec) -> list[object]:
    return [sort_key(value) if spec.sort else value for value in values]


def _quantified(levels: int) -> str:
    """Return the condition that a tree of so many levels holds."""
    text = _LEAF
    for level in range(levels, 0, -1):
        item, items = "x" if level == levels else f"x{level}", "$v.tree" if level == 1 else f"x{level - 1}"
        text = f"{'all' if level % 2 else 'any'}({item} IN {items} WHERE {text})"
    return text


_TREES: Final = {levels: _quantified(levels) for levels in (_SHALLOW, _DEEP)}
