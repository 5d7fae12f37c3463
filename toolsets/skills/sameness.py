"""Whether two steps mean the same: by cosine, by verb and objects, and by what makes similar texts differ."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from toolsets.bm25 import terms
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import code_spans

SAME_MEANING: Final = 0.88
"""The cosine from which two steps or conditions count as the same. With the default embedder 9 of 12 pairs of paraphrases
reach it; of 15 pairs of different steps, those that reach it differ in a number or an opposite, which `differ` finds. A
miss only repeats a step in other words."""
NEGATIONS: Final = frozenset("not don't never without no cannot can't avoid doesn't mustn't shouldn't won't".split())
_TOKEN = re.compile(r"[\w'’.:/\\-]*\w")
_LEXICON = lexicon("actions")
_Opposites: TypeAlias = tuple[tuple[frozenset[str], frozenset[str]], ...]


def _pairs(name: str) -> _Opposites:
    sides = (phrase.split(" / ") for phrase in _LEXICON.phrases[name])
    return tuple((frozenset(one.split()), frozenset(other.split())) for one, other in sides)


_EXCLUSIVE: Final = _pairs("exclusive")
"""Pairs of opposites of which one excludes the other: the paper faces up or down."""
_OPPOSITES: Final = _EXCLUSIVE + _pairs("procedural")
"""Pairs of opposites: two texts differ in meaning if each has another side of a pair. Both sides of a procedural pair may be
steps of one procedure: the lid is opened, then closed."""
_ACTIONS: Final = {
    tuple(verb.split("+")): frozenset(name for name, verbs in _LEXICON.classes.items() if verb in verbs)
    for verbs in _LEXICON.classes.values()
    for verb in verbs
}
"""The classes of each verb, which is a tuple with the particle that it needs."""
_CLASSES: Final = frozenset(_LEXICON.classes)
_VERBS: Final = "|".join(sorted({verb for verb, *_ in _ACTIONS}))
_PARTICLES: Final = frozenset("off on out in cycle up down back".split())
_OPENING: Final = frozenset("also first finally next now please then".split())
_PARTED = re.compile(rf"(?i)(?<=[.!?])\s+(?=[A-Z])|[,;]? (?:and then|then) (?={_VERBS}\b)|,? and (?=(?:{_VERBS})\b)")
MAX_PARTS: Final = 4
"""The most parts into which a step is divided."""
LEAST_COSINE: Final = 0.6
"""The cosine from which equal verbs and objects make two steps the same."""


def is_same(one: str, other: str, cosine: float) -> bool:
    """Return whether two steps of this cosine mean the same."""
    if " ".join(one.casefold().split()) == " ".join(other.casefold().split()) and _code(one) == _code(other):
        return True
    if differ(one, other) or _act_differently(one, other):
        return False
    return cosine >= SAME_MEANING or (cosine >= LEAST_COSINE and _do_the_same(one, other))


def parts_of(step: str) -> tuple[str, ...]:
    """Return the instructions of a step, which another text may divide differently; one with code is not divided."""
    if "\n" in step or "`" in step:
        return (step,)
    parts = [part.strip(" ,;") for part in _PARTED.split(step) if part.strip(" .,;")]
    return tuple(parts) if 1 < len(parts) <= MAX_PARTS else (step,)


def _act_differently(one: str, other: str) -> bool:
    """Return whether two steps begin with verbs of which each is in a class, but never in the same one.

    The second verb counts if nothing else differs: "open the lid and clean the blade", "open the lid and oil the blade".
    """
    (actions, _), (others, _) = _actions_and_objects(one), _actions_and_objects(other)
    if actions.isdisjoint(others) and actions <= _CLASSES and others <= _CLASSES and actions and others:
        return True
    return _JOINED.search(one) is not None and _do_another_thing_then(one, other)


def _do_another_thing_then(one: str, other: str) -> bool:
    """Return whether two steps differ only in a verb after "and", which is in a class, and not in one of the other's."""
    words, others = (_JOINED.sub(" and ", text.casefold()).split() for text in (one, other))
    if len(words) != len(others):
        return False
    pairs = [(at, word, said) for at, (word, said) in enumerate(zip(words, others, strict=True)) if word != said]
    if len(pairs) != 1 or words[pairs[0][0] - 1] != "and":
        return False
    classes, other_classes = (_ACTIONS.get((verb,), frozenset()) for verb in pairs[0][1:])
    return bool(classes or other_classes) and classes.isdisjoint(other_classes)


_JOINED = re.compile(r"(?i)(?:,? and then|,? then|,? and) ")


def _do_the_same(one: str, other: str) -> bool:
    """Return whether two steps have verbs of one class and the same objects; one may describe them more closely."""
    (actions, objects), (others, other_objects) = _actions_and_objects(one), _actions_and_objects(other)
    if actions.isdisjoint(others) or len(parts_of(one)) != len(parts_of(other)):
        return False
    if objects == other_objects:
        return bool(objects)
    least, most = sorted((objects, other_objects), key=len)
    return len(least) > 1 and least < most and ">" not in one + other


@lru_cache(maxsize=512)
def _actions_and_objects(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the classes of the verb that a step begins with, and the terms of its objects."""
    words = [word.strip(".,:;!?").casefold() for word in text.split()]
    while words and words[0] in _OPENING:
        del words[0]
    if not words:
        return frozenset(), frozenset()
    verb, rest = words[0], words[1:]
    actions = _ACTIONS.get((verb,), frozenset())
    for particle in _PARTICLES.intersection(rest):
        actions = _ACTIONS.get((verb, particle), actions)
    return actions or frozenset({f"{verb} "}), frozenset(
        terms(" ".join(word for word in rest if word not in _PARTICLES))
    )


def differ(one: str, other: str) -> bool:
    """Return whether two similar texts differ in meaning: by opposites, a "not" in one, other numbers or other code."""
    code, other_code = _code(one), _code(other)
    if code and other_code and code != other_code:
        return True
    figures, other_figures = _figures(one), _figures(other)
    if figures and other_figures and figures.isdisjoint(other_figures):
        return True
    return are_opposite(one, other)


def are_opposite(one: str, other: str) -> bool:
    """Return whether one text has a negation that the other lacks, or each has another side of a pair of opposites."""
    words, others = _words(one), _words(other)
    if bool(words & NEGATIONS) != bool(others & NEGATIONS) and _negates(one, other) != _negates(other, one):
        return True
    # "Delete the profile and create one" has both sides, as "remove the profile, then make one" has in other words.
    pairs = [
        (left, right) for left, right in _OPPOSITES if not any(said & left and said & right for said in (words, others))
    ]
    return _has_opposites(words, others, pairs)


def _negates(text: str, other: str) -> bool:
    """Return whether a text has a negation, apart from a result to wait for that another text does not name.

    "Bleed it until no air comes out" forbids nothing that "bleed it" tells.
    """
    return not NEGATIONS.isdisjoint(_words(text if _RESULT.search(other) is not None else _RESULT.sub(" ", text)))


_RESULT = re.compile(r"(?i)\b(?:till|until)\b[^.,;:!?]*")


def _has_opposites(
    words: frozenset[str], others: frozenset[str], pairs: Sequence[tuple[frozenset[str], frozenset[str]]]
) -> bool:
    only, only_other = words - others, others - words
    return any((only & left and only_other & right) or (only & right and only_other & left) for left, right in pairs)


def contradict(one: str, other: str) -> bool:
    """Return whether a part of one step forbids what the other tells to do, or tells to do the opposite of it."""
    return any(_exclude(part, said) for part in _orders(one) for said in _orders(other))


@dataclass(frozen=True, slots=True)
class _Instruction:
    """A part of a step that tells to do something, whatever else is done."""

    words: frozenset[str]
    subject: frozenset[str]
    """The terms of its main clause without negations and opposites."""
    code: frozenset[str]

    @property
    def forbids(self) -> bool:
        return not NEGATIONS.isdisjoint(self.words)


@lru_cache(maxsize=512)
def _orders(step: str) -> tuple[_Instruction, ...]:
    """Return the parts of a step that tell to do something, whatever else is done."""
    unlimited = [part for part in parts_of(step) if _LIMITED.search(part) is None]
    main = [(_MAIN_CLAUSE.split(part, maxsplit=1)[0], part) for part in unlimited]
    return tuple(_Instruction(_words(clause), _subject(clause), _code(part)) for clause, part in main)


def _exclude(one: _Instruction, other: _Instruction) -> bool:
    if one.code != other.code:
        return False
    shared = one.subject & other.subject
    if one.forbids != other.forbids:
        # "Do not turn it off" and "Turn it on" agree.
        if _has_opposites(one.words - NEGATIONS, other.words - NEGATIONS, _OPPOSITES):
            return False
        forbidden = one.subject if one.forbids else other.subject
        return len(shared) >= _FORBIDDEN * len(forbidden) > 0
    if not _has_opposites(one.words, other.words, _EXCLUSIVE):
        return False
    alike = len(shared) > 1 and 2 * len(shared) >= max(len(one.subject), len(other.subject))
    return alike or (one.subject == other.subject and bool(one.subject))


def _subject(text: str) -> frozenset[str]:
    return frozenset(terms(" ".join(word for word in text.split() if _TURNING.isdisjoint(_words(word)))))


_TURNING: Final = NEGATIONS.union(*(side for pair in _OPPOSITES for side in pair), ("do", "does"))
_MAIN_CLAUSE = re.compile(r"(?i)[,;:]\s|\s[–—-]\s|\b(?:as|because|otherwise|since|so that it)\s")
_LIMITED = re.compile(r"(?i)\b(?:again|back|if|in case|instead|only|once|unless|until|when|while)\b")
"""Words by which a step limits when it applies, or tells to undo another one."""
_FORBIDDEN: Final = 0.8
"""The share of the terms of what is forbidden that a step has which contradicts it."""


def _code(text: str) -> frozenset[str]:
    """Return the commands, options and paths in a text, as written: in backticks, in lines of their own, or in prose."""
    spans = [text[start:stop].strip("`") for start, stop in code_spans(text)]
    spans += [line.strip() for line in text.split("\n")[1:] if line.strip()]
    found = (match.group().rstrip(".,;:!?)\"'") for part in (*spans, text) for match in _LITERAL.finditer(part))
    return frozenset(filter(None, (*spans, *found)))


_LITERAL = re.compile(r"(?<!\S)(?:--?[A-Za-z][\w-]*|(?:[~.]{0,2}/|[A-Za-z]:\\)\S+|\S*\*\S*)")


def _words(text: str) -> frozenset[str]:
    return frozenset(match.group().casefold().replace("’", "'").strip(".:'") for match in _TOKEN.finditer(text))


def _figures(text: str) -> frozenset[str]:
    return frozenset(word for word in _words(text) if any(c.isdigit() for c in word))
