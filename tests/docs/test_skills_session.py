"""The session with curl that the page of the skills toolset shows is what a server answers."""

import os
import re
from pathlib import Path

import anyio
import pytest

from tests.support.servers import ours_http

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools" / "skills_session.md"
PAGES_PORT = "127.0.0.1:8765"
SCORES = re.compile(r'(?<="score":)[\d.]+')
CLOSE = 0.02
"""Scores differ by less between processors."""


def commands() -> list[tuple[str, str]]:
    """Return each command of the page with what it prints."""
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    found: list[tuple[str, str]] = []
    for command in re.split(r"^\$ ", "".join(blocks), flags=re.MULTILINE)[1:]:
        # A command ends with its line, or with the text that it reads.
        match = re.fullmatch(r"([^\n]*<<'?END'?\n.*?\nEND\n|[^\n]*\n)(.*)", command, re.DOTALL)
        assert match is not None
        found.append((match[1], match[2]))
    return found


def without_chance(shown: str) -> str:
    """Return what is printed without ids, times and scores."""
    shown = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>", shown)
    shown = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", shown)
    return SCORES.sub("<score>", re.sub(r'(?<="search_time_ms":)[\d.]+', "<ms>", shown))


def scores(shown: str) -> list[float]:
    """Return the scores in what is printed."""
    return [float(score) for score in SCORES.findall(shown)]


async def test_the_pages_session_is_what_a_server_answers(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with ours_http(data, toolsets="skills") as server:
        for command, expected in commands():
            words = command.replace(PAGES_PORT, f"127.0.0.1:{server.port}")
            variables = {**os.environ, "DATA_DIR": str(data)}
            done = await anyio.run_process(["bash", "-c", words], cwd=tmp_path, env=variables, check=False)
            shown = done.stdout.decode()
            assert without_chance(shown).strip() == without_chance(expected).strip(), command
            assert scores(shown) == pytest.approx(scores(expected), abs=CLOSE), command
    assert len(commands()) > 20
