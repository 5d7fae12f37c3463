"""Removes the notices that mail servers add; apart from mails, because people also paste them into chats and tickets."""

import re
from typing import Final

from toolsets.skills.transcript.words import any_of

_NOTICE = re.compile(rf"(?i)(?:^|\n|(?<=[.!?] ))[*_\s>-]{{0,8}}{any_of('notice')}")
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"[.!]\s+")
_MOST: Final = 8


def is_notice(line: str) -> bool:
    """Return whether a line begins such a notice."""
    return _NOTICE.match(line) is not None


def without_notice(text: str) -> str:
    """Return a message without the notices about confidentiality, viruses and the environment below it.

    A notice ends with its paragraph, because text that was quoted may follow.
    """
    for _ in range(_MOST):
        match = _NOTICE.search(text)
        if match is None:
            break
        # A message that begins with a notice may go on in its paragraph.
        end = (_PARAGRAPH_END if text[: match.start()].strip() else _SENTENCE_END).search(text, match.end())
        text = text[: match.start()].rstrip() + ("" if end is None else f"\n\n{text[end.end() :]}")
    return text
