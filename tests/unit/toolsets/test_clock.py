"""Times in both documented forms."""

from backends.ports.values import Micros
from toolsets.clock import iso_millis, iso_naive

AT = Micros(1_761_575_025_123_456)


def test_times_are_printed_in_both_documented_forms() -> None:
    assert iso_millis(AT) == "2025-10-27T14:23:45.123Z"
    assert iso_naive(AT) == "2025-10-27T14:23:45.123456"
