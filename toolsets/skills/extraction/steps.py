"""Finds the steps in an answer, and words them as instructions."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from toolsets.skills.extraction.command_lines import is_command
from toolsets.skills.extraction.cues import (
    asks_back,
    is_addressed_to_a_machine,
    is_chatter,
    is_refusal,
    is_small_talk,
    without_signature,
)
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code, single_blanks
from toolsets.skills.extraction.model import MAX_STEP, cut
from toolsets.skills.extraction.sentences import Sentence, sentences
from toolsets.skills.extraction.solutions import solving_step
from toolsets.skills.extraction.verbs import DONE, base_of_gerund, is_verb

_LEXICON = lexicon("answers")
_LEAD = re.compile(
    rf"(?i)(?:{_LEXICON.any_of('opening')}(?:[,:;!]+\s+|\s+[-–—]+\s+)|"
    r"(?:ok(?:ay)?|alright|sure|great|thanks|thank you|right|yes|no|hm+|ah|oh|well|fine|perfect|got it"
    r"|in that case|in this case|and|so|also|then|next|now|first(?:ly| of all)?|second(?:ly)?|third(?:ly)?"
    r"|finally|lastly|after (?:that|this)|afterwards|once (?:that|this)(?:'s| is)? done"
    r"|instead|alternatively|additionally|please|kindly|just|simply|basically|actually|again|meanwhile"
    r"|otherwise|either|or(?: else)?|or (?:you can )?(?:also|alternatively)|as a workaround|as a next step|to start"
    r"|to begin with|if not|if so|i see|(?:step"
    r"|option) ?\d+)(?:[,.:;!]+\s*|\s*[-–—]+\s+|\s+))+"
)
_ASKED = re.compile(
    r"(?i)(?:(?:could|can|would|will) you (?:please |kindly |maybe |also |then |just |try to )*|(?:you(?:'ll"
    r"| will| would| may| might)? (?:also |first |then |now |just |simply |only |probably |still "
    r"|always )*(?:can|could|need to|should|have to|must|may|might|want to|ought to|need only|are able to"
    r"|may want to|might want to|got to|be able to|will need to)"
    r"|(?:all |what )?you (?:need|have)(?: to do)? is(?: to)?|i(?:'d| would)? (?:suggest|recommend"
    r"|advise)(?: that)? you(?: to)?|(?:the |an? )?(?:\w+ )?(?:solution|fix|workaround|trick"
    r"|way(?: to [\w ]{1,40}?)?|answer|thing|option|remedy|recommendation|idea|method|approach) (?:here )?(?:is"
    r"|would be|was) to"
    r"|it (?:is|'s|would be) (?:best|better|enough|sufficient|necessary|recommended|advisable|possible|easiest"
    r"|safe|safest|worth(?:while)?) to|let's|let us|what you (?:can|should|need to) do is(?: to)?|one (?:can"
    rf"|should|may|must)|{_LEXICON.any_of('proposal')}|users? (?:can|should|may|must|need to)) (?:also |first |then |now |just "
    r"|simply |always |try to )*(?:please )?)"
)
_TRIED = re.compile(
    r"(?i)(?:have you (?:already )?(?:tried|considered)|did you (?:already )?try|(?:maybe |perhaps |you (?:can"
    r"|could|should|might) |please )?try(?: to)?|i(?:'d| would)? (?:suggest|recommend|advise|try)"
    r"|(?:what )?(?:worked|works|helps?|helped|fixed it)(?: for (?:me|others|us|most people))? (?:is|was)"
    rf"|how about|what about|consider|worth|{_LEXICON.any_of('proposal_of_doing')}|start(?: off)? (?:by|with)|begin (?:by|with)) "
)
_NEGATED = re.compile(
    r"(?i)you (?:should not|shouldn't|must not|mustn't|can't|cannot|needn't|don't (?:need|have) to"
    r"|do not (?:need|have) to) "
)
_MAKE_SURE = re.compile(r"(?i)(?:make|be) sure|ensure|remember to|note that|keep in mind")
_CONDITION_FIRST = re.compile(
    r"(?i)(?P<before>(?:if|when|once|after|before|to|in order to|in|on|at|under|from|for|as|with|within|inside"
    r"|unless|while|until|by default|depending on|whenever|since|because|as soon as|using|via|during|instead of"
    r"|next to|beside|below|above|behind)\b[^.!?]{2,160}?),\s+(?P<rest>\S.*)",
    re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_PASSIVE = re.compile(
    r"(?i)\b(?:can|may|must|should|needs? to|has to|have to|could) (?:\w+ly |also |only |always "
    r"|then )?be \w+(?:ed|en|t|ut|one|un|ght|wn|de|ade|et)\b"
    r"|\b(?:is|are) (?:done|achieved|accomplished|configured|set|controlled|enabled|disabled|installed|changed"
    r"|performed|managed|found) (?:by|with|in|via|using|through|under)\b"
)
_DID = re.compile(
    r"(?i)(?P<who>i|we|our (?:team|engineers|developers)|support|billing|they)(?P<has>'ve| have"
    r"| has)?(?: (?:also|now|just|already|manually|gone ahead and))* (?P<verb>[a-z-]{3,14})\b(?P<rest>.*)"
)
_YOUR = re.compile(r"(?i)(?<![\w./-])your(?![\w/-]|\.\w)")
_LEADS_TO_LIST = re.compile(r"(?i)\b(?:steps|following|as follows|below)\b.{0,30}$")
_LONGEST_LEAD: Final = 44
"""The number of characters at the end of a sentence in which these words are searched."""
_ANNOUNCED = re.compile(
    r"(?i)\b(?:steps?|follow\w*|do|try|procedure|instructions|as follows|here(?:'s| is) (?:how|what)|how to"
    r"|you can|should|please)\b"
)
_CAUSE = re.compile(
    r"(?i)\b(?:because|causes?|caused by|there (?:is|are|was) no|missing|so the|so that|killed|too (?:many|much"
    r"|small|large|big|low|high|long|short)|due to|reason|known (?:issue|bug|problem|limitation)|bug|expired"
    r"|blocked|blocks|conflict|corrupt|outdated|too old|not (?:supported|compatible|enabled|installed|allowed"
    r"|possible)|no longer|limit(?:ed|s)?|defaults? to|by default|means|happens (?:when|if|because)|needs"
    r"|requires|only)\b"
)
_VOCATIVE = re.compile(r"^(?:(?:hi|hello|hey|dear|thanks|thank you|ok|sure|yes|no|sorry) )?[A-Z][a-z]{1,15}, (?=[a-z])")
_BEFORE_THAT = re.compile(rf"(?i){_LEXICON.any_of('before_that')},? ")
MAX_REMARKS: Final = 2
"""The most sentences of explanation that are kept with a step."""


def steps_in(text: str) -> list[str]:
    """Return the steps of an answer, in order, as instructions; explanations are kept with the step that they follow."""
    steps: list[str] = []
    lead: list[str] = []
    announced: str | None = None
    remarks = 0
    listing = False
    last = "prose"
    for sentence, bare in _learnable(text):
        wording = _wording(sentence, bare, listing=listing)
        announces = _leads_to_list(sentence.text) and (wording is not None or _ANNOUNCED.search(sentence.text))
        listing = (listing and sentence.kind == "item") or bool(announces)
        heading, announced = announced, None
        if wording is None:
            remark = _remark(sentence, bare)
            if remark is None:
                continue
            if steps and remarks < MAX_REMARKS and len(steps[-1]) + len(remark) < MAX_STEP:
                steps[-1] += ("\n" if "code" in {sentence.kind, last} else " ") + remark
                last = sentence.kind
                remarks += 1
            elif not steps and _CAUSE.search(remark) is not None:
                lead.append(remark)
            continue
        if sentence.kind == "code" and heading is not None:
            steps.append(_with_code(heading, wording))
            remarks, last = 0, "code"
            continue
        if sentence.kind == "code" and steps and (last == "code" or not _is_own_step(sentence.text, steps[-1])):
            steps[-1] = _with_code(steps[-1], wording)
            last = "code"
            continue
        if _is_heading(sentence.text) and sentence.kind == "prose" and not _has_object(wording):
            announced = wording
            continue
        if steps and (match := _BEFORE_THAT.match(wording)) is not None:
            steps.insert(-1, finished(wording[match.end() :]))
            continue
        steps.append(" ".join((*lead[-MAX_REMARKS:], wording)) if lead else wording)
        lead.clear()
        remarks, last = 0, sentence.kind
    return [cut(step, MAX_STEP) for step in steps]


def _is_own_step(code: str, before: str) -> bool:
    """Return whether a command is a step of its own, because the step before it names nothing to run or to write."""
    return is_command(code) and not before.endswith(":") and _CARRIES_CODE.search(before) is None


_CARRIES_CODE = re.compile(rf"(?i)\b{_LEXICON.any_of('carries_code')}\b|\n")


def instructions_in(text: str) -> int:
    """Return the number of sentences in an answer that are instructions."""
    return sum(sentence.kind != "code" and _instruction(bare) is not None for sentence, bare in _learnable(text))


def explanation_in(text: str) -> list[str]:
    """Return the explanations in an answer, without its instructions."""
    found = (_remark(sentence, bare) for sentence, bare in _learnable(text))
    return [remark for remark in found if remark is not None]


@lru_cache(maxsize=4)
def _learnable(text: str) -> tuple[tuple[Sentence, str], ...]:
    """Return the sentences that are not instructions to a program, each with its plain wording."""
    worded = ((sentence, plain(sentence.text)) for sentence in without_signature(sentences(text)))
    return tuple((sentence, bare) for sentence, bare in worded if bare and not is_addressed_to_a_machine(bare))


def _wording(sentence: Sentence, text: str, *, listing: bool) -> str | None:
    """Return a sentence, whose plain wording is `text`, as an instruction; None if it is not one.

    `listing` means that the sentence is below a line that announces steps.
    """
    if sentence.kind == "code":
        return sentence.text
    told = _instruction(text)
    if told is not None:
        return None if asks_back(told) or is_small_talk(told) else _alternative(text, finished(told))
    if is_chatter(text) or is_refusal(text) or text.endswith("?"):
        return None
    if sentence.kind == "item" and (sentence.ordered or listing) and not asks_back(text):
        return finished(text)
    if (done := _support_action(text)) is not None:
        return finished(done)
    if (solved := solving_step(text)) is not None:
        return solved
    return finished(text) if _PASSIVE.search(text) is not None else None


def plain(text: str) -> str:
    """Return a sentence without the name of its addressee, and with single blanks except in inline code."""
    return _VOCATIVE.sub("", single_blanks(text))


def finished(text: str) -> str:
    """Return a sentence that begins with a capital and ends with a full stop."""
    text = re.sub(r"(?i)[,;]? (?:and|or)$", "", _TRAILING.sub("", text.strip()))
    if not text or is_command(text):
        return text
    first = text.split(maxsplit=1)[0]
    if first.replace("-", "").rstrip(",.!").isalpha() and (first.islower() or len(first) == 1):
        text = text[0].upper() + text[1:]
    return text if text[-1] in '.!?…`)"”]' or _ENDS_ABROAD.search(text) is not None else f"{text}."


_ENDS_ABROAD = re.compile(r"[。．！？؟।۔｡][\"'”’」』）)]?$")
_TRAILING = re.compile(r"(?:[\s,:]|(?<!\b(?:cd|su) )(?<!\bcat )-(?<![\w=/]-)|(?<![\"'`)\]}\d*]);)+$")
"""Marks at the end of a sentence that continues, not the `-` and `;` of a command."""


def _alternative(text: str, wording: str) -> str:
    """Return an instruction with the "Or" that makes it an alternative to the one before."""
    return f"Or {_lowered(wording)}" if text[:3].casefold() == "or " else wording


def _instruction(text: str) -> str | None:
    """Return the instruction in a sentence, from its verb on; a condition before the verb is kept."""
    bare = text[match.end() :] if (match := _LEAD.match(text)) is not None else text
    if (told := _imperative(bare)) is not None:
        return told
    if (clause := _CONDITION_FIRST.fullmatch(bare)) is not None:
        rest = clause["rest"]
        rest = rest[match.end() :] if (match := _LEAD.match(rest)) is not None else rest
        told = _imperative(rest)
        if told is not None:
            return f"{clause['before'][0].upper()}{clause['before'][1:]}, {_lowered(told)}"
    return None


def _imperative(text: str) -> str | None:
    if (match := _NEGATED.match(text)) is not None:
        return (
            None if "need" in match.group() or "have" in match.group() else f"do not {text[match.end() :].rstrip('?')}"
        )
    if (match := _ASKED.match(text)) is not None:
        rest = text[match.end() :]
        if (gerund := _from_gerund(rest)) is not None:
            return gerund.rstrip("?")
        return rest.rstrip("?") if is_verb(_first(rest)) or _MAKE_SURE.match(rest) else None
    if (match := _TRIED.match(text)) is not None:
        rest = text[match.end() :].rstrip("?")
        base = _from_gerund(rest)
        return base or (rest if is_verb(_first(rest)) and "try" in match.group().lower() else _tried_thing(text, rest))
    if _MAKE_SURE.match(text) is not None:
        return text if text[:4].lower() not in {"note", "keep"} else None
    return text if is_order(text) else None


def _tried_thing(text: str, rest: str) -> str | None:
    """Return "try the other port" unchanged; None for other words before a noun, which are not an instruction."""
    return (
        f"try {rest}"
        if re.match(r"(?i)(?:please )?try (?:the|this|a|an|another|these|with|it|your|in|from|again)\b", text)
        else None
    )


def _from_gerund(text: str) -> str | None:
    """Return "restart it" for "restarting it", also for parts joined by "and" or "then"."""
    first = _first(text)
    base = base_of_gerund(first)
    return None if base is None else base + outside_code(_joined_bases, text[len(first) :])


def _joined_bases(text: str) -> str:
    return re.sub(
        r"(?i)(\b(?:and|or|then|and then),? )([a-z-]+ing)\b",
        lambda m: m[1] + (base_of_gerund(m[2].lower()) or m[2]),
        text,
    )


def _first(text: str) -> str:
    match = _WORD.match(text)
    return "" if match is None else match.group().lower()


def _support_action(text: str) -> str | None:
    """Return what support did on its side, with support as the subject; None if a sentence reports no such thing."""
    bare = text[match.end() :] if (match := _LEAD.match(text)) is not None else text
    match = _DID.match(bare)
    if match is None or match["verb"].lower() not in DONE or asks_back(bare):
        return None
    has = " has" if match["has"] else ""
    rest = outside_code(lambda prose: _YOUR.sub("the customer's", prose), match["rest"])
    return f"Support{has} {match['verb'].lower()}{rest}"


def _remark(sentence: Sentence, text: str) -> str | None:
    """Return a sentence if it explains something: no courtesy, no question, nothing about the conversation itself."""
    unfit = is_chatter(text) or is_refusal(text) or asks_back(text) or text.endswith("?")
    if unfit or len(text) < 12 or (sentence.kind == "prose" and text.endswith(":")):
        return None
    return sentence.text if sentence.kind == "code" else f"- {text}" if sentence.kind == "item" else finished(text)


def _with_code(step: str, code: str) -> str:
    """Return a step with another line of code; a step that is too long already is cut at its end, so it gets none."""
    if len(step) > MAX_STEP:
        return step
    announced = f"{step[:-1]}:" if "\n" not in step and step.endswith(".") else step
    return f"{announced}\n{code}"


def _leads_to_list(text: str) -> bool:
    return _is_heading(text) or _LEADS_TO_LIST.search(text, max(0, len(text) - _LONGEST_LEAD)) is not None


def _is_heading(text: str) -> bool:
    return text.rstrip().endswith(":")


def _has_object(wording: str) -> bool:
    """Return whether an instruction does more than announce others."""
    return (
        re.search(
            r"(?i)\b(?:following|these steps|this|steps below|as follows|do (?:that|this|it|so))\b"
            r"|^[\w-]+ (?:that|it|these|those)\W*$",
            wording,
        )
        is None
        or len(wording.split()) > 12
    )


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:] if text[:2].istitle() else text


def join_steps(parts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the steps of several answers in order, each wording once."""
    seen: set[str] = set()
    for part in parts:
        for step in part:
            key = " ".join(map(_folded, step.split()))
            if key not in seen:
                seen.add(key)
                yield step


def _folded(word: str) -> str:
    """Return a word in lower case; an option, a path and a name with marks keep their case."""
    return word.casefold() if word.strip(".,:;!?()\"'").isalpha() else word
