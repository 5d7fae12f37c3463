"""The data of the folder `lexicon`: words and phrases by what they mean. Each file is read once."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toolsets.skills.literals import Literals

_CLASS = re.compile(r"(?<!P)<([a-z_]+)>")
"""A class of words in a phrase, such as `still <trouble>`."""
_CAPITAL = re.compile(r"(?<!\\)(?<!\(\?)[A-Z]")
"""A capital letter that a text must have, unlike the letter of a class or that of a named group."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The content of one file: classes of words, and phrases, which are regular expressions."""

    classes: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[str, ...]]
    letters: Mapping[str, Literals]
    """Letters in lower case of which each text that some phrases match has one."""

    def words(self, name: str) -> frozenset[str]:
        """Return a class of words. Raises `KeyError`."""
        return self.classes[name]

    def any_of(self, name: str) -> str:
        """Return a regular expression for any of the phrases or words of a name. Raises `KeyError`."""
        if name in self.classes:
            return f"(?:{'|'.join(sorted(map(re.escape, self.classes[name])))})"
        phrases = (_CLASS.sub(lambda match: self.any_of(match[1]), phrase) for phrase in self.phrases[name])
        return f"(?:{'|'.join(phrases)})"

    def pattern(self, name: str) -> re.Pattern[str]:
        """Return a pattern for any of the phrases of a name as whole words, whatever their case. Raises `KeyError`."""
        return re.compile(rf"(?i)\b{self.any_of(name)}(?!\w)")

    def lower_pattern(self, name: str) -> re.Pattern[str]:
        """Return the same pattern for texts in lower case; such a search takes a third to a tenth of the time.

        Raises `KeyError`, and `ValueError` if a phrase has a capital letter.
        """
        phrases = self.any_of(name)
        if _CAPITAL.search(phrases) is not None:
            raise ValueError(f"phrases for texts in lower case have capital letters: {name}")
        return re.compile(rf"\b{phrases}(?!\w)")


@cache
def lexicon(name: str) -> Lexicon:
    """Return the content of `lexicon/NAME.toml`. Raises `FileNotFoundError`."""
    text = (files("toolsets.skills.extraction") / "lexicon" / f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    classes = {key: frozenset(words.split()) for key, words in table.get("words", {}).items()}
    phrases = {key: tuple(listed) for key, listed in table.get("phrases", {}).items()}
    letters = {key: Literals(listed) for key, listed in table.get("letters", {}).items()}
    return Lexicon(classes, phrases, letters)
