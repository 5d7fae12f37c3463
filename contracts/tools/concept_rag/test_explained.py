"""With DEBUG_SEARCH=true replies show the components of scores and where a concept was found."""

from collections.abc import Mapping

import pytest
from pydantic import BaseModel

from contracts.client import McpConnection
from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.library import TITLES
from contracts.tools.concept_rag.replies import ExplainedCatalogHit, ExplainedChunkHit, ExplainedConceptReply

CATALOG: Mapping[str, float] = {"vector": 0.30, "bm25": 0.25, "title": 0.20, "concept": 0.15, "wordnet": 0.10}
CHUNKS: Mapping[str, float] = {"vector": 0.35, "bm25": 0.30, "concept": 0.20, "wordnet": 0.15}
CONCEPT: Mapping[str, float] = {"name": 0.40, "vector": 0.30, "bm25": 0.20, "wordnet": 0.10}
QUESTIONS = (
    "baking bread in an oven",
    "honey bees",
    "current of the coil",
    "harbour ledger of ships",
    "sailing by stars",
)
ROUNDING = 0.0011


def _sum(components: BaseModel, weights: Mapping[str, float]) -> float:
    given = {name: float(value) for name, value in components.model_dump().items()}
    assert set(given) == set(weights)
    return sum(given[name] * weight for name, weight in weights.items())


@promise("concept_rag:debug:weights")
@pytest.mark.parametrize("question", QUESTIONS)
async def test_components_add_up_to_the_score(explained: ConceptRagClient, question: str) -> None:
    """The weights are the documented ones; rounding may differ."""
    for hit in await explained.rows(ExplainedCatalogHit, "catalog_search", text=question):
        assert _sum(hit.score_components, CATALOG) == pytest.approx(float(hit.score), abs=ROUNDING)
    for row in await explained.rows(ExplainedChunkHit, "broad_chunks_search", text=question):
        assert _sum(row.score_components, CHUNKS) == pytest.approx(float(row.score), abs=ROUNDING)


@promise("concept_rag:debug:weights", "concept_rag:debug:previews")
async def test_a_concept_comes_with_components_and_previews(explained: ConceptRagClient) -> None:
    """There is a preview for each page of each source, also of one by a related concept."""
    linked = 0
    for name in ("bread", "tide", "harbour master", "electrolytic capacitors"):
        reply = await explained.connection.ask(ExplainedConceptReply, "concept_search", concept=name)
        assert _sum(reply.score_components, CONCEPT) == pytest.approx(float(reply.score), abs=ROUNDING)
        assert any(source.match_type == "primary" for source in reply.sources)
        linked += sum(source.match_type == "related" for source in reply.sources)
        for source in reply.sources:
            assert len(source.page_previews) == len(source.pages)
            assert all(source.page_previews)
    assert linked


@promise("concept_rag:debug:signals")
async def test_every_signal_counts_somewhere(explained: ConceptRagClient) -> None:
    """No component is always 0, and an exact title or concept has the full score."""
    seen: dict[str, float] = dict.fromkeys(CATALOG, 0.0)
    for title in sorted(TITLES):
        for hit in await explained.rows(ExplainedCatalogHit, "catalog_search", text=title):
            parts = hit.score_components.model_dump()
            seen = {name: max(value, float(parts[name])) for name, value in seen.items()}
            assert hit.title != title or parts["title"] == "1.000"
    assert all(value > 0 for name, value in seen.items() if name != "wordnet"), seen
    exact = await explained.connection.ask(ExplainedConceptReply, "concept_search", concept="sourdough starter")
    assert exact.score_components.name == "1.000"


@promise("concept_rag:debug:off")
async def test_scores_are_explained_only_when_configured(connection: McpConnection) -> None:
    """There are no components and no previews."""
    for tool, arguments in (
        ("catalog_search", {"text": "bread"}),
        ("broad_chunks_search", {"text": "bread"}),
        ("concept_search", {"concept": "bread"}),
    ):
        text = (await connection.call(tool, arguments)).text
        assert "score_components" not in text
        assert "page_previews" not in text
