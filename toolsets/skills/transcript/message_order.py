"""Puts messages in order of time; kept separate because the reader need not know how dates are written."""

from collections.abc import Sequence
from itertools import pairwise

from toolsets.skills.transcript.speakers import Utterance
from toolsets.skills.transcript.stamps import SlashedDate, moment_in


def oldest_first(said: Sequence[Utterance]) -> Sequence[Utterance]:
    """Return messages in order of time: reversed if each has a date with a year and the first one is the newest.

    A text above the first speaker stays there.
    """
    above = next((at for at, each in enumerate(said) if each.speaker is not None), len(said))
    sent = [each.sent for each in said if each.speaker is not None and each.text.strip()]
    stamps = [stamp for stamp in sent if stamp is not None]
    if len(stamps) < len(sent) or not _are_newest_first(stamps):
        return said
    return (*said[:above], *reversed(said[above:]))


def _are_newest_first(stamps: Sequence[str]) -> bool:
    """Return whether no date is later than the one before, whatever the order of day and month in 05/04/2026."""
    orders: tuple[SlashedDate, ...] = ("day first", "month first")
    readings = [[moment_in(stamp, slashed=order) for stamp in stamps] for order in orders]
    dated = [[moment for moment in reading if moment is not None] for reading in readings]
    possible = [moments for moments in dated if len(moments) == len(stamps)]
    return bool(possible) and all(
        len(set(moments)) > 1 and all(one >= other for one, other in pairwise(moments)) for moments in possible
    )
