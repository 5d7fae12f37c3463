"""Reads conversations that programs export: JSON, JSON Lines, XML, and tables with a column of speakers and one of texts."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from backends.ports.values import Json
from toolsets.skills.transcript.notices import is_internal
from toolsets.skills.transcript.speakers import Utterance, label_role
from toolsets.skills.transcript.xml_messages import in_xml

_SPEAKER_KEYS: Final = tuple(
    "role speaker author sender from name user participant username who by von absender wer".split()
)
_TEXT_KEYS: Final = tuple("content text message body msg utterance comment said what nachricht mensaje texte".split())
_LIST_KEYS: Final = ("messages", "turns", "conversation", "transcript", "history", "comments", "chat")


def messages_in(text: str) -> list[Utterance] | None:
    """Return the messages of JSON, of JSON Lines, of XML or of a table; None for any other text.

    The head of a table names its columns; in a table of Markdown, labels that state roles may do so instead.
    """
    match text.lstrip("\ufeff \t\r\n")[:1]:
        case "[" | "{":
            return _in_json(text)
        case "<":
            return in_xml(text, speakers=_SPEAKER_KEYS, texts=_TEXT_KEYS)
        case _:
            return _in_table(text) or _in_markdown(text)


def _in_json(text: str) -> list[Utterance] | None:
    if not text.lstrip().startswith(("[{", "{", "[\n", "[ ", "[\t", "[\r")):
        return None
    value = _parsed(text)
    if value is None:
        lines = [line for line in text.split("\n") if line.strip()]
        value = list(_objects(lines))
        # A line that is no object shows that the text is not JSON Lines.
        if len(value) < len(lines):
            return None
    if isinstance(value, dict):
        value = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None)
    if not isinstance(value, list):
        return None
    said = [_message(each) for each in value if isinstance(each, Mapping)]
    return said if any(each.text for each in said) else None


def _objects(lines: Sequence[str]) -> Iterator[Json]:
    for line in lines:
        value = _parsed(line) if line.lstrip().startswith("{") else None
        if not isinstance(value, dict) or (line is lines[0] and not any(key in value for key in _TEXT_KEYS)):
            return
        yield value


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return None


def _message(message: Mapping[str, Json]) -> Utterance:
    texts = (_text(message[key]) for key in _TEXT_KEYS if key in message)
    speakers = (_speaker(message[key]) for key in _SPEAKER_KEYS if key in message)
    internal = is_internal({key.lower(): value for key, value in message.items()})
    return Utterance(next(filter(None, speakers), "unknown"), next(filter(None, texts), ""), internal=internal)


def _speaker(value: Json) -> str:
    if isinstance(value, Mapping):
        return next((found for key in ("role", "name", "display_name") if (found := _speaker(value.get(key)))), "")
    return value.strip()[:100] if isinstance(value, str) else ""


def _text(value: Json) -> str:
    """Return the text of a message; its parts are joined."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "\n".join(filter(None, map(_part, value)))
    return ""


def _part(value: Json) -> str:
    if isinstance(value, Mapping):
        return next((part for key in _TEXT_KEYS if isinstance(part := value.get(key), str)), "")
    return value if isinstance(value, str) else ""


def _in_table(text: str) -> list[Utterance] | None:
    head, _, rest = text.lstrip("\ufeff\r\n ").partition("\n")
    for mark in ",;\t":
        columns = [column.strip(' "\r').casefold() for column in head[:500].split(mark)]
        speaker = next((columns.index(key) for key in _SPEAKER_KEYS if key in columns), None)
        text_column = next((columns.index(key) for key in _TEXT_KEYS if key in columns), None)
        if speaker is not None and text_column is not None:
            return _rows(rest, mark, columns, speaker, text_column)
    return None


def _rows(text: str, mark: str, columns: Sequence[str], speaker: int, text_column: int) -> list[Utterance] | None:
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=mark) if row]
    except csv.Error:
        return None
    said = [
        Utterance(
            row[speaker].strip()[:100], row[text_column], internal=is_internal(dict(zip(columns, row, strict=False)))
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
    said = [
        Utterance(
            row[speaker].strip("*_ ")[:100],
            _BREAK.sub("\n", row[text_column]),
            internal=is_internal(dict(zip(head, row, strict=False))),
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
