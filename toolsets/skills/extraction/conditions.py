"""Finds the conditions of a skill: versions, platforms and circumstances that the conversation names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.cues import is_addressed_to_a_machine, is_chatter
from toolsets.skills.extraction.impersonal import impersonal
from toolsets.skills.extraction.instructions import instruction_in, plain
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import HeldCode, single_blanks
from toolsets.skills.extraction.model import MAX_CONDITION, cut
from toolsets.skills.extraction.outcomes import outcome_of
from toolsets.skills.extraction.scopes import (
    KIND,
    capital,
    is_whole,
    limit_of,
    limits_of_answer,
    names_the_step,
    obtained_in,
    of_some,
    plans_in,
    requirement,
    settings_in,
    without_alternative_platforms,
)
from toolsets.skills.extraction.sentences import sentences, split
from toolsets.skills.extraction.times import IS_TIME, without_date
from toolsets.skills.extraction.verbs import third_person
from toolsets.skills.extraction.versions import COMPARED, answered_in, contradicts, named_in, replied_in, updated_to

_LEXICON = lexicon("conditions")
_CLAUSE = re.compile(
    r"(?i)(?<![\w'’-])(?P<word>only (?:when|if|on|in|with|after|for|from|while|at|during)|whenever|when|while"
    r"|unless|provided that|provided(?= (?:it|there|they|you|your)\b)|assuming(?: that)?|in case(?: that)?"
    r"|in the event that|on condition that|as long as|as soon as|every time|each time|since|after(?! (?:exactly |about "
    r"|around |only |just |some )?(?:an?|a few|one|two|three|ten|\d+) (?:seconds?|minutes?|hours?|days?|weeks?"
    r"|months?|tries|attempts))|if(?<!(?-i:iF))(?<!even if))"
    r"\s(?!(?:and|or)\b)(?P<rest>(?:[^.!?;:…]|[.:](?=\S)|(?<=[ .])\.(?= [-/&|~])){3,180})"
)
_NEEDS = re.compile(
    r"(?i)(?<!\bthat )(?<!\bwhich )(?<!\bwho )"
    r"\b(?:(?:this |that |it )?(?:only (?:applies|works|happens|occurs|affects)|(?:applies|works|happens"
    r"|occurs) only|is only (?:available|supported|for|meant for|needed)"
    r"|applies) (?:to|for|on|in|with|when|if|from|after)|you (?:need|must have|must be)|requires|needs"
    r"|available only (?:for|on|in|to|from|as of)|not supported (?:on|in|by|since)):?\s(?P<rest>(?:[^.!?;:…]"
    r"|[.:](?=\S)){3,140})"
)
_RESTRICTED = re.compile(
    r"(?i)^(?:note\W{1,2})?only (?P<what>[a-z]+(?: [\w-]+){1,5}?) (?P<when>after|as long as|before|for|if|on|when|while|with)"
    r" (?P<rest>[^.!?;:]{3,140})"
)
_THIS: Final = frozenset(
    {"do this", "do that", "do it", "do so", "try this", "use this", "use it", "run it", "run this"}
)
_DURATION = re.compile(
    r"(?i)(?:about |around |at least |at most |only |up to )*(?:\d+|a|an|a couple of|a few|half an|one|several|some|two|three)"
    r" (?:seconds?|minutes?|hours?|days?|weeks?|moments?|while|bit|time)\b|(?:more |some )?(?:patience|time)\b"
)
_STOP = re.compile(
    r"(?i),\s|\s(?:and then|and it|but|so that|so it|because|which|it says|it shows|i get|i see|we get|i keep"
    r"|there is|the \w+ (?:says|shows|is|are|does|stays|fails|crashes|closes|appears)|please|then|it (?:crashes"
    r"|fails|freezes|stops|shows|gives|just|always|does|is|takes|works|closes)|it [a-z]{3,}s"
    rf"|(?:all|both|my|our|the) (?:[\w-]+ ){{0,2}}?[\w-]+s {_LEXICON.any_of('fault_verb')}"
    r"|(?:both|my|our|the) (?:[\w-]+ ){1,2}?(?:are|had|has|have|is"
    r"|was|were|went|shows?|says)|[\w-]+ (?:reports|says|shows)|can|could|you (?:can|should|need"
    r"|will|must)|is there|do i|how)\b"
)
_SUBJECT = (
    r"(?:(?:my|our|the|his|her|their|your|this|that|every|each|all|no|some|both|an?) "
    r"(?:(?!(?:my|our|the|his|her|their|your|an?|and|or|that|which|who)\b)[\w.'’/+-]+ ){1,4}?|(?:i|we|they|he|she|it) "
    r"|(?:all|any|both|each|few|half|many|most|neither|none|several|some) of (?:my|our|the|his|her|their|your|these|those) "
    r"(?:[\w.'’/+-]+ ){1,4}?|(?:nobody|nothing|everything|everybody|everyone|no one) )"
)
_FINITE = (
    r"(?:cannot|can(?:['’]t|not)?|could(?:n['’]t)?|will|won['’]t|would(?:n['’]t)?|does(?:n['’]t)?|do(?:n['’]t)|did(?:n['’]t)?|is(?:n['’]t)?"
    r"|are(?:n['’]t)?|was(?:n['’]t)?|were(?:n['’]t)?|has(?:n['’]t)?|had(?:n['’]t)?|no longer|always|never|keeps?|lost)\b"
)
_MAIN_CLAUSE = re.compile(
    rf"(?i)(?<=[\w%)`\"'])(?<!\b(?:to|of|in|on|at|by|or|if|as|an))(?<!\b(?:for|the|and|via|our|out|off))(?<!\b(?:from|with|over|into|that|when"
    rf"|than|your))(?<!\b(?:after|which|where|under|while))(?<!\b(?:before|behind|during))(?<!\b(?:between|through|because))"
    rf"\s(?={_SUBJECT}{_FINITE}|(?:nobody|nothing|no one) |(?P<subject>{_SUBJECT})(?P<verb>[a-z]{{2,14}}s)\b)"
)
"""The place before a subject and its verb; a verb in "s" must be one of the list."""
_VAGUE = re.compile(
    r"(?i)^(?:.{0,12}\b(?:you have any|you need (?:any|help|more|further)|that|this|it|not|so|you want|you like"
    r"|possible|necessary|needed|i can|you can|then|all|nothing|anything|there(?:'s| is) anything|else|done"
    r"|ready|finished|you (?:still|don't|do not)|any)\b.{0,25}|(?:that|this|it|these|those)\b.{0,40}|.{0,3})$"
)
_OWN = re.compile(
    r"(?i)(?:you(?:'re| are| use| have| run)|your|the (?:device|server|account|system|user|file|computer|phone"
    r"|printer|network)) (?!interested|like|want|any\b|not\b)"
)
"""Conditions that name for whom or for what the answer is, and not which step comes next."""
_OF_A_KIND = re.compile(
    rf"(?i)^(?:it(?:['’]s| is|['’]s not| is not| has| runs| uses)|you(?:['’]re| are)? (?:have|on|use|with|run|own)"
    r"|this is|that is) "
    rf"(?:[\w.+-]+ ){{0,4}}{KIND}\b|(?:[\w.+-]+ ){{1,6}}?{COMPARED.strip()}"
)
"""Conditions that name the version or the model."""
_STATE = re.compile(
    r"(?i)^(?!(?:you|i|we|it|this|that|they|he|she|there)\b)(?:the |an? |your |both |no )?(?:[\w.+/-]+ ){1,6}?"
    r"(?:(?:runs?|uses?|comes?|connects?|prints?|belongs?|lives?|sits?|goes|supports?|lacks?) (?:on|in|to|over|via|with|behind"
    r"|through|from|the|an?|no|your)\b|(?:is|are|isn't"
    r"|aren't|was|were|has|have) (?:still |already |now |also |not |both )?(?:(?:your|the|an?|set|configured|selected|used"
    r"|installed|connected|enabled|disabled|turned|switched|active|older|newer|lower|higher|earlier|later|below|above|at"
    r"|on|off|in|behind|running|missing|shared|encrypted|managed|joined|mounted|locked|full|version|more|less|fewer|listed"
    r"|supported|available|present|absent)\b))"
    r"(?! (?:error|problem|issue)s?\b)"
)
"""Conditions that name a thing and how it is set up."""
_LEADING_PAST = re.compile(
    r"(?i)^(?:then|i (?:was|tried|called|wrote)|(?:last|a few|two|three|\d+) (?:week|day|month|hour|minute)s?\b.*)"
)
_IN_TIME = re.compile(
    r"(?i)(?:the (?:day|moment|time) (?:comes|has come)|it(?: is|['’]s) time|time (?:comes|permits))\b"
)
"""A point in time, which comes for everybody."""
MAX_FROM_EACH: Final = 3
"""The most clauses from the problem and from the answers, each."""


def conditions_in(
    problem: Sequence[str],
    answers: Sequence[str],
    said: Sequence[str] = (),
    replies: Sequence[tuple[str, str]] = (),
    reports: Sequence[str] = (),
) -> list[str]:
    """Return the conditions of a skill, the most informative first, each once, without a full stop.

    One that is not true of the customer, by the versions in what the customer `said`, is none. `replies` follow what they reply
    to. `reports` tell what came of the answers, so that they only name platforms and versions, not circumstances.
    """
    held = HeldCode()
    before = {reply: text for text, reply in replies}
    parts = [(held.hold(sentence), before.get(text, "")) for text in problem for sentence in _open_matters(text)]
    asked = [sentence for sentence, step in parts if not _is_of_a_step(sentence, step)]
    named = [sentence for sentence, _ in parts] + [held.hold(each) for text in reports for each in _open_matters(text)]
    advised = [plain(sentence) for text in answers for sentence in _answer_sentences(text)]
    advised = [text for text in advised if not is_chatter(text) and not is_addressed_to_a_machine(text)]
    advised = [held.hold(text) for text in advised if not text.endswith("?")]
    found = [
        *_first(_clauses(asked)),
        *_first(_needs(asked, from_helpers=False)),
        *_first(settings_in(asked)),
        *(text for text in _conditions_of_answers(advised) if not contradicts(text, (*asked, *said))),
    ]
    found = [text for text in found if is_whole(text)]
    # Only the customer's platforms and versions say where it happened; answers name some for every reader.
    found += (*replied_in(replies), *named_in(named, advised), *updated_to((*named, *advised)))
    found += (*answered_in(answers, said), *plans_in((*problem, *said)))
    found = list(without_alternative_platforms(found, advised))
    return _distinct(map(held.restore, found))


def _open_matters(text: str) -> Iterator[str]:
    """Yield the sentences of the customer that do not tell of the solution."""
    for sentence in sentences(text):
        solved = sentence.kind != "code" and outcome_of(sentence.text) in {"worked", "thanks"}
        if not solved and _CONTACT.search(sentence.text) is None:
            yield sentence.text


def _answer_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of an answer, also those of its items."""
    for sentence in sentences(text):
        if sentence.kind == "item":
            yield from split(sentence.text)
        elif sentence.kind != "code":
            yield sentence.text


def _is_of_a_step(reply: str, step: str) -> bool:
    """Return whether the circumstance in a reply is the step before it, `step`: "It fails when using port 2022".

    Or the sentence says before it what happens since then: "Now I get a timeout when opening it".
    """
    match = _CLAUSE.search(reply) if step else None
    if match is None or "only" in reply.casefold():
        return False
    return _NOW.search(reply, 0, match.start()) is not None or names_the_step(match["rest"], step)


_ASKS_WHETHER = re.compile(
    r"(?i)\b(?:ask|check|determine|find out|know|look|see|sure|tell (?:me|us)|test|verify|wonder\w{0,3}) $"
)
_NOW = re.compile(r"(?i)\bnow\b")
_CONTACT = re.compile(rf"(?i)\b{_LEXICON.any_of('contact')}\b")


def _first(found: Iterator[str]) -> list[str]:
    return [text for _, text in zip(range(MAX_FROM_EACH), found, strict=False)]


def _conditions_of_answers(texts: Sequence[str]) -> Iterator[str]:
    """Yield the conditions of the answers."""
    of_all = _of_all_steps(texts)
    yield from _first(_limits(texts, of_all))
    yield from _first(_needs(texts))
    yield from of_some(texts)
    yield from _first(_clauses(of_all, only_strong=True))


def _of_all_steps(texts: Sequence[str]) -> list[str]:
    """Return the limited sentences whose limit is one of the whole answer: the first instruction, and what instructs nothing.

    "If the firmware is older than 2.81, first update it" is of one step, and so are the variants for two systems.
    """
    limited = [text for text in texts if _CLAUSE.search(text) is not None or limit_of(text) is not None]
    if limited:
        start = next((at for at, text in enumerate(texts) if _is_order(text)), len(texts))
        limited = limits_of_answer(limited, frozenset(texts[start + 1 :]))
    orders = [text for text in limited if _is_order(text)]
    variants = sum(limit_of(text) is not None for text in orders)
    first = next(filter(_is_order, texts), None) if orders and variants < _SEVERAL else None
    return [text for text in limited if (text not in orders or text == first) and _ONE_STEP.search(text) is None]


_SEVERAL: Final = 2


def _is_order(text: str) -> bool:
    return instruction_in(text) is not None and _NOTE.match(text) is None


_NOTE = re.compile(r"(?i)note\b")
_ONE_STEP = re.compile(
    r"(?i)^(?:and )?(?:also|in addition)\b|,\s(?:please )?(?:also|first|instead|too)\b"
    r"|\b(?:also|as well|first|in that case|instead|too)[.;,]?$"
)
"""The words for a step beside others."""


def _limits(texts: Sequence[str], of_all: Sequence[str]) -> Iterator[str]:
    """Yield what the beginning of a sentence limits it to: a platform, a version, or "only do this when ..."."""
    for text in texts:
        if (scope := limit_of(text)) is not None:
            if text in of_all:
                yield capital(scope)
        elif (limit := _RESTRICTED.match(text)) is not None:
            what = "" if limit["what"].lower() in _THIS else f"{limit['what']} "
            yield f"Only {what}{limit['when']} {limit['rest'].strip()}"


def _before_main_clause(rest: str) -> str:
    """Return the circumstance alone: "the update" for "the update my printer prints nothing"."""
    stop = next((match.start() for match in _MAIN_CLAUSE.finditer(rest) if _has_subject(rest, match)), len(rest))
    alone = _STOP.split(rest[:stop], maxsplit=1)[0].strip(" ,\"'").lstrip("(")
    return (alone if "(" in alone else alone.rstrip(" ,\"')")).removesuffix(" I").removesuffix(" we")


def _has_subject(rest: str, match: re.Match[str]) -> bool:
    """Return whether the words at a match are a subject and its verb, not the object of the verb before them."""
    words = rest[: match.start()].lower().split()
    if words[-1].endswith("ing") or (len(words) > 1 and words[-2] in _PRONOUNS):
        return False
    verb = match["verb"]
    return verb is None or third_person(verb.lower()) is not None


_PRONOUNS: Final = frozenset({"i", "we", "you", "they"})


def _clauses(texts: Iterable[str], *, only_strong: bool = False) -> Iterator[str]:
    for text in texts:
        for match in _CLAUSE.finditer(text):
            word = match["word"].lower()
            if word == "if" and _ASKS_WHETHER.search(text, max(0, match.start() - 16), match.start()) is not None:
                continue
            if only_strong and (not word.startswith(_STRONG) or _explains(text, match.start())):
                continue
            rest = _before_main_clause(match["rest"])
            rest = without_date(rest) if word in {"after", "since"} else rest
            kind = _OF_A_KIND.match(rest) is not None
            states = kind or _STATE.match(rest) is not None
            if only_strong and not states and (word.startswith("when") or (word == "if" and _OWN.match(rest) is None)):
                continue
            if (word == "since" and IS_TIME.match(rest)) or _DANGLING.search(f"{word} {rest}") is not None:
                continue
            if only_strong and (_COMES_BACK.search(rest) is not None or _OF_ITS_STEP.search(rest) is not None):
                continue
            if not only_strong and not _restricts(word, rest):
                continue
            if (
                (_VAGUE.match(rest) and not kind)
                or _IN_TIME.match(rest)
                or _LEADING_PAST.match(rest)
                or len(rest.split()) < 2
            ):
                continue
            yield impersonal(word, rest)


def _explains(text: str, start: int) -> bool:
    """Return whether a sentence whose clause begins at `start` only tells how something behaves.

    "The number is printed only if ...", unlike "This only works if ..." and "Change it only if ...".
    """
    before = text[: min(start, _LONGEST_BEFORE)]
    return start > _LONGEST_BEFORE or (_TELLS_OF.match(before) is not None and instruction_in(before) is None)


_LONGEST_BEFORE: Final = 240
"""Characters before a condition; with more, a sentence tells of something and gives no order."""
_TELLS_OF = re.compile(
    r"(?i)(?:and |but |because |since |so )?(?!(?:it|please|that|these|this|those|we|you)\b)(?!(?:an?|the|your) (?:above|fix"
    r"|following|procedure|solution|steps?|trick|way|workaround)\b)\w[^,;:]* $"
)
_DANGLING = re.compile(
    r"(?i)\b(?:after|all|an?|and|are|as|because|before|but|each|every|from|if|is|my|of|or|our|than|that|the|to|when|which|while|who"
    r"|with|your|if (?:an?|the|your) [\w-]+)$"
)
"""The end of a clause that was cut too early."""
_COMES_BACK = re.compile(rf"(?i)\b{_LEXICON.any_of('comes_back')}\b")
_OF_ITS_STEP = re.compile(r"(?i)\b(?:both|either|it|neither|one|so|that|them|this)$")
"""The end of a clause about a thing in its step: "if your bank offers it"."""
_STRONG: Final = (
    "only",
    "unless",
    "provided",
    "assuming",
    "in case",
    "in the event",
    "on condition",
    "as long",
    "if",
    "when",
)
_CHANGE = re.compile(
    r"(?i)\b(?:updat|upgrad|downgrad|install|migrat|reset|chang|mov|switch|replac|restor|renam|restart|reboot|power|sle(?:ep|pt)"
    r"|wak|hibernat|resum|connect|enabl|disabl|import|renew|convert|add|remov|merg|delet|clos|log)\w*"
)
"""An event after which something holds until it is mended."""
_CIRCUMSTANCE = re.compile(
    r"(?i)\b(?:us(?:e|es|ing)|run(?:s|ning)?|with|without|on|over|via|behind|through|connect\w*|enabled|disabled|from|offline|roaming"
    r"|in [\w ]{2,20} mode|(?:is|are) (?:closed|cold|damp|empty|full|hot|idle|locked|open|unlocked|wet)"
    r"|(?:fewer|larger|more) than)\b|\d|(?-i:[A-Z]{2})|[\ue000-\uf8ff]"
)


def _restricts(word: str, rest: str) -> bool:
    """Return whether a clause of the customer limits for whom the solution is, unlike one that only says when it was seen."""
    if word == "since" and _DEED.match(rest) is not None:
        return True
    if word in {"after", "since"}:
        return _CHANGE.search(rest) is not None and _CLOCKED.match(rest) is None
    if word in {"when", "whenever", "while", "every time", "each time"}:
        return _CIRCUMSTANCE.search(rest) is not None
    return True


_DEED = re.compile(r"(?i)(?:i|we) |.*\b(?:build|firmware|release|version)\b")
_CLOCKED = re.compile(
    r"(?i)(?:about |around |exactly |some |just |only )?\d+ ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
)


def _needs(texts: Sequence[str], *, from_helpers: bool = True) -> Iterator[str]:
    """Yield the restrictions that answers state; with `from_helpers` False, only where the customer says that it happens."""
    obtained = obtained_in(texts)
    for text in texts:
        match = _NEEDS.search(text)
        only = match is not None and "only" in match.group().lower()
        # "If it is noisy, it needs a new fan" is of one case, and "a second one needs Plus" of an extra.
        if match is None or _OF_AN_EXTRA.search(text) or not (only or (from_helpers and not _CLAUSE.match(text))):
            continue
        # What the steps below a colon, or one of the others, obtain is the remedy.
        if not only and (text.endswith(":") or not obtained.isdisjoint(terms(match["rest"]))):
            continue
        said = match.group()[: match.start("rest") - match.start()].strip()
        rest = _before_main_clause(match["rest"])
        if _VAGUE.match(rest) or _DURATION.match(rest) or _NO_NEED.match(rest) is not None or len(rest) < 4:
            continue
        if re.match(r"(?i)you (?:need|must)", said):
            yield f"Requires {rest.removesuffix(' for that')}" if not said.lower().endswith("be") else f"Must be {rest}"
        else:
            yield requirement(text[: match.start()], said, rest)


_OF_AN_EXTRA = re.compile(
    r"(?i)(?:^|\bfor |, )(?:(?:any|anything|each|every|having|using|with)\b(?: \w+)? )?(?:(?:an? |any |each |every |the )?"
    r"(?:additional|another|extra|further|second|third|fourth|fifth)\b|more than\b|(?:\d+|two|three|four|five|several) or more\b)"
)
_NO_NEED = re.compile(
    r"(?i)(?:as (?:little|many|much)|is|such|that|to)\b"
    r"|(?!.*\d(?:\.\d|\+| (?:and|or) (?:above|higher|later|newer)\b)).*\bfor (?:it|that|this)$"
    r"|.*\bof (?:(?:his|its|their|your)(?: or her)?|her) own\b"
)
"""Words after "requires" with which it states no limit, or one of the step just given: "your PIN for that"."""


def _distinct(found: Iterable[str]) -> list[str]:
    """Return the conditions that no other one contains."""
    unique = list(dict.fromkeys(cut(single_blanks(text), MAX_CONDITION) for text in found))
    folded = {text: text.casefold() for text in unique}
    return [text for text in unique if not any(folded[text] in folded[other] for other in unique if other != text)]
