"""How many functions are called, as a measure of work that does not depend on the machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

ResultT = TypeVar("ResultT")


def counted_calls(work: Callable[[], ResultT]) -> tuple[ResultT, int]:
    """Return the result of `work`, and the number of functions that it calls on this thread."""
    calls = 0

    def tally(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    former = sys.getprofile()
    sys.setprofile(tally)
    try:
        result = work()
    finally:
        sys.setprofile(former)
    return result, calls
