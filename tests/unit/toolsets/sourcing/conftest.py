"""Servers look at the log and at each other's generations five times as often as in use."""

import pytest

from toolsets.sourcing import rebuild, relay, sourced

POLL_S = 0.2
ANNOUNCE_S = 2 * POLL_S + 0.5
"""As `rebuild.ANNOUNCE_S` and `relay.MIRROR_S` follow from the interval: what a turn may take beyond it stays the same."""


@pytest.fixture(autouse=True)
def frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the interval of the relay, and what a rebuild waits for because of it."""
    monkeypatch.setattr(relay, "POLL_S", POLL_S)
    monkeypatch.setattr(sourced, "POLL_S", POLL_S)
    monkeypatch.setattr(rebuild, "ANNOUNCE_S", ANNOUNCE_S)
    monkeypatch.setattr(relay, "MIRROR_S", ANNOUNCE_S)
