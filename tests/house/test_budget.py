"""Modules stay small and told in one line, functions stay holdable."""

import ast
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from tests.house.modules import MODULES, name, text_of, tree_of


@cache
def bodies(path: Path) -> dict[str, int]:
    """Return the lines of each function's body, its docstring left out."""
    lengths: dict[str, int] = {}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if body:
                lengths[node.name] = (node.end_lineno or node.lineno) - body[0].lineno + 1
    return lengths


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_has_one_idea(path: Path) -> None:
    assert len(text_of(path).splitlines()) <= 400
    assert ast.get_docstring(tree_of(path)), "the first line tells the idea"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_function_fits_a_reader(path: Path) -> None:
    assert {function: lines for function, lines in bodies(path).items() if lines > 40} == {}


def test_most_modules_and_functions_are_short() -> None:
    modules = [len(text_of(path).splitlines()) for path in MODULES]
    functions = sorted(lines for path in MODULES for lines in bodies(path).values())
    assert median(modules) <= 150
    assert functions[int(len(functions) * 0.9)] <= 25
