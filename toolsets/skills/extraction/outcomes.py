"""The verdict of a customer's reply on what was tried: the last clause that has a verdict decides.

A clause is judged by its words if they suffice: whether it names success or trouble, denies it, limits it in time, or says
that it is back. Idioms that cannot be judged by their words are matched by patterns.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Outcome: TypeAlias = Literal["worked", "failed", "thanks", "none"]
_Verdict: TypeAlias = Literal["worked", "failed"]

MAX_READ: Final = 4_000
"""The number of characters at the end of a reply that are judged; in longer replies the verdict is at the end."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SUCCESS = _words(
    """work works worked working help helps helped helping fix fixes fixed fixing solve solves solved solving resolve
    resolves resolved"""
)
_DONE = _words("worked helped solved resolved")
"""Verbs that credit something with the success."""
_WELL = _words("fine ok okay good great normal perfect perfectly well stable smoothly flawlessly quiet stopped green")
"""Words for a state in which all is well."""
_RUNS = _words(
    """arrives arrive prints print loads load starts start opens open connects connect plays play rings charges syncs boots
    runs responds sends receives heats spins fits opens closes"""
)
"""What a working thing does; with "again" it works now."""
_TROUBLE = _words(
    """fail fails failed failing crash crashes crashed crashing hang hangs hung freeze freezes froze frozen break breaks broke
    broken drop drops dropped dropping stop stops stopped die dies died disconnects disconnected happen happens happened
    occur occurs occurred appear appears appeared return returns returned error errors issue issues problem problems
    warning warnings offline red dead dark black blank empty stuck gone missing slow locked wrong flickers beeps blinks
    blinking leaks there here"""
)
"""Words for trouble; with "again" it is back."""
_COMPLAINT = _words(
    """it that this error errors problem problems issue issues message warning bug symptom symptoms noise crash crashes
    trouble light fault flicker smell delay"""
)
"""The subject of a complaint: bad if it is back, good if it is gone."""
_NAMED_COMPLAINT = _COMPLAINT - {"it", "that", "this", "light"}
_PRESENT_TROUBLE = _words(
    "fails failed crashes crashed hangs freezes froze broke breaks dropped drops slower useless persists"
)
"""Words for trouble that need no "again" after a clause that has a verdict."""
_RETURNED = _words("reappeared reappears resurfaced recurred recurs returned returns")
_DENIALS = _words("not never no none neither nothing nobody hardly barely cannot without unfortunately sadly")
_PERCEIVED = _words(
    "see sees seen get gets got have has hear hears heard happen happens happened appear appears appeared show shows shown occur "
    "occurs occurred crash crashes crashed fail fails failed hang hangs freeze freezes drop drops"
)
_BARE = _words(
    "no nope nah not unfortunately sadly really yet sorry i am afraid i'm for me us negative alas still here sir"
)
_BARE_REFUSALS = _words("no nope nah not negative")
_IN_TIME = _words("until till once")
_LONG_AGO = _words("before why earlier previously formerly yesterday")
_GERUNDS_OF_USE = _words("working responding printing loading charging syncing playing receiving sending running")
_IMPROVED = _words("better faster quicker quieter easier clearer smoother")

_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+")
_NOT = re.compile(r"n't\b")
_CONTRACTED: Final = {
    "can't": "cannot",
    "won't": "will not",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
}
_SENTENCE = re.compile(r"(?<=[.!?\n])\s+|\n|(?<=\.{3})|\b(?:edit|update)\s?:\s*", re.IGNORECASE)
_COMMA = re.compile(r"(?i)[,;:]\s+|\s[-–—]+\s")
_ASKED = re.compile(
    r"(?i)\W*(?:(?:and|but|so|ok|okay|hm+)\W+)*(?:what|if|do|does|did|is|are|was|should|will|would|how|where|when|can|could"
    r"|why|which)\b"
)
_EARLIER = re.compile(r"(?i)\W*(?:before|previously|earlier|until now|yesterday|last (?:week|month|year|time))\b")
_SUPPOSED = re.compile(
    r"(?i)\b(?:if|whether|will|i'll|we'll|might|may|hopefully|hope|should|let (?:me|you|us) know|tell you|thought"
    r"|assumed|expected|when it)\b"
)
_ELSEWHERE = re.compile(
    r"(?i)\b(?:for|by|with) (?:(?:my|the|our|all|all the|some|every) )?(?:colleagues?|co-?workers?|others|them|friends?"
    r"|neighbou?rs?|(?:every(?:one|body)|all the) (?:else|others))\b(?! (?:as well|too|now))|\b(?:every|any)thing else\b"
    r"|\bin (?:other|another) \w+|\belsewhere\b"
    r"|\b(?:worked|was) (?:fine |well |ok(?:ay)? )?(?:in|with|on|under) (?:version |release )?v?\d"
)
"""Clauses about other people, places or versions have no verdict on what was tried."""
_WISHED = re.compile(r"(?i)\bi (?:wish|had hoped|hoped)\b")
_FOR_A_WHILE = re.compile(
    r"(?i)\b(?:for|after|within|in) (?:about |around |only |maybe |almost )?(?:an?|the first|some|one|two|three|four|five"
    r"|ten|a few|several|\d+) (?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|moments?|while|bit|times?)\b"
    r"|\bat first\b|\binitially\b|\bbriefly\b"
)
_LASTED = re.compile(r"(?i)\b(?:it|that|this|fix|which) (?:only |just )?(?:lasted|held)\b")
_SINCE = re.compile(r"(?i)\b(?:any ?more|any longer|since|so far|ever again|now)\b")
_WITHOUT_FAULT = re.compile(
    r"(?i)\bwithout (?:any |an? |the |that |further )?(?:error|problem|issue|crash|warning|message|fault|delay|trouble|hitch"
    r"|hiccup)\w*|\bnot (?:a|one) single \w+|\bno more \w+|\bno (?:crash|error|problem|issue)\w* (?:for|since|so far)\b"
)
_DOES_NOW = re.compile(r"(?i)\b(?:it|that|this|they) (?:does|did|has|do)(?: now)?\W*$")
_DOES_NOT = re.compile(r"(?i)\b(?:it|that|this|they) (?:(?:does|did|has|do)n't|(?:does|did|has|do) not)\W*$")
_MADE = re.compile(r"(?i)\b(?:made|makes) (?:it|things|everything) (?:\w+ ){0,2}?(?P<how>\w+er|worse)\b")
_STAYS = re.compile(
    r"(?i)\b(?:stays|remains|keeps) (?!connected|on\b|up\b|stable|green|online|working|running|fixed|solved|quiet)\w+"
)
_BACK = re.compile(r"(?i)\b(?:came|come|comes|coming|is|are|was|were|'s) back\b")
_HERE_AGAIN = re.compile(
    r"(?i)\b(?:here|there)(?: it| they|'s)?(?: is| are)?(?: it)? again\b|\bit's (?:here|there) again\b"
)
_NO_LONGER = re.compile(r"(?i)\bno longer (?P<what>\w+)")

_SAME = re.compile(
    r"(?i)(?:\b(?:is|are|stays|remains|was)|'s) (?:exactly |still |just |always )?the same\b|\bsquare one\b"
)
_ALREADY = re.compile(
    r"(?i)\balready (?:on|off|set|enabled|disabled|installed|up to date|the latest|active|checked|ticked)\b"
)
_SHUTS = re.compile(r"(?i)\b(?:shuts down|(?:switches|turns) (?:itself )?off|goes (?:dark|black|silent))\b")
_STOPPED = re.compile(r"(?i)\bstop(?:s|ped)? (?P<what>\w+ing)\b")
_ABLE = re.compile(
    r"(?i)\b(?:i|we) (?:can|could|am able to|was able to|are able to|were able to|managed to)\b(?=.*\b(?:now|again|after|finally"
    r"|since|at last)\b)|\b(?:now|finally|since then|after that),? (?:i|we) (?:can|could|am able to)\b"
)
_AT_WORK = re.compile(r"(?i)\b(?:at|from|for|to|my|i|we) work(?:ed)?\b")

# Idioms.
_FAILED = re.compile(
    r"(?i)\b(?:(?:did|does|do|has|have|had)(?: not|n'?t) (?:seem to |really |actually )?(?:help|work|fix|solve"
    r"|change|do|make|resolve|go away|appear|seem)|(?:no|without) (?:luck|change|difference|joy|dice|effect"
    r"|success|avail|improvement)"
    r"|(?<!was )(?<!were )still (?:the same|not|n't|does|do|did|can'?t|cannot|get|getting|happen|happens"
    r"|happening|broken|fails?|failing|see|seeing|show|shows|showing|crash|crashes|crashing|have|having|there"
    r"|an? error|slow|blank|stuck|nothing|says?|no|won'?t|isn'?t|red|down|happened|missing|black|white|dark|off"
    r"|offline|empty|gone|unavailable|locked|wrong|gr[ae]y|silent|muted?|dead|frozen|loud|noisy|disconnected|unable"
    r"|flickers?|flickering|blinks?|blinking|waiting|loading)"
    r"|(?:is|are|it'?s) (?:still )?not (?:working|fixed|solved|helping|resolved|it|there|possible|the (?:case"
    r"|problem|issue))|isn'?t (?:working|fixed|it|helping|solved)|(?:the )?same (?:error|problem|issue|thing"
    r"|result|message|behaviou?r|as before|story|again)"
    r"|(?:made|makes) (?:it|things) worse|(?:problem|issue|error) (?:persists|remains|is still|still|came back"
    r"|is back|returned|continues)|(?:came|come|comes|is|are) back(?: again)?$|won'?t (?:work|help|start|open|let)"
    r"|already (?:tried|did|done|checked|have)(?: that| this| it| both| all)?|(?:that|this|it)(?:'s| is"
    r"| was)? (?:no(?:t)? (?:good|help|use)|useless|failed|not it|the wrong)|nope|failed again|fails again"
    r"|negative|spoke too soon|not (?:yet )?(?:fixed|solved|working|resolved|helping)"
    r"|nothing (?:happens|happened|changed|changes|works|worked)|to no avail|no longer helps|unsuccessful"
    r"|doesn'?t either|did nothing)\b"
)
_WORKED = re.compile(
    r"(?i)\b(?:(?:that|this|it|which|one|these|those|steps?|restart(?:ing)?|reinstall(?:ing)?|answer|solution"
    r"|fix|workaround|trick|command|all|everything|both|update|he|she|both|\w+ing \w+|\w+ing the \w+"
    r"|\w+ing it)(?:'s| is| has| have| all| just| really| actually| did| finally|,?)? (?:worked|works|fixed"
    r"|solved|helped|resolved|did it|did the trick|done it|cleared|sorted|cured)"
    r"|did (?:the trick|it|help|work)(?![ ]not)|works? (?:now|again|fine|perfectly|great|well|beautifully"
    r"|flawlessly|like a charm|as expected|for me|like magic|a treat)|(?:is|are|it'?s|they'?re|all"
    r"|everything(?:'s| is)?|we'?re|i'?m|am) (?:now )?(?:working|fixed|solved|resolved|sorted|good|back(?: up)?"
    r"|fine|up|in|running|connected|online|green)(?: (?:now|again|and running|for me))?"
    r"|(?:problem|issue|case|mystery|error) (?:is )?(?:solved|resolved|fixed|gone|closed)|solved|resolved"
    r"|fixed(?: it| that)?|success|worked|(?:that|this) (?:was|is|'s) (?:it|exactly it|the (?:problem|issue"
    r"|cause|culprit|reason|one|trick|answer|solution))|that'?s it"
    r"|up and running|(?:i|we) (?:can|could|was able to|were able to|am able to|managed to) (?:now |finally "
    r"|again )?(?:\w+ ){1,8}?(?:now|again|finally|without)|(?:i|we) can now|(?:error|problem|issue|message"
    r"|warning) (?:is |has )?(?:now )?(?:gone|disappeared|went away)|no (?:more|longer) (?:errors?|crash"
    r"|problems?|an? |get|see|happen)"
    r"|brilliant|life ?saver|you(?:'re| are) (?:a genius|the best|awesome|amazing)|like a charm|bingo|hooray"
    r"|yay|woohoo|problem gone|turned green|light is green|loads? (?:now|again|fine)|prints? (?:now|again|fine)"
    r"|just what i (?:needed|was looking for)|exactly what i (?:needed|was looking for)|found it)\b"
)
_NOT_NOW = re.compile(
    r"(?i)\?|\bif (?:it|that|this)\b|\b(?:before|until|yesterday|used to|last (?:week|month|year|time)"
    r"|previously|earlier|for (?:a|the first|two|three|\d+) (?:minutes?|hours?|days?|while|seconds?|months?"
    r"|years?)|should (?:have )?work|would|might|hope|hopefully|see if|whether|when it|normally|usually"
    r"|it was working|always worked|let you know|try)\b"
)
_THANKS = re.compile(r"(?i)\b(?:thanks?(?: you)?|thx|ty|tysm|cheers|appreciate(?:d)?|danke|merci|gracias)\b")
_CLAUSE = re.compile(
    r"(?i)(?:[,;]|\s[-–—]+)?\s+(?:but|however|although|though|yet|except(?: that)?|then|and (?=(?:it|that"
    r"|this|now|the|i|still)\b))\s*"
)

ORDINALS: Final = re.compile(
    r"(?i)\b(?:(?P<last>second|latter|last|third) (?:one|step|option|suggestion|thing|tip|command)?"
    r"|(?P<first>first|former) (?:one|step|option|suggestion|thing|tip|command)?)\s?(?:\w+ )?(?:worked|works"
    r"|did|fixed|helped|solved)\b(?!n't| not)"
)
"""The words by which a reply names one of several attempts as the one that worked."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause, its words, and the last verdict of the clauses before it in the sentence."""

    text: str
    words: Sequence[str]
    before: "_Verdict | None"

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self.words)

    @property
    def denied(self) -> bool:
        """Whether it has a negation."""
        return not _DENIALS.isdisjoint(self.words)

    def names(self, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.words)


def outcome_of(text: str) -> Outcome:
    """Return the verdict of a customer's reply on what was tried: the last clause that has a verdict decides."""
    outcome: Outcome = "none"
    for sentence in _SENTENCE.split(text[-MAX_READ:]):
        outcome = _of_sentence(sentence, outcome)
    return "thanks" if outcome == "none" and _THANKS.search(text) is not None else outcome


def is_bare_refusal(text: str) -> bool:
    """Return whether a reply is a plain no, which answers the last question."""
    words = _tokens(text)
    return bool(words) and not _BARE_REFUSALS.isdisjoint(words) and _BARE.issuperset(words)


def _of_sentence(sentence: str, outcome: Outcome) -> Outcome:
    """Return the outcome after one more sentence."""
    if is_bare_refusal(sentence) or sentence.strip().casefold().rstrip(".!") in _REFUSING:
        return "failed"
    if _EARLIER.match(sentence) is not None or (sentence.rstrip().endswith("?") and _ASKED.match(sentence) is not None):
        return outcome
    said: _Verdict | None = None
    for part in _clauses(sentence):
        clause = _Clause(part, _tokens(part), said)
        said = _verdict(clause) or said
    if said == "worked" and sentence.rstrip().endswith("?"):
        return outcome
    return said or outcome


_REFUSING: Final = frozenset(("unfortunately", "sadly", "not really", "same as before", "nothing", "not yet"))


def _clauses(sentence: str) -> Iterator[str]:
    for whole in _CLAUSE.split(sentence):
        yield from (part for part in _COMMA.split(whole) if part.strip())


def _tokens(text: str) -> list[str]:
    folded = text.casefold().replace("’", "'")
    if "nt" in folded or "n't" in folded:
        for short, full in _CONTRACTED.items():
            folded = folded.replace(short, full)
        folded = _NOT.sub(" not", folded)
    return _TOKEN.findall(folded)


def _verdict(clause: _Clause) -> "_Verdict | None":
    """Return the verdict of a clause, None if it has none; the first rule with a verdict decides."""
    if _WISHED.search(clause.text) is not None:
        return "failed"
    if _SUPPOSED.search(clause.text) is not None or _ELSEWHERE.search(clause.text) is not None:
        return None
    for rule in _RULES:
        if (found := rule(clause)) is not None:
            return found
    return None


def _elliptic(clause: _Clause) -> "_Verdict | None":
    """ "It does now", "it hasn't", "only until I close the lid": the reverse of what the sentence said before."""
    if _DOES_NOT.search(clause.text) is not None:
        return "failed"
    if ORDINALS.search(clause.text) is not None:
        return "worked"
    if clause.before == "failed" and _DOES_NOW.search(clause.text) is not None:
        return "worked"
    limits = bool(clause.words) and clause.words[0] in _IN_TIME | {"only"}
    return "failed" if clause.before == "worked" and limits else None


def _unchanged(clause: _Clause) -> "_Verdict | None":
    """Return "failed" if nothing has changed, or only for a time."""
    patterns = (_LASTED, _STAYS, _SAME, _ALREADY, _SHUTS)
    return "failed" if any(pattern.search(clause.text) is not None for pattern in patterns) else None


def _back(clause: _Clause) -> "_Verdict | None":
    """Judge what is back or happens again: whether it is the complaint."""
    if _HERE_AGAIN.search(clause.text) is not None:
        return "failed"
    back, again = _BACK.search(clause.text) is not None, "again" in clause.words
    if again and clause.names(_SUCCESS):
        return "failed" if clause.denied else "worked"
    if again and clause.names(_RUNS) and not clause.denied:
        return "worked"
    returned = (clause.names(_RETURNED) and clause.names(_NAMED_COMPLAINT)) or clause.names(
        _words("reappeared reappears")
    )
    # "It is back" complains; "the menu is back with Debian in it" does not.
    subject = clause.words[: clause.words.index("back")] if "back" in clause.words else clause.words
    if returned or (back and not _COMPLAINT.isdisjoint(subject)) or (again and clause.names(_TROUBLE)):
        return "worked" if clause.denied else "failed"
    return "worked" if back and not clause.denied else None


def _gone(clause: _Clause) -> "_Verdict | None":
    """Judge what is gone: whether it is the complaint."""
    if (longer := _NO_LONGER.search(clause.text)) is not None:
        return "failed" if longer["what"].casefold() in _SUCCESS else "worked"
    if (stopped := _STOPPED.search(clause.text)) is not None:
        good = stopped["what"].casefold() in _TROUBLE or stopped["what"].casefold() not in _GERUNDS_OF_USE
        return None if clause.denied else "worked" if good else "failed"
    if _WITHOUT_FAULT.search(clause.text) is not None or _ABLE.search(clause.text) is not None:
        return None if "cannot" in clause.words else "worked"
    if "stopped" in clause.words and clause.names(_NAMED_COMPLAINT):
        return "failed" if clause.denied else "worked"
    if "gone" in clause.words and clause.names(_COMPLAINT):
        return "failed" if clause.denied else "worked"
    if clause.denied and not clause.names(_SUCCESS | {"cannot"}) and _SINCE.search(clause.text) is not None:
        return (
            "worked"
            if clause.names(_PERCEIVED | _COMPLAINT - {"it", "that", "this"}) or "wrong" in clause.words
            else None
        )
    return None


def _success(clause: _Clause) -> "_Verdict | None":
    """Judge a word for success: whether it is denied, limited in time, or neither."""
    well = clause.names(_WELL) and not clause.denied
    passing = clause.names(_IN_TIME) or (
        _FOR_A_WHILE.search(clause.text) is not None and not clause.names(_words("has have been since now after"))
    )
    since = "since" in clause.words
    if well and (since or not clause.names(_LONG_AGO)):
        if passing:
            return "failed"
        stands = since or (clause.names(_words("now again all everything")) and _NOT_NOW.search(clause.text) is None)
        return "worked" if stands else None
    if not clause.names(_SUCCESS) or clause.names(_LONG_AGO) or _AT_WORK.search(clause.text) is not None:
        return None
    pluperfect = "had" in clause.words
    if clause.denied and _WITHOUT_FAULT.search(clause.text) is None:
        return None if pluperfect else "failed"
    only = "only" in clause.words and not clause.names(_words("thing one way solution fix answer"))
    if passing or only:
        return "failed"
    done = clause.names(_DONE) or clause.words[0] == "works"
    return "worked" if done and not pluperfect and _NOT_NOW.search(clause.text) is None else None


def _trouble(clause: _Clause) -> "_Verdict | None":
    """Judge a word for trouble: whether it is about the present."""
    if "worse" in clause.words and not clause.denied:
        return "failed"
    if (made := _MADE.search(clause.text)) is not None and made["how"].casefold() not in _IMPROVED:
        return "failed"
    told_now = clause.names(_PRESENT_TROUBLE) and not clause.denied and not clause.names(_LONG_AGO | {"had", "never"})
    return "failed" if told_now and clause.before is not None else None


def _phrase(clause: _Clause) -> "_Verdict | None":
    """Judge an idiom."""
    if _FAILED.search(clause.text) is not None:
        return None if clause.names(_LONG_AGO - {"before"}) else "failed"
    if _AT_WORK.search(clause.text) is not None:
        return None
    return "worked" if _WORKED.search(clause.text) is not None and _NOT_NOW.search(clause.text) is None else None


_RULES: Final[Sequence[Callable[[_Clause], "_Verdict | None"]]] = (
    _elliptic,
    _unchanged,
    _back,
    _gone,
    _success,
    _trouble,
    _phrase,
)
