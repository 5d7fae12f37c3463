"""The tool and the resources for visuals."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import anyio.to_thread
from pydantic import Field

from backends.ports.errors import StoreError
from backends.ports.filters import And, Eq, Filter, Has, In
from backends.ports.graph import Order
from toolsets.arguments import INTEGRAL, Arguments
from toolsets.concept_rag.entries import VisualEntry, visual_entry
from toolsets.concept_rag.errors import failure
from toolsets.concept_rag.ingestion.document import VisualType
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.numeric_ids import MAX_NUMBER, concept_id_of
from toolsets.concept_rag.projections import VISUAL
from toolsets.concept_rag.search.concepts import concepts_meant
from toolsets.concept_rag.streams import visual_node
from toolsets.concept_rag.tools.fields import MAX_ROWS, ROOM, CatalogId, ConceptName, Message, Rows, absent
from toolsets.replies import Body, cut_sentence, fitting_rows, reply_of
from toolsets.spec import CallContext, Image, Reply, ResourceNotFound, ResourceTemplateSpec
from toolsets.tools import Tool

URI: Final = "concept-rag://visuals/{id}"
PNG: Final = "image/png"
IMAGES_ROOM: Final = ROOM * 3 // 4
"""The most bytes of all pictures of a reply: Base64 adds a third, and a reply has at most 8 MB."""
_ORDER: Final = (Order("catalog"), Order("place"))

VisualId = Annotated[int, Field(ge=1, le=MAX_NUMBER), INTEGRAL]


class GetVisuals(Arguments):
    """Filters for visuals; a visual must match all that are given."""

    ids: Annotated[
        tuple[VisualId, ...] | None,
        Field(max_length=MAX_ROWS, strict=False, description="As concept_search returns them in image_ids."),
    ] = None
    catalog_id: CatalogId | None = None
    visual_type: Annotated[VisualType | None, Field(description="Only visuals of this type.")] = None
    concept: Annotated[ConceptName | None, Field(description="A concept named in the caption or near the visual.")] = (
        None
    )
    limit: Rows = 20


class VisualRow(Body):
    """A visual."""

    id: int
    catalog_id: int
    catalog_title: str
    visual_type: VisualType
    page_number: int
    description: str
    image_path: str
    concepts: tuple[str, ...]


class Filters(Body):
    """The filters of the call; filters that were not given are omitted."""

    ids: Annotated[tuple[int, ...] | None, Field(exclude_if=absent)] = None
    catalog_id: Annotated[int | None, Field(exclude_if=absent)] = None
    visual_type: Annotated[VisualType | None, Field(exclude_if=absent)] = None
    concept: Annotated[str | None, Field(exclude_if=absent)] = None


class VisualsReply(Body):
    """Visuals by document, in document order."""

    visuals: tuple[VisualRow, ...]
    total_returned: int
    filters_applied: Filters
    message: Message = None


async def get_visuals(library: Library, arguments: GetVisuals, context: CallContext) -> Reply:
    """Return the visuals that match all filters and whose files exist; with `images = true` also the pictures."""
    concept: int | None = None
    if (name := arguments.concept) is not None:
        concept = (await concepts_meant(library, (name,))).get(name, concept_id_of(name))
    found = await _found(library, _where(arguments, concept), arguments.limit)
    documents = await library.documents(visual.catalog_id for visual, _ in found)
    names = await library.names({id_ for visual, _ in found for id_ in visual.concepts})
    shown = [(visual, path) for visual, path in found if visual.catalog_id in documents]
    all_rows = [_row(visual, path, documents[visual.catalog_id].title, names) for visual, path in shown]
    room = ROOM // 4 if library.settings.images else ROOM
    rows = fitting_rows(all_rows, room)
    images: tuple[Image, ...] = ()
    if library.settings.images:
        images = await anyio.to_thread.run_sync(_images, [path for _, path in shown[: len(rows)]])
    reply = reply_of(
        VisualsReply(
            visuals=rows,
            total_returned=len(rows),
            filters_applied=Filters(**arguments.model_dump(exclude={"limit"})),
            message=_message(len(rows), len(all_rows), None if not library.settings.images else len(images)),
        )
    )
    return Reply(reply.structured, images=images)


def _where(arguments: GetVisuals, concept: int | None) -> Filter | None:
    terms: list[Filter] = []
    if arguments.ids is not None:
        terms.append(In("visual", arguments.ids))
    if arguments.catalog_id is not None:
        terms.append(Eq("catalog", arguments.catalog_id))
    if arguments.visual_type is not None:
        terms.append(Eq("type", arguments.visual_type))
    if concept is not None:
        terms.append(Has("concepts", str(concept)))
    return And(tuple(terms)) if terms else None


async def _found(library: Library, where: Filter | None, limit: int) -> list[tuple[VisualEntry, Path]]:
    """Return the first visuals that match and have a file."""
    found: list[tuple[VisualEntry, Path]] = []
    batch: list[VisualEntry] = []
    async for node in library.found(VISUAL, where, _ORDER, limit):
        batch.append(visual_entry(node))
        if len(batch) == limit:
            found += await _shown(library, batch)
            batch = []
            if len(found) >= limit:
                break
    found += await _shown(library, batch)
    return found[:limit]


async def _shown(library: Library, visuals: Sequence[VisualEntry]) -> list[tuple[VisualEntry, Path]]:
    try:
        return await anyio.to_thread.run_sync(_with_files, library, visuals)
    except (StoreError, OSError) as error:
        raise failure("DATABASE_ERROR", "Reading the pictures", error) from error


def _with_files(library: Library, visuals: Sequence[VisualEntry]) -> list[tuple[VisualEntry, Path]]:
    library.rag.fetch_pictures([visual.file for visual in visuals])
    paths = ((visual, library.rag.picture(visual.file)) for visual in visuals)
    return [(visual, path.absolute()) for visual, path in paths if path is not None and path.is_file()]


def _row(visual: VisualEntry, path: Path, title: str, names: Mapping[int, str]) -> VisualRow:
    return VisualRow(
        id=visual.id,
        catalog_id=visual.catalog_id,
        catalog_title=title,
        visual_type=visual.type,
        page_number=visual.page,
        description=visual.description,
        image_path=str(path),
        concepts=tuple(names[id_] for id_ in visual.concepts if id_ in names),
    )


def _images(paths: Sequence[Path]) -> tuple[Image, ...]:
    """Return the pictures that fit into a reply, up to the first that does not."""
    images: list[Image] = []
    room = IMAGES_ROOM
    for path in paths:
        try:
            room -= path.stat().st_size
            if room < 0:
                break
            images.append(Image(path.read_bytes(), PNG))
        except OSError:
            break
    return tuple(images)


def _message(rows: int, found: int, images: int | None) -> str | None:
    cut = cut_sentence(rows, found)
    if cut:
        return f"{found} visuals found{cut}"
    if images is not None and images < rows:
        return f"The pictures of the first {images} visuals are sent; the others are read from image_path or {URI}"
    return None


def visual_resources(library: Library) -> ResourceTemplateSpec:
    """Return the resource template that serves each visual's picture."""

    async def read(variables: Mapping[str, str], context: CallContext) -> bytes:
        path = await _path(library, variables.get("id", ""))
        if path is not None:
            try:
                return await anyio.to_thread.run_sync(path.read_bytes)
            except FileNotFoundError:
                pass
        raise ResourceNotFound(f"There is no visual {variables.get('id', '')[:40]}")

    return ResourceTemplateSpec(
        URI,
        "visuals",
        "Visuals",
        "The picture of a visual, by the id that get_visuals and concept_search return.",
        PNG,
        read,
    )


async def _path(library: Library, text: str) -> Path | None:
    """Return the file of the visual with a decimal id; None if no visual has the id. Raises `StoreError`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        return None
    node_id = visual_node(int(text))
    try:
        nodes = await (await library.rag.live_stores.graph()).graph.get_nodes((node_id,))
    except StoreError:
        library.rag.live_stores.invalidate("graph")
        raise
    if node_id not in nodes:
        return None
    file = visual_entry(nodes[node_id]).file
    await anyio.to_thread.run_sync(library.rag.fetch_pictures, (file,))
    return library.rag.picture(file)


TOOLS = (
    Tool(
        "get_visuals",
        "Get visuals",
        "List figures, tables, charts and diagrams of documents with description, page and path of the PNG file; all filters "
        "that are sent must hold.",
        GetVisuals,
        VisualsReply,
        get_visuals,
    ),
)
