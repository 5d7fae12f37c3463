"""Documents as the toolset records them, without files: what a test needs to write events by hand."""

from toolsets.concept_rag.document import CategoryFact, ConceptFact, Content, VisualFact
from toolsets.concept_rag.numeric_ids import category_id_of, concept_id_of, visual_id_of
from toolsets.concept_rag.part import ChunkFact, version_token

GENERAL = CategoryFact(id=category_id_of("General"), name="General", description="All else.", path=("General",))


def chunk_facts(*texts: str, concepts: tuple[str, ...] = ()) -> tuple[ChunkFact, ...]:
    """Return a chunk per text, each on a page of its own and with the same concepts."""
    return tuple(
        ChunkFact(
            ordinal=place,
            text=text,
            page=place + 1,
            last_page=place + 1,
            kind="body",
            headings=(),
            concepts=tuple((concept_id_of(name), 0.1) for name in concepts),
        )
        for place, text in enumerate(texts)
    )


def content(
    catalog_id: int,
    content_hash: str,
    chunks: tuple[ChunkFact, ...],
    *,
    concepts: tuple[str, ...] = (),
    images: int = 0,
) -> Content:
    """Return the content of a document with these chunks."""
    return Content(
        content_hash=content_hash,
        token=version_token(catalog_id, chunks),
        format="text",
        title=f"Title of {content_hash}",
        pages=len(chunks),
        chunks=len(chunks),
        summary=f"Summary of {content_hash}.",
        concepts=tuple(
            ConceptFact(
                id=concept_id_of(name), name=name, key=name, role="primary", score=0.5, chunks=len(chunks), pages=(1,)
            )
            for name in concepts
        ),
        categories=(GENERAL,),
        visuals=tuple(
            VisualFact(
                id=visual_id_of(str(catalog_id), f"{number:064x}"),
                type="figure",
                page=1,
                description=f"Figure {number}",
                file=f"{number:064x}",
                width=100,
                height=80,
            )
            for number in range(images)
        ),
    )
