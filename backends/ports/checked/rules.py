"""The rules that several ports share: ids, numbers, meta values and filters. Each function raises `InvalidInput`."""

from collections.abc import Collection, Mapping
from typing import TypeVar

from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Contains, Filter, Not, Or, check_filter_shape
from backends.ports.ids import check_id
from backends.ports.text import check_text, is_findable
from backends.ports.values import MAX_INTEGER, Revision

IdT = TypeVar("IdT", bound=str)


def check_range(what: str, value: int, most: int) -> None:
    """Refuse a number that is not 1 to `most`."""
    if not 1 <= value <= most:
        raise InvalidInput(f"{what} must be 1 to {most}: {value}")


def check_ids(ids: Collection[str], *, what: str) -> None:
    """Refuse an invalid id."""
    for key in ids:
        check_id(key, what=what)


def check_revision(rev: int) -> None:
    """Refuse a revision that is not 1 to 2^53 - 1."""
    check_range("a revision", rev, MAX_INTEGER)


def check_deletions(revisions: Mapping[IdT, Revision]) -> None:
    """Refuse an invalid id or revision of a deleted record."""
    for key, rev in revisions.items():
        check_id(key, what="a deleted id")
        check_revision(rev)


def check_where(where: Filter | None) -> None:
    """Refuse a filter that is too deep or too large, or that contains an invalid name or value."""
    if where is not None:
        check_filter_shape(where)


def findable(where: Filter | None) -> Filter | None:
    """Return a checked filter with needles longer than any searchable text replaced by False."""
    return None if where is None else _findable(where)


def _findable(where: Filter) -> Filter:
    match where:
        case And(terms=terms):
            return And(tuple(map(_findable, terms)))
        case Or(terms=terms):
            return Or(tuple(map(_findable, terms)))
        case Not(term=term):
            return Not(_findable(term))
        case Contains(needle=needle) if not is_findable(needle):
            return Or(())
        case _:
            return where


def check_meta(key: str, value: str) -> None:
    """Refuse an invalid key, and a value that cannot be stored."""
    check_id(key, what="a meta key")
    check_text(value, what="a meta value")
