"""The guide for authors of toolsets: its blocks are one module, which runs and keeps its promises as it stands there."""

import os
import re
from collections.abc import Awaitable, Callable
from typing import cast

import httpx2
import pytest
from mcp import Client, MCPError
from mcp_types import TextResourceContents

from backends.ports.values import Json, JsonObject
from tests.e2e.probe import NO_OTHERS, ROOT, Home, http_server
from tests.support.processes import PACKAGES
from tests.support.skeletons import installed, own_tests

GUIDE = (ROOT / "docs" / "toolsets" / "writing.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the guide's blocks of code in a language."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


class _Caller:
    """What the guide's promises reach the toolset with."""

    def __init__(self, client: Client, url: str) -> None:
        self._client = client
        self._url = url

    async def call(self, tool: str, arguments: JsonObject) -> JsonObject:
        """Return the structured content of a reply."""
        reply = await self._client.call_tool(tool, dict(arguments))
        return cast("JsonObject", reply.structured_content)

    async def read(self, uri: str) -> str:
        """Return the text of a resource, or the sentence why there is none."""
        try:
            [found] = (await self._client.read_resource(uri)).contents
        except MCPError as error:
            return error.error.message
        assert isinstance(found, TextResourceContents)
        return found.text

    async def post(self, path: str, body: Json) -> JsonObject:
        """Return the JSON of a route's answer."""
        return cast("JsonObject", httpx2.post(f"{self._url}{path}", json=body).json())


def test_the_package_that_the_guide_begins_with_passes_its_tests(home: Home) -> None:
    [begin] = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("entrepot new ")]
    made = home.run(*begin.split()[1:])
    assert made.returncode == 0, made.stderr
    package = home.folder / begin.split()[-1]
    passed = own_tests(package, installed(package, home.folder / "made"))
    assert passed.returncode == 0, passed.stdout[-3_000:]


@pytest.fixture
def path(home: Home) -> str:
    """Install the guide's toolset in a folder of its own, as a distribution would; return where Python finds it."""
    *module, _ = blocks("python")
    site = home.folder / "site"
    metadata = site / "notes-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "my_notes.py").write_text("\n\n".join(module), encoding="utf-8")
    announced, table = blocks("toml")
    assert 'notes = "my_notes"' in announced
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[entrepot.toolsets]\nnotes = my_notes\n", encoding="utf-8")
    home.configure(NO_OTHERS + table)
    return os.pathsep.join([str(PACKAGES), str(site)])


async def test_the_guides_toolset_keeps_its_promises(home: Home, path: str) -> None:
    namespace: dict[str, object] = {}
    exec(blocks("python")[-1], namespace)  # noqa: S102
    prove = cast("Callable[[_Caller], Awaitable[None]]", namespace["prove"])
    with http_server(home, PYTHONPATH=path) as (url, _):
        async with Client(f"{url}/mcp") as client:
            await prove(_Caller(client, url))
    rebuilt = home.run("rebuild", "--toolset", "notes", "--json", PYTHONPATH=path)
    assert rebuilt.returncode == 0, rebuilt.stderr
