"""The tools that learn: a new skill from a conversation, and a skill refined by another one."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import anyio.to_thread
from pydantic import Field, JsonValue, WithJsonSchema

from backends.ports.vectors import text_hash
from toolsets.arguments import NOT_BLANK, Arguments, UpToBytes
from toolsets.concurrency import run_cpu
from toolsets.replies import Body, reply_of, shortened
from toolsets.skills.documents import SkillDocument, document_of
from toolsets.skills.errors import tool_error, translate
from toolsets.skills.extraction import NothingToLearn
from toolsets.skills.projections import passage_of
from toolsets.skills.runtime import Skills
from toolsets.skills.skill import (
    Lesson,
    Refinement,
    Skill,
    SkillChanged,
    Taught,
    UnknownSkill,
    confirmed_by,
    known_skill,
    refine,
    teach,
    use,
)
from toolsets.skills.streams import CONVERSATIONS, skill_stream
from toolsets.skills.transcript import MAX_TRANSCRIPT_BYTES, Transcript, TranscriptTooLong, UnreadableTranscript
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.sourcing.claims import digest_of
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext, Reply
from toolsets.tools import ADDS, Tool

if TYPE_CHECKING:
    from toolsets.skills.learner import Learner, UseOfSkill

Conversation = Annotated[
    str, UpToBytes(MAX_TRANSCRIPT_BYTES), Field(json_schema_extra={"maxLength": MAX_TRANSCRIPT_BYTES}), NOT_BLANK
]
"""A transcript; it may be longer than a stored text, because it is not stored itself."""
LEARNING_S = 120.0
"""The deadline allows for a slow language model; offline, the longest conversation is read within a second."""
ATTEMPTS = 10
"""The most times a refinement is computed, because another process may refine the skill meanwhile."""
MAX_FEEDBACK = 8_000
"""Several pages; whole conversations have an argument of their own."""
MAX_METADATA = 100
"""The most entries of `metadata`."""


class CreateSkill(Arguments):
    """A conversation that solved a problem."""

    conversation: Annotated[
        Conversation, Field(description="The whole transcript, up to 1 MB: chat, e-mail thread or JSON.")
    ]
    resolution_confirmed: Annotated[
        bool, Field(description="Whether the customer confirmed that the resolution works.")
    ] = False
    metadata: Annotated[
        dict[str, JsonValue],
        WithJsonSchema({"type": "object", "additionalProperties": True, "maxProperties": MAX_METADATA, "default": {}}),
    ] = Field(
        default_factory=dict[str, JsonValue],
        max_length=MAX_METADATA,
        description="Optional: product_area, issue_type, customer segment.",
    )


class UpdateSkill(Arguments):
    """A conversation in which a skill was used."""

    skill_id: Annotated[str, Field(description="As search_skills and create_skill return it.")]
    conversation: Annotated[Conversation, Field(description="The whole transcript, up to 1 MB.")]
    feedback: Annotated[
        str, Field(max_length=MAX_FEEDBACK, description="Feedback on the skill: did it help, is it right?")
    ] = ""


class CreateReply(Body):
    """A skill that was learned, or the one that covers the conversation already."""

    skill_id: Annotated[str, Field(json_schema_extra={"format": "uuid"})]
    title: str
    skill: SkillDocument
    created: Annotated[bool, Field(description="False for one that was there before.")]


class UpdateReply(Body):
    """What an update made of a skill."""

    skill_id: str
    title: str
    changes: Annotated[tuple[str, ...], Field(description="Sentences.")]
    version: int


async def create_skill(skills: Skills, arguments: CreateSkill, context: CallContext) -> Reply:
    """Learn from a conversation, unless a skill covers it."""
    learner = await skills.learner()
    transcript = await _read(learner, arguments.conversation)
    key = await _key_of(transcript)
    holder = await skills.taught_by(key)
    if holder is not None:
        # For a known conversation nothing needs to be extracted.
        written = await _use(skills, holder, key, arguments, context)
    else:
        written = await _learn(skills, learner, key, transcript, arguments, context)
    taught = written.value
    history = written.changed[skill_stream(taught.skill_id)]
    skill = await run_cpu(partial(known_skill, taught.skill_id, history), size=len(history))
    reply = CreateReply(skill_id=skill.skill_id, title=skill.title, skill=document_of(skill), created=taught.created)
    return reply_of(reply, meta=written.meta)


async def update_skill(skills: Skills, arguments: UpdateSkill, context: CallContext) -> Reply:
    """Refine a skill by another conversation; concurrent refinements run one after the other."""
    skill_id = arguments.skill_id
    try:
        # Checked first, because reading the conversation takes time.
        skill = await skills.skill(skill_id)
        learner = await skills.learner()
        transcript = await _read(learner, arguments.conversation)
        key = await _key_of(transcript)
        # What a conversation says itself was counted when it taught the skill.
        counted = not arguments.feedback.strip() and await skills.taught_by(key) == skill_id
        use_of_skill = await learner.use(skill, transcript, arguments.feedback)
        async with skills.refinements.lock(skill_id):
            return await _refined(skills, learner, skill_id, key[0], use_of_skill, context, counted=counted)
    except UnknownSkill as error:
        raise tool_error("skill_not_found", f"There is no skill with the id {shortened(error.skill_id)}") from error


async def _read(learner: "Learner", conversation: str) -> Transcript:
    try:
        return await learner.transcript(conversation)
    except TranscriptTooLong as error:
        raise tool_error("invalid_request", str(error)) from error
    except UnreadableTranscript as error:
        raise tool_error("nothing_to_learn", str(error)) from error


async def _key_of(transcript: Transcript) -> tuple[str]:
    return (await anyio.to_thread.run_sync(lambda: digest_of((transcript.text,))),)


async def _use(
    skills: Skills, skill_id: str, key: tuple[str], arguments: CreateSkill, context: CallContext
) -> Written[Taught]:
    """Count a conversation as a use of the skill that it taught before."""

    def decide(histories: Histories) -> Decision[Taught]:
        used = use(histories, skill_id, confirmed=arguments.resolution_confirmed, conversation=key[0])
        return Decision(Taught(skill_id, created=False), used.changes)

    return await skills.write(decide, context, streams=(skill_stream(skill_id),))


async def _learn(
    skills: Skills,
    learner: "Learner",
    key: tuple[str],
    transcript: Transcript,
    arguments: CreateSkill,
    context: CallContext,
) -> Written[Taught]:
    """Extract a skill and store it, unless one with the same meaning is stored."""
    try:
        learned = await learner.extract(
            transcript, resolution_confirmed=arguments.resolution_confirmed, metadata=arguments.metadata
        )
    except NothingToLearn as error:
        raise tool_error("nothing_to_learn", str(error)) from error
    text = passage_of(learned)
    [vector] = await skills.embed((text,))
    async with skills.in_progress.exclusive(vector):
        duplicate = await skills.duplicate_of(vector)
        lesson = Lesson(skills.new_id(), learned, key, arguments.resolution_confirmed, duplicate)
        streams = [CONVERSATIONS.stream(key)]
        if duplicate is not None:
            streams.append(skill_stream(duplicate))
        return await skills.write(
            lambda histories: teach(histories, lesson),
            context,
            streams=streams,
            known_vectors={text_hash(text): vector},
        )


async def _refined(
    skills: Skills,
    learner: "Learner",
    skill_id: str,
    digest: str,
    use_of_skill: "UseOfSkill",
    context: CallContext,
    *,
    counted: bool,
) -> Reply:
    """Refine a skill by the conversation with a digest, which raises its confidence only once, and not if it was `counted`."""
    for _ in range(ATTEMPTS):
        with store_errors(translate("event log")):
            history = await skills.history(skill_id)
        before = await run_cpu(partial(known_skill, skill_id, history), size=len(history))
        repeated = counted or digest in await run_cpu(partial(confirmed_by, history), size=len(history))
        refinement = await learner.refinement(before, use_of_skill, skills.embed, repeated=repeated)

        def decide(histories: Histories, refinement: Refinement = refinement, seen: Skill = before) -> Decision[int]:
            return refine(histories, skill_id, refinement, seen=seen, conversation=digest)

        try:
            written = await skills.write(decide, context, streams=(skill_stream(skill_id),))
        except SkillChanged:
            continue
        changes = (*refinement.changes, *refinement.unused)
        reply = UpdateReply(skill_id=skill_id, title=before.title, changes=changes, version=written.value)
        return reply_of(reply, meta=written.meta)
    raise tool_error("store_failed", "The skill changes faster than it can be refined; try again later")


TOOLS = (
    Tool(
        "create_skill",
        "Create a skill",
        "Learn a reusable skill from a support conversation in which a problem was solved. A conversation that a skill "
        "covers already counts as a use of it.",
        CreateSkill,
        CreateReply,
        create_skill,
        ADDS,
        LEARNING_S,
    ),
    Tool(
        "update_skill",
        "Update a skill",
        "Refine a skill by another conversation in which it was used, and by feedback. New steps and conditions are "
        "added, up to 30 steps and 20 conditions; what was there is kept, and every version stays readable.",
        UpdateSkill,
        UpdateReply,
        update_skill,
        ADDS,
        LEARNING_S,
    ),
)
