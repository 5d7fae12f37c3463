"""Replaces the numbers by which a helper refers to the steps of a list with the words of these steps.

The numbers of a skill's steps are others: an answer may have steps before its list, and later conversations add some.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code, single_blanks
from toolsets.skills.extraction.model import MAX_STEP, cut
from toolsets.skills.extraction.sentences import Sentence, sentences

_LEXICON = lexicon("answers")
_REFERENCE = re.compile(
    r"(?i)\b(?P<word>steps?) (?:no\.? ?|number |#)?(?P<marks>(?:\d{1,2}|(?-i:[a-h])\b)"
    r"(?:(?:, and |, | and | or | to | through |-|–|/)(?:\d{1,2}|(?-i:[b-h])\b)){0,5})"
    rf"(?![\w%]|[.,]\d)(?! {_LEXICON.any_of('of_another')})"
)
_MARK = re.compile(r"\d{1,2}|\b[a-h]\b")
_LABEL = re.compile(r"(?i)\W{0,3}step (?P<mark>\d{1,2})[:.)-]\s")
_LONGEST_QUOTE: Final = 60
"""Characters, so that a quoted step stays shorter than the one that quotes it."""
_STOP = re.compile(r"(?<=[\w)\"'”`])[.!?](?=\s)")


def _refers(text: str) -> bool:
    """Return whether a text refers to steps by their numbers."""
    return "tep" in text and _REFERENCE.search(text) is not None


def named_across(answers: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Sequence[str]]:
    """Yield the steps of each answer; numbers that are of no list in it are those of the last list before it."""
    referring = any(_refers(step) for _, steps in answers for step in steps)
    listed: Mapping[str, str] = {}
    for text, steps in answers:
        own = [items for items, _ in _lists(sentences(text))] if referring else []
        listed = own[-1] if own else listed
        yield steps if own or not listed else [cut(_naming(step, listed), MAX_STEP) for step in steps]


def with_steps_named(said: Sequence[Sentence]) -> Sequence[Sentence]:
    """Return sentences that refer to the items of their own lists by their words, not by their numbers."""
    if not any(sentence.kind != "code" and _refers(sentence.text) for sentence in said):
        return said
    lists = list(_lists(said))
    named: list[Sentence] = []
    for at, sentence in enumerate(said):
        if sentence.kind == "code" or not lists:
            named.append(sentence)
            continue
        before = [listed for listed, start in lists if start <= at]
        named.append(replace(sentence, text=_naming(sentence.text, before[-1] if before else lists[0][0])))
    return named


def _naming(text: str, listed: Mapping[str, str]) -> str:
    """Return a text with the words of steps for their numbers: "before step “Open the lid”"; code stays as it is."""
    if not listed or not _refers(text):
        return text
    label = _LABEL.match(text)
    start = 0 if label is None else label.end()
    return text[:start] + outside_code(lambda prose: _named(prose, listed), text[start:])


def _named(text: str, listed: Mapping[str, str]) -> str:
    def words(match: re.Match[str]) -> str:
        marks = _MARK.findall(match["marks"])
        if not all(mark in listed for mark in marks):
            return match.group()
        named = _MARK.sub(lambda mark: f"“{listed[mark.group()]}”", match["marks"])
        # "Step" at the beginning would look like a verb with an object.
        return f"{'The ' if match['word'][0] == 'S' else ''}{match['word'].lower()} {named}"

    return _REFERENCE.sub(words, text)


def _lists(said: Iterable[Sentence]) -> Iterator[tuple[dict[str, str], int]]:
    """Yield the numbered lists, each with the position of its first item."""
    listed: dict[str, str] = {}
    start = 0
    for at, sentence in enumerate(said):
        mark, text = sentence.mark, sentence.text
        if mark is None and (label := _LABEL.match(text)) is not None:
            mark, text = label["mark"], text[label.end() :]
        if mark is None or sentence.kind == "code":
            continue
        if mark in listed or not listed or mark in _FIRST:
            if listed:
                yield listed, start
            listed, start = {}, at
        listed[mark] = _brief(text)
    if listed:
        yield listed, start


_FIRST: Final = frozenset({"1", "a"})


def _brief(text: str) -> str:
    """Return the first sentence of a step, shortened, for a quotation."""
    bare = single_blanks(_STOP.split(text, maxsplit=1)[0]).rstrip(" .:;,!")
    return cut(bare, _LONGEST_QUOTE) or text[:_LONGEST_QUOTE]
