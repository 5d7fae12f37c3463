"""A gateway beside a store's server that is frozen: what its health says, and how soon."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from signal import SIGCONT, SIGSTOP, Signals

import anyio

from tests.support.servers import ours_http
from tests.support.skills import learned

WITHIN_S = 1.0
BACK_WITHIN_S = 30.0
QUESTIONS = 5


async def health_names_the_frozen_server(
    data: Path, *flags: str, variables: Mapping[str, str], send: Callable[[Signals], None], part: str
) -> None:
    """Check that `/health` says within a second, each time, which part is silent, and is well once its server goes on."""
    async with ours_http(data, *flags, toolsets="skills", variables=variables) as server:
        caller = server.caller()
        await learned(caller, "frozen", "first")
        assert await caller.get("/health") == (200, b'{"status":"ok"}')
        send(SIGSTOP)
        try:
            for _ in range(QUESTIONS):
                begun = time.monotonic()
                status, answer = await caller.get("/health")
                taken = time.monotonic() - begun
                assert taken < WITHIN_S, taken
                told = json.loads(answer)
                assert (status, told["error"]) == (500, "store_unavailable"), told
                assert part in told["detail"], told
        finally:
            send(SIGCONT)
        with anyio.fail_after(BACK_WITHIN_S):
            while (await caller.get("/health"))[0] != 200:
                await anyio.sleep(0.1)
