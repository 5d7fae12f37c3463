"""Texts that break careless engines, and random filters."""

import random
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backends.ports.filters import (
    And,
    Contains,
    Eq,
    Exists,
    Filter,
    Ge,
    Gt,
    Has,
    In,
    InIgnoringCase,
    Le,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.values import Scalar

PROGRAMMERS_WORDS = re.compile(
    r"\b(tuple|dict|dictionary|frozenset|NoneType|None|True|False|instance of|valid string|valid boolean|after validation|"
    r"pydantic|Traceback|Error)\b"
)
"""Words that an error message must not contain, because the caller sends JSON."""
INJECTIONS: tuple[str, ...] = (
    "' OR 1=1 --",
    "'; DROP TABLE nodes; --",
    '" OR ""="',
    "Robert'); DELETE FROM events;--",
    "`backtick` $dollar ${brace} #{hash} {{double}}",
    "\\' \\\" \\\\ \\n \\u0000 \\x00",
    "}) DETACH DELETE n //",
    "MATCH (n) RETURN n; CALL db.labels()",
    "UNION SELECT name FROM sqlite_master",
    '"unbalanced phrase',
    "NEAR(a b, 2) AND NOT title:x^2 OR (y*",
    "+plus -minus !bang ~fuzzy~2 [a TO z] {a TO b} wild*card?",
    "name:value AND _exists_:x && y || !z",
    "%wild_card% _ % [a-z]",
    '{"$ne": null, "$where": "1"}',
    "<script>alert(1)</script> &amp; %00 %s %(name)s {0}",
)

UNICODE: tuple[str, ...] = (
    "tab\tnewline\ncarriage\rreturn",
    "bell\x07 escape\x1b[31m delete\x7f unit\x1f",
    "emoji 🙂 family 👩‍👩‍👧‍👦 flag 🇪🇺 skin 👍🏽",
    "日本語のテキスト 中文 한국어",
    "עברית العربية \u200fRTL\u200e \u202eoverride\u202c",
    "zero\u200bwidth\u200djoiner\ufeffbom soft\u00adhyphen",
    "line\u2028separator paragraph\u2029separator next\u0085line",
    "Straße STRASSE İstanbul ıstanbul ΣΊΣΥΦΟΣ ﬁligree",
    "surrogate pair 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 and private \ue000 and noncharacter \ufffe\uffff",
    "  leading and trailing spaces  ",
    "non\u00a0breaking\u3000ideographic space",
    "e\u0301 combining \u0301 alone, stacked a\u0300\u0301\u0302\u0303",
)

TWINS: tuple[tuple[str, str], ...] = (
    ("caf\u00e9", "cafe\u0301"),
    ("\u00c5ngstr\u00f6m", "A\u030angstro\u0308m"),
    ("\u1e69", "s\u0323\u0307"),
)
"""Texts in NFC and NFD that look the same: different to store, equal in a search."""


def seeded(seed: int) -> random.Random:
    """Return a random generator with a fixed seed."""
    return random.Random(seed)  # noqa: S311 -- tests need repeatable random numbers, not secret ones


LONG = "".join(seeded(3).choices(string.ascii_lowercase + "    ", k=64 * 1024))
"""64 kB of words."""

HOSTILE_TEXTS: tuple[str, ...] = (*INJECTIONS, *UNICODE, *(text for pair in TWINS for text in pair))


@dataclass(slots=True)
class FilterMaker:
    """Generates random filters over typed fields; equal seeds give equal filters.

    `values` has the fields for equality, with values to compare to; `numbers` those with an order; `lists` those with
    elements; `texts` those that can be searched with a needle.
    """

    rng: random.Random
    values: Mapping[str, Sequence[Scalar]]
    numbers: Mapping[str, Sequence[int | float]]
    lists: Mapping[str, Sequence[str]]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def tree(self, depth: int = 0) -> Filter:
        """Return a filter of at most five levels."""
        roll = self.rng.random()
        if depth > 3 or roll < 0.35:
            return self.leaf()
        if roll < 0.5:
            return Not(self.tree(depth + 1))
        terms = tuple(self.tree(depth + 1) for _ in range(self.rng.randrange(0, 4)))
        return And(terms) if roll < 0.75 else Or(terms)

    def leaf(self) -> Filter:
        """Return a filter of one node."""
        kinds = [self._equality, self._membership, self._range, self._existence, self._element]
        if self.texts:
            kinds += [self._needle, self._folded]
        return self.rng.choice(kinds)()

    def _equality(self) -> Filter:
        name = self.rng.choice(list(self.values))
        return self.rng.choice([Eq, Ne])(name, self.rng.choice(self.values[name]))

    def _membership(self) -> Filter:
        name = self.rng.choice(list(self.values))
        chosen = self.rng.sample(list(self.values[name]), self.rng.randrange(0, len(self.values[name])))
        return self.rng.choice([In, NotIn])(name, tuple(chosen))

    def _range(self) -> Filter:
        name = self.rng.choice(list(self.numbers))
        return self.rng.choice([Lt, Le, Gt, Ge])(name, self.rng.choice(self.numbers[name]))

    def _existence(self) -> Filter:
        return Exists(self.rng.choice([*self.values, *self.numbers, *self.lists]))

    def _element(self) -> Filter:
        name = self.rng.choice(list(self.lists))
        return Has(name, self.rng.choice(self.lists[name]))

    def _folded(self) -> Filter:
        name = self.rng.choice(list(self.texts))
        return InIgnoringCase(name, tuple(self.rng.sample(list(self.texts[name]), self.rng.randrange(0, 4))))

    def _needle(self) -> Filter:
        name = self.rng.choice(list(self.texts))
        return Contains(name, self.rng.choice(self.texts[name]))
