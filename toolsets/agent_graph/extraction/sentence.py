"""A sentence while it is read: its tokens, their mentions, and the cues around them."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.gazetteer import KnownName, is_common, is_first_name, known_names
from toolsets.agent_graph.extraction.lexicon import (
    Choice,
    Cue,
    CueGroup,
    Term,
    Traits,
    classes_of,
    cues,
    relation_words,
    traits_of,
    type_of_noun,
)
from toolsets.agent_graph.extraction.lexicon import is_participle as has_participle_form
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.tokens import Token, is_acronym, is_shaped

MAX_WALK = 12
"""The most words of one kind in a row, such as adverbs, that a rule skips."""
MAX_ASIDE = 14
"""The most words of a parenthesis that is skipped."""
LISTED, GUESS, CAPITAL_ONLY = 0.9, 0.6, 0.4
"""How sure a name is at least that a list has, at most one of which hardly more is known than where it stands, and an
ordinary word with a capital."""
MANY_PARTS = 3
"""Hyphens that make a word unlikely to be ordinary, whatever its parts: gnome-shell-extension-sensors."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of a name: tokens `first` up to, not including, `last`."""

    first: int
    last: int
    name: str
    type: EntityType
    confidence: float
    inner: tuple["Mention", ...] = ()
    """Names within the name that are entities, too."""


class Sentence:
    """Tokens with their mentions; a place outside the sentence has an empty word."""

    def __init__(self, text: str, tokens: Sequence[Token], persons: Container[str] = frozenset()) -> None:
        self.text = text
        self.tokens = tokens
        self.persons = persons
        """First and last names, in lower case, of persons mentioned before."""
        self.owner: list[Mention | None] = [None] * len(tokens)
        self._traits = [*(token.traits for token in tokens), traits_of("")]
        """The traits of the words, and of the empty word outside."""

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
        """Return the text of the tokens `first` up to `last`, with single spaces."""
        return " ".join(self.text[self.tokens[first].start : self.tokens[last - 1].end].split())

    def is_a(self, place: int, *classes: str) -> bool:
        """Return whether the word at `place` belongs to one of the `classes` of words."""
        return 0 <= place < len(self.tokens) and not self.tokens[place].classes.isdisjoint(classes)

    def past(self, place: int, step: int, *classes: str) -> int:
        """Return the first place from `place` on, in steps of `step`, of which the word is in none of `classes`.

        It is at most `MAX_WALK` steps away.
        """
        end = place + step * MAX_WALK
        while place != end and self.is_a(place, *classes):
            place += step
        return place

    def fitting(self, name: str, first: int, last: int | None = None) -> Iterator[tuple[Cue, int, int]]:
        """Yield the cues of a name that fit to the tokens `first` up to `last` and those around them, in order.

        With each the first place before and the first place behind the words that it is about.
        """
        last = first if last is None else last
        group = cues()[name]
        possible = self._possible(group, first, last)
        length = max(1, last - first)
        for cue in group.cues if possible else ():
            if not cue.bit & possible or not cue.words[0] <= length <= cue.words[1]:
                continue
            behind = self._walk(cue.here, last, 1) if cue.here else last
            before = self._walk(cue.before, first - 1, -1) if cue.before and behind is not None else first - 1
            if behind is not None and before is not None and self._is_named_so(cue, first, last):
                yield cue, before, behind

    def fits(self, name: str, first: int, last: int | None = None) -> bool:
        """Return whether one of the cues of a name fits."""
        if not self._possible(cues()[name], first, first if last is None else last):
            return False
        return next(self.fitting(name, first, last), None) is not None

    def _possible(self, group: CueGroup, first: int, last: int) -> int:
        """Return the mask of the cues that their edge words do not rule out."""
        possible = group.mask & self._traits_at(last).here
        if possible:
            possible &= self._traits_at(first - 1).before & self._traits_at(first).first
        return possible

    def _traits_at(self, place: int) -> Traits:
        return self._traits[place] if -1 <= place < len(self._traits) else self._traits[-1]

    def _is_named_so(self, cue: Cue, first: int, last: int) -> bool:
        for term in cue.first:
            if not self._is(term, first):
                return False
        for term in cue.last:
            if not self._is(term, last - 1):
                return False
        return not cue.every or all(self._is(term, place) for term in cue.every for place in range(first, last))

    def _walk(self, terms: Sequence[Term], place: int, step: int) -> int | None:
        """Return the place after all `terms`, matched in steps of `step` from `place` on; None if they do not match."""
        for term in terms[::step]:
            start, end = place, place + step * (MAX_WALK if term.repeat == "*" else 1)
            while place != end and self._is(term, place):
                place += step
            if place == start and not term.repeat:
                return None
        return place

    def _is(self, term: Term, place: int) -> bool:
        traits = self._traits_at(place)
        if term.bit & traits.met:
            return True
        if term.bit & traits.failed:
            return False
        lower = self.tokens[place].lower
        for choice in term.choices:
            fits = lower in choice.words or not choice.classes.isdisjoint(traits.classes)
            if (fits or self._is_shaped(choice, place)) == choice.negated:
                return False
        return True

    def _is_shaped(self, choice: Choice, place: int) -> bool:
        if choice.types and (kind := self.type_at(place)) and (kind in choice.types or "name" in choice.types):
            return True
        for shape in choice.shapes:  # a loop, which is faster than any() where most words are looked at  # noqa: SIM110
            if SHAPES[shape](self, place):
                return True
        return False

    def type_at(self, place: int) -> str:
        """Return the type that the word at `place` names, "" if it names none."""
        owner = self.owner[place] if 0 <= place < len(self.tokens) else None
        return "" if owner is None else owner.type

    def is_adverb(self, place: int) -> bool:
        """Return whether a word at `place` may stand between a verb's parts without changing who does what."""
        word = self.lower(place)
        return self.is_a(place, "adverb") or (word.endswith("ly") and len(word) > 4 and self.free(place))

    def common(self, place: int) -> bool:
        """Return whether an ordinary English word stands at `place`."""
        return is_common(self.lower(place))

    def known_at(self, place: int) -> KnownName | None:
        """Return the longest listed name that begins at `place`, if one does."""
        listed = known_names().get(self.lower(place), ())
        return next((name for name in listed if name.is_at(self.tokens, place)), None)

    def is_listed(self, word: str) -> bool:
        """Return whether a word is a listed name by itself."""
        return any(name.words == (word,) for name in known_names().get(word.casefold(), ()))

    def is_participle(self, place: int) -> bool:
        """Return whether a word at `place` has the form of a participle of the past."""
        return has_participle_form(self.lower(place))

    def opens(self, place: int) -> bool:
        """Return whether a capital at `place` may be owed to the position: the first word, or after a colon or a quote."""
        marked = self.word(place - 1) in {":", "“", '"', "•", "-", "*"}
        return marked or not any(token.word for token in self.tokens[max(0, place - 3) : place])

    def free(self, place: int) -> bool:
        """Return whether `place` is in the sentence and belongs to no mention."""
        return 0 <= place < len(self.tokens) and self.owner[place] is None

    def capital(self, place: int) -> bool:
        """Return whether `place` looks like part of a name: a capital, or a shape no ordinary word has."""
        return self.word(place)[:1].isupper() or is_shaped(self.word(place))

    def is_name_word(self, place: int) -> bool:
        """Return whether a word at `place` may belong to a capitalised name."""
        word, lower = self.word(place), self.lower(place)
        if not self.free(place) or not self.tokens[place].word or not self.capital(place):
            return False
        small = "function" in classes_of(lower.partition("'")[0]) and not (word.isupper() and len(word) > 1)
        small = small and not self.fits("small_word_name", place, place + 1)
        return not (small or lower.startswith("non-") or lower.endswith("n't") or self.is_a(place, "never_name"))

    def past_aside(self, place: int) -> int:
        """Return the place after a parenthesis or a ", also known as ...," at `place`; else `place`."""
        if self.word(place) != "(" and not self.fits("aside", place):
            return place
        closer = ")" if self.word(place) == "(" else ","
        return next((at + 1 for at in range(place + 1, place + MAX_ASIDE) if self.word(at) == closer), place)

    def predicate(self, last: int) -> EntityType | None:
        """Return the type that the sentence gives to the name before `last`: X is a ..., or X, a ..."""
        told = self.fitting("predicate", self.past_aside(last))
        return next((self._type_of_phrase(behind) for _, _, behind in told), None)

    def _type_of_phrase(self, place: int) -> EntityType | None:
        """Return the type of the noun phrase that begins at `place`, judged by its last word."""
        start = place
        while place < start + MAX_WALK and self._in_phrase(place, start):
            place += 1
        if self.lower(place) == "of" and self.is_a(place - 1, "collective"):
            return self._type_of_phrase(place + 1)
        return "technology" if self.is_a(place - 1, "derivative") else type_of_noun(self.lower(place - 1))

    def _in_phrase(self, place: int, start: int) -> bool:
        word = self.lower(place)
        behind_noun = place > start and self.is_a(place - 1, "noun")
        if word == ",":
            return place > start and not behind_noun and self.lower(place + 1)[:1].isalpha()
        if not word[:1].isalnum() or self.is_a(place, "preposition", "relative", "being"):
            return word.startswith("-") and len(word) > 1
        return not (behind_noun and (self.is_participle(place) or word.endswith("ing")))

    def enter(self, mentions: Iterable[Mention]) -> None:
        """Add the mentions whose words belong to no mention yet."""
        for mention in mentions:
            if all(self.free(place) for place in range(mention.first, mention.last)):
                self.owner[mention.first : mention.last] = [mention] * (mention.last - mention.first)

    def mentions(self) -> list[Mention]:
        """Return all mentions in order."""
        return [mention for mention, _ in groupby(self.owner) if mention is not None]


def _confidence(s: Sentence, at: int) -> float:
    thing = s.owner[at]
    return 0 if thing is None else thing.confidence


def _is_kind(s: Sentence, at: int) -> bool:
    """Return whether a name stands where it gives the kind of the noun after it."""
    thing = s.owner[at]
    return thing is not None and "kind" in classes_of(shadow(thing.name))


def _is_plain(s: Sentence, at: int) -> bool:
    """Return whether a word is written like a person's: no digits and no acronym."""
    word = s.word(at)
    return len(word) == 1 or not (is_acronym(word) or "#" in word or any(character.isdigit() for character in word))


def _takes(s: Sentence, at: int) -> bool:
    """Return whether the preposition at a place introduces the object of the word before it."""
    return any(s.lower(at) in word.prepositions for word in relation_words().get(s.lower(at - 1), ()))


def _ends_phrase(s: Sentence, at: int) -> bool:
    """Return whether the word before a place describes no noun there."""
    technology = s.is_a(at, "technology_noun") and not s.lower(at - 1).endswith(("ed", "ing", "ic", "al", "ive"))
    return s.lower(at) != "of" and (technology or s.is_a(at, "function") or not s.tokens[at].word or s.capital(at))


def _is_unlisted(s: Sentence, at: int) -> bool:
    """Return whether a word is in no dictionary and may be a name; most words with several hyphens may."""
    word = s.word(at)
    if len(word) < 3 or not word[0].islower() or word.lower().endswith(("ing", "ed", "n't")) or {*word} & {"/", "@"}:
        return False
    strange = not s.common(at) or word.count("-") >= MANY_PARTS
    return strange and s.free(at)


SHAPES: Mapping[str, Callable[[Sentence, int], bool]] = {
    "acronym": lambda s, at: is_acronym(s.word(at)),
    "adverb": Sentence.is_adverb,
    "alpha": lambda s, at: s.word(at).isalpha(),
    "capital": Sentence.capital,
    "capital_only": lambda s, at: _confidence(s, at) == CAPITAL_ONLY,
    "code": lambda s, at: "::" in s.word(at) or "_" in s.word(at) or s.word(at).endswith((".pm", ".js", ".py")),
    "common": lambda s, at: is_common(s.lower(at)),
    "first_name": lambda s, at: is_first_name(s.word(at)) and _is_plain(s, at),
    "free": Sentence.free,
    "initial": lambda s, at: len(s.word(at)) == 1 and s.word(at).isupper(),
    "kind": _is_kind,
    "known": lambda s, at: s.known_at(at) is not None,
    "letter": lambda s, at: len(s.word(at)) == 1,
    "listed": lambda s, at: _confidence(s, at) >= LISTED,
    "lower": lambda s, at: s.word(at)[0].islower() and "/" not in s.word(at) and "@" not in s.word(at),
    "mark": lambda s, at: not s.tokens[at].word,
    "name_word": Sentence.is_name_word,
    "opening": Sentence.opens,
    "participle": Sentence.is_participle,
    "person_named_before": lambda s, at: s.lower(at) in s.persons,
    "phrase_end": _ends_phrase,
    "plain": _is_plain,
    "plural": lambda s, at: re.fullmatch(r"(?!lib).*[^sui]s", s.lower(at)) is not None,
    "shaped": lambda s, at: is_shaped(s.word(at)),
    "s": lambda s, at: s.lower(at).endswith("s"),
    "suffix": lambda s, at: s.word(at).startswith("-") and len(s.word(at)) > 1,
    "taken": _takes,
    "unlisted": _is_unlisted,
    "upper": lambda s, at: s.word(at).isupper(),
    "verbal": lambda s, at: s.lower(at).endswith(("ing", "ed", "n't")),
    "version": lambda s, at: re.fullmatch(r"v?[0-9][0-9.]{0,3}", s.word(at)) is not None,
    "weak": lambda s, at: 0 < _confidence(s, at) <= GUESS,
}
"""The shapes of words that cues refer to."""
