"""Recognises source code that is printed as text, and the names in it that are no terms of a document."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from toolsets.concept_rag.languages import any_function_word, word_count
from toolsets.concept_rag.words import FUNCTION_WORDS, word

_MARK: Final = re.compile(
    r"<-|->|[=!<>:]=|\w ?=(?![=>])|\w\((?!\d\w*\))|[{}\\~]|\$(?! ?\d)|[#@](?!\w+\.\w)|::|\w\[|\]\w"
    r"|^[>+$%#] |\s[>$] |&&|\|\|"
)
"""An assignment, an argument, a call, an index, a prompt or an operator; "dpkg(1)" is the name of a manual page.

A dollar sign also precedes prices, and "@" is part of addresses."""
_FEWEST_MARKS: Final = 2
_WORDS_PER_MARK: Final = 4
_MOST_FUNCTION_WORDS: Final = 0.2
"""Prose has a larger share of function words, even if it names functions and their arguments."""
_READ: Final = 2_000
"""The number of leading characters by which a text is judged."""
_NAME: Final = re.compile(r"[^\W\d]\w*")
_PROMPT: Final = 24
"""The most characters before a command in its line."""
_COMMAND: Final = re.compile(r"\s*(?:[$#>%] ?)?(?:sudo )?|.*[|;&] ?")
_ASSIGNED: Final = re.compile(r"\s*(?:<-|=|\[|\$|\.|->)")
_PER_MENTION: Final = 2
"""A name with more uses in code per mention in prose is a variable, unless it is called."""


def reads_as_code(text: str) -> bool:
    """Return whether a paragraph is source code, the call of a function or a formula rather than prose."""
    text = text[:_READ]
    marks = len(_MARK.findall(text))
    if text.rstrip().endswith((";", "}")):  # elsewhere semicolons may separate keywords or names
        marks += text.count(";")
    if marks < _FEWEST_MARKS:
        return False
    if marks * _WORDS_PER_MARK < word_count(text):
        return False
    words = text.casefold().split()
    foreign = any_function_word()
    functions = sum(each in FUNCTION_WORDS or each in foreign for each in (part.strip(".,;:()") for part in words))
    return functions <= _MOST_FUNCTION_WORDS * len(words)


def variables(code: Iterable[str], mentions: Mapping[str, int]) -> frozenset[str]:
    """Return the words among `mentions` that are variables or arguments, such as "png_ptr".

    `mentions` has the number of times that the prose has each word in lower case. An English word is none: "data" may be a
    variable, but is also what a text is about. A function or a command may be what a manual is about, too.
    """
    uses: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for text in code:
        for match in _NAME.finditer(text):
            name = match.group()
            if name in mentions:
                uses[name] += 1
                calls[name] += _is_called(text, match.start(), match.end())
    return frozenset(
        name
        for name, count in uses.items()
        if count > _PER_MENTION * mentions[name] and calls[name] * 2 <= count and not word(name).known
    )


def _is_called(text: str, start: int, end: int) -> bool:
    """Return whether a name is a function before its arguments, or a command at the beginning of its line."""
    if text.startswith("(", end):
        return True
    before = text[max(0, start - _PROMPT) : start].rpartition("\n")[2]
    return _COMMAND.fullmatch(before) is not None and not _ASSIGNED.match(text, end)
