"""Removes what recovers an account or a wallet: phrases of several words, and answers to security questions."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.redaction.passwords import STRONG, STRONG_CUES
from toolsets.skills.redaction.replacement import PASSWORD, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import QUOTED, is_value, value_span

_FUNCTION_WORDS: Final = frozenset("the a an and or but so because when if that which to in on at of for with".split())
_PHRASE = re.compile(
    r"(?i)\b(?:(?:seed|recovery|secret|backup|wallet|mnemonic) (?:phrase|words)|pass[ -]?phrase)\b"
    r"[^\n:=]{0,30}(?:is|was|are|:|=)\s{1,2}([\"'“]?[A-Za-z]{2,14}(?:[,\"'”]?\s{1,2}[\"'“]?(?:[A-Za-z]{2,14}"
    r"|\d{1,8})){1,23}[\"'”]?)"
)
_NO_MEMBER = (
    "the|a|an|and|or|but|so|because|when|while|if|that|which|who|to|in|on|at|of|for|from|with|without|as|is|are|was|were|it"
    "|i|we|you|they|after|before|until|then|not|also|does|do|did|has|have|had|can|cannot|will|would|should|must|again"
    "|instead|twice|works|fails|failed|authentication|protection|encryption|protected|encrypted|prompts?|dialog|login"
    "|option|field|enabled|disabled|required|only|files?|caching|agent|support|mode"
)
_PHRASE_USED = re.compile(
    r"(?i)\b(?:with|using|used?|enter(?:ed)?|typed?|tried|set|chose|by|to) (?:(?:the|my|our|your|a|this) )?(?:\w{1,12} )?"
    r"(?:(?:seed|recovery|secret|backup|wallet|mnemonic) (?:phrase|words)|pass[ -]?phrase)\s{1,2}"
    rf"((?!(?:{_NO_MEMBER})\b)[A-Za-z]{{2,14}}(?:\s{{1,2}}(?!(?:{_NO_MEMBER})\b)(?:[A-Za-z]{{2,14}}|\d{{1,8}})){{1,23}})"
    r"(?![\w'’-])"
)
_PHRASE_BEFORE_VERB = re.compile(
    r"(?i)\b(?:(?:seed|recovery|secret|backup|wallet|mnemonic) (?:phrase|words)|pass[ -]?phrase)\s{1,2}"
    rf"((?!(?:{_NO_MEMBER})\b)[A-Za-z]{{2,14}}(?:\s{{1,2}}(?!(?:{_NO_MEMBER})\b)[A-Za-z]{{2,14}}){{3,23}})"
    r"(?=\s(?:does|do|did|is|was|are|has|gets|fails|failed|works|worked|won['’]t|doesn['’]t|didn['’]t|isn['’]t|and|but)\b"
    r"|\s[-–—]\s|[.,;:!?)\]>\"'`”…*]|\s{0,2}(?:\n|\Z))"
)
_SEVERAL_WORDS = re.compile(
    rf"(?i)(?<![\w-])(?:{STRONG})(?:(?P<link>\s(?:is|was|ist|est|es)|\s?[:=])\s{{1,2}}|\s{{1,2}})"
    rf"(?P<words>(?:(?!(?:{_NO_MEMBER})\b)[a-z]{{3,14}}\s){{3,7}}(?!(?:{_NO_MEMBER})\b)[a-z]{{3,14}})"
    r"(?=\s(?:and|but|or|for|to|before|after|when|again|on|in|at|does|did|is|was|und|et)\b|\s[-–—]\s|[.,;:!?)\]>\"'`”…*]"
    r"|\s{0,2}(?:\n|\Z))"
)
"""Four or more words in small letters next to the name of a password."""
_ABOUT: Final = frozenset(
    """every each single morning evening night day week month year today yesterday tomorrow anymore since ever still yet
    just even really very quite rather always often never sometimes user users page pages login browser reset manager
    policy prompt dialog account accounts system server sync rules rule generator store stores check checks length
    strength history expiry field fields you your they them their her his she him our its this these those what how why
    where there here get gets got see says said shows show sends send asks ask need needs want wants keep keeps make
    makes made let lets come comes came use uses used""".split()
)
"""Words of a sentence about a password, in which several words are not one."""
_NEVER_MEMBER = (
    "the|and|for|are|was|were|but|his|has|had|its|our|her|him|she|not|who|why|how|with|from|than|them|those|these|would"
    "|been|could|which|because|does|did"
)
"""Common words that the list of wallets' words (BIP 39) does not have."""
_MEMBER = rf"(?!(?:{_NEVER_MEMBER})\b)[A-Za-z]{{3,8}}(?!\w|['’]\w)"
_MEMBERS = re.compile(rf"(?i)(?<![\w'’]){_MEMBER}(?:[ ,\n]{{1,3}}(?:\d{{1,2}}[.)]?[ ]?)?{_MEMBER}){{7,}}")
_ANNOUNCED = re.compile(
    r"(?i)(?:\b(?:seed|mnemonic|wallet|phrase|words|keys?|are|was|ledger|trezor|metamask)\b[ ,\n:]{1,3}){1,6}"
)
_SHORTEST_SEED: Final = 12
"""The fewest words of a seed phrase by BIP 39."""
_SHORTEST_ANNOUNCED: Final = 8
"""Fewer words are taken if they are called a phrase: people leave some out."""
_QUESTION = r"(?:(?:security|secret|challenge|recovery) questions?)"
_ANSWER = rf"({QUOTED}|[\w@#$%&'’-]{{2,40}}(?:\s(?-i:[A-Z0-9])[\w'’-]{{1,30}}){{0,3}})"
_ANSWERED_WITH = r"\b(?:is|was|gave|give|answered?|typed?|put|enter(?:ed)?|type|chose|said|used?)\s{1,2}"
_SUBJECT = (
    r"\b(?:first|favou?rite|childhood|oldest|best) (?:pet|school|car|teacher|friend|street|dog|cat|book|movie|film|food|city|hero"
    r"|job|boss|phone|band|song|team|place)(?:['’]s name)?\b"
)
_SECURITY_ANSWERS: Final = (
    re.compile(
        r"(?i)\b(?:security|secret|challenge) (?:question['’]?s? )?answer\s?[:=]\s{1,2}"
        r"((?:[\w'’-]{2,30}[ ]){1,3}[\w'’-]{2,30})(?=[.,;!?\n]|\Z)"
    ),
    re.compile(rf"(?i)\bmaiden name(?: is| was|\s?[:=])?\s{{1,2}}{_ANSWER}"),
    re.compile(
        r"(?i)\b(?:(?:security|secret|challenge) (?:question['’]?s? )?answer|memorable (?:word|place|name|date"
        rf"|info(?:rmation)?))s?(?:\s(?:is|was)|\s?[:=])?\s{{1,2}}{_ANSWER}"
    ),
    re.compile(
        rf"(?i)\banswer (?:to|for) [^\n.]{{0,30}}?{_QUESTION}[^\n.]{{0,60}}?(?:\s(?:is|was)|\s?[:=])\s{{1,2}}{_ANSWER}"
    ),
    re.compile(
        rf"(?i)\b(?:answered|gave|typed|entered|put|chose)\s{{1,2}}{_ANSWER} (?:to|for|as|on|in|at) [^\n.]{{0,20}}?{_QUESTION}"
    ),
    re.compile(rf"(?i)\b{_QUESTION}[^\n]{{0,80}}?\banswer\s?[:=]\s{{1,2}}{_ANSWER}"),
    re.compile(
        rf"(?i)\b(?:asks?|asked|wants?|question)\b[^\n.!?]{{0,30}}?{_SUBJECT}[^\n.!?]{{0,30}}?\bi (?:always "
        rf"|then )?{_ANSWERED_WITH}"
        rf"{_ANSWER}"
    ),
    re.compile(rf"(?i)\b{_QUESTION}[^\n]{{0,80}}?\bi (?:have )?{_ANSWERED_WITH}{_ANSWER}"),
    re.compile(
        rf"(?i){_QUESTION}[^\n]{{0,80}}?{_SUBJECT}[^\n.?]{{0,40}}?(?:[?:]|{_ANSWERED_WITH}|\bcalled\s)[ \t]{{0,2}}{_ANSWER}"
    ),
    re.compile(rf"(?i){_SUBJECT}[^\n.]{{0,60}}?{_QUESTION}[^\n.]{{0,40}}?{_ANSWERED_WITH}{_ANSWER}"),
)
"""The answers after, before and between the words that name their question."""


def _phrases(text: str) -> str:
    for pattern in (_PHRASE, _PHRASE_USED, _PHRASE_BEFORE_VERB):
        spans = (match.span(1) for match in pattern.finditer(text))
        text = replace_spans(text, [span for span in spans if _is_phrase(text[slice(*span)])], PASSWORD)
    return text


def _is_phrase(words: str) -> bool:
    """Return whether words are a pass phrase; an ordinary sentence has an article or a conjunction among its first words."""
    said = words.split()
    if said[0].lower() in _DEGREES or not any(is_value(word, (0, len(word)), stated=True) for word in said):
        return False
    return not any(word in _FUNCTION_WORDS for word in said[:3])


_DEGREES: Final = frozenset("too very so quite rather still not never always being getting only just".split())
"""Words before what is said about a phrase: "too short"."""


def _several_words(text: str) -> str:
    found = (match for match in _SEVERAL_WORDS.finditer(text) if match["link"] is not None or not _runs_on(text, match))
    spans = (match.span("words") for match in found if _is_pass_phrase(match["words"]))
    return replace_spans(text, spans, PASSWORD)


def _runs_on(text: str, match: re.Match[str]) -> bool:
    """Return whether words without "is" are in the line below a name that does not stand alone in its own."""
    return "\n" in match.group().strip() and text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip() != ""


def _is_pass_phrase(words: str) -> bool:
    """Return whether words do not make a sentence: none of them but the first is said about passwords, and none is inflected."""
    first, *rest = words.lower().split()
    return first not in _ABOUT and all(
        word not in _ABOUT
        and word not in STOP_WORDS
        and not word.endswith(("ing", "ed", "ly"))
        and is_value(word, (0, len(word)))
        for word in rest
    )


def _seeds(text: str) -> str:
    return replace_spans(text, _seed_spans(text), PASSWORD)


def _seed_spans(text: str) -> Iterator[Span]:
    """Yield runs of words that may be a wallet's: twelve or more, or eight after a word that announces them."""
    for match in _MEMBERS.finditer(text):
        start, stop = match.span()
        named = _ANNOUNCED.search(text, max(0, start - 20), min(stop, start + 60))
        begin = start if named is None else max(start, named.end())
        count = len(text[begin:stop].split())
        if count >= (_SHORTEST_SEED if named is None else _SHORTEST_ANNOUNCED):
            yield begin, stop


def _security_answers(text: str) -> str:
    for pattern in _SECURITY_ANSWERS:
        spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
        text = replace_spans(text, (span for span in spans if _is_answer(text, span)), PASSWORD)
    return text


def _is_answer(text: str, span: Span) -> bool:
    start, stop = span
    first = text[start:stop].split(maxsplit=1)[:1]
    return bool(first) and is_value(text, (start, start + len(first[0])), stated=True)


_SEED_CUES: Final = (
    *"wallet seed mnemonic metamask ledger trezor".split(),
    *("recovery words", "recovery phrase", "backup phrase", "secret phrase", "12 words", "24 words", "twelve words"),
)
_QUESTION_CUES: Final = (
    *(
        "security question",
        "secret question",
        "challenge question",
        "recovery question",
        "security answer",
        "secret answer",
    ),
    *("challenge answer", "maiden", "memorable"),
    *(
        f"{kind} {thing}"
        for kind in ("first", "childhood", "oldest", "best")
        for thing in ("pet", "school", "car", "teacher", "friend")
    ),
    *(f"{kind} {thing}" for kind in ("first", "childhood", "oldest", "best") for thing in ("street", "dog", "cat")),
    "favourite ",
    "favorite ",
)
RECOVERY: Final[tuple[Rule, ...]] = (
    near_cues(_phrases, "phrase", "words"),
    near_cues(_several_words, *STRONG_CUES),
    near_cues(_seeds, *_SEED_CUES, after=4),
    near_cues(_security_answers, *_QUESTION_CUES),
)
"""Run before the rules for passwords, which would replace the first word of several."""
