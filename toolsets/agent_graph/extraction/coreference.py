"""Groups the names of each thing in a text into one referent, and resolves pronouns."""

import re
from collections.abc import Container, Iterator
from itertools import pairwise

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.lexicon import classes_of, relations
from toolsets.agent_graph.extraction.model import Entity, EntityType
from toolsets.agent_graph.extraction.sentence import Mention, Reference, Referent, Sentence
from toolsets.agent_graph.extraction.tokens import is_acronym

MAX_ALIASES = 32
"""The most other names that a thing keeps; while its text is read, it is known by all of them."""
_THINGS: tuple[EntityType, ...] = ("project", "technology")
_NUMERONYM = re.compile(r"([A-Za-z]{1,3})([1-9][0-9]?)([A-Za-z]{1,3})")


class Discourse:
    """The referents of one text."""

    def __init__(self) -> None:
        self._referents: list[Referent] = []
        self._by_name: dict[str, Referent] = {}
        self._by_part: dict[str, Referent] = {}
        self._latest: dict[EntityType, Referent] = {}
        self._latest_thing: Referent | None = None
        self._topic: Referent | None = None

    @property
    def persons(self) -> Container[str]:
        """The first and last names of all persons, in lower case."""
        return self._by_part

    def entities(self) -> tuple[Entity, ...]:
        """Return all referents in the order of their first mention."""
        distinct = (thing for thing in self._referents if thing.same_as is None)
        return tuple(Entity(thing.name, thing.type, thing.confidence, tuple(thing.aliases)) for thing in distinct)

    def resolve(self, sentence: Sentence) -> None:
        """Find what the mentions and pronouns of a sentence refer to."""
        known_as = {later: earlier for earlier, later in aliases(sentence)}
        referents: dict[Mention, Referent] = {}
        found: dict[int, Reference] = {}
        before, self._topic = self._topic or self._latest_thing, None
        for place, mention in enumerate(sentence.owner):
            if mention is None:
                reference = self._pronoun(sentence, place, before, opener=found.get(0) or found.get(1))
            elif place == mention.first:
                referents[mention] = referent = self._refer(mention)
                if mention in known_as:
                    self._join(referents[known_as[mention]].final(), referent)
                reference = Reference(place, mention.last, referent.final())
            else:
                continue
            if reference is not None:
                found.update(dict.fromkeys(range(reference.first, reference.last), reference))
                opens = reference.first == 0 or (reference.first == 1 and sentence.is_a(0, "article"))
                if opens and reference.referent.type in _THINGS:
                    self._topic = reference.referent
        sentence.refer(found)

    def _pronoun(
        self, sentence: Sentence, place: int, before: Referent | None, *, opener: Reference | None
    ) -> Reference | None:
        """Return what a pronoun, or "the team" and the like, stands for, if that is clear.

        For "it", `before` is what it would have meant before the sentence: On Windows, *it* uses X. What was only
        mentioned in the sentence may be anything: It supports X, as *it* uses Y.
        """
        types: tuple[EntityType, ...] = ()
        first, certainty = place, relations().confidence["pronoun"]
        if sentence.lower(place) == "it":
            told_where = sentence.is_a(0, "preposition") and sentence.word(place - 1) == ","
            referent = before if told_where else self._topic or (self._latest_thing if opener else before)
            clear = referent is before or opener or sentence.is_a(0, "subordinator")
            return Reference(place, place + 1, referent.final(), certainty) if referent and clear else None
        if sentence.lower(place) in {"he", "she"}:
            types = ("person",)
        elif sentence.is_a(place, "team", "body") and sentence.lower(place - 1) in {"the", "this"}:
            first = place - 1
            types = ("organization",) if sentence.is_a(place, "body") else (*_THINGS, "organization")
        latest = next((self._latest[kind] for kind in types if kind in self._latest), None)
        return None if latest is None else Reference(first, place + 1, latest.final(), certainty)

    def _refer(self, mention: Mention) -> Referent:
        """Return the referent of a mention; a first or last name alone refers to the last person who has it."""
        key = shadow(mention.name)
        referent = self._by_name.get(key) or (self._by_part.get(key) if mention.type == "person" else None)
        if referent is None:
            referent = self._by_name[key] = Referent(mention.name, mention.type, mention.confidence)
            self._referents.append(referent)
            words = [word for word in key.replace(",", " ").split() if "generation" not in classes_of(word)]
            if mention.type == "person" and len(words) > 1:
                self._by_part[words[0]] = self._by_part[words[-1]] = referent
        elif mention.confidence > referent.confidence or (
            referent.type == "location" != mention.type and mention.confidence == referent.confidence
        ):
            referent.type, referent.confidence = mention.type, mention.confidence
        for inner in mention.inner:
            self._refer(inner)
        self._remember(referent)
        return referent

    def _remember(self, referent: Referent) -> None:
        self._latest[referent.type] = referent
        if referent.type in _THINGS:
            self._latest_thing = referent

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


def aliases(sentence: Sentence) -> Iterator[tuple[Mention, Mention]]:
    """Yield pairs (the name, the other name) in order: X, also known as Y; X, formerly Y; X (Y) where one abbreviates."""
    for earlier, later in pairwise(sentence.mentions()):
        bracketed = any(behind == later.first for _, _, behind in sentence.fitting("abbreviation", earlier.last))
        if bracketed and (abbreviates(earlier.name, later.name) or abbreviates(later.name, earlier.name)):
            yield earlier, later
        for _, before, _ in sentence.fitting("also_known", later.first):
            bridged = all(sentence.is_a(at, "alias_bridge", "noun") for at in range(earlier.last, before + 1))
            if bridged and before >= earlier.last - 1 and not _is_doubtful(sentence, earlier, later):
                yield earlier, later


def _is_doubtful(sentence: Sentence, earlier: Mention, later: Mention) -> bool:
    """Return whether a parenthesis may refer to the name before the preposition: Firefox for Debian (aka Iceweasel)."""
    shared = {*earlier.name.casefold().split()} & {*later.name.casefold().split()}
    return not shared and sentence.fits("doubtful_alias", earlier.first, earlier.last)


def abbreviates(short: str, long: str) -> bool:
    """Return whether `short` consists of the initials of `long`, with or without minor words, or is its numeronym."""
    words = long.casefold().replace("-", " ").split()
    letters = [character.casefold() for character in short if character.isalpha()]
    if not is_acronym(short) or len(long) <= len(short) or letters[0] != words[0][0]:
        return is_numeronym(short, long)
    initials = iter(word[0] for word in words)
    needed = [word for word in words if "initial_free" not in classes_of(word)]
    return all(letter in initials for letter in letters) and len(letters) * 3 >= len(needed) * 2


def is_numeronym(short: str, long: str) -> bool:
    """Return whether the digits in `short` count the letters that it omits from `long`: K8s for Kubernetes."""
    parts = _NUMERONYM.fullmatch(short)
    if parts is None or int(parts[2]) != len(long) - len(parts[1]) - len(parts[3]):
        return False
    whole = long.casefold()
    return whole.startswith(parts[1].casefold()) and whole.endswith(parts[3].casefold())
