"""Joins words broken at the end of a line, as spelled in the rest of the document."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_MAX_WORDS: Final = 300_000
"""The most distinct forms counted, about 40 MB; the largest dictionaries of a language have as many."""
_MAX_WORD: Final = 100
"""Longer runs of letters are no words; the expressions look at the ends only."""
HYPHEN_AT_END: Final = "\x02"
"""Stands for the hyphen of a broken word until the text after it is known."""
_FORM: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_FORM: Final = re.compile(r"(?:[^\W_]+-)*[^\W_]+$")
_FIRST_FORM: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# First parts that keep their hyphen before a common word, and seldom end a syllable of a longer one.
_COMPOUNDS: Final = frozenset(
    """self well high low cross long half real two three four five six left right user object error client server
    platform language machine time cost full so built plug log context non third command""".split()
)
# Not words of prose: addresses, paths and options.
_TECHNICAL: Final = re.compile(r"[/\\_@=]|--|\d")


class Hyphens:
    """Joins the two parts of a broken word.

    The spelling elsewhere in the document decides between the word and the hyphenated compound. If neither occurs, the
    hyphen is kept after capitals, digits, other hyphens and first parts of common compounds, and otherwise removed.
    """

    def __init__(self) -> None:
        self._forms = Counter[str]()

    def learn(self, text: str) -> None:
        """Count the words of a line, without a broken word at its end."""
        for form in _FORM.findall(text):
            word = form.lower()
            if word in self._forms or len(self._forms) < _MAX_WORDS:
                self._forms[word] += 1

    def learn_all(self, texts: Iterable[str]) -> None:
        """Count the words of many lines."""
        for text in texts:
            self.learn(text)

    def joined(self, left: str, right: str, *, soft: bool = False) -> str:
        """Return `left` and its continuation `right` as one word; `left` is without its final hyphen."""
        return left + ("-" if not soft and self._keeps(left, right) else "") + right

    def mended(self, text: str) -> str:
        """Return `text` with each word that ends with `HYPHEN_AT_END` joined with the next one."""
        if HYPHEN_AT_END not in text:
            return text
        words: list[str] = []
        for word in text.split():
            if words and words[-1].endswith(HYPHEN_AT_END):
                words[-1] = self.joined(words[-1][:-1], word)
            else:
                words.append(word)
        return " ".join(words).replace(HYPHEN_AT_END, "-")

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
