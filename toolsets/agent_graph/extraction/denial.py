"""Cuts out of a sentence what it says is not so: contrasts, names under a negation, clauses that are doubted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.phrases import Unit
from toolsets.agent_graph.extraction.scene import Scene
from toolsets.agent_graph.extraction.sentence import Sentence
from toolsets.agent_graph.extraction.tokens import Token
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    AUXILIARIES,
    DOUBTFUL,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    SUBORDINATORS,
)

MAX_TO_NAME = 6
"""Words between a negation and the first name that it denies, and between the names of one list."""
_NOBODY = frozenset("neither none nobody nothing no".split())
"""With names behind them they are the subject or the object, of which nothing is true."""
_CONTRASTS = frozenset("unlike without except excluding".split())
_PAIRED_CONTRASTS = {"instead": "of", "rather": "than", "other": "than", "opposed": "to"}
_ALL = frozenset("anything everything anybody everybody anyone everyone all".split())
_NOT = frozenset({"not", "never"})
_ONLY = frozenset("only just merely simply".split())
_DENIES = frozenset(
    "deny denies denied denying doubt doubts doubted doubting wish wishes wished pretend pretends pretended".split()
)
_SAYS = frozenset("think believe say know claim expect".split())
_ENDS_CLAUSE = frozenset("; but although though while whereas however".split())
_LIST = frozenset(", and or nor & /".split())


@dataclass(frozen=True, slots=True)
class _Cut:
    """Tokens `first` up to `last` go; with `bars` a mark stands in their place over which no rule looks."""

    first: int
    last: int
    bars: bool


def affirmed(scene: Scene) -> Scene:
    """Return the sentence without what it denies; names that it only denies something of stay known, but state nothing."""
    cuts = list(_cuts(scene))
    return _without(scene, cuts) if cuts else scene


def _cuts(scene: Scene) -> Iterator[_Cut]:
    """Yield what is denied, in order and apart from one another."""
    place = behind = 0
    while place < len(scene.sentence):
        cut = None if place in scene.units else _cut_at(scene, place)
        if cut is None:
            place += 1
        else:
            yield _Cut(max(cut.first, behind), cut.last, cut.bars)
            place = behind = cut.last


def _cut_at(scene: Scene, place: int) -> _Cut | None:
    word = scene.lower(place)
    if word == "not" and scene.lower(place + 1) in _ONLY:
        return _Cut(place, place + 2, bars=False)
    if _is_clause_denied(scene, place):
        return _Cut(place, _clause_end(scene, place + 1), bars=True)
    if word in _NOBODY and scene.lower(place + 1) != "but":
        last = _names_end(scene, place + 1, nobody=True)
        return _Cut(place, last, bars=True) if last else None
    behind = _behind_contrast(scene, place)
    last = _names_end(scene, behind, nobody=False) if behind else 0
    return _aside(scene, place, last) if last else None


def _is_clause_denied(scene: Scene, place: int) -> bool:
    """Say whether all that follows in the clause is denied or doubted by the word at `place`."""
    word, before = scene.lower(place), scene.lower(place - 1)
    if word == "had" and place == 0:
        return True
    if word in _DENIES:
        return before not in NEGATIONS | _NOBODY
    if word in NEGATIONS and scene.lower(place + 1) in AUXILIARIES:
        return place + 2 in scene.units or scene.lower(place + 2) in ARTICLES
    if word in _SAYS:
        return before in NEGATIONS
    if word != "that":
        return False
    start = scene.verb_start(place - 1)
    return before in DOUBTFUL or any(scene.denies(at) for at in range(start, place)) or _is_not_said(scene, place)


def _is_not_said(scene: Scene, place: int) -> bool:
    """Say whether a negation stands shortly before the clause that begins at `place`: it is *not* true that."""
    for at in range(place - 1, max(-1, place - 5), -1):
        if at in scene.units or scene.lower(at) in _ENDS_CLAUSE or scene.lower(at) == ",":
            return False
        if scene.lower(at) in NEGATIONS:
            return scene.lower(at + 1) not in _ONLY
    return False


def _clause_end(scene: Scene, place: int) -> int:
    end = place
    while end < len(scene.sentence) and (end in scene.units or scene.lower(end) not in _ENDS_CLAUSE):
        end += 1
    return end


def _behind_contrast(scene: Scene, place: int) -> int:
    """Return the place behind words of contrast that begin at `place`: unlike, instead of, anything but; 0 when none do."""
    word, following = scene.lower(place), scene.lower(place + 1)
    if word in _CONTRASTS:
        return place + 1
    if _PAIRED_CONTRASTS.get(word) == following or (word in _ALL and following == "but"):
        return place + 2
    if word in _NOT and scene.lower(place - 1) not in AUXILIARIES:
        return place + 1
    return 0


def _names_end(scene: Scene, place: int, *, nobody: bool) -> int:
    """Return the place behind the names of which a word before `place` speaks, 0 when it speaks of none.

    With `nobody` the last of them may be the subject of what follows.
    """
    at, last = place, 0
    end = place + MAX_TO_NAME
    while at < end:
        unit = scene.units.get(at)
        if unit is None:
            if not _leads_to_name(scene, at, place):
                return last
            at += 1
            continue
        if last and not nobody and scene.acts(unit):
            return last
        last = scene.behind(unit)
        at = _next_item(scene, last, place)
        if not at:
            return last
        end = at + MAX_TO_NAME
    return last


def _leads_to_name(scene: Scene, at: int, place: int) -> bool:
    """Say whether a name that is denied may still come behind the word at `at`."""
    word = scene.lower(at)
    if not word[:1].isalpha() or word in AUXILIARIES or word in RELATIVES or word in SUBORDINATORS or word in _LIST:
        return False
    noun = at == place or scene.lower(at - 1) in ARTICLES
    return noun or not (scene.states(at) or word in NEGATIONS)


def _next_item(scene: Scene, last: int, place: int) -> int:
    """Return where the next item of a list may begin behind `last`; 0 when the list is over."""
    at = scene.sentence.past(last, 1, lambda near: scene.lower(near) in _LIST and near < last + 3)
    joiners = [scene.lower(near) for near in range(last, at)]
    if not joiners or (scene.lower(place - 1) == "neither" and "and" in joiners):
        return 0
    if joiners == [","]:
        item = scene.units.get(scene.sentence.past(at, 1, lambda near: scene.lower(near) in ARTICLES))
        return at if item is not None and scene.lower(scene.behind(item)) in _LIST else 0
    return at if at in scene.units or scene.lower(at) in ARTICLES | PREPOSITIONS else 0


def _aside(scene: Scene, first: int, last: int) -> _Cut:
    """Return the cut of a contrast with the marks and small words that set it off: , and not *X* ,"""
    negation = scene.lower(first) in _NOT
    if scene.lower(first - 1) == "as" or (negation and scene.lower(first - 1) in {"and", "but"}):
        first -= 1
    set_off = scene.lower(first - 1) == ","
    if set_off:
        first -= 1
    closes = "," if set_off or first == 0 else "but" if negation else ""
    return _Cut(first, last + 1 if closes and scene.lower(last) == closes else last, bars=False)


def _without(scene: Scene, cuts: Sequence[_Cut]) -> Scene:
    """Return the sentence without what is cut."""
    sentence = scene.sentence
    tokens: list[Token] = []
    moved: dict[int, int] = {}
    place = 0
    for cut in (*cuts, _Cut(len(sentence), len(sentence), bars=False)):
        for kept in range(place, cut.first):
            moved[kept] = len(tokens)
            tokens.append(sentence.tokens[kept])
        if cut.bars:
            start = sentence.tokens[cut.first].start
            tokens.append(Token(";", ";", start, start))
        place = cut.last
    units: dict[int, Unit] = {}
    for at, unit in scene.units.items():
        if at in moved and unit.first in moved:
            first = moved[unit.first]
            units[moved[at]] = Unit(first, first + unit.last - unit.first, unit.member, unit.sure)
    return Scene(Sentence(sentence.text, tokens, sentence.lexicon, sentence.persons), units)
