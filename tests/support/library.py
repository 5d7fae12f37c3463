"""Documents for tests of the whole ingestion, and the concept_rag tools as those tests use them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from backends.ports.values import Json, JsonObject
from tests.support.commands import entrepot
from tests.support.documents import docx, docx_image, docx_paragraph, markdown, png
from tests.support.knowledge import ask
from tests.support.raw import Caller

SUBJECTS = ("lantern", "anvil", "violin", "glacier", "orchard")
"""What documents are about, one each; every chunk names it."""
LIMIT = 5
"""Chunks that a search within a document returns, and fewer than a document has."""


_OBJECTS = """bucket ladder candle hammer basket mirror blanket kettle shovel needle pillow saddle barrel curtain feather
ribbon button bottle carpet chimney drawer engine fiddle goblet hammock jacket kernel lever magnet napkin ointment paddle
quilt rudder sandal tablet umbrella vessel wagon yarn anchor beacon cradle dagger easel funnel girdle helmet inkwell jigsaw
kiln lattice mallet nozzle oar pulley quiver rivet spindle tripod urn valve whistle xylophone yoke zither apron bellows
chisel dipper""".split()


def document(subject: str, edition: str = "first", paragraphs: int = 7) -> bytes:
    """Return a document of seven chunks that all name their subject and edition, and differ in most other words."""
    text = "\n\n".join(
        f"The {subject} of the {edition} edition has part {number}. A keeper looks after it. "
        + " ".join(
            f"Beside the {subject} of the {edition} edition lies a {thing}." for thing in _OBJECTS[number::paragraphs]
        )
        for number in range(paragraphs)
    )
    return markdown(text, title=f"The {subject.title()} Book")


def write_documents(folder: Path, subjects: Sequence[str] = SUBJECTS) -> None:
    """Write a document for each subject, and one with pictures."""
    folder.mkdir(exist_ok=True)
    for subject in subjects:
        (folder / f"{subject}.md").write_bytes(document(subject))
    caption = docx_paragraph("Figure 1: Circuit diagram of a relay", style="Caption")
    body = [docx_paragraph("A relay is a switch."), docx_paragraph("", content=docx_image("i")), caption]
    (folder / "pictures.docx").write_bytes(docx(body, title="The Relay Book", media={"i": png()}))


async def ingest(
    data: Path, folder: Path, *more: str, variables: Mapping[str, str] | None = None
) -> Mapping[str, JsonObject]:
    """Ingest a folder, and return what became of each file by its name, and of all as `summary`."""
    words = ("ingest", str(folder), "--json", "--data-dir", str(data), *more)
    done = await entrepot(*words, variables=variables)
    assert done.returncode == 0, done.stderr
    *lines, last = [cast("JsonObject", json.loads(line)) for line in done.stdout.splitlines()]
    return {**{Path(str(line["path"])).name: line for line in lines}, "summary": cast("JsonObject", last["summary"])}


async def found(caller: Caller, tool: str, **arguments: Json) -> Sequence[JsonObject]:
    """Return the rows of a tool that answers with a bare list; none where it refuses."""
    return cast("Sequence[JsonObject]", (await ask(caller, tool, arguments)).get("result", []))


async def titles(caller: Caller) -> Sequence[str]:
    """Return the titles of all documents, sorted."""
    listed = await ask(caller, "list_categories", {"limit": 1_000})
    names = [str(row["name"]) for row in cast("Sequence[JsonObject]", listed["categories"])]
    titles: set[str] = set()
    for name in names:
        category = await ask(caller, "category_search", {"category": name})
        titles |= {str(row["title"]) for row in cast("Sequence[JsonObject]", category["documents"])}
    return sorted(titles)


async def picture(caller: Caller) -> JsonObject:
    """Return what the stores hold, as the tools see it."""
    concepts = [await ask(caller, "concept_search", {"concept": subject}) for subject in SUBJECTS]
    assert all("concept" in concept for concept in concepts)
    questions = [f"who looks after the {subject}" for subject in SUBJECTS]
    return {
        "titles": [*await titles(caller)],
        "documents": [[*await found(caller, "catalog_search", text=text)] for text in questions],
        "chunks": [[*await found(caller, "broad_chunks_search", text=text)] for text in questions],
        "concepts": concepts,
        "categories": await ask(caller, "list_categories", {}),
        "visuals": await ask(caller, "get_visuals", {}),
    }
