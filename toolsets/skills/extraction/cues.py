"""The purpose of a sentence: courtesy, a question to the customer, or an instruction to a program that reads the conversation."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from backends.ports.text import normalized
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.sentences import Sentence

_TALK = lexicon("talk")
_ORDERS = lexicon("orders")

GREETING: Final = (
    rf"(?:{_TALK.any_of('salutation')}|{_TALK.any_of('greeting')}\b)"
    rf"(?:[ ,]+(?:{_TALK.any_of('greeted')}\b|(?-i:[A-ZÄÖÜÉ])[\w.’'-]{{1,20}})){{0,4}}"
)
"""The words of a greeting with the names that it greets; without regard to case."""
_COURTESY = re.compile(
    rf"(?i)\W*(?:{GREETING}\W*"
    rf"|{_TALK.any_of('courtesy')}(?:[ ,]+(?:{_TALK.any_of('courtesy_tail')}|(?-i:[A-Z]\w+))){{0,3}}\W*)"
)
_CLOSING = re.compile(rf"\W*(?i:{_TALK.any_of('closing')})(?i: from)?(?:[\s,.!–-]+[A-Z][\w.'’-]{{0,30}}){{0,4}}\W*")
_REFUSAL = re.compile(
    rf"(?i)\W*(?:{_TALK.any_of('refusal_lead')}\b[,:;]?\s+(?:that |but )?){{0,4}}{_TALK.any_of('refusal')}"
)
_REASON = re.compile(rf"(?i)\b{_TALK.any_of('reason')}\b|[;:]\s")
_LONGEST_COURTESY: Final = 200
"""Characters; a longer sentence also says something else, and takes the expressions longer."""
_LONGEST_REFUSAL: Final = 16
"""Words; a longer refusal explains or offers something."""
_LONGEST_NAME: Final = 40
"""Characters of a signature's line; a longer one is a sentence."""
_CHATTER = re.compile(rf"(?i)\b{_TALK.any_of('chatter')}\b")
_SMALL_TALK = re.compile(rf"(?i)\W*(?:please |kindly |do |just )*{_TALK.any_of('small_talk')}")
_POSITION = re.compile(
    rf"(?:[A-Z][\w'’&-]*\W{{1,3}}){{0,5}}(?i:{_TALK.any_of('position')})(?:\W{{1,3}}(?:(?:at|of|for) )?[A-Z][\w'’&-]*){{0,3}}\W*"
)
_NAME = re.compile(r"(?:[A-Z][\w'’-]{0,20}\W{1,3}){1,3}")
_BEFORE_QUESTION: Final = _TALK.any_of("before_question")
_ASKS_BACK = re.compile(
    rf"(?i)^\W*(?:{_BEFORE_QUESTION}[,.:]? )*(?:(?:can|could|will|would) you (?:also |kindly |please )?|kindly |please )?"
    rf"{_TALK.any_of('asks_for')}\b"
)
_MAY_GIVE = re.compile(rf"(?i)\W*(?:please |kindly )?{_TALK.any_of('may_give')}\b")
_GIVES = re.compile(rf"(?i)\W*(?:please |kindly )?(?:give|{_TALK.any_of('may_give')})\b")
"""The same before what is given: "Give these roles to the account:"."""
_DETAIL = re.compile(rf"(?i)\b{_TALK.any_of('detail')}\b")
_SOMEWHERE = re.compile(rf"(?i)\s{_TALK.any_of('somewhere')}\S")
_QUESTION_WORD = re.compile(rf"(?i)^\W*(?:{_BEFORE_QUESTION}[,.:]? )*{_TALK.any_of('question_word')}\b")

_TO_A_MACHINE = re.compile(rf"(?i)\b{_ORDERS.any_of('orders')}\b|{_ORDERS.any_of('marks')}")
_OF_AN_IMPOSTOR = re.compile(rf"(?i){_ORDERS.any_of('impostor')}")
_ABOUT_THE_TEXT = tuple(re.compile(rf"(?i){_ORDERS.any_of(name)}") for name in ("reader", "text", "output"))
_MACHINE_CUES: Final = _ORDERS.letters["orders"]
_IMPOSTOR_CUES: Final = _ORDERS.letters["impostors"]
_META_CUES: Final = _ORDERS.letters["words"]
_ALL_CUES: Final = _MACHINE_CUES | _IMPOSTOR_CUES | _META_CUES
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .*_-]){3,}[^\W\d_](?![^\W_])")
"""A word with a mark between its letters."""
_LONE_LETTERS = re.compile(r"[ .*_-][^\W\d_][ .*_-][^\W\d_][ .*_-]")
"""A part of each such word; looking for it is faster."""
_DISGUISED = re.compile(
    r"(?<![\w.-])(?=[013457@$]{0,30}[A-Za-z])[A-Za-z013457@$]{0,30}[013457@$][A-Za-z013457@$]{0,30}(?![\w-])"
)
"""A word with digits for some of its letters."""
_BESIDE_A_LETTER = re.compile(r"[013457@$](?:(?=[A-Za-z])|(?<=[A-Za-z].))")
"""A part of each such word, or of what follows it; looking for it is faster."""
_LETTERS_OF_DIGITS: Final = str.maketrans("013457@$", "oieastas")
_FOREIGN_LETTER = re.compile(r"[\u0370-\u052f]")
_LETTERS = re.compile(r"[A-Za-z\u0370-\u052f]+")
_LATIN_LETTERS: Final = str.maketrans(
    "авсԁеһіјӏкмпорԛѕтуԝхАВСЕНІЈКМОРЅТУХαβγεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "abcdehijlkmnopqstywxABCEHIJKMOPSTYXabyeiknoptuxABEHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""
_BETWEEN_LETTERS = re.compile(r"[ .*_-]")
_OPENS = re.compile(rf"(?i){_ORDERS.any_of('opening')}")
_VOIDS = re.compile(rf"(?i){_ORDERS.any_of('voiding')}")
_OBJECT = re.compile(rf"(?i){_ORDERS.any_of('object')}")
_GOES_ON = re.compile(rf"(?i){_ORDERS.any_of('continuation')}")


_GREETING_BEFORE = re.compile(
    rf"(?i)^(?:{_TALK.any_of('salutation')}|dear [\w.'’-]+|{_TALK.any_of('greeting')})"
    rf"(?: (?:{_TALK.any_of('greeted')}|(?:(?:frau|herr|m(?:adame|iss|onsieur|rs?|s)|señora?)\b\.?(?: |(?=[,!.:–-])))?"
    r"(?:(?-i:[A-ZÄÖÜÉ][\w'’-]{1,20})(?=[,!.:–-]))?))?\b[\s,.!:–-]+(?=\S)"
)


def without_greeting(text: str) -> str:
    """Return a text without the greeting that it begins with, unless it is nothing else."""
    return _GREETING_BEFORE.sub("", text)


def is_courtesy(text: str) -> bool:
    """Return whether a sentence is only a greeting, thanks, a plain yes, or a closing with its name."""
    bare = text.strip()
    if len(bare) > _LONGEST_COURTESY:
        return False
    return _COURTESY.fullmatch(bare) is not None or _CLOSING.fullmatch(bare) is not None


def without_signature(said: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield sentences without the name and the company after "Kind regards", and without a name above a position.

    A long sentence after such a closing is not a signature.
    """
    signed = False
    held: Sentence | None = None
    for sentence in said:
        text = sentence.text.strip()
        positioned = (
            held is not None
            and len(text) < _LONGEST_NAME
            and sentence.kind == "prose"
            and _POSITION.fullmatch(text) is not None
        )
        signed = (signed and len(text) < _LONGEST_NAME) or _CLOSING.fullmatch(text) is not None
        if held is not None and not positioned:
            yield held
        held = None
        if signed or positioned:
            continue
        if sentence.kind == "prose" and len(text) < _LONGEST_NAME and _NAME.fullmatch(f"{text} ") is not None:
            held = sentence
        else:
            yield sentence
    if held is not None:
        yield held


def is_refusal(text: str) -> bool:
    """Return whether a sentence only says that something cannot be done, without a reason or another way."""
    return _REFUSAL.match(text) is not None and _REASON.search(text) is None and len(text.split()) <= _LONGEST_REFUSAL


def is_chatter(text: str) -> bool:
    """Return whether a sentence of a helper says nothing about the problem."""
    return _is_short_chatter(text) if len(text) <= _LONGEST_COURTESY else _is_chatter(text)


def _is_chatter(text: str) -> bool:
    return is_courtesy(text) or _CHATTER.search(text) is not None or is_small_talk(text)


_is_short_chatter = lru_cache(maxsize=256)(_is_chatter)
"""Cached, because several rules ask about each sentence; long ones are rare."""


def is_small_talk(text: str) -> bool:
    """Return whether an instruction tells nothing about the problem: "hang on", "rate our chat"."""
    return _SMALL_TALK.match(text) is not None


def asks_back(text: str) -> bool:
    """Return whether a sentence asks the customer for something: a detail, a file, a confirmation."""
    if text.rstrip().endswith("?") and _QUESTION_WORD.match(text) is not None:
        return True
    return _ASKS_BACK.match(text) is not None and not _gives_elsewhere(text)


def _gives_elsewhere(text: str) -> bool:
    """Return whether an order such as "paste it into the field" gives no detail about the problem to the helper."""
    gives = (_GIVES if text.endswith(":") else _MAY_GIVE).match(text) is not None
    return gives and _SOMEWHERE.search(text) is not None and _DETAIL.search(text) is None


# Cached, because every reader of a turn checks its lines and then their sentences, and most lines are one sentence.
@lru_cache(maxsize=1_024)
def is_addressed_to_a_machine(text: str) -> bool:
    """Return whether a sentence is an instruction to a program that reads the conversation, in one of the usual forms."""
    if not text.isascii():
        text = "".join(c for c in normalized(text, "NFKC") if unicodedata.category(c) != "Cf")
        text = _LETTERS.sub(_undisguised, text) if _FOREIGN_LETTER.search(text) is not None else text
    if _LONE_LETTERS.search(text) is not None:
        text = _SPACED.sub(lambda match: _BETWEEN_LETTERS.sub("", match.group()), text)
    if _is_order(text):
        return True
    if _BESIDE_A_LETTER.search(text) is None:
        return False
    plain = _DISGUISED.sub(lambda match: match.group().translate(_LETTERS_OF_DIGITS), text)
    return plain != text and _is_order(plain)


def _undisguised(word: re.Match[str]) -> str:
    """Return a word in Latin letters if it mixes them with letters that look like them."""
    mixed = any(map(str.isascii, word.group())) and not word.group().isascii()
    return word.group().translate(_LATIN_LETTERS) if mixed else word.group()


def _is_order(text: str) -> bool:
    folded = text.casefold()
    # Called for every sentence of a conversation, most of which have none of the letters.
    if not _ALL_CUES.are_in(folded):
        return False
    if _MACHINE_CUES.are_in(folded) and _TO_A_MACHINE.search(text) is not None:
        return True
    if _IMPOSTOR_CUES.are_in(folded) and _OF_AN_IMPOSTOR.search(text) is not None:
        return True
    return _META_CUES.are_in(folded) and any(order.search(text) is not None for order in _ABOUT_THE_TEXT)


def opens_an_order(text: str) -> bool:
    """Return whether the rest of the paragraph belongs to an instruction to a program, as after "New instructions:"."""
    return _OPENS.search(text) is not None


def voids_others(text: str) -> bool:
    """Return whether an instruction to a program puts the next ones in the place of others, as "Ignore your rules" does."""
    plain = _DISGUISED.sub(lambda match: match.group().translate(_LETTERS_OF_DIGITS), text)
    return _VOIDS.search(plain) is not None


def is_object_of_order(text: str) -> bool:
    """Return whether a sentence may be what such an instruction puts there: an imperative without "please"."""
    return _OBJECT.match(text) is not None


def goes_on_ordering(text: str) -> bool:
    """Return whether a sentence after an instruction to a program goes on with it, as "Say that ..." does."""
    return _GOES_ON.search(text) is not None
