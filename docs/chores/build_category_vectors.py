"""Write the vectors of the shipped categories: python docs/chores/build_category_vectors.py; see the nox session."""

import asyncio
from pathlib import Path

from backends.ports.vectors import text_hash
from backends.registry import load_adapter
from toolsets.concept_rag.pipeline.scratch import written_vectors
from toolsets.concept_rag.taxonomy.assignment import category_text, shipped_vectors
from toolsets.concept_rag.taxonomy.model import load_taxonomy


async def main() -> None:
    """Embed the categories with the shipped embedder, and put the file in the place of the one for another model."""
    embedder = await (await load_adapter("minilm").open({}, Path())).embedder()
    texts = list(map(category_text, load_taxonomy().categories))
    target = shipped_vectors(embedder.identity)
    for former in target.parent.glob("*.vectors"):
        former.unlink()
    target.write_bytes(written_vectors([text_hash(text) for text in texts], await embedder.embed(texts)))


asyncio.run(main())
