"""The concept tools: create, get, update, delete."""

from functools import partial
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from backends.ports.errors import StoreError
from backends.ports.text import MAX_TEXT_BYTES
from backends.ports.values import NodeId
from backends.ports.vectors import text_hash
from toolsets.arguments import Arguments, Filled
from toolsets.clock import iso_millis
from toolsets.knowledge import concept as concepts
from toolsets.knowledge import confidence
from toolsets.knowledge.concept import Certainty, Concept, Edit, Placement, Rescore
from toolsets.knowledge.errors import tool_error
from toolsets.knowledge.runtime import Knowledge, check_concept_id
from toolsets.knowledge.streams import NAMES, concept_stream
from toolsets.knowledge.tools.fields import ConceptId, Explanation, Level, Name, Score, Success, WriteReply
from toolsets.replies import MAX_PAGE_BYTES, Number, cut_sentence, fitting_rows, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.sourcing.projection_store import KnownVectors
from toolsets.spec import CallContext, Reply
from toolsets.tools import ADDS, CHANGES, REPEATABLE, Tool


class CreateConcept(Arguments):
    """A concept to file."""

    name: Name
    explanation: Annotated[Explanation, Field(description="What it is, in full sentences; searched by meaning.")]
    area: Annotated[Level | None, Field(description='Broadest level, e.g. "Programming".')] = None
    topic: Annotated[Level | None, Field(description='Level within the area, e.g. "Python".')] = None
    subtopic: Level | None = None
    certainty_score: Annotated[Score | None, Field(description="How sure you are; if omitted, it is computed.")] = None


class GetConcept(Arguments):
    """A concept to read."""

    concept_id: ConceptId
    include_history: Annotated[bool, Field(description="Also every explanation so far, oldest first.")] = False


class UpdateConcept(Arguments):
    """What to change of a concept."""

    concept_id: ConceptId
    explanation: Filled | None = None
    name: Name | None = None
    area: Level | None = None
    topic: Level | None = None
    subtopic: Level | None = None
    certainty_score: Score | None = None


class DeleteConcept(Arguments):
    """A concept to delete."""

    concept_id: ConceptId


class RestoreConcept(Arguments):
    """A deleted concept to restore."""

    concept_id: ConceptId


class PastExplanation(BaseModel):
    """An explanation and when it was given."""

    explanation: str
    timestamp: str


class ConceptBody(BaseModel):
    """A concept in a reply."""

    model_config = ConfigDict(frozen=True)

    concept_id: str
    name: str
    explanation: str
    area: str | None
    topic: str | None
    subtopic: str | None
    certainty_score: Number
    created_at: str
    last_modified: str
    explanation_history: tuple[PastExplanation, ...] = Field(default=(), exclude_if=lambda history: not history)


class ConceptReply(Success):
    """A concept found."""

    concept: ConceptBody
    message: str = "Found"


async def create_concept(knowledge: Knowledge, arguments: CreateConcept, context: CallContext) -> Reply:
    """Create a concept; if embedding fails, the call fails before anything is recorded."""
    await knowledge.require_repository()
    concept_id = knowledge.new_id()
    placement = Placement(arguments.area, arguments.topic, arguments.subtopic)
    certainty = _certainty_at_creation(knowledge, arguments, placement)
    known = await _embedded(knowledge, arguments.explanation)

    def decide(histories: Histories) -> Decision[str]:
        return concepts.create(histories, concept_id, arguments.name, arguments.explanation, placement, certainty)

    claim = NAMES.stream((arguments.name, arguments.area, arguments.topic))
    written = await knowledge.write(decide, context, streams=(concept_stream(concept_id), claim), known_vectors=known)
    body = WriteReply(concept_id=concept_id, message=written.message("Created"))
    return reply_of(body, meta=written.meta)


async def get_concept(knowledge: Knowledge, arguments: GetConcept, context: CallContext) -> Reply:
    """Read a concept from its stream, which is up to date even while a projection is pending."""
    concept = await knowledge.live(arguments.concept_id)
    explanations = concept.explanations if arguments.include_history else ()
    history = [PastExplanation(explanation=past.explanation, timestamp=iso_millis(past.at)) for past in explanations]
    # The newest explanations are shown; the oldest are left out.
    latest = fitting_rows(history[::-1], MAX_PAGE_BYTES - MAX_TEXT_BYTES)[::-1]
    cut = cut_sentence(len(latest), len(history)) if latest else ""
    body = ConceptBody(
        concept_id=concept.id,
        name=concept.name,
        explanation=concept.explanation,
        area=concept.placement.area,
        topic=concept.placement.topic,
        subtopic=concept.placement.subtopic,
        certainty_score=concept.certainty.score,
        created_at=iso_millis(concept.created_at),
        last_modified=iso_millis(concept.modified_at),
        explanation_history=latest,
    )
    return reply_of(ConceptReply(concept=body, message=f"Found{cut}"))


async def update_concept(knowledge: Knowledge, arguments: UpdateConcept, context: CallContext) -> Reply:
    """Change the fields that were sent; a new explanation is embedded before anything is recorded."""
    if not arguments.model_fields_set - {"concept_id"}:
        raise tool_error("validation_error", "Nothing to update: send at least one field besides concept_id")
    check_concept_id(arguments.concept_id)
    await knowledge.require_repository()
    before = await knowledge.live(arguments.concept_id)
    explanation = arguments.explanation
    renewed = explanation is not None and explanation != before.explanation
    known = await _embedded(knowledge, explanation) if explanation is not None and renewed else None
    edit = Edit(
        name=arguments.name,
        explanation=explanation,
        area=arguments.area,
        topic=arguments.topic,
        subtopic=arguments.subtopic,
        certainty_score=arguments.certainty_score,
    )
    # A score set by hand is kept until it is set again.
    is_computed = knowledge.settings.confidence and edit.certainty_score is None and not before.certainty.by_hand
    rescore = await _rescore(knowledge, before.id) if is_computed else None

    def decide(histories: Histories) -> Decision[Concept]:
        return concepts.update(histories, arguments.concept_id, edit, rescore)

    written = await knowledge.write(
        decide, context, streams=(concept_stream(arguments.concept_id),), known_vectors=known
    )
    body = WriteReply(concept_id=arguments.concept_id, message=written.message("Updated"))
    return reply_of(body, meta=written.meta)


async def delete_concept(knowledge: Knowledge, arguments: DeleteConcept, context: CallContext) -> Reply:
    """Delete a concept; its events are kept and its name is released."""
    check_concept_id(arguments.concept_id)
    await knowledge.require_repository()

    def decide(histories: Histories) -> Decision[Concept]:
        return concepts.delete(histories, arguments.concept_id)

    written = await knowledge.write(decide, context, streams=(concept_stream(arguments.concept_id),))
    body = WriteReply(concept_id=arguments.concept_id, message=written.message("Deleted"))
    return reply_of(body, meta=written.meta)


async def restore_concept(knowledge: Knowledge, arguments: RestoreConcept, context: CallContext) -> Reply:
    """Restore a deleted concept with its history and edges; a live one is not changed, and the message says so."""
    check_concept_id(arguments.concept_id)
    await knowledge.require_repository()

    def decide(histories: Histories) -> Decision[Concept]:
        return concepts.restore(histories, arguments.concept_id)

    written = await knowledge.write(decide, context, streams=(concept_stream(arguments.concept_id),))
    done = "Restored" if written.value.deleted else "It was not deleted; nothing was changed"
    body = WriteReply(concept_id=arguments.concept_id, message=written.message(done))
    return reply_of(body, meta=written.meta)


async def _embedded(knowledge: Knowledge, explanation: str) -> KnownVectors:
    return {text_hash(explanation): await knowledge.embed(explanation, on_failure="internal_error")}


def _certainty_at_creation(knowledge: Knowledge, arguments: CreateConcept, placement: Placement) -> Certainty:
    if arguments.certainty_score is not None:
        return Certainty(arguments.certainty_score, by_hand=True)
    if not knowledge.settings.confidence:
        return Certainty(0.0, by_hand=False)
    evidence = confidence.Evidence(arguments.explanation, placement, connections=0, age=0)
    return Certainty(confidence.score(evidence), by_hand=False)


async def _rescore(knowledge: Knowledge, concept_id: str) -> Rescore:
    """Return the computation of the score after an update, with the edges that the graph has now."""
    connections = await _connections(knowledge, concept_id)
    return partial(confidence.score_after, connections=connections, now=knowledge.now())


async def _connections(knowledge: Knowledge, concept_id: str) -> int:
    """Return the number of edges in the graph, up to the number that matters; 0 while the graph does not answer."""
    centre = NodeId(concept_id)
    try:
        store = await knowledge.live_stores.graph()
        expansion = await store.graph.expand((centre,), limit_per_node=confidence.FULL_CONNECTIONS)
    except StoreError:
        return 0
    return len(expansion.edges.get(centre, ()))


TOOLS = (
    Tool(
        "create_concept",
        "Create concept",
        "File a new concept. Search first: name, area and topic together must be new. Returns its id.",
        CreateConcept,
        WriteReply,
        create_concept,
        ADDS,
    ),
    Tool(
        "get_concept",
        "Get concept",
        "Read one concept in full by id.",
        GetConcept,
        ConceptReply,
        get_concept,
    ),
    Tool(
        "update_concept",
        "Update concept",
        "Change only the fields sent. A former explanation stays in the history; a field cannot be cleared.",
        UpdateConcept,
        WriteReply,
        update_concept,
        CHANGES,
    ),
    Tool(
        "delete_concept",
        "Delete concept",
        "Delete a concept: it no longer appears in any reply; its events stay recorded.",
        DeleteConcept,
        WriteReply,
        delete_concept,
        CHANGES,
    ),
)

RESTORE = Tool(
    "restore_concept",
    "Restore concept",
    "Bring a deleted concept back as it was, with its history and its edges to live concepts.",
    RestoreConcept,
    WriteReply,
    restore_concept,
    REPEATABLE,
)

EXTENSIONS = (RESTORE,)
