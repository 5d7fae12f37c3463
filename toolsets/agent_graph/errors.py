"""How the agent_graph toolset says no: one envelope per tool, which carries the tool's payload as null or empty."""

import logging
from collections.abc import Sequence
from typing import Literal, TypeAlias

from backends.ports.errors import StoreError, Unavailable
from backends.ports.values import Json, JsonObject
from toolsets.agent_graph.entity import TooManyAliases, UnknownEntity
from toolsets.agent_graph.merging import CannotMerge
from toolsets.parsing import Problem
from toolsets.reply import Refused
from toolsets.spec import Reply

Said: TypeAlias = Literal[
    "Knowledge Graph is disabled",
    "channelId is required",
    "Entity not found",
    "Merge failed",
    "Invalid arguments",
    "Service unavailable",
    "Storage failed",
    "Timed out",
    "Internal error",
]
"""What `error` says; the first four are documented."""

_logger = logging.getLogger(__name__)
_MAX_SENTENCES = 3
_SHOWN_OF_ID = 100


class Refusal(Exception):
    """A call ends here; the text says why."""

    def __init__(self, error: Said, message: str = "") -> None:
        super().__init__(message or error)
        self.error: Said = error


REFUSALS = (Refusal, UnknownEntity, CannotMerge, TooManyAliases)
"""What handlers raise to end a call."""


class GraphEnvelope:
    """One tool's words for failures; `nothing` is its payload when there is none."""

    def __init__(self, tool: str, nothing: JsonObject) -> None:
        self.properties: JsonObject = {
            "success": {"type": "boolean"},
            "error": {"type": "string"},
            "message": {"type": "string"},
        }
        self._tool = tool
        self._nothing = nothing

    def says(self, error: Said, message: str = "", payload: JsonObject | None = None) -> Reply:
        """Return the error reply; the message begins with the error, and `payload` stands where there is nothing else."""
        told = error if not message else f"{error}: {message}"
        nothing = self._nothing if payload is None else payload
        body: dict[str, Json] = {"success": False, **nothing, "error": error, "message": told}
        return Reply(body, is_error=True)

    def refused(self, problems: Sequence[Problem]) -> Reply:
        """Word arguments that break their rules, up to three."""
        return self.says("Invalid arguments", "; ".join(problem.sentence for problem in problems[:_MAX_SENTENCES]))

    def timed_out(self, seconds: float) -> Reply:
        """Word a call that passed its deadline."""
        return self.says(
            "Timed out", f"the call took longer than {seconds:g} seconds; read what is there to see whether it was done"
        )

    def failed(self, error: Exception) -> Reply:
        """Word an error: what a handler raised to end the call, a store's failure, or something unforeseen."""
        match error:
            case Refused():
                return error.reply
            case Refusal():
                return self.says(error.error, "" if str(error) == error.error else str(error))
            case UnknownEntity():
                return self._unknown(error.entity_id)
            case TooManyAliases():
                return self.says("Invalid arguments", "aliases of one entity must not exceed 256 kB in all")
            case CannotMerge():
                return self._not_merged(str(error))
            case Unavailable():
                _logger.warning("%s: a store is not available: %s", self._tool, error)
                return self.says("Service unavailable", "a store does not answer; try again later")
            case StoreError():
                _logger.warning("%s failed: %s", self._tool, error)
                return self.says("Storage failed", f"{error.code}; the server's log says more")
            case _:
                return self.says("Internal error", "something unforeseen went wrong; the server's log says more")

    def _unknown(self, entity_id: str) -> Reply:
        """Word an id that no entity has which the caller may see; a merge names that as its own failure."""
        shown = entity_id.encode(errors="replace").decode()[:_SHOWN_OF_ID]
        if self._tool == "kg_merge_entities":
            return self._not_merged(f"Entity not found: {shown}")
        return self.says("Entity not found", shown)

    def _not_merged(self, message: str) -> Reply:
        """Word a merge that failed: its result tells that on its own level too."""
        error: Said = "Merge failed"
        result: JsonObject = {
            "success": False,
            "mergedEntity": None,
            "relationshipsTransferred": 0,
            "aliasesMerged": [],
            "error": error,
        }
        return self.says(error, message, {"result": result})
