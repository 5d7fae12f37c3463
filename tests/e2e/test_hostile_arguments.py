"""No tool hangs on its longest arguments; `python -m tests.bench.hostile` measures all kinds, and memory, against the limits."""

from tests.bench.hostile import measure

HANG_CPU_S, HANG_STOP_S = 8.0, 5.0
"""Far above the limits of 1 s and 50 ms, which the bench holds: here other tests share the processor."""


async def test_no_tool_hangs_on_its_longest_arguments() -> None:
    costs = await measure(frozenset(), ("iota with marks",))
    tools = {cost.case.tool for cost in costs}
    assert len(tools) >= 40
    assert [cost.row() for cost in costs if cost.cpu_s > HANG_CPU_S or cost.stop_s > HANG_STOP_S] == []
