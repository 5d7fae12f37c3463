"""A sentence while it is read: its tokens, and which mention each of them belongs to."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.lexicon import Lexicon
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.tokens import Token
from toolsets.agent_graph.extraction.words import FUNCTION_WORDS

MAX_WALK = 12
"""Words of one kind in a row, such as adverbs, that a rule walks past; what lies behind more of them is not looked for."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names something: tokens `first` up to, not including, `last`."""

    first: int
    last: int
    name: str
    type: EntityType
    confidence: float
    inner: tuple["Mention", ...] = ()
    """Names within the name that are entities too."""


class Sentence:
    """Tokens with their mentions; a place outside the sentence reads as an empty word."""

    def __init__(
        self, text: str, tokens: Sequence[Token], lexicon: Lexicon, persons: Container[str] = frozenset()
    ) -> None:
        self.text = text
        self.persons = persons
        """First and last names, in lower case, of persons named before."""
        self.tokens = tokens
        self.lexicon = lexicon
        self.owner: list[Mention | None] = [None] * len(tokens)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def lower(self, place: int) -> str:
        """Return the word at `place` in lower case, "" outside."""
        return self.tokens[place].lower if 0 <= place < len(self.tokens) else ""

    def word(self, place: int) -> str:
        """Return the word at `place` as written, "" outside."""
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def name(self, first: int, last: int) -> str:
        """Return the text of the tokens `first` up to `last`, its white space single."""
        return " ".join(self.text[self.tokens[first].start : self.tokens[last - 1].end].split())

    def past(self, place: int, step: int, passes: Callable[[int], bool]) -> int:
        """Return the first place from `place` on, in steps of `step`, that does not pass, at most `MAX_WALK` steps away."""
        end = place + step * MAX_WALK
        while place != end and passes(place):
            place += step
        return place

    def common(self, place: int) -> bool:
        """Say whether an ordinary English word stands at `place`."""
        return self.lexicon.is_common(self.lower(place))

    def opens(self, place: int) -> bool:
        """Say whether a capital at `place` may be owed to the position: the first word, or after a colon or a quote."""
        return place == 0 or self.word(place - 1) in {":", "“", '"', "•", "-", "*"} or not self._before_is_text(place)

    def _before_is_text(self, place: int) -> bool:
        return any(token.word for token in self.tokens[max(0, place - 3) : place])

    def free(self, place: int) -> bool:
        """Say whether `place` is in the sentence and belongs to no mention."""
        return 0 <= place < len(self.tokens) and self.owner[place] is None

    def capital(self, place: int) -> bool:
        """Say whether `place` looks like part of a name: a capital, or a shape no ordinary word has."""
        return 0 <= place < len(self.tokens) and (self.tokens[place].capital or is_shaped(self.tokens[place].text))

    def function_word(self, place: int) -> bool:
        """Say whether a word at `place` only joins others."""
        return self.lower(place) in FUNCTION_WORDS

    def add(self, mention: Mention) -> None:
        """Enter a mention."""
        for place in range(mention.first, mention.last):
            self.owner[place] = mention

    def drop(self, mention: Mention) -> None:
        """Take a mention out."""
        for place in range(mention.first, mention.last):
            self.owner[place] = None

    def mentions(self) -> list[Mention]:
        """Return all mentions in order."""
        found: list[Mention] = []
        for mention in self.owner:
            if mention is not None and (not found or found[-1] is not mention):
                found.append(mention)
        return found


def is_shaped(word: str) -> bool:
    """Say whether a word has capitals inside, or letters and digits mixed, as names of technologies have."""
    if not word[0].isalpha() or "/" in word or "@" in word:
        return False
    inner = any(character.isupper() for character in word[1:])
    lower = any(character.islower() for character in word)
    return (inner and lower) or (word[0].isupper() and any(character.isdigit() for character in word))


def is_acronym(word: str) -> bool:
    """Say whether a word is two to six capitals, digits aside."""
    letters = [character for character in word if character.isalpha()]
    return 2 <= len(letters) <= 6 and all(character.isupper() for character in letters)
