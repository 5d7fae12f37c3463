"""Reads conversations that programs export: JSON, JSON Lines, XML, and tables with a column of speakers and one of texts."""

import csv
import re
from collections.abc import Sequence
from typing import Final

from toolsets.skills.transcript.json_messages import in_json
from toolsets.skills.transcript.notices import is_internal
from toolsets.skills.transcript.speakers import Utterance, label_role
from toolsets.skills.transcript.xml_messages import in_xml

_SPEAKER_KEYS: Final = tuple(
    "role speaker author sender from name user participant username who by von absender wer".split()
)
_TEXT_KEYS: Final = tuple("content text message body msg utterance comment said what nachricht mensaje texte".split())
_TIME_KEYS: Final = tuple("timestamp created_at date sent_at sent created time datetime datum zeit".split())


def messages_in(text: str) -> list[Utterance] | str | None:
    """Return the messages of JSON, of JSON Lines, of XML or of a table, or the conversation that is one text in JSON.

    None for any other text. Raises `UnreadableTranscript` for JSON without messages.
    The head of a table names its columns; in a table of Markdown, labels that state roles may do so instead.
    """
    match text.lstrip("\ufeff \t\r\n")[:1]:
        case "[" | "{":
            return in_json(text)
        case "<":
            return in_xml(text, speakers=_SPEAKER_KEYS, texts=_TEXT_KEYS)
        case _:
            return _in_table(text) or _in_markdown(text)


def _in_table(text: str) -> list[Utterance] | None:
    head, _, rest = text.lstrip("\ufeff\r\n ").partition("\n")
    for mark in ",;\t":
        columns = [column.strip(' "\r').casefold() for column in head[:500].split(mark)]
        speaker = next((columns.index(key) for key in _SPEAKER_KEYS if key in columns), None)
        text_column = next((columns.index(key) for key in _TEXT_KEYS if key in columns), None)
        time = next((columns.index(key) for key in _TIME_KEYS if key in columns), None)
        if speaker is not None and text_column is not None:
            return _rows(rest, mark, columns, (speaker, text_column, time))
    return None


def _rows(text: str, mark: str, columns: Sequence[str], places: tuple[int, int, int | None]) -> list[Utterance] | None:
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=mark) if row]
    except csv.Error:
        return None
    speaker, text_column, time = places
    said = [
        Utterance(
            row[speaker].strip()[:100],
            row[text_column],
            internal=is_internal(dict(zip(columns, row, strict=False))),
            sent=None if time is None or time >= len(row) else row[time],
        )
        for row in rows
        if len(row) > max(speaker, text_column)
    ]
    return said if any(each.text.strip() for each in said) else None


_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*){1,20}\|?")
"""The line below the head of a table of Markdown."""
_BAR = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"(?i)<br\s?/?>")
_MOST_AROUND: Final = 6
"""The most lines above and below a table that is the conversation, such as a title."""


def _in_markdown(text: str) -> list[Utterance] | None:
    if "|" not in text:
        return None
    lines = [line.strip() for line in text.split("\n")]
    rule = next((at for at in range(1, min(len(lines), _MOST_AROUND + 2)) if _RULE.fullmatch(lines[at][:400])), None)
    if rule is None:
        return None
    head = [cell.casefold() for cell in _cells(lines[rule - 1], 0)]
    rows = [_cells(line, len(head)) for line in lines[rule + 1 :] if "|" in line]
    if len(lines) - rule - 1 - len(rows) > _MOST_AROUND or not rows or len(head) < 2:
        return None
    text_column = next((head.index(key) for key in _TEXT_KEYS if key in head), None)
    # A head with "user" alone may be that of any table.
    speaker = next((head.index(key) for key in _SPEAKER_KEYS if key in head and text_column is not None), None)
    if speaker is None:
        speaker = next((at for at in range(len(head)) if all(label_role(row[at]) is not None for row in rows)), None)
    if text_column is None:
        text_column = max(range(len(head)), key=lambda at: sum(len(row[at]) for row in rows))
    if speaker is None or speaker == text_column:
        return None
    time = next((head.index(key) for key in _TIME_KEYS if key in head), None)
    said = [
        Utterance(
            row[speaker].strip("*_ ")[:100],
            _BREAK.sub("\n", row[text_column]),
            internal=is_internal(dict(zip(head, row, strict=False))),
            sent=None if time is None else row[time],
        )
        for row in rows
    ]
    return said if any(each.text for each in said) else None


def _cells(line: str, width: int) -> list[str]:
    """Return the cells of a row, `width` of them if that is known: a bar too many belongs to the last cell."""
    bare = line.removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(bare, maxsplit=width - 1 if width else 0)]
    return [*cells, *[""] * (width - len(cells))]
