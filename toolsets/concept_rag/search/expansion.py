"""Query expansion by concepts that a question names or is near to, and by synonyms that the library uses."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.library import Library
from toolsets.concept_rag.numeric_ids import concept_id_of
from toolsets.concept_rag.projections import CONCEPT_NAMES
from toolsets.concept_rag.search.query import (
    CHARACTERS,
    Phrase,
    Query,
    QueryConcept,
    by_weight,
    phrases_of,
    synonyms_of,
    without_contractions,
)
from toolsets.concept_rag.search.scripts import is_foreign
from toolsets.concept_rag.streams import number_in
from toolsets.concurrency import run_cpu
from toolsets.spec import ToolError

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

NEAR: Final = 5
"""The most near concepts that expand a question."""
MIN_NEAR: Final = 0.45
"""The least cosine between a question and a concept's name and gloss."""
_NEAR_SHARE: Final = 0.5
"""The weight of a concept that is near but not named, as a share of its cosine."""
_PART_WEIGHT: Final = 0.3
"""The weight of a concept whose name is part of a longer name in the question."""
_CACHED_NUMBERS: Final = 2_000
"""The most synonyms whose ids are cached, about 400 kB; each question tries about fifty."""

_logger = logging.getLogger(__name__)


async def expand_query(library: Library, text: str, vector: "Vector") -> Query:
    """Return a question expanded by concepts that a document mentions, and by WordNet's synonyms.

    While the graph is unavailable, the query has no concepts. Raises `ToolError` if the vector store fails.
    """
    query, phrases, synonyms = await run_cpu(partial(_analysed, text, vector), size=len(text) // CHARACTERS)
    query = replace(query, is_understood=not is_foreign(text) or await library.understands_other_scripts())
    near = await _near(library, vector)
    try:
        mentioned = await library.documents_naming({*phrases, *synonyms, *near})
        names = await library.names([id_ for id_ in mentioned if id_ in phrases or id_ in near])
    except ToolError as error:
        _logger.warning("a question was searched without concepts: %s", error)
        return query
    concepts = _named(phrases, names) | {
        id_: QueryConcept(id_, names[id_], _NEAR_SHARE * cosine)
        for id_, cosine in near.items()
        if id_ in names and id_ not in phrases
    }
    used = frozenset(synonym for id_, synonym in synonyms.items() if id_ in mentioned)
    return replace(query, concepts=by_weight([*concepts.values()]), used=used)


def _analysed(text: str, vector: "Vector") -> tuple[Query, Mapping[int, Phrase], Mapping[int, str]]:
    """Return a question with its synonyms, and its phrases and synonyms by the ids that concepts of these names have."""
    query = Query(without_contractions(text), vector, synonyms=synonyms_of(text))
    phrases = {concept_id_of(phrase.text): phrase for phrase in reversed(phrases_of(text))}
    return query, phrases, {_synonym_number(each): each for some in query.synonyms.values() for each in some}


@lru_cache(_CACHED_NUMBERS)
def _synonym_number(synonym: str) -> int:
    """Return the id that a concept with this name has."""
    return concept_id_of(synonym)


async def _near(library: Library, vector: "Vector") -> Mapping[int, float]:
    """Return the concepts whose name and gloss are nearest to a question, with their cosines."""
    with library.searching("Searching the concepts"):
        hits = await library.nearest(CONCEPT_NAMES, vector, NEAR, min_score=MIN_NEAR)
    return {number_in(hit.id): hit.score for hit in hits}


def _named(phrases: Mapping[int, Phrase], names: Mapping[int, str]) -> dict[int, QueryConcept]:
    known = {id_: phrase for id_, phrase in phrases.items() if id_ in names}
    return {
        id_: QueryConcept(
            id_,
            names[id_],
            _PART_WEIGHT if any(phrase.is_within(other) for other in known.values()) else 1.0,
        )
        for id_, phrase in known.items()
    }
