"""Generations of a store: its identity, the pointer to the live generation, and the opening of any of them."""

import random
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from backends.ports.adapter import Stores
from backends.ports.errors import NotFound, StoreError, Unavailable, Unsupported
from backends.ports.events import EventLog
from backends.ports.ids import namespace
from backends.ports.values import Micros, Namespace
from backends.ports.vectors import NO_RECORD, CollectionSpec, Vectors
from toolsets.ids import uuid4
from toolsets.sourcing.aggregate import checkpoint_data
from toolsets.sourcing.lineage import FOLLOWS
from toolsets.sourcing.projection import ProjectionPort, Projector
from toolsets.sourcing.projection_store import INCARNATION, VERSION, GraphStore, StoreMeta, VectorStore

STORE_IDENTITY_KEY = "identity"
"""The meta key with a store's identity, in the namespace `store`."""
_STORE = namespace("store")


class LiveGenerationUnknown(Unavailable):
    """The live generation is unknown because the event log is unavailable and the store has not noted it."""


class OlderRecords(Unavailable):
    """A store has records of an earlier version of the projector and must be rebuilt before it is used."""


class Pointer(BaseModel):
    """The live generation of a store, for all processes. The log keeps it under the names of the aliases."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, serialize_by_alias=True)

    generation: int = 1
    next_generation: int | None = Field(default=None, validation_alias="coming", serialization_alias="coming")
    """The generation that becomes live next; until `next_until` every process also writes it."""
    next_until: Micros = Field(default=Micros(0), validation_alias="coming_until", serialization_alias="coming_until")


@dataclass(frozen=True, slots=True)
class VersionedPointer:
    """The pointer of a store and the revision of its checkpoint, 0 if it was never written."""

    pointer: Pointer
    revision: int

    @property
    def generation(self) -> int:
        """The live generation."""
        return self.pointer.generation


async def store_meta(stores: Stores, port: ProjectionPort) -> StoreMeta:
    """Return the metadata of a store as a whole, which all generations and toolsets share."""
    meta: StoreMeta = await (stores.graph(_STORE) if port == "graph" else stores.vectors(_STORE))
    return meta


async def store_identity(stores: Stores, port: ProjectionPort, rng: random.Random) -> str:
    """Return the identity of a store, chosen on first use and shared by all toolsets that keep records in it.

    Leases, pointers to the live generation and checkpoints are kept in the log under this identity, so that servers with
    different stores can share a log. Raises the store's errors.
    """
    meta = await store_meta(stores, port)
    return await meta.get_meta(STORE_IDENTITY_KEY) or await meta.set_meta(
        STORE_IDENTITY_KEY, uuid4(rng), if_absent=True
    )


def pointer_name(projector: Projector, port: ProjectionPort, identity: str) -> str:
    """Return the name of the checkpoint that holds the pointer of a store."""
    return f"{projector.prefix}generation/{port}/{identity}"


def generation_namespace(projector: Projector, generation: int) -> Namespace:
    """Return the namespace of a generation."""
    return namespace(f"{projector.namespace}_g{generation}")


async def former_pointer(log: EventLog, projector: Projector) -> Pointer:
    """Return the pointer that builds before the first release kept for all stores of a log."""
    name = f"{projector.prefix}generation"
    saved = await log.load_checkpoint(name)
    return Pointer() if saved is None else checkpoint_data(Pointer, name, saved)


async def open_graph(
    stores: Stores, projector: Projector, generation: int, *, rng: random.Random, fresh: bool = False
) -> GraphStore:
    """Open the graph of a generation; a `fresh` one gets a new incarnation. Kinds are declared unless its version differs."""
    graph = await stores.graph(generation_namespace(projector, generation))
    version = await _version(graph, projector, fresh=fresh)
    if version == projector.version:
        await graph.ensure(projector.kinds)
    return GraphStore(projector, graph, await _incarnation(graph, rng, fresh=fresh), version=version)


async def open_vectors(
    stores: Stores,
    projector: Projector,
    generation: int,
    *,
    rng: random.Random,
    fresh: bool = False,
    donor: VectorStore | None = None,
) -> VectorStore:
    """Open the vectors of a generation and declare its collections; a `fresh` one gets a new incarnation.

    So does a store that has lost a collection, whose checkpoint would hide that the new collection is empty.
    Vectors of equal texts are copied from a `donor` with the same embedder.
    Raises `Unusable` if the stored vectors are from another embedder, and `Unsupported` without collections.
    """
    if not projector.collections:
        raise Unsupported(f"{projector.prefix} keeps no vectors")
    vectors = await stores.vectors(generation_namespace(projector, generation))
    version = await _version(vectors, projector, fresh=fresh)
    embedder = await stores.embedder()
    identity = embedder.identity
    lost = not fresh and version == projector.version and await _lacks_collection(vectors, projector)
    if lost:
        # Before the collection is created again, so that the loss is still noticed after a kill.
        await _incarnation(vectors, rng, fresh=True)
    for collection in projector.collections:
        await vectors.ensure(CollectionSpec(collection.name, identity.dim, str(identity), collection.fields))
    incarnation = await _incarnation(vectors, rng, fresh=fresh)
    if donor is not None and donor.embedder.identity != identity:
        donor = None
    return VectorStore(projector, vectors, embedder, incarnation, donor=donor, version=version, lost=lost)


async def _lacks_collection(vectors: Vectors, projector: Projector) -> bool:
    """Return whether a store that has been filled lacks a collection, as after another program removed it.

    Raises the error of a store that does not answer.
    """
    if await vectors.get_meta(INCARNATION) is None:
        return False
    for collection in projector.collections:
        try:
            await vectors.get(collection.name, (NO_RECORD,))
        except NotFound:
            return True
        except StoreError as error:
            # Damage is reported by the call that needs the records; a store that does not answer is not asked again.
            if error.retryable:
                raise
    return False


async def _version(meta: StoreMeta, projector: Projector, *, fresh: bool) -> int:
    """Return the projector's version of a store's records; a store without records gets the present one."""
    if fresh:
        # A former generation of this number may have followed another log.
        await meta.set_meta(FOLLOWS, "")
    elif await meta.get_meta(INCARNATION) is not None:
        return int(await meta.get_meta(VERSION) or 1)
    # Set before the incarnation, so that a store with an incarnation has a version.
    if projector.version > 1:
        await meta.set_meta(VERSION, str(projector.version))
    return projector.version


async def _incarnation(meta: StoreMeta, rng: random.Random, *, fresh: bool) -> str:
    """Return the identity of a store's contents; it is read first, because a store on a full disk cannot be written."""
    if fresh:
        return await meta.set_meta(INCARNATION, uuid4(rng))
    return await meta.get_meta(INCARNATION) or await meta.set_meta(INCARNATION, uuid4(rng), if_absent=True)
