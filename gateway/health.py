"""The health of each toolset: whether it can do its work now."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio

from config.secrets import masked_text
from gateway.surfaces import Served
from toolsets.spec import ToolsetHealth

log = logging.getLogger("entrepot.health")

PATIENCE_S = 5.0
"""Probes of orchestrators and load balancers give up after some seconds themselves."""
_SLOW = f"The toolset did not answer within {PATIENCE_S:g} s: one of its stores does not answer, or is being created."


async def toolsets_health(
    served: Sequence[Served], full_stores: Mapping[str, Sequence[str]]
) -> Mapping[str, ToolsetHealth]:
    """Query all toolsets concurrently; one that does not answer within 5 s is unhealthy. Secrets are masked. Never raises.

    `full_stores` has a sentence for each store that is out of space, by toolset; they come first.
    """
    found: dict[str, ToolsetHealth] = {}

    async def ask(each: Served) -> None:
        health, full = await _health(each), full_stores.get(each.toolset.name, ())
        problems = tuple(map(masked_text, (*full, *health.problems)))
        found[each.toolset.name] = replace(health, ok=health.ok and not full, problems=problems)

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
        return ToolsetHealth(ok=False, lag=None, problems=(_SLOW,))
    except Exception as error:  # a health check that raises means that the toolset is unhealthy
        log.exception("The health check of %s failed", served.toolset.name)
        return ToolsetHealth(ok=False, lag=None, problems=(f"Its health check failed: {type(error).__name__}.",))
