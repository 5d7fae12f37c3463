"""Removes secrets from the cells of tables whose header names a secret."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.skills.redaction.passwords import STRONG
from toolsets.skills.redaction.replacement import PASSWORD, Rule, Span, known_cues, lines_with_cues, replace_spans
from toolsets.skills.redaction.values import is_value, looks_secret, value_span

_SECRET = re.compile(
    rf"(?i)[*_`\"' ]{{0,4}}(?:[\w-]{{1,20}} ){{0,2}}(?:{STRONG}|pass|pins?|pin-?codes?|puk|(?:access |door |alarm )?codes?"
    r"|tokens?|secrets?|(?:api|access|secret) keys?|passwör?te?r?|passwords)[*_`\"' :]{0,4}"
)
_NAME = re.compile(
    r"(?i)[*_`\"' ]{0,4}(?:[\w-]{1,20} ){0,2}(?:user(?:name)?|users?|log-?in|account|name|e-?mail|benutzer(?:name)?|konto"
    r"|utilisateur|compte|usuario|cuenta|utente|gebruiker|usuário|host|device|gerät|service|system|site)[*_`\"' ]{0,4}"
)
_RULE = re.compile(r"[\s|:+=-]+")
"""The line below the header of a Markdown table."""
_SEPARATORS: Final = "|\t;,"
_MOST_ROWS: Final = 200
"""Rows below a header with a secret column; it bounds the work on a text of separators."""


def _tables(text: str) -> str:
    return replace_spans(text, _spans(text), PASSWORD)


def _spans(text: str) -> Iterator[Span]:
    done = 0
    for start, stop in lines_with_cues(text, _CUES):
        if start < done:
            continue
        for separator in _SEPARATORS:
            header = _cells(text, start, stop, separator)
            named = [at for at, span in enumerate(header) if _SECRET.fullmatch(text, *span)]
            if len(header) < 2 or not named:
                continue
            known = any(_NAME.fullmatch(text, *span) for span in header)
            for row in _rows(text, stop + 1, separator, len(header)):
                done = row[-1][1]
                yield from (span for at in named if (span := _secret(text, row[at], known=known)) is not None)
            break


def _rows(text: str, at: int, separator: str, size: int) -> Iterator[Sequence[Span]]:
    """Yield the cells of the next lines that have as many as the header."""
    for _ in range(_MOST_ROWS):
        if at >= len(text):
            return
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        cells = _cells(text, at, stop, separator)
        if len(cells) != size:
            return
        if _RULE.fullmatch(text, at, stop) is None:
            yield cells
        at = stop + 1


def _cells(text: str, start: int, stop: int, separator: str) -> Sequence[Span]:
    """Return the spans of the cells of a line, without the edges that Markdown draws."""
    if separator == "|":
        start += len(text[start:stop]) - len(text[start:stop].lstrip(" \t|"))
        stop -= len(text[start:stop]) - len(text[start:stop].rstrip(" \t|"))
    cells: list[Span] = []
    at = start
    while at <= stop:
        end = text.find(separator, at, stop)
        end = stop if end < 0 else end
        cells.append((at, end))
        at = end + 1
    return cells


def _secret(text: str, cell: Span, *, known: bool) -> Span | None:
    """Return the value in a cell; a word is one only in a table that names users or devices."""
    start, stop = cell
    said = text[start:stop]
    start, stop = start + len(said) - len(said.lstrip()), stop - len(said) + len(said.rstrip())
    start, stop = value_span(text, (start, stop))
    value = text[start:stop]
    if len(value) < 3 or not is_value(text, (start, stop)):
        return None
    word = known and len(value) >= 4 and not re.search(r"\s", value)
    return (start, stop) if word or looks_secret(value, at_least=4) else None


_CUES: Final = known_cues(
    *"pas pwd psw pw wort mdp contrase clave senha wachtwoord hasło lösenord пароль 密码 パスワード pin puk".split(),
    *("code", "token", "secret", "key"),
)
TABLES: Final[tuple[Rule, ...]] = (_tables,)
"""Run first of the rules for passwords, while the cells are whole."""
