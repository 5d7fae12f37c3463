"""One name, one idea: two public classes of the product share a name only if they are the same idea in each of their rooms."""

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.house.modules import MODULES, dotted, tree_of

SAME_IDEA = {
    "Collections": "the collections of an engine's namespace",
    "Connection": "an engine's connection",
    "DatabaseFile": "an open file of an engine",
    "Declared": "the declared fields of a kind",
    "Kinds": "the declared kinds of a namespace",
    "Listing": "a listing as an engine's statements",
    "Meta": "the meta values of a namespace",
    "Rows": "rows of a driver's result",
    "StoredCollection": "a declared collection as it is stored",
    "Writer": "the only writer of a file or table in a process",
    "Candidate": "what retrieval found, before it is ranked",
    "Concept": "the concept of a toolset",
    "CreationOutcome": "whether an entity is new",
    "EdgeKey": "the ends and the type of an edge",
    "Entity": "the entity of a toolset, after all its events",
    "Relationship": "the edge of a toolset, after all its events",
    "UnknownEntity": "no such entity in a toolset",
}
"""Names that have one meaning in each engine or toolset, with that meaning."""


def rooms() -> dict[str, list[str]]:
    """Return the modules of the public classes by name. Models of a tool's arguments and reply are left out.

    Those are named for the tool, in `tools` of each toolset, and `contracts` states the same replies again.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        module = dotted(path)
        if module.startswith("contracts.") or ".tools." in f"{module}.":
            continue
        for name in _classes(tree_of(path)):
            found[name].append(module)
    return found


def _classes(tree: ast.Module) -> Iterator[str]:
    return (node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))


def _room(module: str) -> str:
    """Return the engine or toolset that a module belongs to, or its package."""
    parts = module.split(".")
    return ".".join(parts[:3] if parts[:2] == ["backends", "engines"] else parts[:2])


SHARED = {name: modules for name, modules in rooms().items() if len(modules) > 1}


def test_two_classes_of_one_name_are_one_idea() -> None:
    assert {name: modules for name, modules in SHARED.items() if name not in SAME_IDEA} == {}, "give one another name"


def test_every_listed_name_is_shared() -> None:
    assert [name for name in SAME_IDEA if name not in SHARED] == []


@pytest.mark.parametrize("name", SAME_IDEA)
def test_an_engine_or_toolset_has_one_class_of_a_name(name: str) -> None:
    owners = [_room(module) for module in SHARED[name]]
    assert sorted(owners) == sorted(set(owners))
