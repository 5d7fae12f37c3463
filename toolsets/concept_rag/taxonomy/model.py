"""Loads and checks the tree of categories: the shipped tree, extended and refined by the operator's file."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from backends.ports.validation_errors import rule_of
from toolsets.concept_rag.numeric_ids import category_id_of

GENERAL: Final = "General"
"""The category of documents that match no other category."""
MAX_CATEGORIES: Final = 2_000
"""Each has a vector in memory with which every document is compared."""
_MAX_BYTES: Final = 1_000_000
"""The largest file of categories; the shipped one has 60,000 bytes."""
_SHIPPED: Final = Path(__file__).with_name("taxonomy.toml")
_TABLE: Final = re.compile(r"^[ \t]*\[\[[ \t]*category[ \t]*\]\]", re.MULTILINE)

_Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
_Names = Annotated[tuple[_Name, ...], Field(max_length=100)]


class TaxonomyError(ValueError):
    """The categories are invalid; the message gives place and reason, one sentence per problem."""


class CategoryEntry(BaseModel):
    """A `[[category]]` table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: _Name
    parent: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    """Another category's name; "" makes a shipped category a root."""
    description: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1_000)] = ""
    aliases: _Names = ()
    related: _Names = ()
    keywords: _Names = ()


@dataclass(frozen=True, slots=True)
class Category:
    """A category of the taxonomy."""

    id: int
    """A function of the name (see `numeric_ids.category_id_of`), and so equal in every process."""
    name: str
    description: str
    parent: str | None
    aliases: tuple[str, ...]
    related: tuple[str, ...]
    keywords: tuple[str, ...]


class Taxonomy:
    """Categories that form a forest; each name and alias identifies one of them."""

    def __init__(self, categories: Iterable[Category]) -> None:
        """`categories` must be valid; they are sorted by name."""
        self.categories: tuple[Category, ...] = tuple(sorted(categories, key=lambda each: each.name.casefold()))
        self._by_id = {category.id: category for category in self.categories}
        self._by_name = {_folded(category.name): category for category in self.categories}
        self._by_alias = {_folded(alias): category for category in self.categories for alias in category.aliases}

    def find(self, text: str) -> Category | None:
        """Return the category with this name or alias (case-insensitive) or this decimal id, or None."""
        key = _folded(text)
        named = self._by_name.get(key) or self._by_alias.get(key)
        if named is None and key.isascii() and key.isdigit() and len(key) <= 16:
            return self._by_id.get(int(key))
        return named

    def get(self, category_id: int) -> Category | None:
        """Return the category with an id, or None."""
        return self._by_id.get(category_id)

    def path(self, category: Category) -> tuple[str, ...]:
        """Return the names from the root to the category, its own last."""
        names = [category.name]
        while (above := self.parent(category)) is not None:
            category = above
            names.append(category.name)
        return tuple(reversed(names))

    def parent(self, category: Category) -> Category | None:
        """Return the parent category, or None for a root."""
        return self._by_name[_folded(category.parent)] if category.parent else None

    def below(self, category: Category) -> tuple[Category, ...]:
        """Return all descendants of a category, children first, each level by name."""
        found: list[Category] = []
        generation: Sequence[Category] = (category,)
        while generation:
            generation = [child for each in generation for child in self._children.get(each.name, ())]
            found.extend(generation)
        return tuple(found)

    @cached_property
    def _children(self) -> Mapping[str, list[Category]]:
        children: dict[str, list[Category]] = {}
        for category in self.categories:
            if (above := self.parent(category)) is not None:
                children.setdefault(above.name, []).append(category)
        return children


def load_taxonomy(extension: Path | None = None) -> Taxonomy:
    """Return the shipped categories merged with those of the operator's file.

    A table with the name of a shipped category refines it: its description and parent replace the shipped ones, and its
    lists are appended. Raises `TaxonomyError` if a file cannot be read or its categories are invalid; the message has
    file, line and entry of at most ten problems.
    """
    entries = _read(_SHIPPED)
    categories = {_folded(entry.name): _category(entry) for entry, _ in entries}
    places = {_folded(entry.name): place for entry, place in entries}
    if extension is not None:
        added = _read(extension)
        for entry, place in added:
            key = _folded(entry.name)
            categories[key] = _refined(categories[key], entry) if key in categories else _category(entry)
            places[key] = place
    if problems := list(_problems(categories, places)):
        raise TaxonomyError("\n".join(problems[:10]))
    return Taxonomy(_with_declared_names(categories))


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _category(entry: CategoryEntry) -> Category:
    parent = entry.parent or None
    return Category(
        category_id_of(entry.name), entry.name, entry.description, parent, entry.aliases, entry.related, entry.keywords
    )


def _refined(category: Category, entry: CategoryEntry) -> Category:
    return replace(
        category,
        description=entry.description or category.description,
        parent=category.parent if entry.parent is None else entry.parent or None,
        aliases=tuple(dict.fromkeys(category.aliases + entry.aliases)),
        related=tuple(dict.fromkeys(category.related + entry.related)),
        keywords=tuple(dict.fromkeys(category.keywords + entry.keywords)),
    )


def _with_declared_names(categories: Mapping[str, Category]) -> Iterable[Category]:
    """Yield the categories, with parents and related categories spelled as declared."""
    for category in categories.values():
        related = dict.fromkeys(categories[_folded(name)].name for name in category.related)
        parent = categories[_folded(category.parent)].name if category.parent else None
        yield replace(category, parent=parent, related=tuple(related))


def _read(file: Path) -> list[tuple[CategoryEntry, str]]:
    """Return the tables of a file, each with its place as text. Raises `TaxonomyError`."""
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise TaxonomyError(f"{file} is larger than {_MAX_BYTES:,} bytes.")
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise TaxonomyError(f"{file} cannot be read: {error.strerror or error}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TaxonomyError(f"{file} cannot be read: {error}.") from error
    tables: object = content.pop("category", [])
    if content or not isinstance(tables, list):
        raise TaxonomyError(f"{file} must hold [[category]] tables and nothing else.")
    rows = cast("list[object]", tables)
    if len(rows) > MAX_CATEGORIES:
        raise TaxonomyError(f"{file} has {len(rows):,} categories; at most {MAX_CATEGORIES:,} are allowed.")
    lines = [text.count("\n", 0, match.start()) + 1 for match in _TABLE.finditer(text)]
    places = [
        f"{file}, line {lines[number]} (entry {number + 1})"
        if len(lines) == len(rows)
        else f"{file}, entry {number + 1}"
        for number in range(len(rows))
    ]
    return _entries(rows, places)


def _entries(rows: Sequence[object], places: Sequence[str]) -> list[tuple[CategoryEntry, str]]:
    entries: list[tuple[CategoryEntry, str]] = []
    seen: dict[str, str] = {}
    problems: list[str] = []
    for row, place in zip(rows, places, strict=True):
        try:
            entry = CategoryEntry.model_validate(row)
        except ValidationError as error:
            for each in error.errors(include_url=False, include_input=False):
                where = ".".join(map(str, each["loc"])) or "the table"
                problems.append(f"{place}: {where} {rule_of(each)}.")
            continue
        key = _folded(entry.name)
        if key in seen:
            problems.append(f'{place}: the category "{entry.name}" is already defined in {seen[key]}.')
        seen.setdefault(key, place)
        entries.append((entry, place))
    if problems:
        raise TaxonomyError("\n".join(problems[:10]))
    return entries


def _problems(categories: Mapping[str, Category], places: Mapping[str, str]) -> Iterable[str]:
    names: dict[str, str] = {key: category.name for key, category in categories.items()}
    ids: dict[int, str] = {}
    for key, category in categories.items():
        where = f'{places[key]}: the category "{category.name}"'
        if category.parent and _folded(category.parent) not in categories:
            yield f'{where} has the parent "{category.parent}", which does not exist.'
        for related in category.related:
            if _folded(related) not in categories:
                yield f'{where} is related to "{related}", which does not exist.'
        for alias in category.aliases:
            owner = names.setdefault(_folded(alias), category.name)
            if owner != category.name:
                yield f'{where} has the alias "{alias}", which already means "{owner}".'
        if ids.setdefault(category.id, category.name) != category.name:
            yield f'{where} has the same id as "{ids[category.id]}"; one of them needs another name.'
        if _folded(GENERAL) not in categories:
            yield f'{where} stands alone: "{GENERAL}" is missing.'
    yield from _cycles(categories, places)


def _cycles(categories: Mapping[str, Category], places: Mapping[str, str]) -> Iterable[str]:
    visited: set[str] = set()
    for start in categories:
        path: list[str] = []
        key: str | None = start
        while key is not None and key in categories and key not in path and key not in visited:
            path.append(key)
            above = categories[key].parent
            key = _folded(above) if above else None
        if key is not None and key in path:
            ring = path[path.index(key) :]
            names = ", ".join(categories[each].name for each in ring)
            yield f"{places[key]}: these categories are each other's parents: {names}."
        visited.update(path)
