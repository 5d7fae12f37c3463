"""The manifest and the tests say the same: no promise without a test, no test without a promise."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import contracts
from contracts.promises import manifest, promise

SUITE = Path(contracts.__file__).parent
END_TO_END = Path(__file__).parents[2] / "e2e"
PROFILES = END_TO_END.with_name("profiles")


def _tests_in(folder: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each test function with the promises that its decorators name."""
    for file in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield f"{file.relative_to(folder)}::{node.name}", frozenset(_promises_of(node))


def _promises_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "promise":
            for argument in decorator.args:
                assert isinstance(argument, ast.Constant), f"{function.name} names its promise by a literal"
                yield str(argument.value)


def _proved_in(folder: Path) -> frozenset[str]:
    return frozenset(name for _, promises in _tests_in(folder) for name in promises)


def test_every_test_of_the_suite_names_promises_of_the_manifest() -> None:
    for name, promises in _tests_in(SUITE):
        assert promises, f"{name} names no promise"
        assert promises <= set(manifest()), f"{name} names unknown promises"


def test_every_promise_of_the_suite_has_a_test() -> None:
    promised = {name for name, entry in manifest().items() if entry.proved_by == "suite"}
    assert promised - _proved_in(SUITE) == set()


@pytest.mark.skipif(not END_TO_END.exists(), reason="the end-to-end tests are not here")
def test_every_promise_that_takes_a_broken_store_has_an_end_to_end_test() -> None:
    promised = {name for name, entry in manifest().items() if entry.proved_by == "e2e"}
    assert promised - _proved_in(END_TO_END) - _proved_in(PROFILES) == set()


@pytest.mark.parametrize("name", ["events:append:nothing-of-the-kind", "nowhere:at-all"])
def test_a_test_cannot_claim_a_promise_that_is_not_there(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        promise(name)


def test_a_test_cannot_claim_nothing() -> None:
    with pytest.raises(ValueError, match="none named"):
        promise()
