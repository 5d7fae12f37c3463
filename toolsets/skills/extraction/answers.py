"""Prepares a helper's turn for the search for steps: an answer without pleasantries, and with the conditions of its questions."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from toolsets.skills.extraction.corrections import APOLOGY, OPENING, SENTENCE_START
from toolsets.skills.extraction.cues import without_greeting
from toolsets.skills.extraction.instructions import instruction_in
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.sentences import sentences
from toolsets.skills.extraction.states import subject_and_predicate
from toolsets.skills.extraction.steps import explanation_in, instructions_in
from toolsets.skills.transcript import Turn

_LEXICON = lexicon("answers")
_RETRACTION = re.compile(
    rf"{SENTENCE_START}{OPENING}(?:please |kindly )?"
    rf"(?:{_LEXICON.any_of('retraction')}|{APOLOGY}{_LEXICON.any_of('retraction_with_apology')})"
    r"(?P<rest>[^.!?:\n]{0,80}(?:[.!?:]+|$))"
)
_FORBIDS = re.compile(r"(?i)(?:do not|don['’]?t|never)\b")
_CLAUSE = re.compile(r"[,;]\s|\s[-–—]\s")
_ASIDE = re.compile(
    rf"{SENTENCE_START}{OPENING}(?:{_LEXICON.any_of('pleasantry')}|{_LEXICON.any_of('handover')})(?=\s|$)[^\S\n]*"
)
_TAKES_NOTE = re.compile(rf"(?i)\A\s*(?:{_LEXICON.any_of('takes_note')}\s?[,.!:;–-]+\s+)+(?=\w)")
"""The words at the beginning of a turn by which a helper only shows that they have read the reply: "I see,"."""
_UNTIL_THEN = re.compile(rf"{SENTENCE_START}(until then) (?:please |kindly )?(?=[a-z]+ )")
_INTERNAL = re.compile(rf"(?im)^\W{{0,4}}{_LEXICON.any_of('internal')}\b[^\n]*$")
_NO_LESSON = re.compile(rf"(?i)\W*(?:{_LEXICON.any_of('no_lesson_lead')}\W+){{0,4}}{_LEXICON.any_of('no_lesson')}")
_TELLS_MORE = _LEXICON.pattern("tells_more")
_GIVES_UP, _WAY_LEFT = _LEXICON.pattern("gives_up"), _LEXICON.pattern("way_left")
_SHORT_ANSWER: Final = 6
"""The most sentences of an answer in which one that nothing can be done is the point."""
_REASON = re.compile(rf"(?i)\b{_LEXICON.any_of('reason')}(?!\w)|:")
_PLACEHOLDER: Final = r"\[(?:account number|card number|code|credentials|licence key|password|private key|token)\]"
_IN_MESSAGE: Final = (
    r"\b(?:in|on|from) (?:the|this|that|your) (?:\w+ )?(?:attachment|chat|e-?mail|image|log|mail|message|picture|post"
    r"|screenshot|ticket|video)s?\b"
)
_DISCLOSED = re.compile(
    rf"(?i)\byour\b[^.!?\n]{{0,80}}{_PLACEHOLDER}\)? (?:was|is|were|are|appears?|shows?)\b[^.!?\n]{{0,60}}{_IN_MESSAGE}"
    r"|(?:\byou(?:['’]ve)? (?:have )?(?:posted|pasted|sent|shared|included|attached|published|showed|wrote)\b"
    rf"|\b(?:i|we) (?:can |could )?(?:see|saw)\b)[^.!?\n]{{0,80}}{_PLACEHOLDER}[^.!?\n]{{0,60}}{_IN_MESSAGE}"
)
"""A sentence about a secret of the customer that a message shows; what it asks for has nothing to do with the problem."""
_SECRECY = _LEXICON.pattern("secrecy")
_SECRECY_GOES_ON = re.compile(rf"(?i)\W*{_LEXICON.any_of('secrecy_goes_on')}\W*")
_RENEWS = re.compile(
    rf"(?i)(?:.*\W)?{_LEXICON.any_of('renew')} (?:{_LEXICON.any_of('that')}|.*\b{_LEXICON.any_of('secret')})\b.*"
)
_DISCLOSURE = re.compile(rf"(?i)\W*{_LEXICON.any_of('disclosure')}")
_SENTENCE = re.compile(r"[^\n]*?[.!?](?:[^\S\n]+|(?=\n)|\Z)|[^\n]+|\n")
_IF: Final = r"if (?:so|yes|not|no|it (?:is|does|isn't|doesn't)(?! (?:[\w-]+ ){0,2}[\w-]+, ))"
"""A condition that refers to the question before it, unlike "if it is a V2, ..."."""
_BRANCH = re.compile(
    r"(?im)(?:^|(?<=[.!?:]\s))(?P<verb>is|are|was|were|do|does|did|have|has|can) (?P<rest>[^.!?\n]{3,120})\?\s+"
    rf"(?=(?:{_IF}|yes|no|otherwise)\b)(?P<branches>(?:(?:{_IF}|otherwise),? [^.!?\n]{{3,200}}[.!?]?\s*){{1,2}})"
)
_ARM = re.compile(rf"(?i)(?P<when>{_IF}|otherwise),? (?P<then>[^.!?\n]{{3,200}}[.!?]?)\s*")
_YES_NO_QUESTION = re.compile(
    r"(?i)(?:are|can|could|did|do|does|has|have|is|may|must|should|was|were|will|would)\b[^?]*\?$"
)
_YES_OR_NO = re.compile(r"(?i)(?P<word>no|nope|yep|yes)(?P<rest>,[^.!?]{0,30})?[.!](?:\s|$)")
_AGREEING: Final = frozenset({"if so", "if yes", "if it is", "if it does"})


def split_retraction(text: str) -> tuple[bool, str]:
    """Return whether a turn takes back what was said before it, and the text of the turn after the last such sentence.

    What the sentence itself says to do is part of that text: "Ignore what I said, use 60 ml".
    """
    if not _LEXICON.letters["retraction"].are_in(text.casefold()):
        return False, text
    ends = [_end_of(match, text) for match in _RETRACTION.finditer(text)]
    return (True, text[ends[-1] :].strip()) if ends else (False, text)


def _end_of(retraction: re.Match[str], text: str) -> int:
    """Return where a retraction ends: with its sentence, or before the clause that says what to do."""
    for clause in _CLAUSE.finditer(text, retraction.start("rest"), retraction.end()):
        instruction = instruction_in(text[clause.end() : retraction.end()])
        if instruction is not None and _FORBIDS.match(instruction) is None:
            return clause.end()
    return retraction.end()


def yes_or_no(asked: str, answers: Sequence[str], explained: str) -> tuple[str, ...]:
    """Return the "Yes." or "No." of the first answer to a question if it is a sentence of its own, which explains nothing."""
    if (
        not answers
        or _YES_OR_NO.match(explained) is not None
        or _YES_NO_QUESTION.match(asked) is None
        or (match := _YES_OR_NO.match(answers[0])) is None
    ):
        return ()
    return ("Yes." if match["word"][0] in "yY" else "No.",)


def substance(text: str) -> str:
    """Return a turn without pleasantries, internal notes and talk about secrets, with conditions for its questions.

    "Is it open? If so, close it." becomes "If it is open, close it.".
    """
    bare = _ASIDE.sub("", without_greeting(_INTERNAL.sub("", text)))
    bare = _UNTIL_THEN.sub(r"\1, ", bare)
    bare = _without_secrecy(_TAKES_NOTE.sub("", bare, count=1))
    bare = _BRANCH.sub(_conditional, bare) if "?" in bare else bare
    return _YES_SINCE.sub(r"\g<before>From \g<version> on this is possible\g<end>", bare.strip(), count=1)


_YES_SINCE = re.compile(
    r"(?i)\A(?P<before>(?:[^.!?\n]{1,60}\n\s{0,3})?)(?:certainly|indeed|it does|it is|of course|sure|(?:that|this) works|there is"
    r"|yeah|yep|yes)\b[^.!?\n]{0,60}?,?\s(?:as of|from|since|starting (?:from|with)) "
    r"(?P<version>(?:the )?(?:[a-z]+ ){0,2}?(?:(?:build|firmware|release|version) v?\d{1,6}(?:\.\d{1,6}){0,3}"
    r"|v?\d{1,6}(?:\.\d{1,6}){1,3}))"
    r"(?: on(?:wards?)?| (?:and|or) (?:later|newer|up))?(?P<end>[.!](?=\s))"
)
"""A yes that is limited to versions, before what is to be done: "Yes, there is, from version 8.4 on."."""


def _without_secrecy(text: str) -> str:
    """Return a turn without what it says about secrets that were disclosed in the conversation, or should not be."""
    if "[" not in text and not _LEXICON.letters["secrecy"].are_in(text.replace("’", "'").casefold()):
        return text
    kept: list[str] = []
    dropped = False
    parts = _SENTENCE.findall(text)
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        dropped = _is_secrecy(part, goes_on=dropped) or _tells_to_renew(part, following)
        if not dropped:
            kept.append(part)
    return "".join(kept)


def _is_secrecy(sentence: str, *, goes_on: bool) -> bool:
    plain = sentence.replace("’", "'")
    if goes_on and _SECRECY_GOES_ON.fullmatch(plain) is not None:
        return True
    if "[" in sentence and _DISCLOSED.search(sentence) is not None:
        return True
    if goes_on and _DISCLOSURE.match(plain) is not None:
        return True
    return _LEXICON.letters["secrecy"].are_in(plain.casefold()) and _SECRECY.search(plain) is not None


def _tells_to_renew(sentence: str, following: str) -> bool:
    """Return whether a sentence asks for another secret because of what the next one says: "It can be read in this chat."."""
    return _DISCLOSURE.match(following.replace("’", "'")) is not None and _RENEWS.search(sentence) is not None


def explanations(text: str) -> list[str]:
    """Return the explanations in an answer that hold for others, too.

    "I have refunded you" and "I have no idea" tell no one what to do or why.
    """
    return [sentence for sentence in explanation_in(text) if ":" in sentence or not _is_no_lesson(sentence)]


def explained_by(answers: Sequence[str], asked: str, turns: Sequence[Turn], outcome: str, *, solved: bool) -> list[str]:
    """Return the explanations in answers to what was asked; none of those that leave the matter as it is.

    Unless it is `solved`, an answer that says that nothing can be done explains nothing, and one that does not say why only
    counts if no one has replied, it was asked for, or it was thanked for and says nothing of what the helper does.
    """
    found = [sentence for text in answers for sentence in explanations(text)]
    if solved:
        return found
    if any(map(_gives_up, answers)):
        return []
    replied = any((one.role, other.role) == ("agent", "customer") for one, other in pairwise(turns))
    if not replied or asked.rstrip().endswith("?") or any(_REASON.search(sentence) is not None for sentence in found):
        return found
    thanked = outcome == "thanks" and not any(
        _is_no_lesson(part) for text in answers for part in _SENTENCE.findall(text)
    )
    return found if thanked else []


def asks_what_or_why(problem: str) -> bool:
    """Return whether a problem is a question that an explanation answers."""
    return _WHAT_OR_WHY.match(problem) is not None


_WHAT_OR_WHY = re.compile(
    r"(?i)(?:what(?:'s| is| are| does| do)(?! the (?:\w+ )?(?:procedure|way)\b)|why|who|which|does|do"
    r"|is(?! there (?:any|an?) (?:\w+ )?way\b)|are|was|has|have)\b[^?]*\?$"
)


def mostly_explains(answers: Sequence[str]) -> bool:
    """Return whether answers explain more than they instruct, such as the answer to "what is X?"."""
    instructions = sum(instructions_in(text) for text in answers)
    return sum(len(sentences(text)) for text in answers) > 3 * instructions


def _gives_up(text: str) -> bool:
    """Return whether an answer says that nothing can be done; a long one explains, whatever it says is impossible."""
    said = _SENTENCE.findall(text.replace("’", "'"))
    impossible = (_GIVES_UP.search(each) is not None and _WAY_LEFT.search(each) is None for each in said)
    return len(said) <= _SHORT_ANSWER and any(impossible)


def lessons(steps: list[str]) -> list[str]:
    """Return steps, none if all of them only say what was done for this customer: "Support has refunded 12 euros"."""
    return [] if all(map(_is_no_lesson, steps)) else steps


def _is_no_lesson(sentence: str) -> bool:
    plain = sentence.replace("’", "'")
    return _NO_LESSON.match(plain) is not None and _TELLS_MORE.search(plain) is None


def _conditional(match: re.Match[str]) -> str:
    subject, predicate = subject_and_predicate(match["rest"])
    verb = match["verb"].lower()
    positive = f"{subject} {predicate}" if verb == "do" else f"{subject} {verb} {predicate}"
    negative = f"{subject} {verb}{'' if verb == 'can' else ' '}not {predicate}"
    arms = (
        f"If {positive if arm['when'].lower() in _AGREEING else negative}, {arm['then']}"
        for arm in _ARM.finditer(match["branches"])
    )
    return " ".join(arms) + ("\n" if match["branches"].endswith("\n") else " ")
