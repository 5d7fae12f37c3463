"""The pages about the tools say where a reply stops."""

import re
from pathlib import Path

import pytest

from gateway.plugins import installed, is_shipped
from toolsets.memory.open_databases import MAX_WAITING

TOOLS = Path(__file__).parents[2] / "docs" / "tools"


@pytest.mark.parametrize("toolset", sorted(filter(is_shipped, installed())))
def test_the_page_of_a_toolset_says_that_a_reply_stops_at_8_mb_and_what_it_says_then(toolset: str) -> None:
    page = " ".join((TOOLS / f"{toolset}.md").read_text(encoding="utf-8").split())
    sentences = re.findall(r"[^.|]*\b8 MB\b[^|]*?\.", page) + re.findall(r"\|[^|]*\| [^|]*\b8 MB\b[^|]*\|", page)
    assert sentences
    assert any(re.search(r"\b(message|too_large|total_versions)\b", sentence) for sentence in sentences), sentences


def test_the_page_of_memory_says_how_many_unused_databases_stay_open() -> None:
    page = " ".join((TOOLS / "memory.md").read_text(encoding="utf-8").split())
    assert f"up to {MAX_WAITING} unused databases with pending projections" in page
