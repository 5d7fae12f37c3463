"""The messages that the page for operators explains are the program's own."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.modules import MODULES, ROOT, tree_of

PAGE = ROOT / "docs" / "operating.md"
ANYTHING = "…"
LEAST = 40
"""The page explains more messages than this."""


def explained() -> list[str]:
    """Return the messages in the first columns of the tables about problems."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## When something is wrong\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    return [message for cell in cells for message in re.findall(r'"([^"]+)"', cell)]


def texts() -> Iterator[str]:
    """Yield the texts of the program, with an ellipsis for each value that is inserted."""
    for path in MODULES:
        # The other toolsets have few messages of their own, and most of the code.
        if path.parts[len(ROOT.parts)] == "toolsets" and path.parent.name not in ("toolsets", "sourcing"):
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else ANYTHING for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


@pytest.fixture(scope="module")
def program() -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in texts())


def test_most_messages_of_the_page_are_quoted() -> None:
    assert len(explained()) > LEAST


@pytest.mark.parametrize("message", explained())
def test_a_message_of_the_page_is_one_of_the_program(message: str, program: tuple[str, ...]) -> None:
    """Sentence by sentence, because the last one, what to do, is often inserted."""
    for sentence in re.split(r"\. ", message):
        parts = [part.strip() for part in sentence.split(ANYTHING) if part.strip()]
        pattern, longest = re.compile(f".*?{ANYTHING}.*?".join(map(re.escape, parts))), max(parts, key=len)
        assert any(pattern.search(text) for text in program if longest in text), sentence
