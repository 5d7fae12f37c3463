"""Prose in promises, docstrings, comments, messages and documents is plain: some words have better ones."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.promises import manifest
from tests.house.modules import MODULES, PACKAGES, ROOT, name, text_of, tree_of

INSTEAD = {
    r"\btold\b(?! (?:to|apart)\b)": "reported, returned or shown",
    r"\bwhereabouts\b": "location",
    r"\b(?:of|the|its|their|no|and|or|what) doubles\b|\bmay be double\b": "duplicates",
    r"\b(?:compared|computed|calculated|ranked|scored) by hand\b": "by brute force",
    r"\b(?:is|are|be|been|was|were) let go\b": "closed or released",
    r"\bturn(?:s|ed)? for ever\b": "hang",
    r"\b(?:said|refuse[sd]?|skipped|changes) in words\b": "with a message, or in sentences",
    r"\bsomebody's\b": "the caller's, or whose it is",
    r"\bbelongs? into\b": "belongs in",
    r"\bon trouble\b": "if there is a problem",
    r"\bunless (?:told|said)\b": "by default",
    r"\bmade ignored\b": "set to be ignored",
    r"; apart (?:from|because|so)\b": "kept separate because",
}
"""What to write instead of each pattern; letter case is ignored, and so is what stands in backticks."""
IN_PROMISES = {
    r"\bsaid\b": "reported",
    r"\bapart\b(?! from)": "separate",
    r"\bby hand\b": "by the caller, or by brute force",
    r"\bdoubles\b": "duplicates",
    r"\bstands\b": "is stored or is kept",
    r"\banswers? with\b": "returns",
}
"""Further patterns that promises do without; elsewhere they have good uses."""
LITERAL = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def faults(text: str, *, patterns: dict[str, str] = INSTEAD) -> list[str]:
    """Return what is wrong with a text, one sentence for each place."""
    prose = LITERAL.sub("", text)
    return [
        f"{found[0]!r}: write {instead}"
        for pattern, instead in patterns.items()
        for found in re.finditer(pattern, prose, re.IGNORECASE)
    ]


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of the docstrings, the comments and the messages in a module."""
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
            case ast.Constant(value=str(text)) if " " in text and not has_data(path):
                yield node.lineno, text
            case ast.Raise() if has_data(path):
                yield from texts_in(node)
            case _:
                pass
    for token in tokenize.generate_tokens(io.StringIO(text_of(path)).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def has_data(path: Path) -> bool:
    """Return whether a module may have texts that are no messages; those of its errors are checked all the same."""
    package, *folders = path.relative_to(ROOT).parts[:-1]
    return package == "contracts" or (package == "toolsets" and folders not in ([], ["sourcing"]))


def texts_in(statement: ast.stmt) -> Iterator[tuple[int, str]]:
    """Yield line and value of the texts in a statement, and of the parts of those with inserted values."""
    for node in ast.walk(statement):
        match node:
            case ast.Constant(value=str(text)):
                yield node.lineno, text
            case _:
                pass


@pytest.mark.parametrize(
    "text",
    [
        "The revision is told for each id.",
        "Told otherwise.",
        "Of doubles in a batch the last counts.",
        "Entities are compared by hand.",
        "The error is told without its whereabouts.",
        "Ten unless said otherwise.",
    ],
)
def test_a_word_with_a_better_one_is_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "What they were told to do.",
        "A float64 doubles the memory.",
        "Set by hand.",
        "The column `told`.",
        "Ten by default.",
    ],
)
def test_good_uses_and_names_are_not(text: str) -> None:
    assert faults(text) == []


def test_promises_are_plain() -> None:
    found = {each: faults(entry.behaviour, patterns=INSTEAD | IN_PROMISES) for each, entry in manifest().items()}
    assert {each: wrong for each, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_comments_and_messages_are_plain(package: str) -> None:
    modules = [path for path in MODULES if path.relative_to(ROOT).parts[0] == package]
    assert modules
    wrong = [
        f"{name(path)}:{line}: {fault}" for path in modules for line, text in prose_of(path) for fault in faults(text)
    ]
    assert wrong == []


def test_documents_are_plain() -> None:
    assert PAGES
    assert [f"{name(page)}: {fault}" for page in PAGES for fault in faults(page.read_text(encoding="utf-8"))] == []
