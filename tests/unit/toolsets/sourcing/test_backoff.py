"""Each wait is twice as long as the one before, up to a bound."""

import pytest

from toolsets.sourcing.backoff import backoff_s


@pytest.mark.parametrize(("failures", "seconds"), [(1, 2.0), (2, 4.0), (3, 8.0), (4, 10.0), (5, 10.0), (100_000, 10.0)])
def test_the_wait_doubles_up_to_its_bound(failures: int, seconds: float) -> None:
    assert backoff_s(failures, first_s=2.0, longest_s=10.0) == seconds


def test_the_first_wait_is_bounded_too() -> None:
    assert backoff_s(1, first_s=60.0, longest_s=30.0) == 30.0
