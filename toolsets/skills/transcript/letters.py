"""Reads mails between lines of dashes that have no headers: two people who address each other and sign in turn."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.headings import is_name
from toolsets.skills.transcript.named_posts import MAIL_HEADER, SEPARATOR
from toolsets.skills.transcript.speakers import Utterance
from toolsets.skills.transcript.words import any_of

_WORD: Final = r"[^\W\d_a-z][\w.'’-]{1,30}"
_ADDRESS = re.compile(
    rf"\s{{0,3}}(?P<greeting>{any_of('greetings')}\s)?(?:(?i:mrs?|ms|miss|dr|herr|frau|mme|m)\.?\s)?(?P<name>{_WORD}(?:\s{_WORD}){{0,2}})[,!]"
)
"""Whom a mail addresses: "Dear Ms Moe,"."""
_SENDER = re.compile(r"(?i:from|von|de):\s{1,3}(?P<name>[^\n<>]{2,60})(?:<[^<>\s]{0,80}>)?\s*")
_FEWEST_LETTERS: Final = 3
"""Two letters may be one with a quotation."""
_LONGEST_SIGNATURE: Final = 60
"""Characters; a longer last line is text."""


def read_letters(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the mails in order, None for other lines.

    Three mails or more stand between lines of one form. Someone whom one person addresses signs a mail of the other
    person, and no one is addressed or signs in the mails of both.
    """
    if GAP in lines:
        return None
    letters = list(_letters(lines))
    if len(letters) < _FEWEST_LETTERS or not all(letters):
        return None
    addressed: tuple[set[str], set[str]] = (set(), set())
    greeted: tuple[set[str], set[str]] = (set(), set())
    signers: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for number, letter in enumerate(letters):
        side = number % 2
        if (match := _ADDRESS.match(letter[0])) is not None:
            (greeted if match["greeting"] else addressed)[side].add(_last_word(match["name"]))
        if (name := _signer(letter)) is not None:
            signers[side].setdefault(_last_word(name), name)
    names = (set(signers[0]), set(signers[1]))
    if names[0] & names[1] or greeted[0] & greeted[1]:
        return None
    if not any((greeted[side] | addressed[side]) & names[1 - side] for side in (0, 1)):
        return None
    speakers = [_speaker(signers[side], greeted[1 - side] | addressed[1 - side], side) for side in (0, 1)]
    first = [match for line in lines[:20] if (match := _SENDER.fullmatch(line[:200])) is not None]
    if first:
        speakers[0] = first[0]["name"].strip()
    return [Utterance(speakers[number % 2], "\n".join(letter)) for number, letter in enumerate(letters)]


def _letters(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of each mail, without headers and the blank lines around it."""
    letter: list[str] = []
    for line in (*lines, "---"):
        if SEPARATOR.fullmatch(line[:100]) is not None:
            while letter and not letter[-1].strip():
                letter.pop()
            yield letter
            letter = []
        elif letter or (line.strip() and MAIL_HEADER.fullmatch(line) is None):
            letter.append(line)


def _signer(letter: Sequence[str]) -> str | None:
    """Return the name in the last line of a mail, before a comma and a company."""
    line = letter[-1].strip() if len(letter) > 1 else ""
    name = line.partition(",")[0].strip()
    signs = len(line) <= _LONGEST_SIGNATURE and name[:1].isupper() and is_name(name)
    return name if signs and all(word[0].isupper() for word in name.split()) else None


def _last_word(name: str) -> str:
    return name.rsplit(maxsplit=1)[-1].casefold().strip(".")


def _speaker(signers: dict[str, str], addressed: set[str], side: int) -> str:
    """Return the name by which a person signs and is addressed, or else signs."""
    known = [name for word, name in signers.items() if word in addressed]
    return next(iter((*known, *signers.values())), f"writer {side}")
