"""A sentence while it is read: its tokens, the names in it, and the cues and phrases around them."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.cues import Choice, Cue, Edges, Term, cues, edges_of
from toolsets.agent_graph.extraction.lexicon import (
    KnownName,
    classes_of,
    is_common,
    is_first_name,
    is_participle,
    known_names,
    relation_words,
)
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.tokens import Token, is_acronym, is_shaped

MAX_WALK = 12
"""The most words of one kind in a row, such as adverbs, that a rule skips."""
MAX_ASIDE = 14
"""The most words of a parenthesis that is skipped."""
MAX_LISTED = 32
"""The most names of a list in one statement, which holds between each of its sources and each of its targets."""
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


@dataclass(slots=True, eq=False)
class Referent:
    """A thing with the names found so far; `same_as` is the referent that it turned out to be."""

    name: str
    type: EntityType
    confidence: float
    aliases: list[str] = field(default_factory=list[str])
    same_as: "Referent | None" = None

    def final(self) -> "Referent":
        """Return the final referent. Paths are compressed, so that a long chain of names is followed once."""
        whole = self
        while whole.same_as is not None:
            whole.same_as = whole.same_as.same_as or whole.same_as
            whole = whole.same_as
        return whole


@dataclass(frozen=True, slots=True)
class Reference:
    """The referent of the tokens `first` up to `last`; `certainty` is less than 1 for a pronoun."""

    first: int
    last: int
    referent: Referent
    certainty: float = 1.0


class Sentence:
    """Tokens with the names that are found in them, and what those refer to; a place outside has an empty word."""

    def __init__(self, text: str, tokens: Sequence[Token], persons: Container[str] = frozenset()) -> None:
        self.text = text
        self.tokens = tokens
        self.persons = persons
        """First and last names, in lower case, of persons mentioned before."""
        self.owner: list[Mention | None] = [None] * len(tokens)
        self.references: Mapping[int, Reference] = {}
        """The reference of each place that has one, once names are resolved."""
        self.subject: Sequence[Reference] = ()
        """The subject of the clause that was read last, for the verbs that share it."""

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

    def free(self, place: int) -> bool:
        """Return whether `place` is in the sentence and belongs to no mention."""
        return 0 <= place < len(self.tokens) and self.owner[place] is None

    def type_at(self, place: int) -> str:
        """Return the type that the word at `place` names, "" if it names none."""
        owner = self.owner[place] if 0 <= place < len(self.tokens) else None
        return "" if owner is None else owner.type

    def past(self, place: int, step: int, *classes: str) -> int:
        """Return the first place from `place` on, in steps of `step`, of which the word is in none of `classes`.

        It is at most `MAX_WALK` steps away.
        """
        end = place + step * MAX_WALK
        while place != end and self.is_a(place, *classes):
            place += step
        return place

    def past_aside(self, place: int) -> int:
        """Return the place after a parenthesis or a ", also known as ...," at `place`; else `place`."""
        if self.word(place) != "(" and not self.fits("aside", place):
            return place
        closer = ")" if self.word(place) == "(" else ","
        return next((at + 1 for at in range(place + 1, place + MAX_ASIDE) if self.word(at) == closer), place)

    def known_at(self, place: int) -> KnownName | None:
        """Return the longest listed name that begins at `place`, if one does."""
        for name in known_names().get(self.lower(place), ()):
            if name.is_at([token.text.replace("’", "'") for token in self.tokens[place : place + len(name.words)]]):
                return name
        return None

    def mention(self, first: int, last: int, kind: EntityType, confidence: float) -> Mention:
        """Return a mention of what the tokens `first` up to `last` name."""
        return Mention(first, last, self.name(first, last), kind, confidence)

    def enter(self, mentions: Iterable[Mention]) -> None:
        """Add the mentions whose words belong to no mention yet."""
        for mention in mentions:
            if all(self.free(place) for place in range(mention.first, mention.last)):
                self.owner[mention.first : mention.last] = [mention] * (mention.last - mention.first)

    def mentions(self) -> list[Mention]:
        """Return all mentions in order."""
        return [mention for mention, _ in groupby(self.owner) if mention is not None]

    def refer(self, references: Mapping[int, Reference]) -> None:
        """Replace the mentions with `references`, by each place that a reference covers."""
        self.references, self.owner = references, [None] * len(self.tokens)
        for place, at in references.items():
            self.owner[place] = Mention(at.first, at.last, at.referent.name, at.referent.type, at.referent.confidence)

    # Cues.

    def fitting(self, name: str, first: int, last: int | None = None) -> Iterator[tuple[Cue, int, int]]:
        """Yield the cues of a name that fit to the tokens `first` up to `last` and those around them, in order.

        With each the first place before and the first place behind the words that it is about.
        """
        last = first if last is None else last
        possible = self._open(name, first, last)
        for bit, cue in cues()[name].cues if possible else ():
            if not bit & possible or not cue.words[0] <= max(1, last - first) <= cue.words[1]:
                continue
            behind = self._walk(cue.here, last, 1)
            before = None if behind is None else self._walk(cue.before, first - 1, -1)
            if behind is not None and before is not None and self._is_named_so(cue, first, last):
                yield cue, before, behind

    def fits(self, name: str, first: int, last: int | None = None) -> bool:
        """Return whether one of the cues of a name fits."""
        possible = self._open(name, first, first if last is None else last)
        return possible != 0 and next(self.fitting(name, first, last), None) is not None

    def says(self, name: str, reference: Reference) -> bool:
        """Return whether one of the cues of a name fits to a reference."""
        return self.fits(name, reference.first, reference.last)

    def _open(self, name: str, first: int, last: int) -> int:
        """Return the mask of the cues that the words at the edges of a name do not rule out."""
        possible = cues()[name].mask & self._edges(last).here
        return possible and possible & self._edges(first - 1).before & self._edges(first).first

    def _edges(self, place: int) -> Edges:
        return self.tokens[place].edges if 0 <= place < len(self.tokens) else edges_of("")

    def _is_named_so(self, cue: Cue, first: int, last: int) -> bool:
        asked = ((cue.first, (first,)), (cue.last, (last - 1,)), (cue.every, range(first, last)))
        return all(self._is(term, place) for terms, places in asked for term in terms for place in places)

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
        if not 0 <= place < len(self.tokens):
            return bool(term.admits("", frozenset()))
        token = self.tokens[place]
        for choice in term.choices:
            fits = token.lower in choice.words or not choice.classes.isdisjoint(token.classes)
            if (fits or self._is_shaped(choice, place)) == choice.negated:
                return False
        return True

    def _is_shaped(self, choice: Choice, place: int) -> bool:
        if choice.types and (kind := self.type_at(place)) and (kind in choice.types or "name" in choice.types):
            return True
        return any(SHAPES[shape](self, place) for shape in choice.shapes) if choice.shapes else False

    # Phrases.

    def is_adverb(self, place: int) -> bool:
        """Return whether a word at `place` may stand between a verb's parts without changing who does what."""
        word = self.lower(place)
        return self.is_a(place, "adverb") or (word.endswith("ly") and len(word) > 4 and self.free(place))

    def opens(self, place: int) -> bool:
        """Return whether a capital at `place` may be owed to the position: the first word, or after a colon or a quote."""
        marked = self.word(place - 1) in {":", "“", '"', "•", "-", "*"}
        return marked or not any(token.word for token in self.tokens[max(0, place - 3) : place])

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

    def past_nouns(self, place: int, step: int) -> int:
        """Return the first place from `place` on that has no noun giving the type of a name, and is not part of one."""
        end = self.past(place, step, "noun", "kin_noun")
        return next((at for at in range(place, end, step) if at in self.references), end)

    def headed(self, place: int) -> Reference | None:
        """Return the reference that ends at `place`, or before the nouns there that give its type: the *X* plugin."""
        reference = self.references.get(self.past_nouns(place, -1))
        return None if reference is None or (reference.last <= place and self.says("kind", reference)) else reference

    def behind(self, reference: Reference) -> int:
        """Return the place after a reference, the noun that gives its type, and a parenthesis."""
        at = self.past_nouns(reference.last, 1)
        return self.past_aside(at) if self.lower(at) == "(" else at

    def preposition_of(self, reference: Reference) -> str:
        """Return the preposition that governs a reference, "" when none does: he and she are subjects, before *she* left."""
        before = self.past(reference.first - 1, -1, "article", "tracker", "quote")
        governed = self.is_a(before, "preposition") and self.lower(reference.first) not in {"he", "she"}
        return self.lower(before) if governed else ""

    def acts(self, reference: Reference) -> bool:
        """Return whether a reference begins a clause of its own."""
        at = self.behind(reference)
        opens = reference.first == 0 and self.fits("predicate_of_opener", at)
        return opens or reference.certainty < 1 or self.fits("finite_verb", at)

    def named_by(self, reference: Reference) -> Reference:
        """Return the later of two names of which the first is only a modifier: the LaTeX package Xy-pic."""
        return self.references.get(self.past_nouns(reference.last, 1), reference)

    def list_before(self, reference: Reference) -> list[Reference]:
        """Return `reference` with those before it in the same list, `MAX_LISTED` at most."""
        found = [reference]
        while len(found) < MAX_LISTED and (len(found) == 1 or not self.preposition_of(found[0])):
            at = self.past(found[0].first - 1, -1, "article", "tracker")
            if not self.is_a(at, "joiner") or (len(found) == 1 and self.lower(at) == ","):
                break
            at -= 2 if self.lower(at) != "," and self.lower(at - 1) == "," else 1
            earlier = self.references.get(self.past_nouns(at, -1))
            # No list names a thing twice: in "on X, and X is" a clause begins.
            if earlier is None or any(earlier.referent is item.referent for item in found):
                break
            found.insert(0, earlier)
        # A list of two has no comma: in "uses X, and Y is" a clause begins.
        comma = (self.lower(reference.first - 2), self.lower(reference.first - 1)) == (",", "and")
        is_object = self.preposition_of(found[0]) or self.is_a(found[0].first - 1, "verb", "subject_verb", "auxiliary")
        return [reference] if len(found) == 2 and comma and is_object else found

    def list_after(self, reference: Reference, joiners: str = "joiner", *, acting: bool = False) -> list[Reference]:
        """Return `reference` with those after it in the same list, `MAX_LISTED` at most.

        One that begins a clause of its own is no item, unless the items are `acting`.
        """
        found = [reference]
        while len(found) < MAX_LISTED:
            at = behind = self.behind(found[-1])
            while self.is_a(at, joiners) and at < behind + 3:
                at += 1
            explained = self.lower(at - 1) == "," and self.is_a(at, "article")
            item = self.past(at, 1, "article", "tracker")
            # An ordinary word among the items is passed over: Perl, *time* and Redis.
            item = next((further for _, _, further in self.fitting("plain_item", item)), item)
            later = self.references.get(item)
            if at == behind or later is None or (self.acts(self.named_by(later)) and not acting):
                break
            # In "X, the Y service" the one explains the other, unless the list goes on.
            if explained and not self.is_a(self.behind(later), "joiner"):
                break
            found.append(self.named_by(later))
        return found


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
    strange = not is_common(s.lower(at)) or word.count("-") >= MANY_PARTS
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
    "participle": lambda s, at: is_participle(s.lower(at)),
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
