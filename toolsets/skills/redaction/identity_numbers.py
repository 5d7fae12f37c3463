"""Removes numbers by which states and hospitals know a person: tax, identity and insurance numbers, and medical records."""

import re
from collections.abc import Callable
from typing import Final

from toolsets.skills.redaction.replacement import ACCOUNT, SOCIAL_SECURITY, Rule, group_rule, near_cues, number_rule

_DNI = re.compile(r"(?<![\w.-])(?:[XYZxyz][ -]?\d{7}|\d{2}\.?\d{3}\.?\d{3})[ -]?[A-HJ-NP-TV-Za-hj-np-tv-z](?![\w]|-\w)")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_CODICE_FISCALE = re.compile(
    r"(?i)(?<![\w-])[A-Z]{3}[ ]?[A-Z]{3}[ ]?\d\d[ABCDEHLMPRST]\d\d[ ]?[A-Z]\d{3}[A-Z](?![\w]|-\w)"
)
_NIR = re.compile(
    r"(?<![\w.-])[12][ .]?\d\d[ .]?\d\d[ .]?(?:\d\d|2[AB])[ .]?\d{3}[ .]?\d{3}(?:[ .]?\d\d)(?![\w]|[.-]\d)"
)
_CPF = re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w]|-\w)")
_SAID = re.compile(
    r"(?i)\b(?:tfn|tax file|tax(?:payer)?(?: identification)?|dni|n\.?i\.?f|nie|n[uú]m[eé]ro fiscal|fiscal number|codice fiscale"
    r"|partita iva|carte vitale|s[eé]curit[eé] sociale|seguridad social|n[°º] ?(?:s[eé]cu|ss)|bsn|cpf|rg|nif|pesel|medicare"
    r"|health(?:care)? (?:card|insurance)|identity|identité|steuernummer|krankenversichertennummer|versichertennummer)"
    r"(?:[ -]?(?:number|no\.?|nummer|nr\.?|num[eé]ro|n[°º]|id|code|card))?"
    r"(?:\s(?:is|ist|est|es|è|é|was)|\s?[:=#])?\s{1,2}[\"'(]?"
    r"((?-i:[A-Z]{0,2})(?=[\d .-]{6,24})\d(?:[ .-]?\d){6,14}(?-i:[ -]?[A-Z])?)(?!\w|-\w)"
)
_BEFORE_NAME = re.compile(
    r"(?i)(?<![\w.-])((?:\d[ .]?){12,14}\d)\s{1,2}(?:de |of )?(?:s[eé]curit[eé] sociale|seguridad social|social security)"
)
_MEDICAL = re.compile(
    r"(?i)\b(?:medical record|mrn|patient(?: file| record)?|hospital|chart|health record|patienten|krankenakten?"
    r"|dossier m[eé]dical|historia cl[ií]nica)[ -]?"
    r"(?:numbers?|no\.?|nr\.?|nummer|id|file|#)?(?:\s(?:is|was|ist|est|es)|\s?[:=#])?\s{1,2}[\"'(]?"
    r"((?-i:[A-Z]{1,5}[ -]?)?\d(?:[ -]?\d){4,13})(?!\w|[-:.]\d)"
)
_GOODS_BEFORE = re.compile(r"(?i)\b(?:part|serial|model|order|ticket|sku|item|build|version|commit)\b[\w .:#]{0,12}$")


def _is_dni(found: str) -> bool:
    """Return whether the letter is the one that belongs to the digits of a Spanish identity number."""
    compact = "".join(c for c in found.upper() if c.isalnum())
    digits = compact[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return _DNI_LETTERS[int(digits) % 23] == compact[-1]


def _is_nir(found: str) -> bool:
    """Return whether the last two digits are the key of a French insurance number."""
    compact = "".join(c for c in found.upper() if c.isalnum()).replace("2A", "19").replace("2B", "18")
    return int(compact[:-2]) % 97 + int(compact[-2:]) == 97


def _is_cpf(found: str) -> bool:
    """Return whether the last two digits check the other nine of a Brazilian tax number."""
    digits = [int(c) for c in found if c.isdigit()]
    return all(
        sum(digit * (size + 1 - at) for at, digit in enumerate(digits[:size])) * 10 % 11 % 10 == digits[size]
        for size in (9, 10)
    )


def _checked(pattern: re.Pattern[str], check: Callable[[str], bool]) -> Rule:
    """Return the rule for numbers whose check digits are right, unless they are called the number of a thing."""

    def is_checked(text: str, match: re.Match[str]) -> bool:
        thing = _GOODS_BEFORE.search(text, max(0, match.start() - 32), match.start())
        return thing is None and check(match.group())

    return number_rule(pattern, SOCIAL_SECURITY, accepts=is_checked)


_SAID_CUES: Final = (
    *"tfn tax dni nif nie fiscal vitale social bsn cpf pesel medicare health identit steuernummer versichert".split(),
    *("n.i.f", "partita iva", "cliente rg", "secu", "sécu", "sécurité"),
)
IDENTITY_NUMBERS: Final[tuple[Rule, ...]] = (
    near_cues(group_rule(_BEFORE_NAME, SOCIAL_SECURITY), "social"),
    near_cues(group_rule(_SAID, SOCIAL_SECURITY), *_SAID_CUES),
    near_cues(
        group_rule(_MEDICAL, ACCOUNT),
        "medical",
        "mrn",
        "patient",
        "hospital",
        "chart",
        "health",
        "akte",
        "dossier",
        "cl",
    ),
    _checked(_DNI, _is_dni),
    _checked(_CODICE_FISCALE, lambda _: True),
    _checked(_NIR, _is_nir),
    _checked(_CPF, _is_cpf),
)
"""Run before the rules for telephone numbers, whose digits may be grouped alike."""
