"""Turns the captions of a recorded call, in WebVTT or SubRip, into lines with speakers: "Grace: How can I help?"."""

import html
import re
from collections.abc import Iterator
from typing import Final

_CLOCK: Final = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMING = re.compile(rf"\s*{_CLOCK}\s{{1,4}}-->\s{{1,4}}{_CLOCK}(?:\s.{{0,200}})?")
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,40})?\s{1,4}(?P<name>[^<>\n]{1,80})>")
_TAG = re.compile(r"</?[A-Za-z\d][^<>\n]{0,80}>")
_NAMED = re.compile(r"(?:[-–—>]{1,2}\s?)?(?P<name>[^\W\d_][^\n:<>]{0,60}?):\s+(?=\S)")
_FIRST_LINES: Final = 4
"""The lines above the first time line of SubRip: the number of a caption, after blank ones."""


def without_times(text: str) -> str:
    """Return the captions with a line for each change of the speaker; any other text is returned as it is.

    A caption without a name goes on with what the last speaker says. Notes and styles are left out.
    """
    head = text.lstrip("\ufeff \r\n")[:400]
    first = head.split("\n")[:_FIRST_LINES]
    of_vtt = head.startswith("WEBVTT") and "-->" in text
    if not of_vtt and not (first[0].strip().isdigit() and any(_TIMING.fullmatch(line.rstrip()) for line in first)):
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line for line in _said(lines) if line)


def _said(lines: list[str]) -> Iterator[str]:
    said: list[str] = []
    head = ""
    for caption in _captions(lines):
        voice = _VOICE.search(caption)
        bare = html.unescape(_TAG.sub("", caption[voice.end() :] if voice is not None else caption)).strip()
        named = _NAMED.match(bare) if voice is None else None
        name = voice["name"] if voice is not None else named["name"] if named is not None else None
        if name is not None and head != f"{name}: ":
            yield f"{head}{' '.join(said)}"
            head, said = f"{name}: ", []
        said.append(bare if named is None else bare[named.end() :])
    yield f"{head}{' '.join(said)}"


def _captions(lines: list[str]) -> Iterator[str]:
    """Yield the text of each caption; where a line within it names another speaker, the lines are apart."""
    caption: list[str] = []
    inside = False
    for line in lines:
        timed = _TIMING.fullmatch(line.rstrip()[:400]) is not None
        names = _VOICE.match(line) is not None or _NAMED.match(line) is not None
        if caption and (timed or names or not line.strip()):
            yield " ".join(caption)
            caption = []
        inside = timed or (inside and bool(line.strip()))
        if inside and not timed:
            caption.append(line.strip())
    if caption:
        yield " ".join(caption)
