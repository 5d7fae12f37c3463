"""Removes instructions to a program that reads the conversation from its turns."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from toolsets.skills.extraction.corrections import OPENING, SENTENCE_START
from toolsets.skills.extraction.cues import (
    goes_on_ordering,
    is_addressed_to_a_machine,
    is_object_of_order,
    opens_an_order,
    voids_others,
)
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.sentences import MAX_SENTENCE, sentences
from toolsets.skills.transcript import Turn

_ANSWERS = lexicon("answers")
_Ordering: TypeAlias = Literal["no", "once", "instead", "block"]
"""Whether an instruction to a program is going on: it, what it puts in the place of others, or all of its paragraph."""
_COMMENT = re.compile(r"<!--(?P<said>(?:(?!<!--|-->).){0,1000})-->", re.DOTALL)
_ROLE = r"(?P<role>system|assistant|developer|human|instructions?|prompt|admin|user|inst|sys)"
_ROLE_BLOCK = re.compile(
    rf"(?i)(?:\[\[?|\{{\{{|<<)\s?{_ROLE}\s?(?:\]\]?|\}}\}}|>>)(?:(?!\[\[|\{{\{{|<<).){{0,1000}}?(?:\[\[?|\{{\{{|<<)\s?/\s?(?P=role)\s?"
    r"(?:\]\]?|\}\}|>>)",
    re.DOTALL,
)
"""A text between the marks of a role, which people do not write to each other."""
_QUOTED = re.compile(
    r"(?i)\b(?:delete|remove|erase|clear|click|select|find|search for|replace|look for|open|choose|untick|uncheck|edit|change)\b"
    r"[^.!?\n\"'“`]{0,40}\b(?:lines?|texts?|sentences?|phrases?|words?|paragraphs?|button|link|option|entry|message|label|field)\s"
    r"(?:that (?:says|reads) )?[\"'“`](?P<said>[^\"'“”`\n]{4,200})[\"'”`]"
)
"""A quoted text that a step says to delete, to click and so on."""
_SHORTEST_ORDER = 3
"""The fewest words of a label that is an instruction; "AI" and "Chat assistant" are names."""
_OWN_WORDS = re.compile(
    rf"{SENTENCE_START}{OPENING}(?:please |kindly )?(?P<verb>{_ANSWERS.any_of('dismissing')}) {_ANSWERS.any_of('own_words')}"
)
_STOP = re.compile(r"(?<=[.!?])\s+")


def clean_turns(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns without instructions to a program, each removed with the sentences that go on with it.

    Turns that are then empty are left out.
    """
    said = ((turn, _scratched(_said(turn)) if turn.role == "agent" else _said(turn)) for turn in turns)
    kept = (Turn(turn.role, "\n".join(_without_orders(_unquoted(text))).strip(), turn.speaker) for turn, text in said)
    return [turn for turn in kept if turn.text]


def _said(turn: Turn) -> str:
    """Return the text of a turn, after its label if that is an instruction to a program, not the name of a speaker."""
    label = f"{turn.speaker}:"
    is_order = len(label.split()) >= _SHORTEST_ORDER and is_addressed_to_a_machine(label)
    return f"{label} {turn.text}" if is_order else turn.text


def _scratched(text: str) -> str:
    """Return a helper's text with "scratch" for the verb with which it takes back its own words: "Ignore what I said".

    Everything else that it says is read as usual.
    """
    if "what i" not in text.casefold():
        return text
    return _OWN_WORDS.sub(lambda match: match.group().replace(match["verb"], "scratch", 1), text)


def _unquoted(text: str) -> str:
    """Return a text without instructions to a program that a step only quotes, or that marks separate from the rest."""
    if "<!--" in text:
        text = _COMMENT.sub(lambda match: "" if is_addressed_to_a_machine(match.group()) else match.group(), text)
    if "[" in text or "{{" in text or "<<" in text:
        text = _ROLE_BLOCK.sub("", text)
    return _QUOTED.sub(_with_gap, text)


def _with_gap(match: re.Match[str]) -> str:
    if not is_addressed_to_a_machine(match["said"]):
        return match.group()
    start, stop = (at - match.start() for at in match.span("said"))
    return f"{match.group()[:start]}…{match.group()[stop:]}"


def _without_orders(text: str) -> Iterator[str]:
    """Yield the lines of a text without instructions to a program.

    An instruction that opens a block ends with its paragraph, another one with the last sentence that goes on with it.
    """
    ordering: _Ordering = "no"
    for line in text.split("\n"):
        ordering = ordering if line.strip() else "no"
        if ordering == "block":
            continue
        if ordering == "no" and len(line) <= MAX_SENTENCE and not is_addressed_to_a_machine(line):
            yield line
            continue
        kept, ordering = _kept(line, ordering)
        yield kept


def _kept(line: str, ordering: _Ordering) -> tuple[str, _Ordering]:
    """Return the sentences of a line that are no instructions to a program, and whether one is going on after them."""
    kept: list[str] = []
    parts = [piece for part in sentences(line) for piece in _pieces(part.text)]
    for part in parts:
        if ordering == "block":
            break
        if is_addressed_to_a_machine(part):
            ordering = _ordering(part)
        elif ordering == "no" or not (goes_on_ordering(part) or (ordering == "instead" and is_object_of_order(part))):
            kept.append(part)
            ordering = "no"
    if len(kept) < len(parts) or len(line) > MAX_SENTENCE or not is_addressed_to_a_machine(line):
        return (line if kept == parts else " ".join(kept)), ordering
    # The line is an instruction, although none of its sentences is one.
    return "", _ordering(line)


def _ordering(order: str) -> _Ordering:
    """Return in what way an instruction to a program goes on after it."""
    if opens_an_order(order):
        return "block"
    return "instead" if voids_others(order) else "once"


def _pieces(sentence: str) -> list[str]:
    """Return the parts of an instruction to a program that a full stop separates, in lower case after it too."""
    return _STOP.split(sentence) if is_addressed_to_a_machine(sentence) else [sentence]
