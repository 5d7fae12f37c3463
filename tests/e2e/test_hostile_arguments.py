"""No tool hangs on its longest arguments or keeps them; `python -m tests.bench.hostile` measures more kinds, and 2,000 calls."""

from tests.bench.hostile import growth, measure

HANG_CPU_S, HANG_STOP_S = 8.0, 5.0
"""Far above the limits of 1 s and 50 ms, which the bench holds: here other tests share the processor."""
CALLS, MORE_CALLS = 60, 600
KEPT_BYTES = 3 * 2**19
"""What a process may grow by in each third of the calls. The arguments of one third take 1.5 to 25 MB in the tools that accept
long texts. Caches take up to 3 MB until they are full, so tools above the limit are called more often, and may then grow by
`FULL_BYTES`: 30 kB a call, where the first limit is 75, so that whatever a tool keeps of each call is found by both."""
FULL_BYTES = 6 * 2**20


async def test_no_tool_hangs_on_its_longest_arguments() -> None:
    costs = await measure(frozenset(), ("iota with marks",))
    tools = {cost.case.tool for cost in costs}
    assert len(tools) >= 40
    assert [cost.row() for cost in costs if cost.cpu_s > HANG_CPU_S or cost.stop_s > HANG_STOP_S] == []


async def test_no_tool_keeps_what_it_was_called_with() -> None:
    grown = await growth(CALLS, frozenset())
    assert len(grown) == 52
    suspects = frozenset(tool for tool, size in grown if size > KEPT_BYTES)
    again = await growth(MORE_CALLS, suspects) if suspects else []
    assert [(tool, size) for tool, size in again if size > FULL_BYTES] == []
