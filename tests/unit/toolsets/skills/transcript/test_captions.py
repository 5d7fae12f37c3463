"""Captions of recorded calls."""

import pytest

from tests.support.durations import is_linear
from toolsets.skills.transcript.captions import without_times
from toolsets.skills.transcript.reader import read_transcript

SAID = (
    ("Grace", "Northline, my name is Grace, how can I help?"),
    ("Caller", "My set-top box only shows a blue screen since the storm."),
    ("Grace", "Please pull the coax cable, wait a minute, and screw it in again."),
    ("Caller", "Oh, the picture is back & sharp, thanks so much!"),
)
LINES = "\n".join(f"{name}: {said}" for name, said in SAID)

VTT = """WEBVTT - Call 4711
Kind: captions

NOTE recorded on Monday

STYLE
::cue { color: white }

1
00:00:01.000 --> 00:00:04.000 align:start
<v Grace>Northline, my name is Grace, how can I help?</v>

2
00:04.500 --> 00:09.000
<v Caller>My set-top box only shows a
blue screen since the storm.

00:00:09.500 --> 00:00:12.000
<v.loud Grace>Please pull the <i>coax</i> cable, wait a

00:00:12.000 --> 00:00:15.000
<v.loud Grace>minute, and screw it in again.

00:01:20.000 --> 00:01:24.000
<v Caller>Oh, the picture is back &amp; sharp, thanks so much!
"""
SRT = """1
00:00:01,000 --> 00:00:04,000
Grace: Northline, my name is Grace, how can I help?

2
00:00:04,500 --> 00:00:09,000
Caller: My set-top box only shows a
blue screen since the storm.

3
00:00:09,500 --> 00:00:12,000
Grace: Please pull the <i>coax</i> cable,

4
00:00:12,000 --> 00:00:15,000
wait a minute, and screw it in again.

5
00:01:20,000 --> 00:01:24,000
Caller: Oh, the picture is back & sharp, thanks so much!
"""


@pytest.mark.parametrize(
    "text", [VTT, SRT, VTT.replace("\n", "\r\n"), f"\ufeff{SRT}"], ids=["VTT", "SRT", "CRLF", "BOM"]
)
def test_captions_become_lines_with_speakers(text: str) -> None:
    assert without_times(text) == LINES
    roles = [turn.role for turn in read_transcript(text).turns]
    assert roles == ["agent", "customer", "agent", "customer"]


def test_two_speakers_in_one_caption_are_apart() -> None:
    text = "1\n00:00:01,000 --> 00:00:04,000\n- Grace: How can I help?\n- Caller: The screen is blue.\n"
    assert without_times(text) == "Grace: How can I help?\nCaller: The screen is blue."


def test_captions_without_names_are_a_text_without_speakers() -> None:
    assert without_times(
        "WEBVTT\n\n00:01.000 --> 00:02.000\nThe screen is blue.\n\n00:03.000 --> 00:04.000\nPull it."
    ) == ("The screen is blue. Pull it.")


@pytest.mark.parametrize(
    "text",
    [
        "WEBVTT is what the player asks for.",
        "1\nAnn: It fails.",
        "1. Open it.\n00:00:01,000 --> 00:00:04,000",
        "Ann: The file has 00:00:01,000 --> 00:00:04,000 in it.",
        "",
    ],
)
def test_any_other_text_stays(text: str) -> None:
    assert without_times(text) == text


@pytest.mark.parametrize(
    "piece", ["00:00:01,000 --> 00:00:04,000\n", "00:00:01,000 --> 00:00:04,000\na\n", "<v ", "a: b\n"]
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    assert is_linear(without_times, piece, before="WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n")
