"""The tools that store entities: creation and further observations."""

from typing import Annotated, Literal

from pydantic import Field

from backends.ports.errors import StoreError
from backends.ports.values import RecordId
from toolsets.arguments import Arguments
from toolsets.memory import entity as entities
from toolsets.memory.entity import AdditionOutcome, CreationOutcome, Entity
from toolsets.memory.projections import ENTITIES
from toolsets.memory.runtime import Memory, OpenDatabase
from toolsets.memory.streams import entity_id
from toolsets.memory.tools.fields import DatabaseName, Name, Observations
from toolsets.replies import Body, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Reply
from toolsets.tools import REPEATABLE, Tool


class CreateEntity(Arguments):
    """An entity to store."""

    database: DatabaseName = None
    name: Annotated[Name, Field(description="Unique within the database, exactly as written.")]
    entity_type: Annotated[Name, Field(description="For example person, concept, document.")]
    observations: Annotated[
        Observations, Field(default_factory=list, description="Facts about the entity, one sentence each.")
    ]


class AddObservations(Arguments):
    """Observations to add to an entity."""

    database: DatabaseName = None
    entity_name: Name
    observations: Annotated[Observations, Field(description="Facts to add; those it has already are left out.")]


class Created(Body):
    """An entity that was created."""

    status: Literal["created"] = "created"
    database: str
    name: str
    type: str
    observations_count: int
    embedded: bool


class ExistingEntity(Body):
    """The existing entity of this name, unchanged."""

    status: Literal["exists"] = "exists"
    database: str
    name: str
    type: str
    observations_count: int
    embedded: bool
    message: str = "Entity already exists"


class ObservationsReply(Body):
    """The observations that were added."""

    status: Literal["updated", "no_change"]
    database: str
    entity_name: str
    added_observations: tuple[str, ...]
    total_observations: int
    reembedded: bool


async def create_entity(memory: Memory, arguments: CreateEntity, context: CallContext) -> Reply:
    """Create an entity; if its text cannot be embedded now, that is done later."""
    async with memory.database(arguments.database) as opened:
        await opened.graph()

        def decide(histories: Histories) -> Decision[CreationOutcome]:
            return entities.create(
                histories, opened.database, arguments.name, arguments.entity_type, arguments.observations
            )

        written = await opened.write(decide, context, streams=(opened.database.keyspace.entity(arguments.name),))
        entity, is_new = written.value.entity, written.value.is_new
        embedded = "vectors" not in written.pending if is_new else await _is_embedded(opened, entity)
        form = Created if is_new else ExistingEntity
        body = form(
            database=opened.database.name,
            name=entity.name,
            type=entity.type,
            observations_count=len(entity.observations),
            embedded=embedded,
        )
        return reply_of(body, meta=written.meta)


async def add_observations(memory: Memory, arguments: AddObservations, context: CallContext) -> Reply:
    """Add new observations and embed the entity again."""
    async with memory.database(arguments.database) as opened:
        await opened.graph()

        def decide(histories: Histories) -> Decision[AdditionOutcome]:
            return entities.observe(histories, opened.database, arguments.entity_name, arguments.observations)

        written = await opened.write(decide, context, streams=(opened.database.keyspace.entity(arguments.entity_name),))
        outcome = written.value
        body = ObservationsReply(
            status="updated" if outcome.added else "no_change",
            database=opened.database.name,
            entity_name=arguments.entity_name,
            added_observations=outcome.added,
            total_observations=outcome.total,
            reembedded=bool(outcome.added) and "vectors" not in written.pending,
        )
        return reply_of(body, meta=written.meta)


async def _is_embedded(opened: OpenDatabase, entity: Entity) -> bool:
    """Return whether the vectors contain an entity at its version; False while they do not answer."""
    key = RecordId(entity_id(entity.name))
    try:
        with opened.sourced.invalidating("vectors"):
            store = await opened.sourced.live_stores.vectors()
            stored = await store.vectors.revisions(ENTITIES, (key,))
    except StoreError:
        return False
    return stored.get(key, 0) >= entity.version


TOOLS = (
    Tool(
        "create_entity",
        "Create entity",
        "Store a new entity with what is known of it. If the name is taken, the status is `exists` and nothing changes; "
        "add_observations adds to it.",
        CreateEntity,
        (Created, ExistingEntity),
        create_entity,
        REPEATABLE,
    ),
    Tool(
        "add_observations",
        "Add observations",
        "Add facts to an entity that is stored; facts it has already are left out.",
        AddObservations,
        ObservationsReply,
        add_observations,
        REPEATABLE,
    ),
)
