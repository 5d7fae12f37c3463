"""The verdict of a customer's reply on what was tried: the last clause that has a verdict decides.

A clause is judged by its words if they suffice: whether it names success or trouble, denies it, limits it in time, or says
that it is back. Idioms that cannot be judged by their words are matched by patterns.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toolsets.skills.extraction.clauses import Clause, clauses_of, words_of
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.reports import (
    after_report,
    goes_on,
    is_hindered,
    leaves_a_rest,
    names_a_hindrance,
    names_new_fault,
    reports_following,
    says_yes,
    shows_an_error,
    tells_an_inspection,
    was_in_vain,
    without_irony,
)
from toolsets.skills.extraction.returns import is_back, restores_what_was_lost, still_as_reported, verdict_of_return
from toolsets.skills.extraction.short_replies import (
    Verdict,
    denies_after_trying,
    is_bare_refusal,
    still_complains,
    verdict_abroad,
    verdict_of_signs,
)

Outcome: TypeAlias = Literal["worked", "failed", "thanks", "none"]

MAX_READ: Final = 4_000
"""The number of characters at the end of a reply that are judged; in longer replies the verdict is at the end."""

_LEXICON = lexicon("outcomes")
_SUCCESS, _DONE = _LEXICON.words("success"), _LEXICON.words("done")
_WELL, _RUNS = _LEXICON.words("well"), _LEXICON.words("runs")
_TROUBLE = _LEXICON.words("trouble")
_COMPLAINT = _LEXICON.words("complaint")
_NAMED_COMPLAINT = _COMPLAINT - {"it", "that", "this", "light"}
_PRESENT_TROUBLE = _LEXICON.words("present_trouble")
_PERCEIVED = _LEXICON.words("perceived")
_IN_TIME, _LONG_AGO = _LEXICON.words("in_time"), _LEXICON.words("long_ago")
_GERUNDS_OF_USE = _LEXICON.words("gerunds_of_use")
_IMPROVED = _LEXICON.words("improved")
_FAILING_STATES = _LEXICON.words("bad_states") | _LEXICON.words("bad_habits")
_WEAK_STATES = _LEXICON.words("weak_states")
_WORKING_STATES = _LEXICON.words("good_states") | _LEXICON.words("good_habits")
_FINE = _SUCCESS | _WELL | _RUNS | _WORKING_STATES
_ADVERBS = _LEXICON.words("adverbs")
_NO_EFFECT, _TURNING = _LEXICON.lower_pattern("no_effect"), _LEXICON.words("turning")
_FAILED, _WORKED = _LEXICON.lower_pattern("failed"), _LEXICON.lower_pattern("worked")
_REFUSING = _LEXICON.words("regrets").union(_LEXICON.phrases["refusing"])
_SINCE_THEN: Final = frozenset({"has", "have", "been", "since", "now", "after"})
_PERFECT: Final = frozenset({"has", "have"})
_SUBJECTS: Final = frozenset(
    {"i", "it", "it's", "its", "my", "that", "that's", "the", "they", "they're", "this", "we", "you"}
)
_FEWEST: Final = 3
"""In a clause of so few words, "OK" or "good" may itself be the outcome."""
_MOST_CLAUSES: Final = 50
"""The most clauses of a sentence that are judged, its last ones: some rules read the whole sentence for each."""
_NOW_ALL: Final = frozenset({"now", "again", "all", "everything"})
_STAYING: Final = frozenset({"stay", "stays", "stayed", "remain", "remains", "remained", "keep", "keeps", "kept"})
_THE_ONE: Final = frozenset({"thing", "one", "way", "solution", "fix", "answer"})

_SENTENCE = re.compile(r"(?<=[.!?\n])\s+|(?<=[。！？])|\n|(?<=\.{3})|\b(?:edit|update)\s?:\s*", re.IGNORECASE)
_ASKED = re.compile(
    r"(?i)\W*(?:(?:and|but|so|ok|okay|hm+)\W+)*(?:what|if|do|does|did|is|are|was|should|will|would|how|where|when|can|could"
    r"|why|which)\b"
)
_EARLIER = re.compile(r"(?i)\W*(?:before|previously|earlier|until now|yesterday|last (?:week|month|year|time))\b")
_SUPPOSED = re.compile(
    r"\b(?:if|whether|will|i'll|we'll|might|may|hopefully|hope|should|let (?:me|you|us) know|tell you|thought"
    r"|assumed|expected|when it)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:for|by|with) (?:(?:my|the|our|all|all the|some|every) )?(?:colleagues?|co-?workers?|others|them|friends?"
    r"|neighbou?rs?|(?:every(?:one|body)|all the) (?:else|others))\b(?! (?:as well|too|now))|\b(?:every|any)thing else\b"
    r"|\bin (?:other|another) \w+|\belsewhere\b"
    r"|\b(?:worked|was) (?:fine |well |ok(?:ay)? )?(?:in|with|on|under) (?:version |release )?v?\d"
)
"""Clauses about other people, places or versions have no verdict on what was tried."""
_WISHED = re.compile(r"\bi (?:wish|had hoped|hoped)\b")
_FOR_A_WHILE = re.compile(
    r"\b(?:for|after) (?:about |around |only |maybe |almost )?(?:an?|the first|some|one|two|three|four|five"
    r"|ten|a few|several|\d+) (?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|moments?|while|bit|times?)\b"
    r"|\bat first\b|\binitially\b|\bbriefly\b"
)
_THEN = re.compile(r"(?i)\bthen\W*$")
_LASTED = re.compile(r"\b(?:it|that|this|fix|which) (?:only |just )?(?:lasted|held)\b")
_SINCE = re.compile(r"\b(?:any ?more|any longer|since|so far|ever again|now)\b")
_WITHOUT_FAULT = re.compile(
    r"\bwithout (?:any |an? |the |that |further )?(?:error|problem|issue|crash|warning|message|fault|delay|trouble|hitch"
    r"|hiccup)\w*|\bnot (?:a|one) single \w+|\bno more \w+|\bno (?:crash|error|problem|issue)\w* (?:for|since|so far)\b"
)
_DOES_NOW = re.compile(r"\b(?:it|that|this|they) (?:does|did|has|do)(?: now)?\W*$")
_DOES_NOT = re.compile(r"\b(?:it|that|this|they) (?:(?:does|did|has|do)n't|(?:does|did|has|do) not)\W*$")
_IS_NOT = re.compile(
    r"\b(?:(?:are|ca|did|do|does|have|has|is|was|were|wo)n't|(?:are|can|did|do|does|is|will) ?not)\W*$"
)
_MADE = re.compile(r"\b(?:made|makes) (?:it|things|everything) (?:\w+ ){0,2}?(?P<how>\w+er|worse)\b")
_STAYS = re.compile(r"\b(?:stay(?:s|ed)?|remain(?:s|ed)?|keeps?|kept) (?P<what>[^.!?]{1,60})")
_NO_LONGER = re.compile(r"\bno longer (?P<what>\w+)")

_SAME = re.compile(r"(?:\b(?:is|are|stays|remains|was)|'s) (?:exactly |still |just |always )?the same\b|\bsquare one\b")
_SEEMS_SAME = _LEXICON.lower_pattern("seems_the_same")
_SAME_ALONE = re.compile(r"\W*(?:all |exactly |just |still )?(?:the )?same\W*")
_ALREADY = _LEXICON.lower_pattern("already")
_SHUTS = re.compile(r"\b(?:shuts down|(?:switches|turns) (?:itself )?off|goes (?:dark|black|silent))\b")
_STOPPED = re.compile(r"\bstop(?:s|ped)? (?P<what>\w+ing)\b")
_ABLE = re.compile(
    r"\b(?:i|we) (?:can|could|am able to|was able to|are able to|were able to|managed to)\b(?=.*\b(?:now|again|after|finally"
    r"|since|at last)\b)|\b(?:now|finally|since then|after that),? (?:i|we) (?:can|could|am able to)\b"
)
_AT_WORK = re.compile(r"\b(?:at|from|for|to|my|i|we) work(?:ed)?\b")

_NOT_NOW = re.compile(
    r"\?|\bif (?:it|that|this)\b|\b(?:before|until|yesterday|used to|last (?:week|month|year|time)"
    r"|previously|earlier|for (?:a|the first|two|three|\d+) (?:minutes?|hours?|days?|while|seconds?|months?"
    r"|years?)|should (?:have )?work|would|might|hope|hopefully|see if|whether|when it|normally|usually"
    r"|it was working|always worked|let you know|try)\b"
)
THANKS = re.compile(r"(?i)\b(?:thanks?(?: you)?|thx|ty|tysm|cheers|appreciate(?:d)?|danke|merci|gracias)\b")
ORDINALS: Final = re.compile(
    r"(?i)\b(?:(?P<last>second|latter|last|third) (?:one|step|option|suggestion|thing|tip|command)?"
    r"|(?P<first>first|former) (?:one|step|option|suggestion|thing|tip|command)?)\s?(?:(?!i\b|we\b)\w+ )?(?:worked|works"
    r"|did|fixed|helped|solved)\b(?!n't| not)"
)
"""The words by which a reply names one of several attempts as the one that worked."""


@dataclass(slots=True)
class _ReplyState:
    """What a reply has said up to one of its sentences."""

    outcome: Outcome = "none"
    followed: bool = False
    """Whether a step was followed, and nothing is said of the result."""
    since_denial: list[str] | None = None
    """The words since it was denied that something had an effect, None if it was not."""
    passed: bool = False
    """Whether it worked, but only for a while."""


def outcome_of(text: str, problem: str = "") -> Outcome:
    """Return the verdict of a customer's reply on what was tried: the last clause that has a verdict decides.

    An explicit denial of an effect outweighs a weak sign of success after it, unless words such as "but" or "now" lead to
    that. What is back is judged by the `problem`, if that is given.
    """
    ending = text[-MAX_READ:].replace("’", "'")
    said = _ReplyState()
    if (bare := without_irony(ending)) != ending:
        said.outcome, ending = "failed", bare[len(_SENTENCE.split(bare, maxsplit=1)[0]) :]
    for sentence in _SENTENCE.split(ending):
        said.outcome = _of_sentence(sentence, said, problem)
    return "thanks" if said.outcome == "none" and THANKS.search(text) is not None else said.outcome


def quotes_an_error(text: str) -> bool:
    """Return whether a reply only tells what a program says: "it says access denied", "did that, it shows E7"."""
    rest = after_report(text.strip())
    if len(_SENTENCE.split(rest)) == 1 and shows_an_error(rest):
        return True
    return _QUOTES.match(rest) is not None and (names_a_hindrance(rest) or rest != text.strip())


_QUOTES = re.compile(
    r"(?i)\W*(?:(?:it|that|the \w+|windows) )?(?:just |only )?(?:prints?|reads?|says?|shows?)\b[^.!?\n]*[.!]?\s*$"
)


def _of_sentence(sentence: str, said: _ReplyState, problem: str) -> Outcome:
    """Return the outcome after one more sentence."""
    if is_bare_refusal(sentence) or sentence.strip().casefold().rstrip(".!") in _REFUSING:
        return "failed"
    asks = sentence.rstrip().endswith("?")
    if _EARLIER.match(sentence) is not None or (asks and _ASKED.match(sentence) is not None):
        return said.outcome
    verdict: Verdict | None = None
    clauses = list(clauses_of(sentence))[-_MOST_CLAUSES:]
    if denies_after_trying([part for part, _ in clauses]):
        return "failed"
    for part, contrasted in clauses:
        clause = Clause(
            part, part.lower(), words_of(part), verdict, sentence, said.followed and not asks, contrasted, problem
        )
        found = _weighed(clause, _verdict(clause), said)
        if found is None and "worked" not in {verdict, said.outcome}:
            affirmed = said.followed or says_yes(sentence)
            found = "failed" if was_in_vain(part, affirmed=affirmed) and not asks else None
        verdict = found or verdict
        said.followed = verdict != "worked" and (said.followed or reports_following(part))
    if verdict == "worked" and asks:
        return said.outcome
    return verdict or verdict_of_signs(sentence) or said.outcome


def _weighed(clause: Clause, verdict: Verdict | None, said: _ReplyState) -> Verdict | None:
    """Return the verdict of a clause, None for a weak sign of success after a denial that nothing has turned."""
    if verdict == "failed" and (
        (clause.denied and clause.names(_SUCCESS)) or _NO_EFFECT.search(clause.lower) is not None
    ):
        said.since_denial = []
    elif said.since_denial is not None:
        sign = clause.words.index("back") if "back" in clause.words else len(clause.words)
        said.since_denial += ("but" if clause.contrasted else "", *clause.words[:sign])
        if verdict == "worked" and not clause.names(_SUCCESS) and _TURNING.isdisjoint(said.since_denial):
            return None
    # What comes back after "it worked for a minute" is the fault, whatever its name, unless it was lost after "it worked, then".
    relapses = verdict == "worked" and is_back(clause)
    if relapses and (said.passed or (_comes_after_success(clause) and not restores_what_was_lost(clause))):
        return "failed"
    said.passed = said.passed or (
        verdict == "failed"
        and not clause.denied
        and clause.names(_FINE)
        and _FOR_A_WHILE.search(clause.lower) is not None
    )
    return verdict


def _comes_after_success(clause: Clause) -> bool:
    """Return whether "then" begins a clause after one that says that it worked."""
    return clause.before == "worked" and _THEN.search(clause.sentence[: clause.sentence.find(clause.text)]) is not None


def _verdict(clause: Clause) -> Verdict | None:
    """Return the verdict of a clause, None if it has none; the first rule with a verdict decides."""
    if _WISHED.search(clause.lower) is not None:
        return "failed"
    if _SUPPOSED.search(clause.lower) is not None or _ELSEWHERE.search(clause.lower) is not None:
        return None
    if (abroad := verdict_abroad(clause.text)) == "failed":
        return "failed"
    for rule in _RULES:
        if (found := rule(clause)) is not None:
            return found
    return abroad


def _elliptic(clause: Clause) -> Verdict | None:
    """ "It does now", "it hasn't", "only until I close the lid": the reverse of what the sentence said before."""
    other = clause.before == "worked" and _IS_NOT.search(clause.lower) is not None
    if other or _DOES_NOT.search(clause.lower) is not None:
        return "failed"
    if ORDINALS.search(clause.text) is not None:
        return "worked"
    if clause.before == "failed" and _DOES_NOW.search(clause.lower) is not None:
        return "worked"
    limits = bool(clause.words) and clause.words[0] in _IN_TIME | {"only"}
    return "failed" if clause.before == "worked" and limits else None


def _unchanged(clause: Clause) -> Verdict | None:
    """Return "failed" if nothing has changed, or only for a time."""
    patterns = (_LASTED, _SAME, _ALREADY, _SHUTS)
    if _SAME_ALONE.fullmatch(clause.lower) is not None and clause.text.strip() != clause.sentence.strip():
        return "failed"
    # "They look the same now, great" may be what was wanted.
    same = not clause.glad and not clause.names(_FINE - _TROUBLE) and _SEEMS_SAME.search(clause.lower) is not None
    return "failed" if same or any(pattern.search(clause.lower) is not None for pattern in patterns) else None


def _stays(clause: Clause) -> Verdict | None:
    """Judge what a thing stays, remains or keeps doing; a state of which both may be said has no verdict."""
    if not clause.names(_STAYING) or (match := _STAYS.search(clause.lower)) is None or clause.names(_LONG_AGO):
        return None
    state = next((word for word in words_of(match["what"]) if word not in _ADVERBS), "")
    if clause.denied:
        return "failed" if state in _WORKING_STATES else None
    if state in _FAILING_STATES or (state in _WEAK_STATES and not clause.glad):
        return "failed"
    return "worked" if clause.glad or state in _WORKING_STATES else None


def _hindered(clause: Clause) -> Verdict | None:
    """Return "failed" if a step could not be followed, or the complaint continues."""
    continues = "still" in clause.words[:3] and still_complains(clause.text) and not clause.names(_FINE)
    as_reported = "still" in clause.words and not clause.denied and still_as_reported(clause)
    return "failed" if continues or as_reported or is_hindered(clause.text, clause.known) else None


def _gone(clause: Clause) -> Verdict | None:
    """Judge what is gone: whether it is the complaint."""
    if (longer := _NO_LONGER.search(clause.lower)) is not None:
        return "failed" if longer["what"] in _SUCCESS else "worked"
    if (stopped := _STOPPED.search(clause.lower)) is not None:
        good = stopped["what"] in _TROUBLE or stopped["what"] not in _GERUNDS_OF_USE
        return None if clause.denied else "worked" if good else "failed"
    if _WITHOUT_FAULT.search(clause.lower) is not None or _ABLE.search(clause.lower) is not None:
        return None if "cannot" in clause.words else "worked"
    if "stopped" in clause.words and clause.names(_NAMED_COMPLAINT):
        return "failed" if clause.denied else "worked"
    if "gone" in clause.words and clause.names(_COMPLAINT):
        return "failed" if clause.denied else "worked"
    if clause.denied and not clause.names(_SUCCESS | {"cannot"}) and _SINCE.search(clause.lower) is not None:
        perceived = _PERCEIVED | _COMPLAINT - {"it", "that", "this"} | {"wrong"}
        if "since" in clause.words and clause.names(_PERFECT):
            perceived |= _TROUBLE
        return "worked" if not perceived.isdisjoint(_main_words(clause)) else None
    return None


def _main_words(clause: Clause) -> Sequence[str]:
    """Return the words before "since", which may give a reason, without auxiliary verbs: not "the tabs have salt"."""
    main = clause.words[: clause.words.index("since")] if "since" in clause.words[1:] else clause.words
    return [word for word, after in zip(main, [*main[1:], ""], strict=True) if after not in {"been", "never", "not"}]


def _success(clause: Clause) -> Verdict | None:
    """Judge a word for success: whether it is denied, limited in time, or neither."""
    # "OK, it is at the mark now": the first word only agrees.
    agrees = len(clause.words) > _FEWEST and clause.words[0] in _WELL and clause.words[1] in _SUBJECTS
    well = not _WELL.isdisjoint(clause.words[1:] if agrees else clause.words) and not clause.doubted
    at_once = "once" in clause.words and clause.words[clause.words.index("once") - 1] == "at"
    passing = (clause.names(_IN_TIME) and not at_once) or (
        _FOR_A_WHILE.search(clause.lower) is not None and not clause.names(_SINCE_THEN)
    )
    since = "since" in clause.words
    if well and (since or not clause.names(_LONG_AGO)):
        if passing:
            return "failed"
        stands = since or (clause.names(_NOW_ALL) and _NOT_NOW.search(clause.lower) is None)
        return "worked" if stands else None
    if not clause.names(_SUCCESS) or clause.names(_LONG_AGO) or _AT_WORK.search(clause.lower) is not None:
        return None
    pluperfect = "had" in clause.words
    if clause.doubted and _WITHOUT_FAULT.search(clause.lower) is None:
        return None if pluperfect else "failed"
    only = "only" in clause.words and not clause.names(_THE_ONE)
    if passing or only:
        return "failed"
    done = clause.names(_DONE) or clause.words[0] == "works"
    return "worked" if done and not pluperfect and _NOT_NOW.search(clause.lower) is None else None


def _trouble(clause: Clause) -> Verdict | None:
    """Judge a word for trouble: whether it is about the present."""
    if "worse" in clause.words and not clause.denied:
        return "failed"
    if (made := _MADE.search(clause.lower)) is not None and made["how"] not in _IMPROVED:
        return "failed"
    told_now = clause.names(_PRESENT_TROUBLE) and not clause.denied and not clause.names(_LONG_AGO | {"had", "never"})
    return "failed" if told_now and clause.before is not None else None


def _phrase(clause: Clause) -> Verdict | None:
    """Judge an idiom."""
    if _FAILED.search(clause.lower) is not None:
        return None if clause.names(_LONG_AGO - {"before"}) else "failed"
    if _AT_WORK.search(clause.lower) is not None:
        return None
    return "worked" if _WORKED.search(clause.lower) is not None and _NOT_NOW.search(clause.lower) is None else None


def _goes_on(clause: Clause) -> Verdict | None:
    """Return "failed" if a step was followed, and what follows says that the problem goes on."""
    # "Checked the fuse, it's fine, but there is no power": what is fine is not the result.
    inspected = clause.contrasted and tells_an_inspection(clause.sentence)
    if (clause.followed or clause.before == "worked") and leaves_a_rest(clause.text):
        return "failed"
    if clause.before == "worked" and not inspected:
        return None
    if _thanks_a_person(clause):
        return None
    found = goes_on(clause.text, clause.known, followed=clause.followed or inspected, contrasted=clause.contrasted)
    return "failed" if found or names_new_fault(clause.text, clause.known, clause.sentence) else None


def _thanks_a_person(clause: Clause) -> bool:
    """Return whether a clause with or after thanks praises the helper: "Thank you, quick as always"."""
    if clause.contrasted or clause.names(_TROUBLE | _FAILING_STATES | _WEAK_STATES):
        return False
    return THANKS.search(clause.sentence[: clause.sentence.find(clause.text) + len(clause.text)]) is not None


_RULES: Final[Sequence[Callable[[Clause], Verdict | None]]] = (
    _elliptic,
    _unchanged,
    _stays,
    verdict_of_return,
    _gone,
    _hindered,
    _success,
    _trouble,
    _phrase,
    _goes_on,
)
