"""Copies of pages of Reddit."""

import pytest

from tests.support.durations import is_linear
from toolsets.skills.transcript.reader import read_transcript
from toolsets.skills.transcript.reddit_copies import with_reddit_heads

TITLE, ASKED = "Zigbee sensors drop off every night", "Since I moved the stick to the new NUC they are gone at 2 am."
ANSWERED, THANKED = "Put the dongle on a USB 2 cable.", "The cable did it, three nights without a drop. Thanks!"
EXPECTED = [
    ("customer", "linda_m", f"{TITLE}\n\n{ASKED}"),
    ("agent", "joe_s", ANSWERED),
    ("customer", "linda_m", THANKED),
]

PLAIN = f"""r/homeassistant • 3 yr. ago
u/linda_m
{TITLE}

{ASKED}

u/joe_s • 3 yr. ago
{ANSWERED}

u/linda_m • 3 yr. ago
{THANKED}
"""
WITH_BUTTONS = f"""r/homeassistant
•
3y ago
linda_m

{TITLE}

{ASKED}

Upvote
12

Downvote

2
comments

Share
u/joe_s avatar
joe_s
•
3y ago
{ANSWERED}

Upvote
5

Downvote
Reply

Award

Share

u/linda_m avatar
linda_m
OP
•
3mo ago
{THANKED}
"""


@pytest.mark.parametrize("text", [PLAIN, WITH_BUTTONS])
def test_the_post_and_its_comments_are_read(text: str) -> None:
    assert [(turn.role, turn.speaker, turn.text) for turn in read_transcript(text).turns] == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "Ann: My r/w flag is gone.\nReply\nBo: Set it.",
        "Share\nReply\nThe menu has these entries.",
        "ann • 3 days ago\nIt fails.\n5\nbo • 2 days ago\nRestart it.",
        "",
    ],
)
def test_other_lines_stay(text: str) -> None:
    assert with_reddit_heads(text.split("\n")) == text.split("\n")


@pytest.mark.parametrize("piece", ["joe\n•\n", "u/joe_s • 3 yr. ago\n", "\n", "joe\n\n\n•\n\n"])
def test_time_is_linear_in_the_length(piece: str) -> None:
    assert is_linear(lambda text: with_reddit_heads(text.split("\n")), piece, before="r/a1 • 3 yr. ago\n")
