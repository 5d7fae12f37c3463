"""Who and what a text has named so far: one record a thing, under all its names, and what a pronoun stands for."""

from collections.abc import Container
from dataclasses import dataclass, field

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.model import Entity, EntityType
from toolsets.agent_graph.extraction.sentence import Mention

_GENERATIONS = frozenset("jr jr. sr sr.".split())
MAX_ALIASES = 32
"""Other names that a thing keeps; it is known by all of them while its text is read."""
_THINGS: tuple[EntityType, ...] = ("project", "technology")


@dataclass(slots=True, eq=False)
class Member:
    """A thing with the names found until now."""

    name: str
    type: EntityType
    confidence: float
    aliases: list[str] = field(default_factory=list[str])
    same_as: "Member | None" = None
    """Whom it turned out to be."""

    def entity(self) -> Entity:
        """Return the thing as found."""
        return Entity(self.name, self.type, self.confidence, tuple(self.aliases))


class Cast:
    """The things of one text."""

    def __init__(self) -> None:
        self._members: list[Member] = []
        self._by_name: dict[str, Member] = {}
        self._by_part: dict[str, Member] = {}
        self._latest: dict[EntityType, Member] = {}
        self._latest_thing: Member | None = None
        self._topic: Member | None = None

    def resolve(self, mention: Mention) -> Member:
        """Return whom a mention names; a first or last name alone means the last person who bears it."""
        key = shadow(mention.name)
        member = self._by_name.get(key)
        if member is None and mention.type == "person":
            member = self._by_part.get(key)
        if member is None:
            member = self._enter(key, mention)
        elif mention.confidence > member.confidence or (
            member.type == "location" != mention.type and mention.confidence == member.confidence
        ):
            member.type, member.confidence = mention.type, mention.confidence
        self._remember(member)
        return member

    def _enter(self, key: str, mention: Mention) -> Member:
        member = Member(mention.name, mention.type, mention.confidence)
        self._members.append(member)
        self._by_name[key] = member
        words = [word for word in key.replace(",", " ").split() if word not in _GENERATIONS]
        if mention.type == "person" and len(words) > 1:
            self._by_part[words[0]] = self._by_part[words[-1]] = member
        return member

    def _remember(self, member: Member) -> None:
        self._latest[member.type] = member
        if member.type in _THINGS:
            self._latest_thing = member

    @property
    def persons(self) -> Container[str]:
        """The first and last names of all persons, in lower case."""
        return self._by_part

    def latest(self, *types: EntityType) -> Member | None:
        """Return who of the first of `types` that was named at all was named last."""
        return next((self._latest[kind] for kind in types if kind in self._latest), None)

    def latest_thing(self) -> Member | None:
        """Return the project or technology that the talk is of: that which opened the sentence, else that named last."""
        return self._latest_thing if self._topic is None else self._topic

    def speak_of(self, opener: Member | None) -> None:
        """Take note of what opens a sentence; None when nothing does that has a name."""
        self._topic = opener if opener is not None and opener.type in _THINGS else None

    def refocus(self, member: Member) -> None:
        """Take note that the talk is of `member`."""
        self._remember(member)

    def alias(self, member: Member, other: Member) -> None:
        """Take note that `other` is another name of `member`, which keeps the first `MAX_ALIASES` of them."""
        if member is other or member.same_as is not None:
            return
        for name in (other.name, *other.aliases):
            self._by_name[shadow(name)] = member
            if (
                len(member.aliases) < MAX_ALIASES
                and shadow(name) != shadow(member.name)
                and all(shadow(name) != shadow(known) for known in member.aliases)
            ):
                member.aliases.append(name)
        if other.confidence > member.confidence:
            member.type = other.type
        member.confidence = max(member.confidence, other.confidence)
        other.same_as = member
        self._remember(member)

    def entities(self) -> tuple[Entity, ...]:
        """Return all things, in the order in which they were first named."""
        return tuple(member.entity() for member in self._members if member.same_as is None)


def final(member: Member) -> Member:
    """Return whom a member turned out to be."""
    whole = member
    while whole.same_as is not None:
        whole = whole.same_as
    # The way is shortened, so that a long chain of names is walked once.
    while member.same_as is not None:
        member.same_as, member = whole, member.same_as
    return whole
