"""Replaces secrets and personal addresses in a text by placeholders."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from toolsets.skills.extraction.command_lines import is_command
from toolsets.skills.redaction.addresses import EMAILS, LOCATIONS
from toolsets.skills.redaction.announcements import ANNOUNCED, SECOND_VALUES
from toolsets.skills.redaction.answers import ANSWERS
from toolsets.skills.redaction.apposition import APPOSITIONS, GROUPED_KEYS, LISTS
from toolsets.skills.redaction.changes import CHANGES
from toolsets.skills.redaction.commands import COMMANDS
from toolsets.skills.redaction.credentials import BESIDE_NAMES
from toolsets.skills.redaction.device_codes import DEVICE_CODES
from toolsets.skills.redaction.identity_numbers import IDENTITY_NUMBERS
from toolsets.skills.redaction.keys import BLOCKS, MARKED, UNMARKED
from toolsets.skills.redaction.languages import LANGUAGES
from toolsets.skills.redaction.mentions import MENTIONS
from toolsets.skills.redaction.numbers import NEIGHBOURS, NUMBERS
from toolsets.skills.redaction.passwords import PASSWORDS
from toolsets.skills.redaction.recovery import RECOVERY
from toolsets.skills.redaction.repetitions import without_repetitions
from toolsets.skills.redaction.replacement import Rule, forget_texts, removals, with_cues_of
from toolsets.skills.redaction.requests import REQUESTS
from toolsets.skills.redaction.tables import TABLES

_RULES: Final[tuple[Rule, ...]] = (
    *REQUESTS,
    *COMMANDS,
    *MARKED,
    *GROUPED_KEYS,
    *EMAILS,
    *ANSWERS,
    *RECOVERY,
    *TABLES,
    *CHANGES,
    *PASSWORDS,
    *LANGUAGES,
    *APPOSITIONS,
    *BESIDE_NAMES,
    *IDENTITY_NUMBERS,
    *NUMBERS,
    *MENTIONS,
    *ANNOUNCED,
    *SECOND_VALUES,
    *DEVICE_CODES,
    *NEIGHBOURS,
    *LISTS,
    *LOCATIONS,
    *UNMARKED,
)
"""Rules that find a secret by its context run before those that find it by its form, so that none replaces half of one."""
_PIECE: Final = 16 * 1024
"""Characters that the rules search at a time, so that one search blocks the interpreter only for a few milliseconds."""
_OVERLAP: Final = 2_000
"""Characters before a piece that are searched again with it, because they may name a secret at its beginning."""
_BORDERS: Final = ("\n\x1e\n", "\n\n", "\n", " ")
"""Separators at which a text is divided, the best first."""
_APART: Final = "\ufdd0\n"
"""A line before a command, so that no rule finds a value in it for a word above. No text has the character: it is none."""
_PROMPT = re.compile(r"[ \t]*(?:[$#>%][ \t]|(?:\d{1,2}[.)]|[-*•])[ \t])?[ \t]*")
_GOES_ON = re.compile(r"[|&(\\\\]\s*\Z")
"""The end of a line with which the command of the next line begins."""
_INVISIBLE = re.compile("[\\u00ad\\u180e\\u200b\\u2060\\ufdd0\\ufeff]")
"""Invisible characters without a function; inside a secret they would hide it from every rule."""


def redact(text: str) -> str:
    """Return `text` with a readable placeholder for each secret and personal address, such as `[email]` or `[password]`.

    It replaces e-mail addresses, telephone numbers, public IP addresses, card, account and social security numbers,
    expiry dates of cards, dates of birth, codes that were sent, passwords, tokens, API keys, licence keys and private
    keys. Versions, ports, commits, digests, UUIDs, error codes and private IP addresses stay: steps need them, and
    they identify no one.
    Redacting a second time changes nothing. The time is linear in the length: 1 to 6 milliseconds for a thousand
    characters, and up to 20 if most sentences are about passwords. Callers run it in a thread.
    """
    try:
        return _without_secrets(_with_commands_apart(_INVISIBLE.sub("", text))).replace(_APART, "")
    finally:
        forget_texts()


def _with_commands_apart(text: str) -> str:
    lines = text.splitlines(keepends=True)
    parts = lines[:1]
    for above, line in pairwise(lines):
        if is_command(_without_prompt(line).rstrip()) and _GOES_ON.search(above) is None:
            parts.append(_APART)
        parts.append(line)
    return "".join(parts)


def _without_prompt(line: str) -> str:
    prompt = _PROMPT.match(line)
    return line if prompt is None else line[prompt.end() :]


def _without_secrets(text: str) -> str:
    for rule in BLOCKS:
        text = rule(text)
    with removals() as removed:
        once = _in_pieces(text)
    twice = without_repetitions(once, removed)
    if twice == once:
        return once
    # A replaced value shows that its neighbours in a list are secrets as well.
    for rule in (*LISTS, *NEIGHBOURS):
        twice = rule(twice)
    return twice


def _in_pieces(text: str) -> str:
    done: list[str] = []
    rest = ""
    for piece in _pieces(text):
        redacted = _redacted(rest + piece)
        again = _border(redacted, len(redacted) - _OVERLAP, len(redacted) - _OVERLAP // 2)
        done.append(redacted[:again])
        rest = redacted[again:]
    return "".join((*done, rest))


def _redacted(piece: str) -> str:
    with with_cues_of(piece):
        for rule in _RULES:
            piece = rule(piece)
    return piece


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while len(text) - at > _PIECE:
        stop = _border(text, at + _PIECE // 2, at + _PIECE)
        yield text[at:stop]
        at = stop
    yield text[at:]


def _border(text: str, start: int, stop: int) -> int:
    """Return where to divide a text between two places: after the last of the best separators there, or else at `stop`."""
    start, stop = max(0, start), max(0, stop)
    found = ((text.rfind(border, start, stop), len(border)) for border in _BORDERS)
    return next((at + size for at, size in found if at >= 0), stop)
