"""The type of visual that a caption, a heading or a sentence names, by the head nouns of its phrases."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias, cast, get_args

from toolsets.concept_rag.ingestion.document import VisualType

_EXAMINED: Final = 160
"""The first characters of a caption name the visual; later sentences explain it."""
_LONGEST: Final = 3
"""The most words of a noun."""
_LABEL: Final = re.compile(
    r"\s*(?P<noun>[A-Za-z]{3,12})\.?\s{0,3}(?P<number>(?:\d{1,4}|[A-Z]|[IVXLC]{1,7})(?:[.\-–]\d{1,4}){0,3}[a-z]?)(?!\w)"
)
_TOKEN: Final = re.compile(r"[^\W_]+|[.,;:()\[\]/|—–]|(?<=\s)-(?=\s)")
_MODIFIER: Final = re.compile(r"\d+|[a-z]|[ivxlc]+")
"""A number or letter after a noun: "Circuit 2"."""
_Table: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class VisualNouns:
    """The content of `visual_nouns.toml`."""

    kinds: Mapping[str, VisualType]
    """The type of each noun that names a picture itself."""
    subjects: Mapping[str, VisualType]
    """The type as which the thing with this noun is usually drawn."""
    ends: frozenset[str]
    joins: frozenset[str]
    transparent: frozenset[str]
    relations: Sequence[str]
    plurals: Mapping[str, str]
    labels: Mapping[str, VisualType]
    """The type of each noun that numbers a visual."""
    references: Mapping[str, Mapping[str, Sequence[str]]]
    """How a text refers to the "next" visual, and to the "last" one."""


@cache
def visual_nouns() -> VisualNouns:
    """Return the nouns, read once."""
    text = (files("toolsets.concept_rag") / "data" / "visual_nouns.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    table, phrases = cast("_Table", content), cast("_Table", content)["phrases"]
    types: Sequence[VisualType] = get_args(VisualType)
    kinds = {noun: each for each in types for noun in table[each]["kinds"]}
    return VisualNouns(
        kinds=kinds,
        labels={**kinds, **cast("Mapping[str, Mapping[str, VisualType]]", content)["labels"]},
        subjects={noun: each for each in types for noun in table[each]["subjects"]},
        ends=frozenset(phrases["ends"]),
        joins=frozenset(phrases["joins"]),
        transparent=frozenset(phrases["transparent"]),
        relations=phrases["relations"],
        plurals=cast("Mapping[str, Mapping[str, str]]", content)["plurals"],
        references=cast("Mapping[str, _Table]", content)["references"],
    )


def stated_type(caption: str) -> VisualType | None:
    """Return the type that a caption or an alternative text states, or None.

    It is that of the first phrase whose head noun names a visual: "Architecture of the table editor" states a diagram,
    and "Screenshot of the architecture" a figure. A label states a table, and other types if its text states none.
    """
    label, rest = _label(caption)
    if label == "table":
        return label
    nouns = visual_nouns()
    return (
        _by_phrases(rest, nouns.kinds, nouns.subjects) or _by_relation(rest) or (label if label != "figure" else None)
    )


def headed_type(heading: str) -> VisualType | None:
    """Return the type of visuals that a heading announces, such as "Flowcharts of the scripts"; None if it states none.

    Only words for pictures count, and tables are announced by a label only: a chapter about tables may show anything.
    """
    label, rest = _label(heading)
    named = _by_phrases(rest, visual_nouns().kinds, {}) or label
    return named if named != "figure" and (named != "table" or label == "table") else None


def label_of(text: str) -> tuple[VisualType, str] | None:
    """Return the type and the number of a label at the beginning of a text: "Fig. 3.2" is `("figure", "3.2")`."""
    match = _LABEL.match(text[:40])
    named = visual_nouns().labels.get(match["noun"].lower()) if match is not None else None
    return (named, match["number"]) if match is not None and named is not None else None


def is_bare(caption: str) -> bool:
    """Return whether a caption says nothing besides a label or words for pictures: "Figure 3.", "image", ""."""
    _, rest = _label(caption)
    words = [_singular(word) for word in _TOKEN.findall(rest.lower()[:_EXAMINED]) if word[0].isalnum()]
    while words and (words[-1] in visual_nouns().labels or _MODIFIER.fullmatch(words[-1])):
        words.pop()
    return not words or " ".join(words) in visual_nouns().labels


def _label(text: str) -> tuple[VisualType | None, str]:
    label = label_of(text)
    match = _LABEL.match(text[:40]) if label is not None else None
    return (None, text) if label is None or match is None else (label[0], text[match.end() :])


def _by_phrases(text: str, kinds: Mapping[str, VisualType], subjects: Mapping[str, VisualType]) -> VisualType | None:
    """Return the type of the first phrase that names one.

    The phrase after a preposition or a verb is skipped, and so is everything up to the next comma or the like.
    """
    transparent = visual_nouns().transparent
    skipping = False
    for words, end in _phrases(text):
        named = None if skipping or not words else _type_of(words, kinds, subjects)
        if named is not None:
            return named
        if not end[:1].isalnum():
            skipping = False
        elif end == "of" and words and not skipping:
            skipping = _singular(words[-1]) not in transparent
        elif end not in visual_nouns().joins:
            skipping = skipping or bool(words)
    return None


def _phrases(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each phrase, and the word or mark that ends it, "" at the end."""
    nouns = visual_nouns()
    words: list[str] = []
    for token in _TOKEN.findall(text.lower()[:_EXAMINED]):
        if token[0].isalnum() and token not in nouns.ends and token not in nouns.joins:
            words.append(token)
        else:
            yield words, token
            words = []
    yield words, ""


def _type_of(
    words: Sequence[str], kinds: Mapping[str, VisualType], subjects: Mapping[str, VisualType]
) -> VisualType | None:
    """Return the type of a phrase's head noun, without a number after it."""
    end = len(words)
    while end > 1 and _MODIFIER.fullmatch(words[end - 1]):
        end -= 1
    for length in range(min(_LONGEST, end), 0, -1):
        noun = " ".join((*words[end - length : end - 1], _singular(words[end - 1])))
        if (named := kinds.get(noun) or subjects.get(noun)) is not None:
            return named
    return None


def _by_relation(text: str) -> VisualType | None:
    words = f" {' '.join(_TOKEN.findall(text.lower()[:_EXAMINED]))} "
    return "chart" if any(f" {relation} " in words for relation in visual_nouns().relations) else None


def _singular(word: str) -> str:
    if (irregular := visual_nouns().plurals.get(word)) is not None:
        return irregular
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
