"""A sentence being read: its tokens, the names in it, and the cues and phrases around them."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from toolsets.agent_graph.extraction.cues import Cue, Kind, Term, cues, kind_of, mask_of
from toolsets.agent_graph.extraction.lexicon import KnownName
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.tokens import Token
from toolsets.agent_graph.extraction.words import FREE, word_of

MAX_WALK = 12
"""The most consecutive words of one kind, such as adverbs, that a rule skips."""
MAX_ASIDE = 14
"""The most words of a parenthesis that is skipped."""
MAX_LISTED = 32
"""The most names of a list in one statement, which relates each of its sources to each of its targets."""
LISTED, GUESS = 0.9, 0.6
"""The least confidence of a listed name, and the highest of a name that is guessed from its place."""
_MARGIN = 64
"""The number of places beyond each end of a sentence at which rules may look."""
_ONLY_FREE = frozenset({FREE, "[adverb]", "[name_word]"})
"""Features that a word loses within a name."""


@dataclass(frozen=True, slots=True)
class NameMention:
    """A mention of a name: tokens `first` up to, not including, `last`."""

    first: int
    last: int
    name: str
    type: EntityType
    confidence: float
    inner: tuple["NameMention", ...] = ()
    """Names within the name that are entities, too."""


@dataclass(slots=True, eq=False)
class Referent:
    """A thing that the text names; `same_as` is the referent that it turned out to be."""

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


@lru_cache(maxsize=4_096)
def _within_name(own: frozenset[str], entity_type: EntityType, confidence: float) -> tuple[frozenset[str], Kind]:
    """Return the features and the kind of a word with the features `own` as a part of a name."""
    features = {"{name}", f"{{{entity_type}}}"}
    if confidence >= LISTED:
        features.add("[listed]")
    if confidence <= GUESS:
        features.add("[weak]")
    all_features = own - _ONLY_FREE | features
    return all_features, kind_of(all_features)


class ParsedSentence:
    """The tokens of a sentence, the names found in them, and their referents.

    Each word has features, which cues test: its own, and those of the name that it belongs to. A place outside the sentence
    has an empty word.
    """

    def __init__(self, text: str, tokens: Sequence[Token], persons: Container[str] = frozenset()) -> None:
        self.text = text
        self.tokens = tokens
        self.words = [token.word for token in tokens] + [word_of("")] * _MARGIN
        """The words, then empty ones, which also stand before the sentence because negative indexes count from the end."""
        self.features = [word.features for word in self.words]
        self.kinds = [word.kind for word in self.words]
        self.known: dict[int, KnownName] = {}
        """The longest listed name that begins at a place."""
        self.owner: dict[int, NameMention] = {}
        """The mention that each word of a name belongs to."""
        self.references: Mapping[int, Reference] = {}
        """The reference of each place that has one, once names are resolved."""
        self.subject: Sequence[Reference] = ()
        """The subject of the last clause, for later verbs that share it."""
        for place in [place for place, word in enumerate(self.words) if word.names or word.lower in persons]:
            seen = {"[person_named_before]"} if self.words[place].lower in persons else set[str]()
            if (name := self._known_at(place)) is not None:
                self.known[place] = name
                seen |= {"[known]", f"[known_{name.type}]"}
            self.features[place] |= seen
            self.kinds[place] = kind_of(self.features[place])

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def name(self, first: int, last: int) -> str:
        """Return the text of the tokens `first` up to `last`, with single spaces."""
        return " ".join(self.text[self.tokens[first].start : self.tokens[last - 1].end].split())

    def is_a(self, place: int, *features: str) -> bool:
        """Return whether the word at `place` has one of the `features`."""
        return not self.features[place].isdisjoint(features)

    def past(self, place: int, step: int, *features: str) -> int:
        """Return the first place from `place` on, in steps of `step`, whose word has none of `features`.

        It is at most `MAX_WALK` steps away.
        """
        end = place + step * MAX_WALK
        while place != end and not self.features[place].isdisjoint(features):
            place += step
        return place

    def past_aside(self, place: int) -> int:
        """Return the place after a parenthesis at `place`; else `place`."""
        ends = (at + 1 for at in range(place + 1, place + MAX_ASIDE) if self.is_a(at, ")"))
        return next(ends, place) if self.is_a(place, "(") else place

    def mention(self, first: int, last: int, kind: EntityType, confidence: float) -> NameMention:
        """Return a mention of the name in the tokens `first` up to `last`."""
        return NameMention(first, last, self.name(first, last), kind, confidence)

    def enter(self, mentions: Iterable[NameMention], *, over: float = 0.0) -> None:
        """Add the mentions that overlap no other, or only others with a confidence of at most `over`, which they replace."""
        for mention in mentions:
            places = range(mention.first, mention.last)
            rivals = {self.owner[place] for place in places if place in self.owner}
            if all(rival.confidence <= over for rival in rivals):
                for place in (place for rival in rivals for place in range(rival.first, rival.last)):
                    del self.owner[place]
                    self._name(place, None)
                for place in places:
                    self.owner[place] = mention
                    self._name(place, mention)

    def mentions(self) -> list[NameMention]:
        """Return all mentions in order."""
        return [mention for place, mention in sorted(self.owner.items()) if place == mention.first]

    def refer(self, references: Mapping[int, Reference]) -> None:
        """Set the references, keyed by each place that they cover."""
        self.references = references
        for place, reference in references.items():
            self._name(place, reference.referent)

    def _known_at(self, place: int) -> KnownName | None:
        for name in self.words[place].names:
            here = self.words[place : place + len(name.words)]
            if name.words == tuple(word.text if name.exact else word.lower for word in here):
                return name
        return None

    def _name(self, place: int, thing: NameMention | Referent | None) -> None:
        """Note that a word belongs to the name of `thing`."""
        word = self.words[place]
        self.features[place], self.kinds[place] = (
            (word.features, word.kind) if thing is None else _within_name(word.features, thing.type, thing.confidence)
        )

    # Cues.

    def fitting(self, name: str, first: int, last: int | None = None) -> Iterator[tuple[Cue, int, int]]:
        """Yield the cues of a name that match the tokens `first` up to `last` and those around them, in order.

        Each comes with the first place before and the first place after the words that it matches.
        """
        last = first if last is None else last
        open_ = mask_of(name) & self.kinds[last].here & self.kinds[first - 1].before & self.kinds[first].first
        for cue in cues()[name] if open_ else ():
            if cue.bit & open_ and cue.words[0] <= max(1, last - first) <= cue.words[1]:
                behind = self._walk(cue.here, last, 1)
                before = None if behind is None else self._walk(cue.before, first - 1, -1)
                if behind is not None and before is not None and self._is_named(cue, first, last):
                    yield cue, before, behind

    def fits(self, name: str, first: int, last: int | None = None) -> bool:
        """Return whether one of the cues of a name matches."""
        return next(self.fitting(name, first, last), None) is not None

    def places(self, name: str) -> list[int]:
        """Return the places of the single words that a cue of a name matches."""
        mask, kinds = mask_of(name), self.kinds
        likely = [place for place in range(len(self)) if kinds[place].first & mask & kinds[place + 1].here]
        return [place for place in likely if self.fits(name, place, place + 1)]

    def says(self, name: str, reference: Reference) -> bool:
        """Return whether one of the cues of a name matches a reference."""
        return self.fits(name, reference.first, reference.last)

    def _is_named(self, cue: Cue, first: int, last: int) -> bool:
        asked = ((cue.last, self.kinds[last - 1 : last]), (cue.every, self.kinds[first:last]))
        return all(kind.choices & needed == needed for needed, kinds in asked for kind in kinds)

    def _walk(self, terms: Sequence[Term], place: int, step: int) -> int | None:
        """Return the place after all `terms`, matched in steps of `step` from `place` on; None if they do not match."""
        for term in terms[::step]:
            start, end = place, place + step * (MAX_WALK if term.repeat == "*" else 1)
            while place != end and self.kinds[place].choices & term.choices == term.choices:
                place += step
            if place == start and not term.repeat:
                return None
        return place

    # Phrases.

    def headed(self, place: int) -> Reference | None:
        """Return the reference that ends at `place`, or before the nouns there that give its type: the *X* plugin."""
        reference = self.references.get(self.past(place, -1, "<head_noun>"))
        return None if reference is None or (reference.last <= place and self.says("kind", reference)) else reference

    def behind(self, reference: Reference) -> int:
        """Return the place after a reference, the noun that gives its type, and a parenthesis."""
        return self.past_aside(self.past(reference.last, 1, "<head_noun>"))

    def is_governed(self, reference: Reference) -> bool:
        """Return whether a preposition governs a reference; he and she are always subjects: before *she* left."""
        before = self.past(reference.first - 1, -1, "<article>", "<tracker>")
        return self.is_a(before, "<preposition>") and not self.is_a(reference.first, "he", "she")

    def acts(self, reference: Reference) -> bool:
        """Return whether a reference is the subject of a clause of its own."""
        at = self.behind(reference)
        opens = reference.first == 0 and self.fits("predicate_of_opener", at)
        return opens or reference.certainty < 1 or self.fits("finite_verb", at)

    def named_by(self, reference: Reference) -> Reference:
        """Return the later of two names of which the first is only a modifier: the LaTeX package Xy-pic."""
        return self.references.get(self.past(reference.last, 1, "<head_noun>"), reference)

    def list_before(self, reference: Reference) -> list[Reference]:
        """Return `reference` with those before it in the same list, `MAX_LISTED` at most."""
        found = [reference]
        while len(found) < MAX_LISTED:
            at = self.past(found[0].first - 1, -1, "<article>", "<tracker>")
            if not self.is_a(at, "<joiner>") or (len(found) == 1 and self.is_a(at, ",")):
                break
            at -= 2 if not self.is_a(at, ",") and self.is_a(at - 1, ",") else 1
            earlier = self.references.get(self.past(at, -1, "<head_noun>"))
            if earlier is None:
                break
            found.insert(0, earlier)
        # A list of two names has no comma: in "uses X, and Y is", a clause begins after the comma.
        comma = self.is_a(reference.first - 2, ",") and self.is_a(reference.first - 1, "and")
        done = self.is_a(found[0].first - 1, "<verb>", "<subject_verb>", "<auxiliary>") or self.is_governed(found[0])
        return [reference] if len(found) == 2 and comma and done else found

    def list_after(self, reference: Reference, joiners: str = "<joiner>", *, acting: bool = False) -> list[Reference]:
        """Return `reference` with those after it in the same list, `MAX_LISTED` at most.

        A name that is the subject of a clause of its own is not an item, unless the items are `acting`, subjects themselves.
        """
        found = [reference]
        while len(found) < MAX_LISTED:
            behind = self.behind(found[-1])
            at = self.past(behind, 1, joiners)
            item = self.past(at, 1, "<article>", "<tracker>")
            # An ordinary word among the items is skipped: Perl, *time* and Redis.
            item = next((further for _, _, further in self.fitting("plain_item", item)), item)
            later = self.references.get(item)
            if at == behind or later is None or (self.acts(self.named_by(later)) and not acting):
                break
            found.append(self.named_by(later))
        return found
