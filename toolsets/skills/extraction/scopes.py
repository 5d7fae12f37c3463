"""Finds what a sentence limits itself to: a platform, a version, a kind of device, a setting."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.verbs import IMPERATIVES
from toolsets.skills.extraction.versions import COMPARED, PLATFORM, VERSION_WORDS

KIND = (
    r"(?:accounts?|android|app|architecture|browser|client|computers?|devices?|distributions?|drivers?|editions?|firmware|generation|kernel"
    r"|laptops?|licen[cs]e|machines?|macs?|models?|networks?|operating system|pcs?|plans?|platforms?|phones?|releases?"
    r"|routers?|series|servers?"
    r"|subscription|systems?|tablets?|tier|tenant|variant|versions?)"
)
"""The kinds of things to which an answer is limited."""
_SCOPE = re.compile(
    rf"(?i)^(?:note\W{{1,2}}(?:that )?)?(?P<scope>(?:as of|before|for|from|in|on|since|under|until|up to|with) "
    rf"(?:{PLATFORM.pattern}|(?:version |release )?v?\d+\.\d[\w.]*|{VERSION_WORDS}"
    rf"|(?:an? |the |your |all |older |newer |some )*(?:[\w.+-]{{1,20}} ){{0,2}}{KIND}(?: v?\d[\w.]*)?)"
    rf"{COMPARED}?)(?P<next>[,:]|\s+(?P<word>[a-z][\w-]*))"
)
_POINTS = re.compile(r"(?i)\b(?:that|these|this|those)\b")
_OF_A_TIME = re.compile(r"(?i)(?:as of|before|since|until|up to)\b")
_OF_A_PLACE = re.compile(r"(?i)(?:for|in|on|under|with)\b")
_AFTER_SCOPE: Final = IMPERATIVES | {"you", "please", "also", "only"}
"""The words with which a sentence goes on after a limit that has no number."""
_MACHINE = r"(?:app|browser|client|computer|device|laptop|machine|mac|network|pc|phone|router|server|system|tablet|workstation)"
_PLACE = re.compile(
    rf"(?i)(?:for|from|in|on|with) (?:the|your) {KIND}"
    rf"|(?:from|in|on) (?:the|your) (?!(?:all|newer|older|some)\b)(?-i:[a-z-]+ ){{0,2}}{_MACHINE}"
)
"""Where a step is done: "on your router", "on the licence server"."""


def limit_of(text: str) -> str | None:
    """Return the words with which a sentence limits itself: "On Android 13 and later"."""
    scope = _SCOPE.match(text)
    if scope is None or _POINTS.search(scope["scope"]) is not None or _PLACE.fullmatch(scope["scope"]) is not None:
        return None
    return scope["scope"] if _limits_what_follows(scope) else None


def _limits_what_follows(scope: re.Match[str]) -> bool:
    """Return whether a sentence begins with a limit, unlike "In Windows Settings", which names a place."""
    numbered = any(map(str.isdigit, scope["scope"]))
    if not numbered and _OF_A_PLACE.match(scope["scope"]) is None:
        return False
    word = scope["word"]
    if numbered and _OF_A_TIME.match(scope["scope"]) is not None:
        return True
    return word is None or (word[0].islower() and (numbered or word in _AFTER_SCOPE))


def limits_of_answer(limited: Sequence[str], later: AbstractSet[str]) -> list[str]:
    """Return the limited sentences whose limit may be one of the whole answer; `later` is what follows its first instruction.

    Sentences that are each for another version are not, nor is a later one that only explains what was said before it.
    """
    apart = _versions_apart(limited)
    return [
        text
        for text in limited
        if text not in apart and not (text in later and (_explains_before(text) or _OF_A_CASE.match(text) is not None))
    ]


_OF_A_CASE = re.compile(r"(?i)(?:and |but |only |so )?(?:assuming|if|in case|provided|unless|when|whenever)\b")
"""The beginning of a sentence for a case: "If you have the larger model, you need 3.01"."""


def names_the_step(circumstance: str, step: str) -> bool:
    """Return whether a circumstance begins like the step that a helper gave before it, or names little else."""
    words = terms(circumstance)
    known = frozenset(term for part in _PART_END.split(step) if not part.endswith("?") for term in terms(part))
    if len(words) > 1 and known.issuperset(words[:2]):
        return True
    return bool(words) and sum(word in known for word in words) >= _MOST * len(words)


_PART_END = re.compile(r"(?<=[.!?])\s+")
_MOST: Final = 0.5
"""With half of its words known, a limit is about the same case."""


def _versions_apart(texts: Iterable[str]) -> frozenset[str]:
    """Return the sentences that are each for another version."""
    found = {text: match["version"] for text in texts if (match := _OF_A_VERSION.match(text)) is not None}
    return frozenset(found) if len(set(found.values())) > 1 else frozenset()


_OF_A_VERSION = re.compile(
    r"(?i)(?:and |but )?(?:as of|before|from|if (?:it(?:['’]s| is)|you(?:['’]re| are| have| run| use))(?: on| running| using)?|in"
    r"|on|since|until|up to|with) (?:an? |the )?(?:(?:build|firmware|release|version) )?v?(?P<version>\d+(?:\.\d+){1,3})\b"
)


def _explains_before(text: str) -> bool:
    """Return whether a sentence only explains what was said before it: "That happens if ...", "On 4.3 this is the default"."""
    limit = limit_of(text) or ""
    return _BACK.match(text[len(limit) :].lstrip(" ,:")) is not None and _OBLIGES.search(text) is None


_BACK = re.compile(r"(?i)(?:and |but )?(?:it|that|this)(?:['’]s)? ")
_OBLIGES = re.compile(r"(?i)\b(?:cannot|must|needs?|not|only|requires?|unless|works?|\w+n['’]t)\b")


def without_alternative_platforms(found: Iterable[str], answers: Iterable[str]) -> Iterator[str]:
    """Yield conditions without the systems and browsers for which a helper has named an alternative."""
    others = [match["platform"] for text in answers for match in _ADVISED_FOR.finditer(text)]
    for text in found:
        lone = _LONE_PLATFORM.fullmatch(text) if others else None
        if lone is None or not any(_is_other(lone["platform"], platform) for platform in others):
            yield text


def _is_other(one: str, other: str) -> bool:
    kinds = [_BROWSERS.match(platform) is not None for platform in (one, other)]
    return kinds[0] == kinds[1] and one.casefold() != other.casefold()


_ADVISED_FOR = re.compile(
    r"(?:^|[,;] |\b(?:and|but|or) )(?i:for|if (?:it(?:['’]s| is)|you(?:['’]re| are| have| use))(?: on)?|on|with) "
    rf"(?i:an? |the |your )?(?P<platform>{PLATFORM.pattern})"
)
_LONE_PLATFORM = re.compile(rf"(?:(?:[A-Z][\w'’]*)(?: [a-z']+){{0,3}} )?(?P<platform>{PLATFORM.pattern}){COMPARED}?")
_BROWSERS = re.compile(r"Chrome(?!OS)|Edge|Firefox|Internet Explorer|Safari")


def settings_in(texts: Iterable[str]) -> Iterator[str]:
    """Yield the settings in which customers see their problem: "In dark mode", "In a locked quarter"."""
    for text in texts:
        yield from (capital(match.group()) for match in _SETTING.finditer(text))


_SETTING = re.compile(rf"\bin {lexicon('conditions').any_of('setting')}")


def plans_in(texts: Iterable[str]) -> Iterator[str]:
    """Yield the plans and the editions that customers say they have: "On the family plan"."""
    for text in texts:
        for match in _PLAN.finditer(text):
            end = _STOP.search(text, match.end())
            if end is None or end.group() != "?":
                yield f"On the {match['what']}"


_STOP = re.compile(r"[.!?\n]")
_PLAN = re.compile(
    r"(?i)\b(?:has|have|in|on|own|under|use|using|with) (?:an?|my|our|the) "
    r"(?P<what>(?!(?:current|good|new|next|old|other|right|same|wrong)\b)"
    r"(?:[\w-]+ ){1,2}?(?:edition|plan|subscription|tier))\b"
)


def of_some(texts: Iterable[str]) -> Iterator[str]:
    """Yield the things for which sentences say that something does not hold: "For a period that is closed"."""
    limiting = (text for text in texts if _DENIES.search(text) is not None)
    yield from (capital(match["what"]) for text in limiting if (match := _OF_SOME.search(text)) is not None)


_OF_SOME = re.compile(
    r"(?<= )(?P<what>(?:for|in|on|with) an? (?:[\w-]+ ){1,2}(?:that|which) (?:has|is|was) [^.,;:!?()]{3,60})"
)
_DENIES = re.compile(r"(?i)\b(?:cannot|not|only|\w+n['’]t)\b")


def obtained_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the terms of the steps that obtain something: "Download the driver"."""
    return frozenset(
        term for text in texts if (match := _OBTAINS.match(text)) is not None for term in terms(text[match.end() :])
    )


_OBTAINS = re.compile(rf"(?i)(?:then |first,? |please )?{lexicon('conditions').any_of('obtain')} ")


def capital(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[0].upper() + text[1:]


def is_whole(text: str) -> bool:
    """Return whether a condition has both marks of each quotation and parenthesis."""
    pairs = ("“”", "()", "„“") if "„" in text else ("“”", "()")
    return text.count('"') % 2 == 0 and all(text.count(opening) == text.count(closing) for opening, closing in pairs)


def requirement(before: str, said: str, rest: str) -> str:
    """Return a requirement such as "The dock needs 90 W"; the subject is left out if it is only "it"."""
    subject = before.rpartition(",")[2].strip()
    bare = re.sub(r"(?i)^(?:it|this|that) ", "", said)
    whole = f"{subject} {said} {rest}" if bare == said and 0 < len(subject.split()) <= 6 else f"{bare} {rest}"
    return capital(whole)
