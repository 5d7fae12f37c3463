"""Removes personal addresses: e-mail addresses, telephone numbers and public IP addresses."""

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

import phonenumbers

from toolsets.skills.redaction.replacement import (
    EMAIL,
    IP_ADDRESS,
    PHONE,
    Rule,
    Span,
    group_rule,
    near_cues,
    number_rule,
    replace_spans,
)

_DOMAIN = re.compile(
    r"@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w@])|@[\w-]{2,63},(?:com|org|net|de|uk)(?!\w)"
    r"|[ ]?[\[({<][ ]?(?:at|AT|@)[ ]?[\])}>][ ]?[\w-]{1,63}"
    r"(?:(?:\.|[ ]\.[ ]|[ ]?[\[({<][ ]?(?:dot|DOT|\.)[ ]?[\])}>][ ]?)[\w-]{1,63}){1,4}"
    r"|[ ](?:at|AT)[ ][\w-]{2,63}[ ](?:dot|DOT)[ ](?:com|org|net|edu|io|co|de|uk|info|gov)(?!\w)"
    r"|[ ]@[ ](?:[\w-]{1,63}\.){1,4}[A-Za-z]{2,24}(?!\w)"
    r"|%40(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?!\w)"
)
_SAID_ADDRESS = re.compile(
    r"(?i)\b(?:e-?mail|mail|write|address|reach|contact|account|login)\b[^\n.]{0,30}?"
    r"(?:\b(?:is|to|me|on|as|with|mail|address)|:)\s{1,2}((?!(?:us|me|it|them|him|her|you|look|found|available|support|hosted|page|site|the|up|is|at)\b)[\w.+-]{2,40}"
    r"[ ]at[ ](?:[\w-]{1,63}\.){1,3}(?:com|org|net|edu|io|co|de|uk|info|gov|fr|es|it|nl|ch|at))(?![\w@])"
)
_AT_HOST = re.compile(r" (?:at|AT|At) (?:[\w-]{1,63}\.){1,3}[A-Za-z]{2}")
"""A part of every such address; a pattern that begins with a fixed text is found fast."""
_LOCAL = frozenset(".!#$%&'*+/=?^_`{|}~-")
_IN_URL = "/?&=#"
"""Marks that hardly any address contains, and that precede one in a URL."""
_LONGEST_LOCAL = 64
"""The longest part before the @ of a mail address by RFC 5321."""
_QUOTED_LOCAL = re.compile(r"\"[^\"\n@]{1,62}\"$")

_PHONE = re.compile(
    r"(?=[\d+(])(?<![\w.,/#:=@-])(?:\+[ ]?|00[ ]?)?(?:\([ ]?)?\d(?:[ \u00a0]?[()./\-–]?[ \u00a0]?\d){5,16}(?![\w%]|[.:/-]\d)"
)
_MISTYPED = re.compile(
    r"(?i)\b(?:phone|telephone|tel|mobile|cell|fax|call|ring|dial)\b[^\n\d]{0,20}?(?<!\w)(o\d(?:[ ()./\-–]?[\do]){6,14})(?!\w)"
)
"""Numbers that begin with the letter O instead of the digit 0."""
_GOODS_BEFORE = re.compile(
    r"(?i)\b(?:part|item|article|model|product|catalog(?:ue)?|stock|order|invoice|ticket|case|serial|batch|asset|build|version"
    r"|reference|sku|fru|p/?n|s/?n|artikel|teile|bestell|rechnungs|ticket|serien)[ -]?(?:numbers?|nummer|no\.?|nr\.?|id|#)?"
    r"(?:\s(?:is|was|ist)|\s?[:=#])?\s{1,2}$"
)
"""Names of numbers that are not telephone numbers."""
_INTERNATIONAL = re.compile(r"(?:\+|00)")
_PHONE_SAID = re.compile(
    r"(?i)\b(?:phones?|telephone|tel|mobile|cell|fax|call(?:s|ed|er|ers|ing|back)?|ring|rings|dial(?:s|led|ling)?"
    r"|text(?:s|ed|ing)?|sms|whats ?app|signal|reach(?:ed|able)?|contact|landline|voice ?mails?|handy|hotline|sim(?: card)?"
    r"|rückruf|anruf\w*|rufnummer|telefon\w*|mobil\w*|téléphone|portable|appel\w*|teléfono|móvil|telefono|cellulare|telefone"
    r"|(?:my|the|his|her|our|your|new|old) (?:number|line)|number is|ph)\b[^\n]{0,30}$"
)
_SAID_AFTER = re.compile(
    r"(?i)[\"')\]]?,?\s{1,2}(?:(?:is|was|isn['’]t) (?:(?:my|his|her|our|your|the|a|an|their) )?(?:\w{1,12} )?"
    r"(?:number|phone|mobile|cell|landline|line|handset|hotline|fax|office)\b|rings?\b"
    r"|is (?:disconnected|engaged|busy|unreachable)|does(?:n['’]t| not) (?:ring|pick up)|goes (?:straight )?to voice ?mail"
    r"|\(?(?:mobile|cell|landline|home|work|office|handy)\b)"
)
"""The words after a telephone number."""
_NORTH_AMERICAN = re.compile(r"(?:1[ .-]?)?(?:\(\d{3}\)[ ]?|\d{3}[ .\-–])\d{3}[ .\-–]\d{4}")
_MOBILE = re.compile(r"07[1-57-9]\d{8}|01[567]\d{8,9}")
"""Mobile numbers of Great Britain and Germany; shorter ones might be numbers of parts."""
_DATE = re.compile(r"(?<!\d)(?:\d{1,2}([./-])\d{1,2}\1(?:\d{2}){1,2}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)")
_REGIONS: Final = (
    "GB",
    "DE",
    "FR",
    "IT",
    "ES",
    "NL",
    "BE",
    "CH",
    "AT",
    "AU",
    "NZ",
    "IN",
    "JP",
    "IE",
    "ZA",
    "SE",
    "PL",
    "BR",
)
"""National numbers that begin with 0 are looked up in these numbering plans."""

_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?!\w|-\w|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}(?:[0-9a-fA-F]{1,4}|\d{1,3}(?:\.\d{1,3}){3})?(?!\w|:\w)")
_DOTTED = re.compile(r"\.\d{1,3}\.")
_COLONS = re.compile(r":[0-9a-fA-F]{0,4}:")
"""The characters that every address contains; a pattern that begins with a fixed character is found fast."""
_VERSION_BEFORE = re.compile(r"(?i)(?:versions?|release|build|firmware|driver|ver\.?|\bv|upgraded? (?:to|from)) ?$")
_RESOLVERS: Final = frozenset(
    "1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 4.2.2.1 4.2.2.2 "
    "2606:4700:4700::1111 2606:4700:4700::1001 2001:4860:4860::8888 2001:4860:4860::8844 2620:fe::fe".split()
)
"""Public name servers, which steps recommend to everyone."""

_NOT_SECTIONS: Final = 32
"""Four smaller numbers are taken for a section or a version; one public address in 4,000 looks like that."""


def _emails(text: str) -> str:
    return replace_spans(text, _email_spans(text), EMAIL)


def _email_spans(text: str) -> Iterator[Span]:
    """Yield addresses; the part before the @ is read backwards, so that a long word is read only once."""
    for match in _DOMAIN.finditer(text):
        start = floor = match.start()
        while start > max(0, floor - _LONGEST_LOCAL) and (text[start - 1].isalnum() or text[start - 1] in _LOCAL):
            start -= 1
        if start == floor and (quoted := _QUOTED_LOCAL.search(text, max(0, floor - 64), floor)) is not None:
            start = quoted.start()
        local = text[start:floor]
        local = local[1 + max(local.rfind(mark) for mark in _IN_URL) :].lstrip("'`.*_={|")
        # git@host names a repository; its user is always git.
        if local and local != "git":
            yield floor - len(local), match.end()


def _said_addresses(text: str) -> str:
    return _SAID_ADDRESSES(text) if _AT_HOST.search(text) is not None else text


def _is_phone(text: str, match: re.Match[str]) -> bool:
    found = match.group()
    digits = sum(c.isdigit() for c in found)
    if not 7 <= digits <= 15 or _DATE.search(found):
        return False
    if not _INTERNATIONAL.match(found) and _GOODS_BEFORE.search(text, max(0, match.start() - 32), match.start()):
        return False
    if _PHONE_SAID.search(text, max(0, match.start() - 48), match.start()) is not None:
        return True
    if _SAID_AFTER.match(text, match.end()) is not None and (digits >= 9 or not found.isdigit()):
        return True
    if _INTERNATIONAL.match(found):
        return _is_possible(re.sub(r"^00 ?", "+", found), None)
    if _NORTH_AMERICAN.fullmatch(found):
        return _is_possible(found, "US")
    grouped = any(not c.isdigit() for c in found)
    return (
        (grouped or (digits >= 11 and _is_mobile(found)))
        and found.lstrip("( ")[0] == "0"
        and "." not in found
        and any(_is_valid(found, region) for region in _REGIONS)
    )


def _is_possible(number: str, region: str | None) -> bool:
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number, region))
    except phonenumbers.NumberParseException:
        return False


def _is_valid(number: str, region: str) -> bool:
    try:
        return phonenumbers.is_valid_number_for_region(phonenumbers.parse(number, region), region)
    except phonenumbers.NumberParseException:
        return False


def _is_mobile(number: str) -> bool:
    """Return whether digits without groups are a mobile number of a country whose mobile numbers have eleven digits."""
    return _MOBILE.fullmatch(number) is not None


def _ip_addresses(text: str) -> str:
    for hint, pattern in ((_DOTTED, _IPV4), (_COLONS, _IPV6)):
        if hint.search(text) is None:
            continue
        spans = (_without_colon(text, match.span()) for match in pattern.finditer(text))
        text = replace_spans(text, (span for span in spans if _identifies(text, span)), IP_ADDRESS)
    return text


def _without_colon(text: str, span: Span) -> Span:
    """Return the span without a colon that ends the clause, not the address."""
    start, stop = span
    return (start, stop - 1) if text[stop - 1] == ":" != text[stop - 2] else span


def _identifies(text: str, span: Span) -> bool:
    """Return whether an address identifies a customer: a public one that is neither a well-known name server nor a version.

    Private, loopback and documentation addresses are the same everywhere, and steps need them.
    """
    start, stop = span
    found = text[start:stop]
    try:
        address = ipaddress.ip_address(found)
    except ValueError:
        return False
    if "." in found and ":" not in found and all(int(part) < _NOT_SECTIONS for part in found.split(".")):
        return False
    version = _VERSION_BEFORE.search(text, max(0, start - 16), start) is not None
    return address.is_global and not address.is_multicast and found not in _RESOLVERS and not version


_SAID_ADDRESSES: Final = group_rule(_SAID_ADDRESS, EMAIL)
_ADDRESS_CUES: Final = ("@", "%40", " dot ", *(f"{mark}{blank}at" for mark in "[({<" for blank in ("", " ")))
"""Each address contains one of these."""
EMAILS: Final[tuple[Rule, ...]] = (near_cues(_emails, *_ADDRESS_CUES, after=0), near_cues(_said_addresses, " at "))
LOCATIONS: Final[tuple[Rule, ...]] = (
    near_cues(group_rule(_MISTYPED, PHONE), "phone", "tel", "mobile", "cell", "fax", "call", "ring", "dial"),
    number_rule(_PHONE, PHONE, accepts=_is_phone),
    _ip_addresses,
)
"""Run after the rules for named numbers, because an account number may be grouped like a telephone number."""
