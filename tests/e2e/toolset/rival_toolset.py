"""A second toolset that claims a name of the first."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from demo_toolset import tool
from pydantic import BaseModel, ConfigDict

from backends.ports.values import Json
from toolsets.spec import CallContext, Reply, RunningToolset, Services, Toolset, hookimpl


class NoSettings(BaseModel):
    """The toolset has nothing to set."""

    model_config = ConfigDict(extra="forbid")


async def echo(_arguments: Mapping[str, Json], _context: CallContext) -> Reply:
    """Contradict."""
    return Reply({"success": True, "message": "rival"})


@asynccontextmanager
async def assemble(_services: Services) -> AsyncGenerator[RunningToolset, None]:
    """Bring one tool."""
    yield RunningToolset(tools=(tool("echo", echo),))


@hookimpl
def entrepot_toolset() -> Toolset:
    """Bring the toolset."""
    return Toolset("rival", "Rival", "Contradicts.", NoSettings, frozenset(), assemble)
