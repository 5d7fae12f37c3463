"""The modules of the five packages: parsed once, and who imports whom."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("backends", "config", "contracts", "gateway", "toolsets")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def name(path: Path) -> str:
    """Return a path as tests show it, relative to the project."""
    return path.relative_to(ROOT).as_posix()


@cache
def text_of(path: Path) -> str:
    """Return the source of a module."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(text_of(path))


def dotted(path: Path) -> str:
    """Return the name by which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def importers() -> Mapping[str, frozenset[str]]:
    """Return which modules of the five packages import each of them."""
    found: dict[str, set[str]] = {dotted(path): set() for path in MODULES}
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            for target in _targets(node):
                if target in found and target != dotted(path):
                    found[target].add(dotted(path))
    return {module: frozenset(each) for module, each in found.items()}


def _targets(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
