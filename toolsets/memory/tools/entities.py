"""The tools that store entities: creation and further observations."""

from typing import Annotated, Literal

from pydantic import Field

from backends.ports.errors import StoreError
from backends.ports.values import RecordId
from toolsets.making import REPEATABLE, Tool
from toolsets.memory import entity as entities
from toolsets.memory.entity import Entity, Made, Observed
from toolsets.memory.runtime import Desk, Memory
from toolsets.memory.streams import entity_id
from toolsets.memory.tools.fields import Body, DatabaseName, Name, Observations
from toolsets.parsing import Arguments
from toolsets.reply import answer
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Reply


class CreateEntity(Arguments):
    """An entity to store."""

    database: DatabaseName
    name: Annotated[Name, Field(description="Unique within the database, exactly as written.")]
    entity_type: Annotated[Name, Field(description="For example person, concept, document.")]
    observations: Annotated[
        Observations, Field(default_factory=list, description="Facts about the entity, one sentence each.")
    ]


class AddObservations(Arguments):
    """What else is known of an entity."""

    database: DatabaseName
    entity_name: Name
    observations: Annotated[Observations, Field(description="Facts to add; those it has already are left out.")]


class Created(Body):
    """An entity that is stored now."""

    status: Literal["created"] = "created"
    database: str
    name: str
    type: str
    observations_count: int
    embedded: bool


class Exists(Body):
    """The entity that has the name already, as it is stored; nothing was changed."""

    status: Literal["exists"] = "exists"
    database: str
    name: str
    type: str
    observations_count: int
    embedded: bool
    message: str = "Entity already exists"


class ObservationsReply(Body):
    """What was new among the observations."""

    status: Literal["updated", "no_change"]
    database: str
    entity_name: str
    added_observations: tuple[str, ...]
    total_observations: int
    reembedded: bool


async def create_entity(memory: Memory, arguments: CreateEntity, context: CallContext) -> Reply:
    """Store an entity; one whose text cannot be embedded now is stored all the same, and embedded later."""
    desk = await memory.database(arguments.database)
    await desk.graph()

    def decide(histories: Histories) -> Decision[Made]:
        return entities.create(histories, desk.database, arguments.name, arguments.entity_type, arguments.observations)

    written = await desk.write(decide, context, streams=(desk.database.space.entity(arguments.name),))
    entity, fresh = written.value.entity, written.value.fresh
    embedded = "vectors" not in written.pending if fresh else await _is_embedded(desk, entity)
    form = Created if fresh else Exists
    body = form(
        database=arguments.database,
        name=entity.name,
        type=entity.type,
        observations_count=len(entity.observations),
        embedded=embedded,
    )
    return answer(body, meta=written.note)


async def add_observations(memory: Memory, arguments: AddObservations, context: CallContext) -> Reply:
    """Add what is new, and embed the entity again."""
    desk = await memory.database(arguments.database)
    await desk.graph()

    def decide(histories: Histories) -> Decision[Observed]:
        return entities.observe(histories, desk.database, arguments.entity_name, arguments.observations)

    written = await desk.write(decide, context, streams=(desk.database.space.entity(arguments.entity_name),))
    observed = written.value
    body = ObservationsReply(
        status="updated" if observed.added else "no_change",
        database=arguments.database,
        entity_name=arguments.entity_name,
        added_observations=observed.added,
        total_observations=observed.total,
        reembedded=bool(observed.added) and "vectors" not in written.pending,
    )
    return answer(body, meta=written.note)


async def _is_embedded(desk: Desk, entity: Entity) -> bool:
    """Say whether the vectors have an entity as it is now; not while they do not answer."""
    key = RecordId(entity_id(entity.name))
    try:
        with desk.sourced.doubting("vectors"):
            target = await desk.sourced.sites.vectors()
            stored = await target.vectors.revisions(target.collection, (key,))
    except StoreError:
        return False
    return stored.get(key, 0) >= entity.version


TOOLS = (
    Tool(
        "create_entity",
        "Create entity",
        "Store a new entity with what is known of it. A name that is taken answers `exists` and changes nothing; "
        "add_observations adds to it.",
        CreateEntity,
        (Created, Exists),
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
