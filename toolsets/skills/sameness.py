"""Whether two steps mean the same: by cosine, by verb and objects, and by what makes similar texts differ."""

import re
from functools import lru_cache
from typing import Final

from toolsets.bm25 import terms
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import code_spans

SAME_MEANING: Final = 0.88
"""The cosine from which two steps or conditions count as the same. With the default embedder 9 of 12 pairs of paraphrases
reach it; of 15 pairs of different steps, those that reach it differ in a number or an opposite, which `differ` finds. A
miss only repeats a step in other words."""
_OPPOSITES: Final = tuple(
    (frozenset(one.split("/")), frozenset(other.split("/")))
    for one, other in map(
        str.split,
        """
        on off
        in out
        up down
        left right
        first last
        before after
        more less
        old new
        do don't
        always never
        open close
        start stop
        show hide
        add/create/install/reinstall remove/delete/uninstall
        enable/activate/enabled disable/deactivate/disabled
        allow/unblock/accept block/deny/reject
        increase/raise decrease/lower/reduce
        check/select/tick uncheck/deselect/untick
        connect/plug/attach disconnect/unplug/detach
        mount unmount
        mute unmute
        lock unlock
        subscribe unsubscribe
        upgrade/update downgrade
        import export
        upload download
        encrypt decrypt
        maximum minimum
        public private
        """.strip().splitlines(),
    )
)
"""Pairs of opposites: two texts differ in meaning if each has another side of a pair."""
NEGATIONS: Final = frozenset("not don't never without no cannot can't avoid doesn't mustn't shouldn't won't".split())
_TOKEN = re.compile(r"[\w'’.:/\\-]*\w")
_LEXICON = lexicon("actions")
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
    """Return whether two steps begin with verbs of which each is in a class, but never in the same one."""
    (actions, _), (others, _) = _told(one), _told(other)
    return actions.isdisjoint(others) and actions <= _CLASSES and others <= _CLASSES and bool(actions and others)


def _do_the_same(one: str, other: str) -> bool:
    """Return whether two steps have verbs of one class and the same objects; one may describe them more closely."""
    (actions, objects), (others, other_objects) = _told(one), _told(other)
    if actions.isdisjoint(others) or len(parts_of(one)) != len(parts_of(other)):
        return False
    if objects == other_objects:
        return bool(objects)
    least, most = sorted((objects, other_objects), key=len)
    return len(least) > 1 and least < most and ">" not in one + other


@lru_cache(maxsize=512)
def _told(text: str) -> tuple[frozenset[str], frozenset[str]]:
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
    if bool(words & NEGATIONS) != bool(others & NEGATIONS):
        return True
    only, only_other = words - others, others - words
    return any(
        (only & left and only_other & right) or (only & right and only_other & left) for left, right in _OPPOSITES
    )


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
