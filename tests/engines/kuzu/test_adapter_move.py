"""The move from Kuzu to Ladybug, with the commands of the page."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from tests.support.commands import entrepot

PAGE = Path(__file__).parents[3] / "docs" / "adapters" / "kuzu.md"
PATIENCE_S = 300

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("kuzu", "ladybug", "lancedb")), reason="needs both drivers"
)


def commands() -> tuple[list[str], list[str], str]:
    """Return the words of the page's `rebuild` and `verify`, and the profile that is served afterwards."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    rebuild, verify, serve = (line.split()[1:] for block in blocks for line in block.splitlines())
    assert (rebuild[0], verify[0], serve[:2]) == ("rebuild", "verify", ["serve", "--profile"])
    return rebuild, verify, serve[2]


async def run(*words: str, to: Path) -> tuple[int, str, str]:
    done = await entrepot(*words, "--data-dir", str(to), patience_s=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


async def test_the_page_leads_from_kuzu_to_ladybug_and_back(tmp_path: Path) -> None:
    rebuild, verify, served = commands()
    former = rebuild[rebuild.index("--profile") + 1]

    async def create(profile: str, name: str) -> None:
        words = ("call", "--profile", profile, "create_concept", f"name={name}", "explanation=as such")
        code, _, problem = await run(*words, to=tmp_path)
        assert code == 0, problem

    async def names(profile: str) -> set[str]:
        code, said, problem = await run("call", "--profile", profile, "get_recent_concepts", to=tmp_path)
        assert code == 0, problem
        return set(re.findall(r'"name": "(\w+)"', said))

    await create(former, "before")
    code, said, problem = await run(*verify, to=tmp_path)
    assert code == 1, said
    assert "run `entrepot rebuild --to` first" in problem
    code, _, problem = await run(*rebuild, to=tmp_path)
    assert code == 0, problem
    code, said, problem = await run(*verify, "--json", to=tmp_path)
    assert code == 0, said + problem
    report = json.loads(said)["knowledge"]
    assert report["nodes"] == 1
    assert report["digest"] == report["other_digest"]
    await create(served, "after")
    assert await names(served) == {"before", "after"}
    assert await names(former) == {"before", "after"}


async def test_a_configuration_with_both_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    config, data = tmp_path / "entrepot.toml", tmp_path / "data"
    config.write_text(
        '[defaults]\ngraph = "k"\n[toolsets.memory]\ngraph = "l"\n[stores.k]\nkind = "kuzu"\n'
        '[stores.l]\nkind = "kuzu"\ndriver = "ladybug"\nfile = "graph.lb"\n',
        encoding="utf-8",
    )
    data.mkdir()
    for words in (
        ("serve",),
        ("check",),
        ("tools",),
        ("rebuild",),
        ("rebuild", "--toolset", "knowledge"),
        ("rebuild", "--profile", "embedded", "--to", "kuzu-lance"),
        ("verify", "--to", "kuzu-lance"),
        ("call", "ping"),
        ("databases", "list"),
    ):
        code, said, problem = await run(*words, "--config", str(config), to=data)
        assert code == 1, (words, said)
        assert "[stores.k] uses the driver kuzu and [stores.l] the driver ladybug" in problem, words
        assert not [*data.iterdir()], words
