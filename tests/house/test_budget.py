"""Modules stay small with a one-line summary, and functions stay short."""

import ast
from functools import cache
from pathlib import Path
from statistics import median

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


def test_a_module_has_one_idea() -> None:
    assert {name(path): lines for path in MODULES if (lines := len(text_of(path).splitlines())) > 400} == {}
    silent = [name(path) for path in MODULES if not ast.get_docstring(tree_of(path))]
    assert silent == [], "the first line tells the idea"


def test_a_function_fits_a_reader() -> None:
    long = {name(path): {function: lines for function, lines in bodies(path).items() if lines > 40} for path in MODULES}
    assert {module: functions for module, functions in long.items() if functions} == {}


def test_most_modules_and_functions_are_short() -> None:
    modules = [len(text_of(path).splitlines()) for path in MODULES]
    functions = sorted(lines for path in MODULES for lines in bodies(path).values())
    assert median(modules) <= 150
    assert functions[int(len(functions) * 0.9)] <= 25
