"""Finds the platforms and versions that a text names, and compares them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.extraction.verbs import third_person

PLATFORM: Final = re.compile(
    r"(?<![\w/.-])(?:Windows(?: Server)?(?: (?:\d{1,4}(?:\.\d)?|XP|Vista|NT)(?: ?\d\dH\d| R2| Pro| Home"
    r"| Enterprise)?)?|macOS(?: [A-Z][a-z]+)?(?: \d{1,2}(?:\.\d+){0,2})?|Mac OS X(?: \d+(?:\.\d+){0,2})?"
    r"|iOS(?: \d{1,2}(?:\.\d+){0,2})?"
    r"|Macs?|MacBooks?|iPhones?(?: \d{1,2})?|iPads?"
    r"|iPadOS(?: \d+(?:\.\d+){0,2})?|Android(?: \d{1,2}(?:\.\d)?)?|Ubuntu(?: \d\d\.\d\d(?: LTS)?)?"
    r"|Debian(?: (?:\d{1,2}(?:\.\d+)?|buster|bullseye|bookworm|trixie|forky|sid|stable|testing|unstable))?"
    r"|Fedora(?: \d{2})?|Red Hat(?: Enterprise Linux)?(?: \d(?:\.\d+)?)?|RHEL(?: ?\d(?:\.\d+)?)?|CentOS(?: \d)?"
    r"|Raspberry Pi(?: \d)?|ChromeOS|Linux|Wayland|X11"
    r"|Chrome(?: \d{2,3}(?:\.\d+){0,3})?|Firefox(?: \d{2,3}(?:\.\d+)?)?|Safari(?: \d{1,2}(?:\.\d+)?)?"
    r"|Edge(?: \d{2,3})?|Internet Explorer(?: \d+)?|Outlook(?: (?:\d{4}|365|for \w+))?|Office (?:\d{4}|365)"
    r"|Microsoft 365|Python \d(?:\.\d+){0,2}|Java \d+|Node(?:\.js)? \d+(?:\.\d+){0,2}|PHP \d(?:\.\d+){0,2}"
    r"|PostgreSQL \d+(?:\.\d+)?|MySQL \d(?:\.\d+)?|Docker \d+(?:\.\d+){0,2}"
    r"|Kubernetes \d(?:\.\d+){0,2})(?![\w/])(?!\.\w)"
)
VERSION_WORDS: Final = (
    r"\b(?:(?!(?:an?|and|at|by|for|from|get|got|had|has|have|in|is|my|need|needs|of|on|or|our|run|running|runs|since|the|this|to"
    r"|under|use|uses|using|was|with|your)\b)[A-Z][\w.+-]{1,30} )?(?:version|release|build|firmware) (?=[\w.-]*\d)"
    r"v?\d[\w.+~-]{0,30}(?: (?:or|and) (?:later|newer|higher|above|earlier|older|lower|below|up)\b| onwards?\b)?"
    r"|\bv\d+(?:\.\d+){1,3}\b"
)
_VERSION = re.compile(rf"(?i){VERSION_WORDS}")
COMPARED: Final = (
    r"(?:,? (?:and|or) (?:above|below|earlier|higher|later|lower|newer|older|up)\b| onwards?\b|\+"
    r"| (?:(?:older|newer|lower|higher|earlier|later|smaller|larger) than|below|above|before|up to) v?\d[\w.]*)"
)
_OF_A_KIND: Final = frozenset(
    """box boxes client clients computer computers desktop desktops device devices host hosts laptop laptops machine machines
    pc pcs phone phones server servers side system systems tablet tablets user users vm vms workstation workstations""".split()
)
"""The words after a platform for the machines and the people that have it."""
_BEHIND = re.compile(r" ([a-z]{3,})\b(?! ?[:/])")
_LIMIT = re.compile(
    r"(?i)\b(?!(?:above|after|as|before|below|for|from|in|of|on|since|than|to|under|until|up|with)\b)"
    r"(?P<name>[a-z][\w+-]*)(?: (?:versions?|releases?|builds?)(?= ))?(?: (?:is|are|was))?"
    r"(?P<before> (?:(?:older|newer|lower|higher|earlier|later|smaller|larger) than|below|above|before|up to))?"
    r" v?(?P<version>\d+(?:\.\d+){0,3})(?P<after>(?:,? (?:and|or) (?:above|below|earlier|higher|later|lower|newer|older|up)"
    r"| onwards?)\b|\+)?"
)
"""What a condition says about a version."""
_BELOW: Final = frozenset("older lower earlier smaller below before".split())
_ABOVE: Final = frozenset("newer higher later larger above".split())
_AT_MOST: Final = frozenset({"before", "until", "under"})
_AT_LEAST: Final = frozenset({"from", "since"})


def named_in(texts: Sequence[str], answers: Iterable[str] = ()) -> Iterator[str]:
    """Yield the platforms and versions in the sentences of a customer.

    Where it is the same, and what several browsers do, is no limit. Of a list of an environment only the first thing counts,
    which is the product's own version, and those that a helper names in `answers`.
    """
    listed = [pair for text in texts if _LISTING.fullmatch(text) is not None for pair in _PAIR.findall(text)]
    if len(listed) > 1:
        yield from _of_environment(listed, "\n".join(answers).casefold())
    else:
        listed = []
    anywhere = any(_SEVERAL_BROWSERS.search(text) is not None or _tried_in_browser(text) for text in texts)
    for text in texts:
        if listed and _LISTING.fullmatch(text) is not None:
            continue
        places = (
            [] if _ALSO.search(text) is not None else [each for each in PLATFORM.finditer(text) if _limits(text, each)]
        )
        found = (match.group().strip() for match in places)
        yield from (name for name in found if not (anywhere and _BROWSER.match(name) is not None))
        yield from (match.group().strip(" .") for match in _VERSION.finditer(text))


def _of_environment(listed: Sequence[tuple[str, str]], answer_text: str) -> Iterator[str]:
    own = next((at for at, pair in enumerate(listed) if PLATFORM.fullmatch(" ".join(pair)) is None), None)
    for at, (name, version) in enumerate(listed):
        if at == own or name.casefold() in answer_text:
            yield f"{name} {version}"


def _tried_in_browser(text: str) -> bool:
    return _ALSO.search(text) is not None and _BROWSER.search(text) is not None


_BROWSER_NAME: Final = r"(?:Chrome|Edge|Firefox|Internet Explorer|Opera|Safari)"
_BROWSER = re.compile(rf"(?i:\b{_BROWSER_NAME}\b)")
_SEVERAL_BROWSERS = re.compile(
    rf"(?i)\b{_BROWSER_NAME}(?: [\d.]+)?(?:,? (?:and|nor|or)|,| &)(?: (?:also |even )?(?:in|on|with))? {_BROWSER_NAME}\b"
    r"(?![^.!?]*\b(?:but|fine|only|unlike|whereas|while|works)\b)"
)
_ALSO = re.compile(
    r"(?i)\balso (?:\w+ )?(?:in|on|under|with)\b|\b(?:as well|too)\b(?! (?!in\b|on\b)\w)|\bsame (?:\w+ )?(?:in|on|under|with)\b"
    r"|\b(?:tested|tried)\b(?! to\b)|\b(?:exactly|it['’]?s|is|was|still|the) same\b|, same\b|\bno (?:change|difference|luck)\b"
)
"""The words of a sentence about where it is the same."""
_PAIR = re.compile(r"([A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*)?)[ =:]{1,2}v?(\d+(?:\.\d+)*(?: LTS)?)(?![\w.]*\w)")
_LISTING = re.compile(
    r"(?i)(?:(?:environment|my setup|setup|system|versions?)\s?:\s{0,2})?"
    r"(?:[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*)?[ =:]{1,2}v?\d+(?:\.\d+)*(?: LTS)?[,;/|. ]{0,3}(?:and )?){1,9}"
)
"""Nothing but names with their versions."""


_UPDATED = re.compile(
    r"(?:(?P<name>[A-Z][\w+-]{1,30}) (?:(?:was|were|got|has|have|had|been|just|automatically|recently|also|now) ){0,3}"
    r"(?:updated|upgraded)(?: itself| automatically){0,2}"
    r"|\b(?:[Uu]pdated|[Uu]pgraded) (?:(?:the|my|our|your) )?(?P<object>[A-Z][\w+-]{1,30})(?: from \S{1,12})?)"
    r" to (?:the )?(?:version |v)?(?P<version>\d+(?:\.\d+)+)"
)
_MUST_BE = re.compile(
    r"(?i)\b(?:the|your|both|all) (?:[\w-]+ ){1,3}?(?:has to|have to|must|needs? to|should) be (?:at least |on |running )*"
    rf"(?:build|firmware|release|version) v?\d[\w.]*{COMPARED}?(?: for (?-i:[A-Z])[\w.]*(?: \d[\w.]*)?)?"
)


def updated_to(texts: Iterable[str]) -> Iterator[str]:
    """Yield the versions to which something was updated, as "Huddlr 6.0", and those that it must have."""
    for text in texts:
        for match in _UPDATED.finditer(text) if "pdated" in text or "pgraded" in text else ():
            yield f"{match['name'] or match['object']} {match['version']}"
        for match in _MUST_BE.finditer(text) if " be " in text else ():
            yield match.group()[0].upper() + match.group()[1:].rstrip(".")


def answered_in(asked: Iterable[str], said: Iterable[str]) -> Iterator[str]:
    """Yield the versions with which customers answer a question for one: "Firmware 3.4.0" for "3.4.0"."""
    numbers = [match["version"] for text in said if (match := _BARE_VERSION.fullmatch(text.strip())) is not None]
    kinds = [match[1] for text in asked if (match := _ASKS_VERSION.search(text)) is not None] if numbers else []
    if len(set(numbers)) == 1 and kinds:
        yield f"{kinds[-1].capitalize()} {numbers[-1]}"


_BARE_VERSION = re.compile(
    r"(?i)(?:(?:it|that)(?:['’]s| is| says) |(?:it |mine )?says |i have )?"
    r"(?:(?:build|firmware|release|version) )?v?(?P<version>\d+(?:\.\d+){1,3})[.!]?"
)
_ASKS_VERSION = re.compile(r"(?i)\b(?:what|which)\b[^?.!]{0,40}?\b(build|firmware|release|version)\b[^?.!]{0,40}\?")


def replied_in(replies: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the model, the system or the version with which a customer answers a helper's question for it."""
    for question, reply in replies:
        if (asked := _ASKS_FOR.search(question)) is None and _ASKS_SYSTEM.search(question) is None:
            continue
        first, *others = _SENTENCE_END.split(reply.strip()[:_LONGEST_REPLY], maxsplit=2)
        if _ALSO.search(first.partition(",")[0]) is not None or _tried_in_browser(reply):
            continue
        kind = "system" if asked is None else asked[1].lower()
        parts, following = _parts(first), _parts(others[0] if others else "")
        yield from _named_reply(kind, parts)
        for part in (*parts[1:], *following[:1]):
            system = _SYSTEM.fullmatch(part)
            if system is not None and system["version"] is not None:
                yield f"{_system_name(system)}{system['version']}"


def _parts(text: str) -> list[str]:
    """Return the parts of a reply without the words around a name: "Nokia G22", "Android 12"."""
    bare = (_BEFORE_NAME.sub("", part.strip()) for part in _PART_END.split(text, maxsplit=_MOST_PARTS))
    return [_HEDGE.sub("", part).strip(" .") for part in bare][:_MOST_PARTS]


def _system_name(match: re.Match[str]) -> str:
    return next(name for name in _SYSTEMS if name.casefold() == match["name"].casefold())


def _model_of(parts: Sequence[str]) -> str | None:
    """Return the model that a reply names, in capitals: "Samsung A54" of "samsung, A54"."""
    if _MODEL.fullmatch(parts[0]) is not None and (_CODE.fullmatch(" ".join(parts[1:2])) is None or " " in parts[0]):
        return parts[0]
    match = _BRANDED.fullmatch(parts[0]) or _BRANDED.fullmatch(" ".join(parts[:2]))
    if match is None or not STOP_WORDS.isdisjoint(match["brand"].casefold().split()):
        return None
    code = match["code"]
    return f"{match['brand'].title()} {code.upper() if code[0].isalpha() and len(code) <= _SHORT_CODE else code}"


def _named_reply(kind: str, parts: Sequence[str]) -> Iterator[str]:
    if (system := _SYSTEM.fullmatch(parts[0])) is not None:
        name = _system_name(system)
        macos = name in {"Mac", "macOS"} and len(parts) > 1 and _MACOS.fullmatch(parts[1]) is not None
        yield f"macOS {parts[1].title()}" if macos else f"{name}{system['version'] or ''}"
        return
    if kind in _OF_MODEL and (model := _model_of(parts)) is not None:
        yield model
    for part in parts:
        if (numbered := _NUMBERED.match(part)) is not None:
            yield f"{_KINDS.get(numbered['kind'].lower(), numbered['kind'].capitalize())} {numbered['version']}"


_LONGEST_REPLY: Final = 200
"""Characters; a reply to "which version?" is short, and what follows is about other things."""
_MOST_PARTS: Final = 3
"""Parts of a reply: a device, its system and its version."""
_PART_END = re.compile(r"(?i)[,;]| (?:on|running|with)(?= )")
_HEDGE = re.compile(
    r"(?i)[ ,(]+(?:as far as i (?:know|remember)|i(?:['’]m| am)? (?:believe|guess|pretty sure|reckon|suppose|think)|if i remember"
    r"(?: it)?(?: (?:correctly|right(?:ly)?))?|maybe|probably)\W*$"
)
"""How sure a customer is of a name."""
_CODE = re.compile(r"(?i)(?=[a-z]{0,4}\d)(?=.{2,8}$)[a-z]{0,4}\d{1,4}[a-z]{0,3}")
_SHORT_CODE: Final = 4
"""Codes of models up to this length, such as "g22", are written in capitals; longer ones may be words."""
_BRANDED = re.compile(
    rf"(?i)(?P<brand>[A-Za-z]{{3,15}}(?: [a-z]{{3,15}})?) (?P<code>{_CODE.pattern.removeprefix('(?i)')}|\d{{1,2}})"
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n| but | and i ", re.IGNORECASE)
_OF_MODEL: Final = frozenset(
    """appliance bike camera car device edition laptop machine make model modem notebook phone printer product router switch
    tablet tv type watch""".split()
)
_ASKS_FOR = re.compile(
    r"(?i)\b(?:what|which)(?:['’]s| is| are)?(?: (?!steps?\b)\w+){0,2}? "
    rf"({'|'.join(sorted(_OF_MODEL))}|browser|build|firmware|macos|operating system|os|platform|release|system|version)\b"
    r"[^.!?]*\?"
)
_SYSTEMS: Final = (
    *(
        "Mac",
        "macOS",
        "Windows",
        "Linux",
        "Android",
        "iOS",
        "iPhone",
        "iPad",
        "iPadOS",
        "Ubuntu",
        "Debian",
        "Fedora",
        "ChromeOS",
    ),
    *("Chrome", "Firefox", "Safari", "Edge", "Opera"),
)
_SYSTEM = re.compile(rf"(?i)(?P<name>{'|'.join(_SYSTEMS)})(?P<version> \d[\w.]*| (?-i:[A-Z])[a-z]+)?")
_ASKS_SYSTEM = re.compile(
    rf"(?i)\b(?:{'|'.join(_SYSTEMS)})(?: (?:app|computer|laptop|pc|phone))?,? or(?: (?:an?|in|on|with))?"
    rf" (?:{'|'.join(_SYSTEMS)})\b[^.!?]*\?"
)
_MACOS = re.compile(r"(?i)big sur|catalina|monterey|sequoia|sonoma|tahoe|ventura")
_BEFORE_NAME = re.compile(
    r"(?i)^(?:(?:oh|ok|sorry|sure|um+|well|yes|it(?:['’]?s| is)|i(?:['’]?m| am)?(?: have| use| using| ride| drive| own)?"
    r"|that['’]?s|mine is|we (?:have|use)|an?|on|the|my|so)\b[, ]*)+"
)
_MODEL = re.compile(r"(?=.{3,40}$)(?:[A-Z\d][\w.+/-]*)(?: (?:[A-Z\d][\w.+/-]*|of|de)){0,4}")
_NUMBERED = re.compile(r"(?i)(?P<kind>build|firmware|fw|release|version) v?(?P<version>\d+(?:\.\d+){1,3})")
_KINDS: Final = {"fw": "Firmware"}


def _limits(text: str, match: re.Match[str]) -> bool:
    """Return whether a platform says where it happened, unlike "Outlook asks for a password" and "Windows line ends"."""
    if _is_part_of_a_name(text, match):
        return False
    if any(map(str.isdigit, match.group())):
        return True
    following = _BEHIND.match(text, match.end())
    if following is not None and following[1] == "only":
        return True
    return match.start() > 0 and (following is None or not _goes_on_a_name(following[1]))


def _is_part_of_a_name(text: str, match: re.Match[str]) -> bool:
    """Return whether a platform is in the name of an encoding, a menu or a format: "Windows-1252", "View > Linux Kernels"."""
    if (
        _IN_MENU.search(text, max(0, match.start() - 2), match.start()) is not None
        or _CODE_PAGE.match(text, match.start()) is not None
    ):
        return True
    joined = _JOINED.match(text, match.end())
    return joined is not None and joined[1].lower() not in _OF_A_KIND and not joined[1].endswith("ed")


_IN_MENU = re.compile(r"[>›→»]\s?$")
_CODE_PAGE = re.compile(r"(?i)windows[ -]?(?:125\d|874)\b")
_JOINED = re.compile(r"(?:-|\s(?=[A-Z]{3}|\.[a-z]))(?!GNU\b|LTS\b)(\.?\w+)")
"""What is after a platform in a name: "-Roman", "APK"."""


def _goes_on_a_name(word: str) -> bool:
    """Return whether a word is the rest of a compound."""
    return word not in STOP_WORDS and word not in _OF_A_KIND and third_person(word) is None and not word.endswith("ed")


def contradicts(condition: str, said: Iterable[str]) -> bool:
    """Return whether a condition names versions of a thing of which the customer has another version."""
    limits = list(_LIMIT.finditer(condition))
    return bool(limits) and any(_is_false(limit, condition, said) for limit in limits)


def _is_false(limit: re.Match[str], condition: str, said: Iterable[str]) -> bool:
    name = limit["name"]
    own = re.compile(
        rf"(?i)(?<![\w-]){re.escape(name)}(?:['’]s)?(?: (?:version|release|build|driver))?(?: (?:is|was|shows|says|here|already"
        r"|now|at|on|still)){0,3}[ :=(]{1,3}v?(\d+(?:\.\d+){0,3})"
    )
    versions = [_numbers(match[1]) for text in said for match in own.finditer(text)]
    return bool(versions) and not any(_meets(version, limit, condition) for version in versions)


def _meets(version: tuple[int, ...], limit: re.Match[str], condition: str) -> bool:
    bound = _numbers(limit["version"])
    size = min(len(version), len(bound))
    first = condition.split(maxsplit=1)[0].lower()
    words = {*(limit["before"] or "").lower().split(), *(limit["after"] or "").lower().split()}
    if words & _BELOW or first in _AT_MOST or "to" in words:
        return version < bound or (version[:size] == bound[:size] and limit["before"] is None)
    if words & (_ABOVE | {"up", "onward", "onwards", "+"}) or first in _AT_LEAST:
        return version > bound or (version[:size] == bound[:size] and limit["before"] is None)
    return version[:size] == bound[:size]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
