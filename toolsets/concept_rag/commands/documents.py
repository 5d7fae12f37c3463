"""`entrepot documents`: list, show and forget documents from the command line."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final, cast

import click
import orjson

from backends.ports.values import JsonObject, Value
from toolsets.clock import iso_millis
from toolsets.concept_rag.commands.ingest import explaining, projecting
from toolsets.concept_rag.document import Document, UnknownDocument
from toolsets.concept_rag.numeric_ids import MAX_NUMBER
from toolsets.concept_rag.pipeline.maintenance import Maintenance
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.projections import DOCUMENT
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.replies import counted

_ID = click.argument("catalog_id", type=click.IntRange(1, MAX_NUMBER), metavar="ID")
_ASK_SERVER: Final = ", or ask its server: category_search lists the documents of a category"
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


@click.group("documents")
def documents() -> None:
    """List, show and forget documents of the catalog."""


@documents.command("list")
@_JSON
@click.pass_obj
async def list_documents(rag: ConceptRag, *, as_json: bool) -> None:
    """List all documents by title."""
    with explaining(_ASK_SERVER):
        await rag.sourced.ready()
        maintenance = Maintenance(rag, Recorder(rag, "documents"))
        listed = [node.fields async for node in maintenance.listed(DOCUMENT)]
        if not listed and not as_json:
            click.echo("There are no documents.", err=True)
        for fields in sorted(listed, key=_order):
            if as_json:
                names = ("title", "author", "year", "format", "pages", "chunks", "concepts", "visuals", "path")
                known = {name: cast("str | int", fields[name]) for name in names if name in fields}
                click.echo(_json({"catalog_id": cast("int", fields["catalog"]), **known}))
            else:
                click.echo(f"{fields['catalog']:>16}  {fields.get('title', '')}  {fields.get('path', '')}")


def _order(fields: Mapping[str, Value]) -> tuple[str, int]:
    return str(fields.get("title", "")).casefold(), cast("int", fields["catalog"])


@documents.command("show")
@_ID
@_JSON
@click.pass_obj
async def show_document(rag: ConceptRag, catalog_id: int, *, as_json: bool) -> int:
    """Show a document with all its paths."""
    with explaining(_ASK_SERVER):
        await rag.sourced.ready()
        document = await _live(Recorder(rag, "documents"), catalog_id)
    if document is None:
        return 1
    click.echo(_json(_shown(document)) if as_json else "\n".join(_lines(document)))
    return 0


@documents.command("forget")
@_ID
@_JSON
@click.pass_obj
async def forget_document(rag: ConceptRag, catalog_id: int, *, as_json: bool) -> int:
    """Remove a document from the catalog. Its file is kept, and ingesting it again restores the document."""
    recorder = Recorder(rag, "documents")
    async with projecting(rag):
        document = await _live(recorder, catalog_id)
        if document is None:
            return 1
        # If another process has just forgotten the document, the request is fulfilled.
        with suppress(UnknownDocument):
            await recorder.forget(catalog_id)
        await Maintenance(rag, recorder).sweep()
    if as_json:
        click.echo(_json({"catalog_id": catalog_id, "status": "forgotten"}))
    else:
        click.echo(f"{document.content.title} is forgotten. Its file is untouched; ingesting it again brings it back.")
    return 0


async def _live(recorder: Recorder, catalog_id: int) -> Document | None:
    """Return a document; print a message and return None if it does not exist."""
    document = await recorder.document(catalog_id)
    if document is None or not document.live:
        click.echo(f"There is no document {catalog_id}.", err=True)
        return None
    return document


def _shown(document: Document) -> JsonObject:
    content = document.content.model_dump(mode="json", exclude={"concepts", "categories", "visuals"})
    return {
        "catalog_id": document.catalog_id,
        **content,
        "paths": list(document.paths),
        "added_at": iso_millis(document.added_at),
        "updated_at": iso_millis(document.updated_at),
        "primary_concepts": [concept.name for concept in document.content.concepts if concept.role == "primary"],
        "related_concepts": [concept.name for concept in document.content.concepts if concept.role == "related"],
        "categories": [category.name for category in document.content.categories],
        "visuals": len(document.content.visuals),
    }


def _lines(document: Document) -> list[str]:
    content = document.content
    about = ", ".join(part for part in (content.author, content.year, content.format) if part)
    parts = (
        (content.pages, "page", "pages"),
        (content.chunks, "chunk", "chunks"),
        (len(content.visuals), "visual", "visuals"),
    )
    lines = [
        f"{document.catalog_id}  {content.title}",
        about,
        *(f"path        {path}" for path in document.paths),
        f"added       {iso_millis(document.added_at)}, updated {iso_millis(document.updated_at)}",
        f"content     {content.content_hash}",
        f"has         {', '.join(counted(*each) for each in parts)}",
        f"categories  {', '.join(category.name for category in content.categories)}",
        f"concepts    {', '.join(concept.name for concept in content.concepts)}",
        f"summary     {content.summary}",
        *(f"note        {note}" for note in content.notes),
    ]
    return [line for line in lines if line]


def _json(value: JsonObject) -> str:
    return orjson.dumps(value).decode()
