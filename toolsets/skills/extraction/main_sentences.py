"""Finds the sentence that says most about a problem."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from toolsets.skills.extraction.verbs import is_verb, third_person
from toolsets.skills.redaction import without_holes

HOW = re.compile(
    r"(?i)^.*?\b(?P<asked>how (?:do|can|should|would|could|might|must) (?:i|we|you|one)|how to|is there (?:a"
    r"|any) (?:\w+ )?(?:way|method|command|option) (?:to|for me to|of|that lets me)|is it possible to|what(?:'s"
    r"| is) the (?:\w+ )?(?:way|command|procedure) to|(?:i|we)(?:'m| am| are)? (?:want|need|would like|trying"
    r"|looking|'d like) to)\s+(?P<rest>(?:[^?.!]|[.!?](?=[^\s\"'?)])|\.(?= [-/&|~.]))+)"
)
_BARE_QUESTION = re.compile(r"(?i)\w+(?: \w+)? (?:it|that|this|them)\W*")
"""The rest of a question that names no thing: "stop it"."""
ANNOUNCES = re.compile(
    r"(?i)\b(?:with|says?|said|prints?|printed|shows?|reports?|returns?|gives?|reads?|is|by"
    r"|(?P<noun>errors?|following|messages?))$"
)
ANNOUNCED = re.compile(
    r"(?i)(?:well,? |so,? )?(?:it['’]?s|it is|this is)(?: all)?(?: about)? (?P<what>(?:my|our|the) [\w-]+[^.!?;:]{0,50}?)[.!]?"
)
"""A sentence that names the thing only: "It's my earbuds, the Air 3"."""


PRODUCT_FIELD: Final = "Product:"
"""The beginning of the sentence that names a ticket's product."""


def main_sentence(problem: Sequence[str]) -> str:
    """Return the most informative sentence of a problem, the first of equal ones, without placeholders."""
    bare = [bare_text for each in problem if (bare_text := without_holes(_after_hole(each))).strip(" .")] or list(
        problem
    )
    printed = [is_printed(each) or before.endswith(":") for before, each in zip(("", *bare), bare, strict=False)]
    weights = [
        _weight(each) - _PRINTED_COUNTS_LESS * here + (after and ANNOUNCES.search(each.rstrip(".:")) is not None)
        for each, here, after in zip(bare, printed, (*printed[1:], False), strict=True)
    ]
    return max(zip(weights, bare, strict=True), key=lambda pair: pair[0])[1]


_PRINTED_COUNTS_LESS: Final = 9
"""More than the words of a sentence can weigh, so that a printed one is only taken if there is no other."""


def _after_hole(sentence: str) -> str:
    """Return the clause after a removed value if it can stand alone: "the page is blank" of "I log in with [email] and ..."."""
    hole = _LAST_HOLE.match(sentence) if "[" in sentence else None
    return sentence if hole is None or without_holes(sentence) == sentence else hole["rest"]


_LAST_HOLE = re.compile(
    r"(?i).*\[[\w ]{3,30}\][^\[\],.;:]{0,40}?(?:,? (?:and|but|so|then)(?: then)?|[,;:]) (?P<rest>(?:it|i|my|nobody|nothing|our"
    r"|the|then|there|they|this|we) [^\[\]]{8,})"
)


def _weight(sentence: str) -> int:
    """Return how much a sentence says about the problem."""
    question = (match := HOW.match(sentence)) is not None and _BARE_QUESTION.fullmatch(match["rest"]) is None
    # What did not change, and what the customer does not understand, is beside the matter.
    relevant = _BESIDE_THE_MATTER.sub(" ", sentence) if "n" in sentence else sentence
    # A message alone says less than the thing and what it does not do.
    outside = _QUOTATION.sub(" ", relevant)
    trouble = 3 if names_trouble(outside) or _names_a_thing_undone(outside) else 2 * names_trouble(relevant)
    trouble = min(trouble, 1) if says_no_more(sentence) else trouble
    trouble = 0 if _SAID_BY_OTHERS.match(sentence) is not None else trouble
    size = len(sentence.split())
    plain = (4 <= size <= 25) - (size > 40) - 2 * (size < 3) - (relevant != sentence)
    plain -= ANNOUNCED.fullmatch(sentence) is not None
    plain -= 2 * sentence.startswith(PRODUCT_FIELD)
    asks = sentence.endswith("?") and _ASKS_BACK.search(sentence) is None
    return 3 * question + trouble + asks + plain


_SAYS_NO_MORE = re.compile(
    r"(?i)(?:my|our|the|this) (?:[\w-]+ ){1,3}?(?:(?:is|are|was)(?:n['’]?t)?|has|does(?:n['’]?t| not)|do(?:n['’]?t| not)|just"
    r"|no longer|stopped|won['’]?t) (?:\w+ ){0,2}?(?:broke|broken|defective|down|dead|faulty|function|functioning|work|working)"
    r"(?: (?:again|any ?more|at all|correctly|now|properly|today))*[.!]*"
)
"""That a thing is broken, without what it does: "my dishwasher is broken"."""
_NO_THING: Final = "".join(
    rf"(?<!\b{thing} )"
    for thing in (
        "app browser computer console device dialog display error form it log machine message page pc phone printer program"
        " screen server site system terminal that website window"
    ).split()
)
_SAID_BY_OTHERS = re.compile(
    rf"(?i)(?:(?:and|but|now|so) )?(?:(?:all|my|our|some|the) )?(?:[\w'’-]+ ){{1,3}}?{_NO_THING}"
    r"(?:complain(?:ed|s)?|said|says?|tells? (?:me|us)|told (?:me|us)) (?:that )?(?:he|she|they)\b"
)
"""What others say of themselves: "accounting says they can't use it"."""
_ASKS_BACK = re.compile(r"(?i)\b(?:for|in|of|on|to|with) (?:that|these|this|those) [a-z]")
"""A question about what another sentence names: "in that encoding"."""


def says_no_more(sentence: str) -> bool:
    """Return whether a sentence only says that a thing is broken or does not work."""
    return _SAYS_NO_MORE.fullmatch(sentence) is not None


def _names_a_thing_undone(sentence: str) -> bool:
    """Return whether a sentence says of a named product what it does not do: "My Runner 5 hasn't synced"."""
    match = _UNDONE.search(sentence)
    return match is not None and _PRODUCT.search(sentence, 0, match.start()) is not None


_QUOTATION = re.compile(r"\"[^\"\n]{3,200}\"|“[^”\n]{3,200}”")
_UNDONE = re.compile(r"(?i)\b(?:has|have|is|are|was|were|did|will|would)(?:n['’]?t| not)\b|\b(?:never|no longer)\b")
_PRODUCT = re.compile(
    r"(?i)\b(?:my|our|the|this) (?:[a-z]+ ){0,2}?(?-i:[A-Z])[\w-]+|(?<![.!?] )(?-i:[A-Z])[\w-]+ \d+\b"
)
_NO_CHANGE: Final = (
    r"(?:nothing (?:else |at all )?(?:(?:has|have|had|was|were|been|got) ){0,2}(?:altered|changed|modified|touched)"
    r"|(?:i|we|nobody|no one)(?:['’]ve)? (?:(?:certainly|definitely|did(?:n['’]?t)?|ha(?:d|s|ve)(?:n['’]?t)?|never|not) ){0,3}"
    r"(?:alter|chang|modif|touch)\w* (?:a thing|any(?:thing|body)?|nothing)"
    r"|no changes? (?:(?:ha(?:s|ve|d) been|was|were) )?made)(?=\W*$|,"
    r"| (?:as far as|at|before|during|for|from|here|in|lately|on|recently|since|that|there|to)\b)"
    r"(?:(?!,? (?:and|but|yet)\b)[^;:.!?])*"
)
_PUZZLED: Final = (
    r"(?:(?:,|\b(?:so|and|which is why|that['’]?s why))\s*(?:i|we)|^(?:i|we)) (?:really |just |simply )?"
    r"(?:do ?n['’]?o?t|do not|can ?not|can['’]?t) (?:get|know|see|understand)\b (?:how|it|that|this|what|why|(?:the )?reason)\b"
    r"(?: (?:they|it|this|that)\b[^.!?]*)?"
)
_BESIDE_THE_MATTER = re.compile(rf"(?i)(?<![\w'’])(?<!\bbut )(?<!\band ){_NO_CHANGE}|{_PUZZLED}")


def is_printed(text: str) -> bool:
    """Return whether a text is what a program printed: a line of a log, an error, several lines."""
    return "\n" in text or _PRINTED.match(text) is not None or len(_SET_VALUE.findall(text)) > 2


_PRINTED = re.compile(
    r"\W{0,3}(?:\d{4}-\d\d-\d\d[T ]|\d\d?[/.]\d\d?[/.]\d{2,4} \d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d"
    r"|(?:CRITICAL|DEBUG|ERR|ERROR|FATAL|INFO|NOTICE|SEVERE|TRACE|WARN|WARNING)\b(?!\W*$)|(?:E|ERR|W)[!:] "
    r"|(?:[a-z][\w.-]{0,20}: )?(?:[Ee]rror|[Ff]atal|[Pp]anic|[Ww]arning)(?:\[\w+\])?: |(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)"
    r"\b|Traceback |Caused by: |at [\w.$]+\(|goroutine \d|\w+(?:=\S+) \w+=|[{<]\S|\[\d)"
)
_SET_VALUE = re.compile(r"(?<!\S)[\w.-]{1,30}=\S")


_TROUBLE = re.compile(
    r"(?i)\b(?:error|fail\w*|can'?t|cannot|unable|not (?:work|able|sync|print|load|show|start|open|connect)\w*"
    r"|doesn'?t|does not|won'?t|crash\w*|slow\w*|blank|wrong|broken|lost|locked|stuck|freez\w*|denied|missing"
    r"|gone|vanish\w*|disappear\w*|dead|no longer|keeps|instead of|refus\w*|charged|drop\w*|stops?|0x[0-9a-f]+"
    r"|corrupt\w*|garbled|unreachable|unreadable|unresponsive|unusable"
    r"|(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )do(?:n['’]?t| not) (?:appear|arrive|print|show|work)"
    r"|(?:shows?|displays?|reads) (?:an? |the )?(?:code |error )?(?-i:[A-Z]{1,3}-?\d{1,4}))\b"
)


def names_trouble(sentence: str) -> bool:
    """Return whether a sentence has a word for a failure."""
    return _TROUBLE.search(sentence) is not None


def without_introduction(sentence: str) -> str | None:
    """Return the fault that follows what someone uses and since when, with the product: "Tabula: the hours show up twice".

    None if the sentence does not begin so, or the fault is not a clause with a verb.
    """
    match = _INTRODUCTION.match(sentence)
    if match is None:
        return None
    statement = sentence[match.end() :]
    late = _CIRCUMSTANCE.match(statement) is not None
    starts = (each.start() for each in _SUBJECT.finditer(statement, _FEWEST) if late)
    start = next((at for at in starts if _is_clause(statement[at:])), None) if late else 0
    if start is None or not _is_clause(statement[start:]):
        return None
    statement = statement[start:]
    product = _NAME.search(match["what"])
    return (
        statement
        if product is None or product.group() in statement
        else f"{product.group()}: {statement[0].lower()}{statement[1:]}"
    )


def _is_clause(text: str) -> bool:
    """Return whether a text begins with a thing and its verb: "the approved hours show"."""
    words = [word.lower() for word in text.split(maxsplit=_LONGEST_SUBJECT)[:_LONGEST_SUBJECT]]
    if _SUBJECT.match(text) is None:
        return False
    for noun, verb in pairwise(word for word in words[1:] if word not in _ADVERBS):
        if noun in _NO_NOUNS:
            return False
        plural = noun.endswith("s") and not noun.endswith("ss")
        if _AUXILIARY.fullmatch(verb) is not None or (is_verb(verb) if plural else third_person(verb) is not None):
            return True
    return False


_INTRODUCTION = re.compile(
    r"(?i)(?:i|we)(?:['’](?:m|re|ve)| am| are| have)?(?: just| recently| now)? (?:bought|got|have|run|running|us(?:e|ed|ing)|work"
    r"(?: with)?|manage) (?P<what>[^,;:.!?]{3,80}?)(?:,? (?:and|but)|[,;:]) "
)
_CIRCUMSTANCE = re.compile(r"(?i)(?:ever )?(?:since|after|when(?:ever)?|as soon as|every time|if|once)\b")
_SUBJECT = re.compile(
    r"(?i)(?<!\w)(?<!\bto )(?<!\bof )(?<!\bfor )(?:all|an?|both|each|every|its|my|our|some|the|this) "
)
_LONGEST_SUBJECT: Final = 8
"""Words before a verb; a longer beginning is no single subject."""
_ADVERBS: Final = frozenset("all also always just now often only still suddenly".split())
_NO_NOUNS: Final = frozenset(
    "a after an and at by during each every for from her his in its my of on or our since that the to when which with".split()
)
_AUXILIARY = re.compile(
    r"(?:are|can|could|did|do|does|had|has|have|is|was|were|will|would)(?:n['’]?t)?|can['’]t|cannot|won['’]t|never|no|keeps?"
)
_NAME = re.compile(r"(?-i:[A-Z])[\w-]+(?: (?:[A-Z][\w-]*|\d+))*")
_FEWEST: Final = 10
"""The characters of a circumstance before the clause that it belongs to."""
