"""Reads a text without speakers as a question and its answer, apart from the dialogue that follows what is said."""

from collections.abc import Sequence
from typing import Final

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


def parted(turns: Sequence[Turn]) -> list[Turn]:
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
    if answer.strip() and outcome_of(last) in {"worked", "thanks"} and not StepsOf(last).any():
        return [Turn("agent", answer), Turn("customer", last)]
    return [Turn("agent", text)]


def _first_step(parts: Sequence[Sentence]) -> int:
    for at, part in enumerate(parts):
        if StepsOf(part.text).any() or own_solution(part.text):
            return at
    return len(parts)


def _joined(parts: Sequence[Sentence]) -> str:
    return "\n".join(part.text if part.kind != "item" else f"- {part.text}" for part in parts)
