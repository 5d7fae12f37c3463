"""Whether each toolset can do its work now."""

import logging
from collections.abc import Mapping, Sequence

import anyio

from gateway.registry import Served
from toolsets.spec import ToolsetHealth

log = logging.getLogger("entrepot.health")

PATIENCE_S = 5.0
_SLOW = f"The toolset did not answer within {PATIENCE_S:g} s; if its stores are just being made, ask again."


async def toolsets_health(served: Sequence[Served]) -> Mapping[str, ToolsetHealth]:
    """Ask all toolsets at once; one that does not answer within 5 s is not well. Raises nothing."""
    found: dict[str, ToolsetHealth] = {}

    async def ask(each: Served) -> None:
        found[each.toolset.name] = await _health(each)

    async with anyio.create_task_group() as group:
        for each in served:
            group.start_soon(ask, each)
    return dict(sorted(found.items()))


async def _health(served: Served) -> ToolsetHealth:
    if served.running.health is None:
        return ToolsetHealth(ok=True)
    try:
        with anyio.fail_after(PATIENCE_S):
            return await served.running.health()
    except TimeoutError:
        return ToolsetHealth(ok=False, problems=(_SLOW,))
    except Exception as error:  # a health check that breaks is an answer too: the toolset is not well
        log.exception("health of %s", served.toolset.name)
        return ToolsetHealth(ok=False, problems=(f"Its health check failed: {type(error).__name__}.",))
