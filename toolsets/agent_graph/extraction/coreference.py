"""Groups the names of each thing in a text into one referent, and resolves pronouns."""

from collections.abc import Iterator
from itertools import pairwise

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.lexicon import relations
from toolsets.agent_graph.extraction.model import EntityType, NamedEntity
from toolsets.agent_graph.extraction.sentence import NameMention, ParsedSentence, Reference, Referent
from toolsets.agent_graph.extraction.words import word_of

MAX_ALIASES = 32
"""The most aliases of an entity; within its text it is recognised by all of them."""
_THINGS: tuple[EntityType, ...] = ("project", "technology")


class Discourse:
    """The referents of one text."""

    def __init__(self) -> None:
        self._referents: list[Referent] = []
        self._by_name: dict[str, Referent] = {}
        self.persons: dict[str, Referent] = {}
        """The last person with each first or last name, in lower case."""
        self._latest: dict[str, Referent] = {}
        """The last referent of each type, and the last project or technology as "thing"."""
        self._topic: Referent | None = None

    def entities(self) -> tuple[NamedEntity, ...]:
        """Return all referents in the order of their first mention."""
        distinct = (thing for thing in self._referents if thing.same_as is None)
        return tuple(NamedEntity(thing.name, thing.type, thing.confidence, tuple(thing.aliases)) for thing in distinct)

    def resolve(self, sentence: ParsedSentence) -> None:
        """Resolve the mentions and pronouns of a sentence, and set its references."""
        known_as = {later: earlier for earlier, later in aliases(sentence)}
        mentions = {mention.first: mention for mention in sentence.mentions()}
        found: dict[int, Reference] = {}
        before, self._topic = self._topic or self._latest.get("thing"), None
        for place in sorted({*mentions, *sentence.places("pronoun")}):
            if (mention := mentions.get(place)) is None:
                reference = self._pronoun(sentence, place, before)
            else:
                referent = self._refer(mention)
                if mention in known_as:
                    self._join(found[known_as[mention].first].referent.final(), referent)
                reference = Reference(place, mention.last, referent.final())
            if reference is not None:
                found.update(dict.fromkeys(range(reference.first, reference.last), reference))
                opens = all(sentence.is_a(at, "<article>") for at in range(reference.first))
                if opens and reference.referent.type in _THINGS:
                    self._topic = reference.referent
        sentence.refer(found)

    def _pronoun(self, sentence: ParsedSentence, place: int, before: Referent | None) -> Reference | None:
        """Return the reference of a pronoun, or of a phrase such as "the team"; None if it refers to nothing known.

        "It" is the topic, the thing that opened this sentence, else `before`, the topic of earlier ones: On Windows, *it* uses X.
        """
        first = place
        if sentence.is_a(place, "it"):
            referent = self._topic or before
        elif sentence.is_a(place, "<personal>"):
            referent = self._latest.get("person")
        else:
            first = place - 1
            types = ("organization",) if sentence.is_a(place, "<body>") else (*_THINGS, "organization")
            referent = next((self._latest[kind] for kind in types if kind in self._latest), None)
        certainty = relations().confidence["pronoun"]
        return None if referent is None else Reference(first, place + 1, referent.final(), certainty)

    def _refer(self, mention: NameMention) -> Referent:
        """Return the referent of a mention; a first or last name alone refers to the last person who has it."""
        key = shadow(mention.name)
        referent = self._by_name.get(key) or (self.persons.get(key) if mention.type == "person" else None)
        if referent is None:
            referent = self._by_name[key] = Referent(mention.name, mention.type, mention.confidence)
            self._referents.append(referent)
            words = key.split()
            if mention.type == "person" and len(words) > 1:
                self.persons[words[0]] = self.persons[words[-1]] = referent
        elif mention.confidence > referent.confidence:
            referent.type, referent.confidence = mention.type, mention.confidence
        for inner in mention.inner:
            self._refer(inner)
        self._remember(referent)
        return referent

    def _remember(self, referent: Referent) -> None:
        self._latest[referent.type] = referent
        if referent.type in _THINGS:
            self._latest["thing"] = referent

    def _join(self, referent: Referent, other: Referent) -> None:
        """Record that `other` is another name of `referent`, which keeps the first `MAX_ALIASES` of them."""
        if referent is other or referent.same_as is not None:
            return
        known = {shadow(name) for name in (referent.name, *referent.aliases)}
        for name in (other.name, *other.aliases):
            self._by_name[shadow(name)] = referent
            if len(referent.aliases) < MAX_ALIASES and shadow(name) not in known:
                referent.aliases.append(name)
        if other.confidence > referent.confidence:
            referent.type, referent.confidence = other.type, other.confidence
        other.same_as = referent
        self._remember(referent)


def aliases(sentence: ParsedSentence) -> Iterator[tuple[NameMention, NameMention]]:
    """Yield pairs (the name, the other name) in order: X, also known as Y; X, formerly Y; X (Y) where one abbreviates."""
    for earlier, later in pairwise(sentence.mentions()):
        bracketed = any(behind == later.first for _, _, behind in sentence.fitting("abbreviation", earlier.last))
        if bracketed and (abbreviates(earlier.name, later.name) or abbreviates(later.name, earlier.name)):
            yield earlier, later
        for _, before, _ in sentence.fitting("also_known", later.first):
            bridged = all(sentence.is_a(at, "<alias_bridge>", "<noun>") for at in range(earlier.last, before + 1))
            doubtful = sentence.fits("doubtful_alias", earlier.first, earlier.last)
            if bridged and before >= earlier.last - 1 and not doubtful:
                yield earlier, later


def abbreviates(short: str, long: str) -> bool:
    """Return whether `short` consists of the initials of `long`, with or without minor words."""
    words = long.casefold().replace("-", " ").split()
    letters = [character.casefold() for character in short if character.isalpha()]
    if "[acronym]" not in word_of(short).features or len(long) <= len(short) or letters[0] != words[0][0]:
        return False
    initials = iter(word[0] for word in words)
    return all(letter in initials for letter in letters)
