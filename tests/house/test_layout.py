"""Things are found by name: a module's tests, a module's idea, and no module without need."""

import ast
import re
from pathlib import Path

from tests.house.modules import MODULES, ROOT, dotted, importers, name, text_of, tree_of

UNIT = ROOT / "tests" / "unit"
ENGINE_TESTS = ROOT / "tests" / "engines"
ENGINES = ROOT / "backends" / "engines"
WITHOUT_TESTS = ROOT / "tests" / "house" / "without_tests.txt"
"""Lists the modules that have logic and no test file of their name yet, one path a line."""
SMALL_LINES = 60

ACROSS_MODULES = {
    "gateway/transports/test_slow_clients.py": "the time that a connection gives its client, apart from what it accepts",
    "toolsets/test_empty_texts.py": "the optional texts of every tool of all toolsets",
    "toolsets/agent_graph/duplicates/test_families.py": "pairs of families of names, compared with every pair",
    "toolsets/agent_graph/extraction/test_bounds.py": "time, memory and soundness of reading a whole text",
    "toolsets/agent_graph/extraction/test_figures.py": "precision and recall on annotated sentences",
    "toolsets/agent_graph/test_cut_replies.py": "lists of every tool, and what is said where their size cuts them",
    "toolsets/memory/test_cut_replies.py": "lists of every tool, and what is said where their size cuts them",
    "toolsets/agent_graph/test_event_sums.py": "summed events of entities and relationships give the same states",
    "toolsets/agent_graph/test_races.py": "concurrent calls of different tools",
    "toolsets/agent_graph/test_reads.py": "reads counted through every tool, a stop and a merge",
    "toolsets/knowledge/test_restore.py": "a deleted concept, from the decision to the tool",
    "toolsets/concept_rag/pipeline/test_failures.py": "files that cannot be read, from the pool to the report",
    "toolsets/concept_rag/pipeline/test_interruptions.py": "interrupted runs, from the recorder to the scratch file",
    "toolsets/concept_rag/ingestion/test_mutations.py": "damaged files of all formats, from the scan to the pool",
}
"""Test files that mirror no module, and what they are about."""

PYTHON_FILES = sorted({*MODULES, *(ROOT / "tests").rglob("*.py")})
REASON = re.compile(r"\bkept separate because\b")


def mirrored(test: Path) -> bool:
    """Return whether the module or the package exists that a test file is named for."""
    source = ROOT / test.relative_to(UNIT).with_name(test.name.removeprefix("test_"))
    return source.is_file() or (source.with_suffix("") / "__init__.py").is_file()


def engine_module_of(test: Path) -> Path | None:
    """Return the module of an engine that a test file is named for, alone or followed by a part of its subject."""
    folder = ENGINES / test.parent.relative_to(ENGINE_TESTS)
    words = test.stem.removeprefix("test_").split("_")
    names = (folder / f"{'_'.join(words[:count])}.py" for count in range(len(words), 0, -1))
    return next((module for module in names if module.is_file()), None)


def file_of_tests(module: Path) -> Path:
    """Return where the tests of a module are: those of engines are in a folder of their own, as they need drivers and servers."""
    tests, source = (ENGINE_TESTS, ENGINES) if module.is_relative_to(ENGINES) else (UNIT, ROOT)
    return tests / module.relative_to(source).parent / f"test_{module.name}"


def has_logic(path: Path) -> bool:
    """Return whether a module has a function or a method with more than a docstring."""
    functions = (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return not all(_is_empty(statement) for function in functions for statement in function.body)


def _is_empty(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def without_tests() -> list[str]:
    """Return the modules with logic but without a test file of their name.

    The contract suite is left out, and so is an engine that only that suite tests: it has no folder of tests.
    """
    found: list[str] = []
    for path in MODULES:
        relative = path.relative_to(ROOT)
        is_tested = relative.parts[:2] != ("backends", "engines") or (ENGINE_TESTS / relative.parts[2]).is_dir()
        is_ours = relative.parts[0] != "contracts" and path.name != "__init__.py"
        if is_ours and is_tested and not file_of_tests(path).is_file() and has_logic(path):
            found.append(name(path))
    return sorted(found)


def is_short(path: Path) -> bool:
    """Return whether a module has fewer than 60 lines."""
    return len(text_of(path).splitlines()) < SMALL_LINES


def small_modules() -> set[str]:
    """Return the modules under 60 lines with one importer whose first line gives no reason."""
    return {
        name(path)
        for path in MODULES
        if path.name not in ("__init__.py", "conftest.py")
        and not path.name.startswith("test_")
        and is_short(path)
        and len(importers()[dotted(path)]) == 1
        and not REASON.search((ast.get_docstring(tree_of(path)) or "").partition("\n")[0])
    }


def test_a_unit_test_is_named_for_the_module_it_tests() -> None:
    tests = {test.relative_to(UNIT).as_posix(): test for test in UNIT.rglob("test_*.py")}
    other = {test for test, path in tests.items() if not mirrored(path)}
    assert other == ACROSS_MODULES.keys(), "move it beside the tests of its module, or list it with a reason"


def test_a_test_of_an_engine_is_named_for_the_module_it_tests() -> None:
    """A file with a longer name holds a part that has a fixture or a subject of its own, beside that of the module."""
    found = {test: engine_module_of(test) for test in ENGINE_TESTS.rglob("test_*.py")}
    assert [name(test) for test, module in found.items() if module is None] == [], "move it beside its module's tests"
    assert [name(test) for test, module in found.items() if module and not file_of_tests(module).is_file()] == []


def test_a_module_with_logic_has_a_test_file_of_its_name() -> None:
    listed, found = WITHOUT_TESTS.read_text(encoding="utf-8").splitlines(), without_tests()
    assert [module for module in found if module not in listed] == [], "write unit tests; the list does not grow"
    assert listed == found, "take out of the list what has its tests now, or is gone"


def test_a_small_module_with_one_importer_says_why_it_stands_alone() -> None:
    assert small_modules() == set(), "merge it, or say in its first line: kept separate because ..."


def test_modules_are_named_by_nouns() -> None:
    assert [name(path) for path in PYTHON_FILES if path.stem.endswith("ing") and path.stem != "test_substring"] == []
