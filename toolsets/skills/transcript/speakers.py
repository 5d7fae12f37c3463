"""Infers which speakers ask and which answer: from a speaker's label, or else from the text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from toolsets.skills.transcript.evidence import weigh
from toolsets.skills.transcript.model import Role
from toolsets.skills.transcript.words import words


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text and its speaker, before the role is known; `role` is set if the source states it."""

    speaker: str | None
    text: str
    role: Role | None = None
    internal: bool = False
    """Whether the source states that the customer does not see it."""
    sent: str | None = field(default=None, compare=False)
    """What the source writes beside the speaker, or in a field of its own, in which the time is searched."""


_AGENTS: Final = words("agents")
_CUSTOMERS: Final = words("customers")
_OTHERS: Final = words("others")
FIELD_WORDS: Final = words("field_words")
_OF_CUSTOMERS: Final = words("of_customers")
"""What a company calls the department for its customers: customer success."""
_ASKING_SECTIONS: Final = frozenset("q question problem issue symptom symptoms description".split())
_ANSWERING_SECTIONS: Final = frozenset("a answer solution resolution fix workaround cause reply response steps".split())
_ORDINAL = re.compile(r"[\s.#]*\d{1,4}\.?$")
_WORD = re.compile(r"[^\W_]+")

FIELDS: Final = frozenset(
    """note notes nb warning error info debug trace fatal critical hint tip important version os subject from to cc bcc date
    sent re fw fwd aw wg step example http https url link file path output result results expected actual environment device
    model browser status priority category product password username login email e-mail mail phone name address ps edit update
    summary title reason todo code message order case ticket reference id type time location server host port user-agent
    details detail command log logs exception caused by at attachment attachments image warn notice usage default value values
    option options key size total price tags tag labels label severity affected hardware software platform build kernel
    distribution screenshot tl;dr tldr thanks regards also update1 update2 fyi btw p.s. p.s""".split()
)
"""Words before a colon that name a field or a remark, not a speaker."""

_FIRST_UNSPACED: Final = 0x3040
"""The first code point of the scripts without blanks between words."""


@lru_cache(maxsize=256)
def label_role(label: str) -> Role | None:
    """Return the role that a speaker's label states, None if it is a name."""
    said = [word.casefold() for word in _WORD.findall(label)]
    if not said or len(said) > 8:
        return None
    if ("help" in said and "desk" in said) or ("customer" in said and not _OF_CUSTOMERS.isdisjoint(said)):
        return "agent"
    if said in (["me"], ["you"]):
        return "customer"
    for role, names, beginnings in _ROLE_WORDS:
        if any(word in names or (not word.isascii() and word.startswith(beginnings)) for word in said):
            return role
    return None


_ROLES: Final[tuple[tuple[Role, frozenset[str]], ...]] = (
    ("agent", _AGENTS),
    ("customer", _CUSTOMERS),
    ("other", _OTHERS),
)
_ROLE_WORDS: Final[tuple[tuple[Role, frozenset[str], tuple[str, ...]], ...]] = tuple(
    # A label in a script without blanks may begin with a role, such as the one for "support Wang".
    (role, names, tuple(name for name in names if len(name) > 1 and ord(name[0]) >= _FIRST_UNSPACED))
    for role, names in _ROLES
)
"""The order matters: customer service answers, and so does user support."""


@lru_cache(maxsize=256)
def section_role(label: str) -> Role | None:
    """Return the role of a section of a report, such as Problem or Solution; None for another label."""
    word = _ORDINAL.sub("", label).strip().casefold().strip(".")
    if word in _ASKING_SECTIONS:
        return "customer"
    return "agent" if word in _ANSWERING_SECTIONS else None


def begins_with_a_role(line: str) -> bool:
    """Return whether a line begins with a label that states that someone asks or answers."""
    label, colon, _ = line[:60].partition(":")
    return bool(colon) and label_role(label.strip(" \t*_#>-")) in {"customer", "agent"}


def is_field(label: str) -> bool:
    """Return whether a label before a colon is known not to be a speaker."""
    return _ORDINAL.sub("", label).strip().casefold() in FIELDS


def roles(said: Sequence[Utterance], *, described: bool = False) -> Mapping[str | None, Role]:
    """Return each speaker's role: the stated one, or the inferred one.

    Among speakers with names, what they say decides; if it does not, the first speaker asks, or the
    last one if the problem is `described` above the messages.
    """
    stated = _stated(said)
    unknown = [name for name in dict.fromkeys(each.speaker for each in said) if name not in stated]
    if not unknown:
        return stated
    scores = weigh(((each.speaker, each.text) for each in said), described=described)
    taken = set(stated.values())
    inferred: dict[str | None, Role] = dict(stated)
    if "customer" not in taken and not (described and len(unknown) == 1 and scores[unknown[0]] >= 0):
        asker = min(reversed(unknown) if described else unknown, key=lambda name: scores[name])
        inferred[asker] = "customer"
        unknown.remove(asker)
    for name in unknown:
        # Besides a stated agent, another speaker who does not answer is a colleague of the customer.
        answers = scores[name] >= 0 or "agent" not in set(inferred.values())
        inferred[name] = "agent" if answers else "other" if "customer" in taken else "customer"
    return inferred


def _stated(said: Iterable[Utterance]) -> dict[str | None, Role]:
    stated: dict[str | None, Role] = {}
    for each in said:
        role = each.role or (None if each.speaker is None else label_role(each.speaker))
        if role is not None:
            stated.setdefault(each.speaker, role)
    return stated
