"""The tool that finds skills, by meaning and by words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from backends.ports.values import RecordId
from backends.ports.vectors import Hit
from toolsets.arguments import INTEGRAL, NOT_BLANK, Arguments
from toolsets.concurrency import gather_bounded, run_cpu
from toolsets.replies import Body, counted, reply_of
from toolsets.skills.errors import tool_error, translate
from toolsets.skills.projections import TEXTS
from toolsets.skills.runtime import Skills
from toolsets.skills.scores import CANDIDATES_PER_RESULT, Candidate, rank
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.health import pending_in
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

Share = Annotated[float, Field(ge=0, le=1)]
MAX_QUERY = 8_000
"""Several pages, of which the default embedder reads the first 256 tokens; the words of all count."""
MAX_MATCHES = 100
"""Each match brings its whole skill, of some kilobytes; callers use the first few."""
MICROS_PER_MILLI = 1_000
_CHARACTERS = 250
"""Characters that take as long to rank as an event takes to read; from 50,000 on, ranking runs in a thread."""
_ASKED_CHARACTERS = 25
"""The same for a question, whose words are not cached; from 5,000 on, ranking runs in a thread."""


class SearchSkills(Arguments):
    """A customer's question."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=MAX_QUERY, description="The question or the problem, in the customer's words."),
        NOT_BLANK,
    ]
    top_k: Annotated[int, Field(ge=1, le=MAX_MATCHES, description="The most skills to return."), INTEGRAL] = 5
    min_score: Annotated[Share, Field(description="The least score of a match.")] = 0.0


class SkillMatch(Body):
    """A skill that fits a question."""

    skill_id: Annotated[str, Field(json_schema_extra={"format": "uuid"})]
    title: str
    score: Share
    resolution: str
    conditions: tuple[str, ...]


class SearchReply(Body):
    """Skills by score, best first."""

    matches: tuple[SkillMatch, ...]
    query: str
    search_time_ms: float


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """The candidates of one search; `vector` is that of the query, if it was embedded."""

    hits: Sequence[Hit]
    vector: "Vector | None" = None


async def search_skills(skills: Skills, arguments: SearchSkills, context: CallContext) -> Reply:
    """Rank skills near in meaning and skills that share words; each search finds twice as many candidates as requested."""
    started = skills.now()
    cosines = await _cosines(skills, arguments.query, CANDIDATES_PER_RESULT * arguments.top_k)
    if not cosines:
        await _check_filled(skills)
    found = await skills.skills(list(cosines))
    candidates = [
        Candidate(id_, cosines[id_], skill.title, skill.problem, skill.resolution, skill.conditions, skill.keywords)
        for id_, skill in found.items()
    ]
    work = partial(rank, arguments.query, candidates, top_k=arguments.top_k, min_score=arguments.min_score)
    texts = sum(len(candidate.text) for candidate in candidates)
    ranked = await run_cpu(work, size=texts // _CHARACTERS + len(arguments.query) // _ASKED_CHARACTERS)
    matches = tuple(
        SkillMatch(
            skill_id=score.skill_id,
            title=found[score.skill_id].title,
            score=score.total,
            resolution=found[score.skill_id].resolution,
            conditions=found[score.skill_id].conditions,
        )
        for score in ranked
    )
    taken = (skills.now() - started) / MICROS_PER_MILLI
    return reply_of(SearchReply(matches=matches, query=arguments.query, search_time_ms=taken))


async def _cosines(skills: Skills, query: str, count: int) -> Mapping[str, float]:
    """Return the true cosine of each candidate, by its id. Raises `ToolError`."""
    store = await skills.vectors()

    async def by_meaning() -> _Retrieved:
        [vector] = await skills.embed((query,))
        with store_errors(translate("vector store")), skills.sourced.invalidating("vectors"):
            return _Retrieved(await store.vectors.dense(TEXTS, vector, count), vector)

    async def by_words() -> _Retrieved:
        with store_errors(translate("vector store")), skills.sourced.invalidating("vectors"):
            return _Retrieved(await store.vectors.keyword(TEXTS, query, count))

    near, worded = await gather_bounded((by_meaning, by_words))
    cosines = {str(hit.id): float(hit.score) for hit in near.hits}
    others = [RecordId(hit.id) for hit in worded.hits if hit.id not in cosines]
    if others and near.vector is not None:
        with store_errors(translate("vector store")), skills.sourced.invalidating("vectors"):
            records = await store.vectors.get(TEXTS, others)
        cosines.update({str(id_): float(record.vector @ near.vector) for id_, record in records.items()})
    return cosines


async def _check_filled(skills: Skills) -> None:
    """Raise `ToolError` while the vector store lacks skills that the log has, so that an empty result would mean nothing."""
    with store_errors(translate("event log")), skills.sourced.invalidating("vectors"):
        pending = await pending_in(skills.live_stores, "vectors")
    if pending:
        raise tool_error(
            "store_unavailable",
            f"The vector store is being filled, with {counted(pending, 'skill', 'skills')} to go; try again soon",
        )


TOOLS = (
    Tool(
        "search_skills",
        "Search skills",
        "Find learned support skills that resolve a customer's problem. Use it before you answer from scratch.",
        SearchSkills,
        SearchReply,
        search_skills,
    ),
)
