"""Checks what a language model says against the text that has to support it: words, technical parts, negations and deeds."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.verbs import base_of_gerund, base_of_past, is_verb, noun_share, third_person
from toolsets.skills.redaction import without_placeholders
from toolsets.skills.sameness import NEGATIONS, are_opposite

LEAST_GROUNDED: Final = 0.5
"""The share of a text's words that the conversation must contain; in a good summary it is more than two thirds."""
_TECHNICAL = re.compile(
    r"https?://\S+|www\.\S+|\b[\w.-]+\.(?:com|net|org|io|exe|sh|ps1|bat|msi|zip|example|dev|app|ru|cn|xyz|info"
    r"|biz|top|site|online)\b\S*"
    r"|`[^`\n]+`|(?<!\w)[~/]?[\w.*-]*(?:/[\w.*-]+)+|[A-Za-z]:\\\S+|(?<!\w)--?[a-z][\w-]*"
    r"|\S*[|$<>=@{}\\]\S*|\b\w*\d\w*\b"
)
"""Parts of a step that the conversation must contain literally: addresses, commands, paths, options, numbers."""
_DANGEROUS = re.compile(
    r"(?i)\b(?:rm -rf|mkfs|dd if=|format c|drop (?:table|database)|chmod 777|curl|wget|powershell|eval|base64"
    r"|nc -|sudo|shutdown"
    r"|passwd|net user)\b"
)
"""Commands that the conversation must contain literally, in any notation."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLAUSE = re.compile(r"[.;:!?,]\s+|\n|\s(?:and|but|or|then)\s")
_LEAD = re.compile(
    r"(?i)\W*(?:(?:please|then|now|first|next|also|finally|again|afterwards|do not|don['’]t|never|always|to|and|or|but|\w{3,}ly)"
    r"\s+)*(?P<verb>[^\W\d_]+(?:-[^\W\d_]+)*)"
)
_GERUND = re.compile(r"(?i)\b(?:by|after|before|while|without)\s+(?P<verb>[a-z]{3,}ing)\b")
_MOSTLY_NOUN: Final = 50
"""The percentage of uses as a noun from which a word after "and" is taken for one."""
_PLAIN: Final = frozenset(
    """open go navigate choose select pick click tap press hit use enter type run execute make ensure check verify confirm look
    see find follow set""".split()
)
"""Verbs that say only how to reach or handle what the other words name."""
_SWITCHING: Final = ("turn", "switch")
_SWITCHED = re.compile(r"(?i)\b(?:turn|switch)(?:e?d|e?s|ing)?\b[^.\n]{0,30}?\b(?P<side>on|off)\b")
_ALIKE: Final = tuple(
    frozenset(group.split())
    for group in (
        "restart reboot relaunch reopen",
        "remove delete uninstall erase detach",
        "disable deactivate untick uncheck",
        "enable activate tick",
        "update upgrade",
        "replace swap exchange change substitute",
        "unplug disconnect pull",
        "plug connect attach insert",
        "install add",
        "clean wipe wash",
        "fasten tighten",
    )
)
"""Verbs of which one may stand for another."""
_FORGET = re.compile(r"(?i)\b(?:do not|don't|never) (?:forget|hesitate) to ")
_NEGATIVE_TERMS: Final = frozenset(terms(" ".join(NEGATIONS)))
_PLAIN_TERMS: Final = frozenset(terms(" ".join(_PLAIN)))


class SourceText:
    """A text against which other texts are checked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = frozenset(terms(text))
        self._deeds: Deeds | None = None
        self._literal = _squeezed(text)
        self._parts: Sequence[tuple[str, frozenset[str]]] | None = None

    def grounds(self, text: str) -> bool:
        """Return whether this text has at least half of the words of another one."""
        wanted = [word for word in terms(without_placeholders(text)) if len(word) > 1]
        return bool(wanted) and sum(word in self._words for word in wanted) >= LEAST_GROUNDED * len(wanted)

    def tells(self, step: str) -> bool:
        """Return whether this text has the deeds of a step."""
        self._deeds = self._deeds or Deeds(self._text)
        unknown = {word for word in terms(without_placeholders(step)) if len(word) > 1} - self._words
        return not self._deeds.lacks(step, grounded=unknown <= _PLAIN_TERMS)

    def contradicts(self, text: str) -> bool:
        """Return whether the sentences of this text that share most words with another one all say its opposite.

        They do if one has a negation that the other lacks, or each has another side of a pair such as "on" and "off".
        """
        for part in re.split(r"(?<=[.!?])\s+|\n", text):
            wanted = frozenset(terms(part)) - _NEGATIVE_TERMS
            alike = [(len(wanted & words), said) for said, words in self._sentences() if wanted & words]
            most = max((shared for shared, _ in alike), default=0)
            closest = [said for shared, said in alike if shared == most]
            if most > 0.6 * len(wanted) and all(are_opposite(part, said) for said in closest):
                return True
        return False

    def _sentences(self) -> Sequence[tuple[str, frozenset[str]]]:
        if self._parts is None:
            whole = re.split(r"(?<=[.!?])\s+|\n", _FORGET.sub("", self._text))
            # A clause may say the same without the "not" of the clause before it.
            parts = (part for said in whole for part in (said, *re.split(r"[,;:]\s|\b(?:and|but|then)\b", said)))
            self._parts = [(part, frozenset(terms(part))) for part in parts if part.strip()]
        return self._parts

    def invented(self, text: str) -> str | None:
        """Return a command, an address or a number that this text lacks, ignoring blanks and case; None if there is none."""
        bare = without_placeholders(text)
        found = (
            match.group().strip(".,;:!?()\"'“”") for form in (_TECHNICAL, _DANGEROUS) for match in form.finditer(bare)
        )
        return next((part for part in found if _squeezed(part) not in self._literal), None)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s`\"'“”*]+", "", text).casefold()


class Deeds:
    """The verbs of a text, in any of their forms."""

    def __init__(self, text: str) -> None:
        words = frozenset(map(str.lower, _WORD.findall(text)))
        forms = (form(word) for word in words for form in (base_of_gerund, base_of_past, third_person))
        self._verbs = words.union((base for base in forms if base is not None), _switched(text))

    def lacks(self, step: str, *, grounded: bool) -> bool:
        """Return whether a step has a deed that the text has in no form, nor one that means the same.

        A verb such as "open" need not occur if the other words of the step are `grounded`, all of them.
        """
        switched = _switched(step)
        return any(
            not self._has(verb)
            and not (grounded and verb in _PLAIN)
            and not (verb in _SWITCHING and any(map(self._has, switched)))
            for verb in _deeds(step)
        )

    def _has(self, verb: str) -> bool:
        return verb in self._verbs or any(verb in group and not group.isdisjoint(self._verbs) for group in _ALIKE)


def _switched(text: str) -> set[str]:
    """Return "enable" if a text turns something on, and "disable" if it turns something off."""
    return {"enable" if match["side"].lower() == "on" else "disable" for match in _SWITCHED.finditer(text)}


def _deeds(step: str) -> Iterator[str]:
    """Yield the verbs, in their base form, with which the clauses of a step begin, and those after "by" and "after"."""
    for number, clause in enumerate(_CLAUSE.split(step)):
        if (begin := _LEAD.match(clause)) is not None:
            verb = begin["verb"].lower()
            if is_verb(verb) and (number == 0 or (noun_share(verb) or 0) < _MOSTLY_NOUN):
                yield verb
    yield from (base for match in _GERUND.finditer(step) if (base := base_of_gerund(match["verb"].lower())) is not None)
