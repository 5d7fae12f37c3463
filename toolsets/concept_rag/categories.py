"""Categories shown by the tools: those of the taxonomy, and former ones that still have documents."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from backends.kit.byte_cache import ByteCache
from toolsets.concept_rag.catalog_index import CatalogIndex
from toolsets.concept_rag.numeric_ids import category_id_of
from toolsets.concept_rag.taxonomy.model import Category, Taxonomy

MAX_RANKING_BYTES: Final = 8 * 2**20
"""The cache of ordered concepts of categories, 16 bytes a concept."""


@dataclass(frozen=True, slots=True)
class ShownCategory:
    """A category with its place in the tree."""

    id: int
    name: str
    description: str
    parent: str | None
    path: tuple[str, ...]
    """Names from the root to the category itself."""
    aliases: tuple[str, ...]
    related: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConceptRanking:
    """The concepts of a category in one order."""

    ids: "array[int]"
    counts: "array[int]"
    """For each id the number of the category's documents that mention it."""


def _ranking_cache() -> ByteCache[tuple[int, str], ConceptRanking]:
    return ByteCache(MAX_RANKING_BYTES, lambda _, ranking: 16 * len(ranking.ids))


@dataclass(frozen=True)
class CategoryTree:
    """All categories, and the documents in them."""

    categories: Mapping[int, ShownCategory]
    index: CatalogIndex
    rankings: ByteCache[tuple[int, str], ConceptRanking] = field(default_factory=_ranking_cache, compare=False)
    """The concepts of categories that were listed, by category and order."""

    @cached_property
    def _by_name(self) -> Mapping[str, ShownCategory]:
        names = {_folded(alias): each for each in self.categories.values() for alias in each.aliases}
        return names | {_folded(each.name): each for each in self.categories.values()}

    def find(self, text: str) -> ShownCategory | None:
        """Return the category with this name or alias (case-insensitive) or this decimal id."""
        key = _folded(text)
        found = self._by_name.get(key)
        if found is None and key.isascii() and key.isdigit() and len(key) <= 16:
            return self.categories.get(int(key))
        return found

    @cached_property
    def _children(self) -> Mapping[str, Sequence[ShownCategory]]:
        children: dict[str, list[ShownCategory]] = {}
        for each in sorted(self.categories.values(), key=lambda each: each.name.casefold()):
            if each.parent is not None:
                children.setdefault(_folded(each.parent), []).append(each)
        return children

    def below(self, category: ShownCategory) -> Sequence[ShownCategory]:
        """Return all descendants of a category, children first, each level by name."""
        found: dict[int, ShownCategory] = {category.id: category}
        generation: Sequence[ShownCategory] = (category,)
        while generation:
            below = [child for each in generation for child in self._children.get(_folded(each.name), ())]
            generation = [child for child in below if child.id not in found]
            found |= {child.id: child for child in generation}
        return [*found.values()][1:]

    @cached_property
    def occupied(self) -> Sequence[ShownCategory]:
        """The categories with documents in or below them, by name."""
        own = [self.categories[id_] for id_ in self.index.by_category if id_ in self.categories]
        keys = {_folded(name) for each in own for name in each.path}
        found = [each for each in self.categories.values() if _folded(each.name) in keys]
        return sorted(found, key=lambda each: each.name.casefold())

    def related_to(self, category: ShownCategory) -> Sequence[tuple[int, str]]:
        """Return ids and names of the categories related to a category."""
        found = [self._by_name.get(_folded(name)) for name in category.related]
        return [
            (category_id_of(name), name) if known is None else (known.id, known.name)
            for name, known in zip(category.related, found, strict=True)
        ]


def category_tree(index: CatalogIndex, taxonomy: Taxonomy | None) -> CategoryTree:
    """Return the categories with the documents in them.

    Categories in the taxonomy are shown as defined there. Others are shown as recorded with their documents, below the
    place that the nearest category above them has in the taxonomy now.
    """
    shipped = [] if taxonomy is None else [_shown(taxonomy, each) for each in taxonomy.categories]
    categories = {each.id: each for each in shipped}
    names = {_folded(each.name) for each in shipped}
    current = {_folded(each.name): each.path for each in shipped}
    for fact in index.categories.values():
        if fact.id not in categories:
            path = _current_path(fact.path, current)
            for level, name in enumerate(path[:-1], start=1):
                if _folded(name) not in names:
                    parent = _bare(path[:level])
                    categories[parent.id] = parent
                    names.add(_folded(name))
            categories[fact.id] = ShownCategory(
                fact.id, fact.name, fact.description, fact.parent, path, fact.aliases, fact.related
            )
            names.add(_folded(fact.name))
    return CategoryTree(categories, index)


def _current_path(recorded: tuple[str, ...], current: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return a former category's path, from the nearest category above it that the taxonomy has."""
    for level in range(len(recorded) - 1, 0, -1):
        if (above := current.get(_folded(recorded[level - 1]))) is not None:
            return above + recorded[level:]
    return recorded


def concept_ranking(counts: Mapping[int, int], names: Mapping[int, str], *, by_name: bool) -> ConceptRanking:
    """Return the named concepts by name, or by number of documents and then name."""
    order = sorted(names, key=lambda id_: (names[id_].casefold(), id_))
    if not by_name:
        order.sort(key=lambda id_: -counts[id_])
    return ConceptRanking(array("q", order), array("q", (counts[id_] for id_ in order)))


def _bare(path: Sequence[str]) -> ShownCategory:
    """Return a category of which only the path is known."""
    parent = path[-2] if len(path) > 1 else None
    return ShownCategory(category_id_of(path[-1]), path[-1], "", parent, tuple(path), (), ())


def _shown(taxonomy: Taxonomy, category: Category) -> ShownCategory:
    return ShownCategory(
        category.id,
        category.name,
        category.description,
        category.parent,
        taxonomy.path(category),
        category.aliases,
        category.related,
    )


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
