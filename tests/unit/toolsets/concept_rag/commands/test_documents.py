"""`entrepot documents`: documents are listed, shown and forgotten."""

import io
import json
from collections.abc import Awaitable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import cast

import pytest

from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes
from toolsets.concept_rag.commands.documents import documents
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag


async def said(rag: ConceptRag, *words: str) -> tuple[int, str]:
    """Run the command as the gateway does; return its exit code and what it says."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), documents.make_context("documents", [*words], obj=rag) as ctx:
        code = await cast("Awaitable[int | None]", documents.invoke(ctx))
    return code or 0, out.getvalue()


@pytest.fixture
async def catalog_id(rag: ConceptRag, pool: ParserPool, folder: Path) -> int:
    """The id of the only document."""
    path = folder / "relays.md"
    path.write_bytes(markdown(RELAY, title="Relays", author="Ada Example"))
    reports, _ = await ingest(rag, pool, path)
    found = reports[path].catalog_id
    assert found is not None
    return found


async def test_documents_are_listed_for_people_and_for_programs(rag: ConceptRag, catalog_id: int, folder: Path) -> None:
    code, line = await said(rag, "list")
    assert (code, line.split()) == (0, [str(catalog_id), "Relays", str(folder / "relays.md")])
    _, line = await said(rag, "list", "--json")
    listed = json.loads(line)
    assert (listed["catalog_id"], listed["title"], listed["author"]) == (catalog_id, "Relays", "Ada Example")
    assert listed["format"] == "markdown"
    assert "concepts" in listed
    assert "summary" not in listed


async def test_a_catalog_without_documents_is_reported_to_people_alone(rag: ConceptRag) -> None:
    assert await said(rag, "list") == (0, "There are no documents.\n")
    assert await said(rag, "list", "--json") == (0, "")


async def test_a_document_is_shown_with_all_that_is_known(rag: ConceptRag, catalog_id: int, folder: Path) -> None:
    code, text = await said(rag, "show", str(catalog_id))
    lines = text.splitlines()
    assert (code, lines[0], lines[1]) == (0, f"{catalog_id}  Relays", "Ada Example, 2021, markdown")
    assert f"path        {folder / 'relays.md'}" in lines
    assert "has         1 page, 1 chunk, 0 visuals" in lines
    _, text = await said(rag, "show", str(catalog_id), "--json")
    shown = json.loads(text)
    assert (shown["paths"], shown["visuals"], shown["title"]) == ([str(folder / "relays.md")], 0, "Relays")
    assert "concepts" not in shown


async def test_a_forgotten_document_is_gone_and_its_file_stays(rag: ConceptRag, catalog_id: int, folder: Path) -> None:
    code, text = await said(rag, "forget", str(catalog_id))
    assert (code, text.partition(".")[0]) == (0, "Relays is forgotten")
    assert await nodes(rag, "document") == ()
    assert (folder / "relays.md").exists()
    for command in ("forget", "show"):
        assert await said(rag, command, str(catalog_id)) == (1, f"There is no document {catalog_id}.\n")


async def test_documents_are_listed_by_title(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    titles = ["Zinc", "amber", "Mica", "Boron", "argon"]
    for number, title in enumerate(titles):
        (folder / f"{number}.md").write_bytes(markdown(f"{RELAY} {title}", title=title))
    await ingest(rag, pool, folder)
    _, text = await said(rag, "list", "--json")
    assert [json.loads(line)["title"] for line in text.splitlines()] == ["amber", "argon", "Boron", "Mica", "Zinc"]
