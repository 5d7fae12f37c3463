"""Reads conversations that programs export: JSON, JSON Lines, and tables with a column of speakers and one of texts."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from backends.ports.values import Json
from toolsets.skills.transcript.speakers import Utterance

_SPEAKER_KEYS: Final = ("role", "speaker", "author", "sender", "from", "name", "user", "participant")
_TEXT_KEYS: Final = ("content", "text", "message", "body", "msg", "utterance")
_LIST_KEYS: Final = ("messages", "turns", "conversation", "transcript", "history", "comments", "chat")


def listed(text: str) -> list[Utterance] | None:
    """Return the messages of JSON, of JSON Lines or of a table whose head names the columns; None for any other text."""
    return _in_json(text) if text.lstrip()[:1] in {"[", "{"} else _in_table(text)


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
    return Utterance(next(filter(None, speakers), "unknown"), next(filter(None, texts), ""))


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
        told = next((columns.index(key) for key in _TEXT_KEYS if key in columns), None)
        if speaker is not None and told is not None:
            return _rows(rest, mark, speaker, told)
    return None


def _rows(text: str, mark: str, speaker: int, told: int) -> list[Utterance] | None:
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=mark) if row]
    except csv.Error:
        return None
    said = [Utterance(row[speaker].strip()[:100], row[told]) for row in rows if len(row) > max(speaker, told)]
    return said if any(each.text.strip() for each in said) else None
