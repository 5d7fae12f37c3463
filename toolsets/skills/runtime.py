"""The running toolset, which its handlers share."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, TypeVar

import anyio.to_thread

from backends.ports.events import StreamName
from backends.ports.values import NodeId, RecordId
from backends.ports.vectors import Hit
from toolsets.concurrency import KeyedLocks, run_cpu
from toolsets.ids import is_uuid, uuid4
from toolsets.skills.errors import translate
from toolsets.skills.in_progress import InProgress
from toolsets.skills.probes import Probe, problems
from toolsets.skills.projections import PROJECTOR, TEXTS, skill_in
from toolsets.skills.scores import is_duplicate
from toolsets.skills.settings import SkillsSettings
from toolsets.skills.skill import Skill, UnknownSkill, known_skill
from toolsets.skills.streams import CONVERSATIONS, skill_stream
from toolsets.sourcing.aggregate import Decide, History
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.projection_store import INCARNATION, KnownVectors, VectorStore
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext, Services

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector
    from toolsets.skills.learner import Learner

ValueT = TypeVar("ValueT")

_NOBODY: Final = NodeId("00000000-0000-0000-0000-000000000000")
_ANY_WORD: Final = "problem"
_STALLED: Final = "A store cannot be written; see the server's log"
_ALIKE = 3
"""How many nearest skills are checked for a duplicate; more than one in case the first was just replaced."""


class Skills:
    """The skills toolset connected to its stores; creating it opens nothing."""

    def __init__(self, services: Services) -> None:
        self.settings = services.settings_as(SkillsSettings)
        self.now = services.now
        self.sourced = SourcedStores(services, PROJECTOR)
        self.live_stores = self.sourced.live_stores
        self.in_progress = InProgress()
        self.refinements = KeyedLocks()
        """One lock for each skill, held during a refinement: concurrent refinements of a skill run one after the other."""
        self._probes = (
            Probe("event log", self._ask_log),
            Probe("graph", self._ask_graph),
            Probe("vector store", self._ask_vectors),
            # A damaged store may still answer the others. Its first search takes a second on some engines.
            Probe("graph", self._read_graph, may_be_late=True),
            Probe("vector store", self._search_vectors, may_be_late=True),
        )

    def new_id(self) -> str:
        """Return a new id for a skill."""
        return uuid4(self.live_stores.rng)

    async def learner(self) -> "Learner":
        """Return what reads conversations; its rules are loaded in a thread when it is first needed."""
        return await anyio.to_thread.run_sync(lambda: self._learner)

    @cached_property
    def _learner(self) -> "Learner":
        from toolsets.skills.learner import Learner

        return Learner(self.live_stores.stores.language, timeout_s=self.settings.language_timeout_s)

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return one row of unit norm for each text. Raises `ToolError`."""
        with store_errors(translate("embedder")):
            return await (await self.live_stores.stores.embedder()).embed(texts)

    async def vectors(self) -> VectorStore:
        """Return the live vector store. Raises `ToolError` while it is down."""
        with store_errors(translate("vector store")):
            return await self.live_stores.vectors()

    async def duplicate_of(self, vector: "Vector") -> str | None:
        """Return the id of the stored skill with the same meaning as the text of this vector, None if there is none.

        The vectors themselves are compared, because an engine's scores may be approximate. Raises `ToolError`.
        """
        store = await self.vectors()
        with self.sourced.using("vectors", translate("vector store")):
            hits: Sequence[Hit] = await store.vectors.dense(TEXTS, vector, _ALIKE)
            records = await store.vectors.get(TEXTS, [hit.id for hit in hits])
        cosines = {RecordId(id_): float(record.vector @ vector) for id_, record in records.items()}
        best = max(cosines, key=lambda id_: cosines[id_], default=None)
        return best if best is not None and is_duplicate(cosines[best]) else None

    async def skills(self, ids: Sequence[str]) -> dict[str, Skill]:
        """Return the skills among `ids`: from the graph, and from the log what it lacks. Raises `ToolError`."""
        with store_errors(translate("event log")):
            nodes = await self.sourced.nodes({NodeId(id_): skill_stream(id_) for id_ in ids}, pending=True)
        return {str(id_): skill_in(node) for id_, node in nodes.items()}

    async def taught_by(self, key: tuple[str]) -> str | None:
        """Return the id of the skill that an equal conversation taught, None if there is none. Raises `ToolError`."""
        stream = await anyio.to_thread.run_sync(CONVERSATIONS.stream, key)
        with store_errors(translate("event log")):
            found = await self.live_stores.read_streams((stream,))
            return CONVERSATIONS.holder(found[stream])

    async def history(self, skill_id: str) -> History:
        """Return the events of a skill. Raises `UnknownSkill` and the log's errors."""
        if not is_uuid(skill_id):
            raise UnknownSkill(skill_id)
        stream = skill_stream(skill_id)
        if not (history := (await self.live_stores.read_streams((stream,)))[stream]):
            raise UnknownSkill(skill_id)
        return history

    async def skill(self, skill_id: str) -> Skill:
        """Return a skill from its events, which are always up to date. Raises `UnknownSkill` and `ToolError`."""
        with store_errors(translate("event log")):
            history = await self.history(skill_id)
            return await run_cpu(partial(known_skill, skill_id, history), size=len(history))

    async def unanswered(self, *, within_s: float) -> tuple[str, ...]:
        """Return a sentence for each store that fails or does not answer in time; empty if all answer and can be written."""
        found = tuple(dict.fromkeys(await problems(self._probes, within_s=within_s)))
        if not found and self.sourced.relay.log_waits_s > within_s:
            # Another process that writes a file keeps it from writers only.
            return (f"The event log can be read, but accepted no write within {within_s:g} s",)
        # A store that is damaged, or has no room, may still be read.
        return found or ((_STALLED,) if self.sourced.relay.stalled else ())

    async def close(self) -> None:
        """Cancel pending health checks."""
        for probe in self._probes:
            await probe.close()

    async def _ask_log(self) -> None:
        await (await self.live_stores.log()).head(PROJECTOR.prefix)

    async def _ask_graph(self) -> None:
        with self.sourced.invalidating("graph"):
            await (await self.live_stores.graph()).meta.get_meta(INCARNATION)

    async def _ask_vectors(self) -> None:
        with self.sourced.invalidating("vectors"):
            await (await self.live_stores.vectors()).meta.get_meta(INCARNATION)

    async def _read_graph(self) -> None:
        with self.sourced.invalidating("graph"):
            await (await self.live_stores.graph()).graph.get_nodes((_NOBODY,))

    async def _search_vectors(self) -> None:
        with self.sourced.invalidating("vectors"):
            store = await self.live_stores.vectors()
            await store.vectors.dense(TEXTS, _axis(store.embedder.identity.dim), 1)
            await store.vectors.keyword(TEXTS, _ANY_WORD, 1)

    async def write(
        self,
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Sequence[StreamName],
        known_vectors: KnownVectors | None = None,
    ) -> Written[ValueT]:
        """Commit a decision and project it. Raises the errors of `decide`, and `ToolError` if it is not known to be recorded."""
        with store_errors(translate("event log")):
            return await self.sourced.writes.write(decide, context, streams=streams, known_vectors=known_vectors)


def _axis(dimensions: int) -> "Vector":
    """Return a vector of unit norm."""
    import numpy

    return numpy.eye(1, dimensions, dtype=numpy.float32)[0]
