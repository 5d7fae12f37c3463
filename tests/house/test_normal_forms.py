"""Unicode's normal forms are made in one place, because a long run of marks takes quadratic time anywhere else."""

import ast

import pytest

from tests.house.modules import MODULES, name, tree_of

PLACE = "backends/ports/text.py"
SHIPPED = ("backends/", "config/", "contracts/", "gateway/", "toolsets/")
NORMALISING = {"normalize", "is_normalized"}


def test_only_one_module_calls_unicodedata_normalize() -> None:
    found = {
        name(path)
        for path in MODULES
        if name(path).startswith(SHIPPED)
        for node in ast.walk(tree_of(path))
        if (
            isinstance(node, ast.Attribute)
            and node.attr in NORMALISING
            and getattr(node.value, "id", "") == "unicodedata"
        )
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "unicodedata"
            and {a.name for a in node.names} & NORMALISING
        )
    }
    if found != {PLACE}:
        pytest.fail(f"call backends.ports.text.normalized instead: {sorted(found - {PLACE})}")
