"""No tool hangs on its longest arguments or keeps them; `python -m tests.bench.hostile` measures more kinds, and 2,000 calls."""

from tests.bench.hostile import growth, measure

HANG_CPU_S, HANG_STOP_S = 8.0, 5.0
"""Far above the limits of 1 s and 50 ms, which the bench holds: here other tests share the processor."""
CALLS = 60
KEPT_BYTES = 3 * 2**19
"""What a process may grow by in each third of the calls. SQLite's pages take up to 0.5 MB; the arguments of one third take 1.5
to 25 MB in the tools that accept long texts."""


async def test_no_tool_hangs_on_its_longest_arguments() -> None:
    costs = await measure(frozenset(), ("iota with marks",))
    tools = {cost.case.tool for cost in costs}
    assert len(tools) >= 40
    assert [cost.row() for cost in costs if cost.cpu_s > HANG_CPU_S or cost.stop_s > HANG_STOP_S] == []


async def test_no_tool_keeps_what_it_was_called_with() -> None:
    grown = await growth(CALLS, frozenset())
    assert len(grown) == 52
    assert [(tool, size) for tool, size in grown if size > KEPT_BYTES] == []
