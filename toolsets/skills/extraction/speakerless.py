"""Reads a text without speakers as a question and its answer; kept separate because a dialogue is read by its speakers."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from toolsets.bm25 import STOP_WORDS
from toolsets.skills.extraction.command_lines import is_command
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.outcomes import outcome_of
from toolsets.skills.extraction.own_solutions import own_solution
from toolsets.skills.extraction.sentences import Sentence, sentences
from toolsets.skills.extraction.steps import StepsOf
from toolsets.skills.transcript import Turn

NO_SPEAKERS: Final = (
    "no speakers were found in it, and no question. What is read: lines such as “Customer: ...” and “Agent: ...”, with or "
    "without times, bullets or tabs; chat exports; e-mail threads; Markdown; HTML paragraphs; tables (CSV, Markdown) with a "
    "speaker and a text column; XML; JSON and JSON Lines."
)
"""Why nothing was learned from a text that may be a conversation in another form."""


def question_and_answer(turns: Sequence[Turn]) -> list[Turn]:
    """Return a text without speakers as a question and its answer.

    The problem is the text up to and including the first question, or else the text before the first instruction.
    """
    text = "\n\n".join(turn.text for turn in turns)
    head, _, rest = text.partition("\n\n")
    if rest.strip() and (head.rstrip().endswith("?") or not StepsOf(head).any()):
        return [Turn("customer", head), *_answer_and_reply(rest)]
    parts = sentences(text)
    asked = next((at for at, part in enumerate(parts) if part.text.rstrip().endswith("?")), None)
    at = asked + 1 if asked is not None else _first_step(parts)
    if not 0 < at < len(parts):
        return list(turns)
    return [Turn("customer", _joined(parts[:at])), *_answer_and_reply(_joined(parts[at:]))]


def _answer_and_reply(text: str) -> list[Turn]:
    """Return an answer, and the customer's reply to it if the last line is one."""
    answer, _, last = text.rstrip().rpartition("\n")
    last = last.removeprefix("> ")
    if answer.strip() and outcome_of(last) in {"worked", "thanks"} and not StepsOf(last).any():
        return [Turn("agent", answer), Turn("customer", last)]
    return [Turn("agent", text)]


def _first_step(parts: Sequence[Sentence]) -> int:
    for at, part in enumerate(parts):
        if StepsOf(part.text).any() or own_solution(part.text):
            return _announced(parts, at) if part.kind == "code" else at
        announces = part.text.endswith(":") and at + 1 < len(parts) and parts[at + 1].kind == "code"
        if announces and is_order(part.text):
            return at
    return len(parts)


def _announced(parts: Sequence[Sentence], at: int) -> int:
    """Return where the sentence that announces a line of code is; the line itself if none does."""
    first = at
    while first > 0 and parts[first - 1].kind == "code":
        first -= 1
    return first - 1 if first > 1 and parts[first - 1].text.endswith(":") else at


def _joined(parts: Sequence[Sentence]) -> str:
    """Return sentences as a text, with fences around their code, so that it is read as code again.

    Words are none: headings ("# Nothing is printed") and quotations, whose marks look like prompts.
    """
    lines: list[str] = []
    for code, group in groupby(parts, _is_code):
        said = [part.text if part.kind != "item" else f"- {part.text}" for part in group]
        fenced = code and (len(said) > 1 or is_command(said[0]) or _WORDS.match(said[0]) is None)
        lines += ["```", *said, "```"] if fenced else said
    return "\n".join(lines)


def _is_code(part: Sentence) -> bool:
    words = _WORDS.match(part.text) is not None and not STOP_WORDS.isdisjoint(part.text.casefold().split())
    return part.kind == "code" and not part.printed and not words


_WORDS = re.compile(r"(?:@\w+|[A-Z]\w*[a-z]),? [a-z]+\b(?![=:/.])")
