"""Which names can be an end of a relation, and which only describe the noun beside them."""

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.patterns import THINGS, VERBS
from toolsets.agent_graph.extraction.phrases import Unit
from toolsets.agent_graph.extraction.scene import Scene
from toolsets.agent_graph.extraction.sentence import is_acronym, is_shaped
from toolsets.agent_graph.extraction.words import (
    HEADS,
    KINDS_OF_THINGS,
    PEOPLE,
    PROJECT_HEADS,
    TECHNOLOGY_HEADS,
)

_LANGUAGE = frozenset("programming scripting markup code".split())
_LONGEST_WORD = 24
GUESS = 0.6
"""How sure a name is of which hardly more is known than where it stands."""
_CONDITIONS = frozenset("if whether unless".split())
_TAKE_PARTS = frozenset({"USES", "DEPENDS_ON"})
"""Who uses a part of a thing uses the thing: uses Debian packages."""


class Ends:
    """Judges the names of one sentence."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def describes(self, unit: Unit, relation: RelationType) -> bool:
        """Say whether a name only describes the noun behind it: Debian packages."""
        following = self._scene.lower(unit.last)
        if following == "'s" or following.startswith("-") or following in PEOPLE:
            return True
        if relation in _TAKE_PARTS and self._scene.sentence.common(unit.last) and self._is_plain_guess(unit):
            return not (following in HEADS or self._ends_phrase(unit))
        if relation in _TAKE_PARTS and shadow(unit.member.name) in KINDS_OF_THINGS:
            names = following in HEADS or following in _LANGUAGE
            return self._scene.sentence.common(unit.last) and not (names or self._ends_phrase(unit))
        if relation in _TAKE_PARTS or not following.isalpha() or following.endswith("ed"):
            return False
        if following in HEADS:
            return HEADS[following] == "document" != unit.member.type or self._scene.is_kind(unit)
        return self._scene.sentence.common(unit.last) and not (self._ends_phrase(unit) or self._is_told(unit))

    def _is_told(self, unit: Unit) -> bool:
        """Say whether it is told after an ordinary word what a name is: the Django *web framework*."""
        scene, head = self._scene, self._scene.lower(unit.last + 1)
        known = head in HEADS and HEADS[head] in {"technology", "project"} and not head.endswith("s")
        return known and shadow(unit.member.name) not in KINDS_OF_THINGS and not scene.lower(unit.last).endswith("s")

    def _is_plain_guess(self, unit: Unit) -> bool:
        """Say whether only a capital tells that a word is a name."""
        last = self._scene.sentence.word(unit.last - 1)
        return unit.member.confidence <= GUESS and not (is_shaped(last) or is_acronym(last))

    def _ends_phrase(self, unit: Unit) -> bool:
        """Say whether the word behind a name goes on with the sentence, not with the noun that the name may describe."""
        scene, at = self._scene, unit.last
        joins = not scene.lower(at)[:1].isalnum() or scene.sentence.function_word(at)
        return joins or scene.lower(at) in VERBS or scene.is_adverb(at) or scene.sentence.capital(at)

    def may_be_kin(self, unit: Unit) -> bool:
        """Say whether a name can be that of a fork, a plugin and the like."""
        kind = shadow(unit.member.name) in KINDS_OF_THINGS or self._scene.lower(unit.last) == "/"
        return unit.member.type in THINGS and not kind

    def stands_for_itself(self, unit: Unit) -> bool:
        """Say whether a name is the last word of its noun phrase, and no mere abbreviation: the Y-based *X*."""
        behind = self._scene.lower(unit.last)
        ends = not behind[:1].isalnum() or self._scene.sentence.function_word(unit.last) or behind in VERBS
        called = self._scene.lower(unit.last - 1) in HEADS or is_acronym(self._scene.sentence.word(unit.last - 1))
        return ends and not called

    def is_whole(self, unit: Unit) -> bool:
        """Say whether no noun follows that a name may only describe, but one that says what it is."""
        behind = self._scene.lower(unit.last)
        heads = TECHNOLOGY_HEADS | PROJECT_HEADS
        return not behind[:1].isalnum() or behind in heads or self._scene.sentence.function_word(unit.last)

    def are_many(self, unit: Unit) -> bool:
        """Say whether a name only describes those who did it: by Kerberos clients."""
        following = self._scene.lower(unit.last)
        return following in HEADS and following.endswith("s")

    def are_whole(self, source: Unit, target: Unit) -> bool:
        """Say whether both ends are names by themselves, and neither stands under a condition: if X requires Y."""
        scene = self._scene
        if any(scene.is_part(unit) or scene.lower(unit.first - 1) in _CONDITIONS for unit in (source, target)):
            return False
        if scene.has_more(target):
            return False
        if self._is_word(target) and (scene.lower(target.first - 1) in {"a", "an"} or self._is_compound(target)):
            return False
        return not (self._is_word(target) and self._is_plural(target) and scene.lower(target.last) not in HEADS)

    def _is_compound(self, unit: Unit) -> bool:
        """Say whether a word within a phrase is made of two ordinary ones: with *bruteforce* and."""
        if not self._scene.lower(unit.last)[:1].isalpha():
            return False
        word, is_common = self._scene.lower(unit.first), self._scene.sentence.lexicon.is_common
        return any(
            is_common(word[:cut]) and is_common(word[cut:]) for cut in range(3, min(len(word) - 2, _LONGEST_WORD))
        )

    def _is_plural(self, unit: Unit) -> bool:
        word = self._scene.lower(unit.first)
        return word.endswith("s") and not word.endswith(("ss", "us", "is")) and not word.startswith("lib")

    def _is_word(self, unit: Unit) -> bool:
        """Say whether nothing but its place tells that an uncapitalised word is a name."""
        plain = self._scene.lower(unit.first).isalpha() and not self._scene.sentence.capital(unit.first)
        return plain and unit.member.confidence <= GUESS
