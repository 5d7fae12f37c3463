"""Finds an instruction that a helper words as a wish, a question, an advice, or a report of what helps."""

import re
from typing import Final

from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code
from toolsets.skills.extraction.verbs import base_of_gerund, is_verb, noun_share, third_person

_LEXICON = lexicon("frames")
_ANSWERS = lexicon("answers")
_NO_ORDERS = _ANSWERS.words("no_order")
_SPEAKER_VERBS = _LEXICON.words("speaker_verb")
_NO_DEEDS = _LEXICON.words("state_verb") | _NO_ORDERS
_RECEIVING = _LEXICON.words("receiving_verb") | _NO_DEEDS
_ADVISED_NOUNS = _LEXICON.words("advised_noun")
_ADVISED = _LEXICON.words("advised") | _LEXICON.words("approved") | _ADVISED_NOUNS
_FRAME = _LEXICON.words("frame") | _LEXICON.words("often") | _LEXICON.words("request") | _ADVISED
_STARTS = _LEXICON.words("start")
_MODALS = _LEXICON.words("modal")
_ADVERBS = _LEXICON.words("often") | {"as", "first", "now", "only", "please", "to"}
_BEFORE_DOING = _LEXICON.words("before_doing")
_CONTRACTIONS: Final = {"d": "would", "ll": "will", "m": "is", "re": "are", "s": "is", "ve": "ve"}
_COPULAS: Final = frozenset({"are", "be", "by", "is", "would"})
_OBJECTS = _ANSWERS.words("determiner") | _ANSWERS.words("object_pronoun")
_PARTICLES = _ANSWERS.words("particle") | {"in"}
_DIRECTIONS = _PARTICLES | _ANSWERS.words("preposition")
_FINITE = _ANSWERS.words("finite")

_I_WOULD = re.compile(
    rf"(?i)(?:{_LEXICON.any_of('in_your_place')},? )?(?:i|we)(?:['’]d| would)"
    rf"(?: (?:{_LEXICON.any_of('often')}|first|rather))* (?=[a-z])"
)
_STARTING = re.compile(r"(?i)(?:begin|start)(?: off)? (?:by|with) ")
_ASKS = re.compile(
    rf"(?i)(?:{_LEXICON.any_of('asks_whether')}|{_LEXICON.any_of('asks_for_it')}|{_LEXICON.any_of('good_to')}"
    rf"|{_LEXICON.any_of('good_if')}) (?:please )?(?=[a-z])"
)
_ASKS_ABOUT_DOING = re.compile(rf"(?i){_LEXICON.any_of('asks_about_doing')} (?=[a-z])")
_WHAT_TO_DO = re.compile(
    rf"(?i){_LEXICON.any_of('what_to_do')}{_LEXICON.any_of('which_is')}(?P<to>(?: just| simply)*(?: to| by)?)[ ,:]+(?=[a-z])"
)
_SOLVING_DEED = re.compile(
    r"(?i)(?P<what>[a-z-]+ing\b[^.!?;:]{2,120}?),? (?:(?:can|could|may|might|should|will|would) )?"
    rf"(?:{_LEXICON.any_of('often')} )*{_LEXICON.any_of('solves')}"
)
_SOLVING_CONDITION = re.compile(rf"(?i)if you (?P<what>[^.!?;:]{{4,120}}?),? (?:then )?{_LEXICON.any_of('mended')}")
_SCOPED = re.compile(
    r"(?i)(?!in (?:the )?(?:case|event)s?\b)(?P<scope>(?:for|from|in|inside|on|under|with|within) [^.,;:!?]{2,60}?),?"
    r" you (?:can |just |now |simply |then )*(?P<what>[a-z]\S* .*)",
    re.DOTALL,
)
_IDLE_SCOPE = re.compile(rf"(?i){_LEXICON.any_of('idle_scope')}")
_SCOPE_START = re.compile(r"(?i)(?:at|for|in|inside|on|under|with) (?:an? |all |the |these |this |those |your |any )")
_NEGATED = re.compile(r"(?i)\b(?:no|not|never|hardly|only|rarely|\w+n['’]t)\b")
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|me|mine|my|our|ours|us|we)\b")
_COURTEOUS_END = re.compile(rf"(?i){_LEXICON.any_of('courteous_end')}+(?=[.?!]*$)")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_SECOND = re.compile(r"[\w'’-]+\s*(?P<second>\w[\w'’-]*|[^\s\w])")
_QUOTES: Final = ('"', "“", "'", "`")
_OTHERS: Final = frozenset({"anybody", "anyone", "customers", "everybody", "people", "some", "users"})
"""Those whose advice is not the helper's: "Some people tell you to reformat"."""
_SAID: Final = frozenset({"advise", "recommend", "solve", "suggest"})
_WITH_PARTICLE = re.compile(
    rf"(?i)[\w-]+ [a-z]+ ?(?:(?:{'|'.join(sorted(_OBJECTS | _DIRECTIONS))}|of)\b|[\d\"“'`*]|(?-i:[A-Z])"
    r"|(?:[\w-]+ ?)?(?:[.,;!]|$|\b(?:and|or|then)\b))"
)
"""An order whose verb has a particle: "turn off the light", "log out", and not "start up screen"."""
_LONGEST_FRAME: Final = 120
"""The number of characters in which an instruction begins."""
_LONGEST_SCOPE: Final = 7
"""The most words of a scope without a comma after it."""
_OFTEN_A_NOUN: Final = 25
_MOSTLY_A_NOUN: Final = 50
"""Percentages of a verb's uses as a noun."""


def framed_instruction(text: str) -> str | None:
    """Return the instruction in a sentence that has words for its speaker, its reader or its effect around it.

    "Turn it off." for "What I'd like you to do is turn it off." and "Turning it off fixes it.". None if it has none.
    """
    first = first_word(text).partition("'")[0].partition("’")[0]
    if first.endswith("ing"):
        instruction = _said_to_help(text)
        return None if instruction is None else without_courteous_end(instruction)
    if first not in _STARTS:
        return None
    instruction = _asked(text) or _advised(text) or _said_to_help(text) or _scoped(text)
    return None if instruction is None else without_courteous_end(instruction.rstrip("?"))


def without_courteous_end(instruction: str) -> str:
    """Return an instruction without a "please", "for me" or "if you like" at its end."""
    return _COURTEOUS_END.sub("", instruction)


def _asked(text: str) -> str | None:
    if (match := _ASKS_ABOUT_DOING.match(text)) is not None:
        return from_gerund(text[match.end() :])
    if (match := _ASKS.match(text)) is None or _NEGATED.search(match.group()) is not None:
        return None
    rest = text[match.end() :]
    return rest if _may_be_done(rest) else None


def _advised(text: str) -> str | None:
    if (match := _I_WOULD.match(text)) is not None:
        rest = text[match.end() :]
        if (start := _STARTING.match(rest)) is not None:
            return from_gerund(rest[start.end() :])
        mine = first_word(rest) in _SPEAKER_VERBS or _FIRST_PERSON.search(rest) is not None
        return None if mine or _follower(rest) == "you" or not is_order(rest) else rest
    if (match := _WHAT_TO_DO.match(text)) is None or _NEGATED.search(match.group()) is not None:
        return None
    rest = text[match.end() :]
    if (base := from_gerund(rest)) is not None:
        return base
    return rest if is_order(rest) or (match["to"].endswith("to") and _may_be_done(rest)) else None


def _said_to_help(text: str) -> str | None:
    """Return the deed that a sentence says to help, as an instruction."""
    if (match := _SOLVING_DEED.match(text)) is not None and _NEGATED.search(match["what"]) is None:
        instruction = from_gerund(match["what"])
        return instruction if instruction is not None and first_word(instruction) not in _NO_DEEDS else None
    if (match := _SOLVING_CONDITION.match(text)) is not None and _NEGATED.search(match["what"]) is None:
        return match["what"] if is_deed(match["what"]) else None
    return None


def in_frame(text: str) -> str | None:
    """Return an instruction before which a sentence has only words that name nothing of the matter, and advise it."""
    frame: list[str] = []
    end = 0
    for word in _WORD.finditer(text, 0, _LONGEST_FRAME):
        first, _, short = word.group().lower().replace("’", "'").partition("'")
        if text[end : word.start()].strip() not in {"", ","} or first not in _FRAME or short == "t":
            return _behind(frame, text[word.start() :]) if frame else None
        frame += [first, *filter(None, (_CONTRACTIONS.get(short),))]
        end = word.end()
    return None


def _behind(frame: list[str], rest: str) -> str | None:
    """Return what follows a frame, as an instruction; None if the frame does not advise it."""
    if _NEGATED.search(" ".join(frame).replace("only", "")) is not None or _ADVISED.isdisjoint(frame):
        return None
    if (base := from_gerund(rest)) is not None:
        return base if frame[-1] in _BEFORE_DOING and first_word(base) not in _NO_DEEDS else None
    others = [number for number, word in enumerate(frame) if word in {"i", "we", "it", "you"}]
    if others and not _OTHERS.isdisjoint(frame[: others[-1]]):
        return None
    if frame[-1] == "to" and _may_be_done(rest):
        at = max(number for number, word in enumerate(frame) if word in _ADVISED)
        noun = frame[at] in _ADVISED_NOUNS and _COPULAS.isdisjoint(frame[at + 1 :])
        mine = bool(others) and frame[others[-1]] in {"i", "we"} and _SAID.isdisjoint(frame[others[-1] :])
        return None if noun or mine or frame[-2] == "do" else rest
    if frame[-2:] == ["do", "is"] and is_order(rest):
        return rest
    if not others or frame[others[-1]] != "you" or not is_deed(rest):
        return None
    between = frame[others[-1] + 1 :]
    modal = not _MODALS.isdisjoint(between) or frame[: others[-1]] == ["there"]
    return rest if modal and all(word in _MODALS | _ADVERBS | {"would"} for word in between) else None


def _may_be_done(text: str) -> bool:
    return is_verb(first_word(text)) and first_word(text) not in _NO_DEEDS


def _scoped(text: str) -> str | None:
    """Return an instruction that follows the thing for which it is: "For this model you press both"."""
    if (match := _SCOPED.fullmatch(text)) is not None and is_deed(match["what"]):
        if _IDLE_SCOPE.fullmatch(match["scope"]) is not None:
            return match["what"]
        return f"{match['scope'][0].upper()}{match['scope'][1:]}, {match['what']}"
    if _SCOPE_START.match(text) is None:
        return None
    words = list(_WORD.finditer(text, 0, 120))[: _LONGEST_SCOPE + 1]
    for word in words[3:]:
        if text[: word.start()].rstrip()[-1] in ",;:.":
            return None
        rest = text[word.start() :]
        if word.group().islower() and _is_plain_order(rest):
            return f"{text[0].upper()}{text[1 : word.start()].rstrip()}, {rest}"
    return None


def _is_plain_order(text: str) -> bool:
    """Return whether a text within a sentence is an order with an object, and not a noun with its verb."""
    verb, follower = first_word(text), _follower(text)
    particle = follower in _PARTICLES
    if verb in _RECEIVING or not is_verb(verb) or (verb in _DIRECTIONS and not particle):
        return False
    if not (_WITH_PARTICLE.match(text) is not None if particle else follower in _OBJECTS):
        return False
    if follower in _ANSWERS.words("object_pronoun"):
        return True
    clause = re.split(r"[,;:.!?]| and | or | that | which | until | if | when | for ", text, maxsplit=1)[0].split()[2:]
    finite = any(word.lower() in _FINITE or _is_third_person(word.lower()) for word in clause)
    return (particle or (noun_share(verb) or 0) < _MOSTLY_A_NOUN) and not finite


def _is_third_person(word: str) -> bool:
    """Return whether a word is rather a verb than a noun in the plural: "asks", and not "fuses"."""
    base = third_person(word)
    return base is not None and (noun_share(base) or 0) < _OFTEN_A_NOUN


def is_deed(text: str) -> bool:
    """Return whether a text after "you" is something to do, with an object or a direction, and not what someone has or gets."""
    verb, follower = first_word(text), _follower(text)
    if verb in _RECEIVING or not is_order(text):
        return False
    return follower in _OBJECTS or follower in _DIRECTIONS or follower[:1].isupper() or follower in _QUOTES


def _follower(text: str) -> str:
    """Return the word or the mark after the first word, in lower case unless it is a name."""
    match = _SECOND.match(text)
    if match is None:
        return ""
    return match["second"] if match["second"][0].isupper() else match["second"].lower()


def from_gerund(text: str) -> str | None:
    """Return "restart it" for "restarting it", also for parts joined by "and" or "then"."""
    first = first_word(text)
    base = base_of_gerund(first)
    return None if base is None else base + outside_code(_joined_bases, text[len(first) :])


def _joined_bases(text: str) -> str:
    return re.sub(
        r"(?i)(\b(?:and|or|then|and then),? )([a-z-]+ing)\b",
        lambda m: m[1] + (base_of_gerund(m[2].lower()) or m[2]),
        text,
    )


def first_word(text: str) -> str:
    """Return the word with which a text begins, in lower case; an empty text if it begins with none."""
    match = _WORD.match(text)
    return "" if match is None else match.group().lower()
