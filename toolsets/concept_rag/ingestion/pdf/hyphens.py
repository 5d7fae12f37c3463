"""Words broken at the end of a line, put together again as the rest of the document writes them."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_MAX_WORDS: Final = 300_000
"""Distinct forms that are counted: some 40 MB. The largest dictionaries of one language have as many."""
_MAX_WORD: Final = 100
_FORM: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_FORM: Final = re.compile(r"(?:[^\W_]+-)*[^\W_]+$")
_FIRST_FORM: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# First parts that keep their hyphen before a common word, and seldom end a syllable of a longer one.
_COMPOUNDS: Final = frozenset(
    """self well high low cross long half real two three four five six left right user object error client server
    platform language machine time cost full so built plug log context non third command""".split()
)
# What is no word of prose: an address, a path, an option.
_TECHNICAL: Final = re.compile(r"[/\\_@=]|--|\d")


class Hyphens:
    """Decides how the two parts of a broken word are joined.

    What the document writes elsewhere decides: the whole word, or the compound with its hyphen. Where it writes neither,
    capitals, figures, other hyphens and the first parts of common compounds keep the hyphen, and the rest loses it.
    """

    def __init__(self) -> None:
        self._forms = Counter[str]()

    def learn(self, text: str) -> None:
        """Count the words of a line, whose broken end has been cut off."""
        for form in _FORM.findall(text):
            word = form.lower()
            if word in self._forms or len(self._forms) < _MAX_WORDS:
                self._forms[word] += 1

    def learn_all(self, texts: Iterable[str]) -> None:
        """Count the words of many lines."""
        for text in texts:
            self.learn(text)

    def joined(self, left: str, right: str, *, soft: bool = False) -> str:
        """`left`, whose end had a hyphen that it does not hold, and `right`, which goes on with it."""
        return left + ("-" if not soft and self._keeps(left, right) else "") + right

    def _keeps(self, left: str, right: str) -> bool:
        left, right = left[-_MAX_WORD:], right[:_MAX_WORD]
        head, tail = _LAST_FORM.search(left), _FIRST_FORM.match(right)
        if head is None or tail is None:
            return True
        if _TECHNICAL.search(left.rsplit(maxsplit=1)[-1]):
            return True
        before, after = head[0], tail[0].split("-")[0]
        whole, compound = self._count(before + after), self._count(f"{before}-{after}")
        if whole or compound:
            return compound > whole
        if not after[:1].islower() or "-" in before or (len(before) > 1 and before.isupper()):
            return True
        return before.lower() in _COMPOUNDS and self._count(after) > 0

    def _count(self, word: str) -> int:
        return self._forms[word.lower()]
