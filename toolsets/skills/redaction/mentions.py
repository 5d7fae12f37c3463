"""Removes values that read like passwords or sent codes when ordinary words around them speak of one."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.skills.redaction.passwords import STRONG, STRONG_CUES
from toolsets.skills.redaction.replacement import CODE, PASSWORD, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import is_value, value_span

_ADVERB: Final = r"(?:(?:just|always|now|also|still|then|even|first|\w{2,10}ly) )?"
_GIVEN = re.compile(
    r"(?i)\b(?:"
    r"(?:changed|change|set|reset|switched|updated|made|turned)\s(?:it|that|this|mine|ours|them|his|hers|theirs|one)\s"
    r"(?:back |over )?(?:(?:to|as|into)\s)?(?:be\s)?"
    rf"|(?:i|we|he|she|they|you)(?:['’](?:ve|d)|\shave|\shad)?\s{_ADVERB}"
    r"(?:used?|tried|try|typed|type|entered|enter|chose|choose|picked|pick|put|took|take|wrote|gave|went with|had|have)\s"
    r"(?:in\s)?"
    r"|(?:old|new|previous|last|former|first|second|other|current|temporary|next)(?:\sone)?\s?(?:was|is|:|=)\s{0,2}"
    r")(?P<value>[\"'`“]?[^\s…]{6,80})"
)
"""The words before a value: someone changed something to it, uses it, or the old one was it."""
_PAIR = re.compile(
    r"(?i)\b(?:credentials?|creds|log-?ins?|access data|zugangsdaten|user(?:name)?)(?:\s(?:data|details))?\s?(?::|=|\sare|\sis)"
    r"\s{0,3}"
    r"(?:[\w.+-]{2,40}|\[email\])(?:\s?[/,|]\s?|\s{1,3})(?P<value>[\"'`“]?[^\s…]{6,80})"
)
"""A user's name and a value."""
_LOGIN = re.compile(r"(?i)\blog-?in\s(?P<value>[\"'`“]?[^\s…]{6,80})")
_PASSWORD_WORD = re.compile(rf"(?i)\b(?:{STRONG}|credentials?)")
_PHRASE = re.compile(
    r"(?:[^\W\d_]{3,}[-_.#+&]){1,4}[^\W\d_]{3,}[-_.#+&]?\d{1,6}[!?#$%*]{0,2}|[^\W\d_]{4,}[#$%&*!@+=]\d{2,6}[!?#$%*]{0,2}"
)
"""Words and a number, joined by marks."""
_WORD_AND_NUMBER = re.compile(r"[^\W\d_]{5,}\d{2,6}[!?#$%*]{0,2}")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_ENDS = re.compile(
    r"[\"'`”)\]>*]{0,2}(?:\s*\Z|\s?[.,;:!?…)\n–—]|\s(?:-\s|and|but|or|as|at|for|in|on|since|there|here|again|now|yesterday"
    r"|today|this|last"
    r"|which|because|so|when|while|instead|too|everywhere|however|does|is|was|fails?|did|still|then|until)\b)"
)
"""The end of the clause; a noun after a value would show that the value is the name of a product."""
_TECHNICAL: Final = frozenset(
    """access admin adapter agent alma android api apache app arch armbian auth backup beta board bridge browser build cable
    centos channel chrome chromium client cluster config core cpu cuda database db debian desktop device disk django docker dom
    driver
    drupal edge edition eth excel exchange fedora file files firefox firmware flask galaxy gateway gcc git gnome gpu grub guest
    hdmi host hub image internal intel ipad iphone ipv java joomla kernel kindle kubuntu laptop lib library linux lts mac macbook
    macos mate max mint mobile mode model modem module mysql net network nexus nginx node office only openssl openssh
    opensuse oracle outlook package page pam panel phone php pixel platform plugin pool port postgres postgresql powershell
    preview prod profile proxy python queue radeon raspberry redhat redis release remote rocky room router ruby rust safari sass
    scram screen sdk server service sha shell site slot socket sql sqlite ssl stage staging step surface suse switch system tab
    table tablet task test thinkpad tls tomcat ubuntu unit update usb user utf version vlan volume vpn web wifi windows winxp
    wireless wlan wordpress worker workstation wpa xen zone""".split()
)
"""Words in the names of products, hosts, packages and versions, which passwords rarely have."""
_REACH: Final = 200
"""The most characters of the neighbouring sentences that are searched for a word for a password."""
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")

_CODE: Final = r"(?P<code>\d{3}[ -]\d{3}|\d{4,8})(?!\w|[.,:]\d|\s(?:lines|bytes|characters|times|users)\b|\s?[%€$£])"
_OTHER_CODE: Final = (
    r"(?:error|exit|status|fault|postal|post|zip|area|country|dial(?:l?ing)?|order|discount|promo|voucher|product|source|qr|bar"
    r"|return|response|colou?r|article|part|reason|event|stop|customer)"
)
_YOUR_CODE = re.compile(
    rf"(?i)\byour\s(?:(?!{_OTHER_CODE}\b)[\w-]{{2,20}}\s){{0,2}}code(?:\sis|\sfor\s[\w ]{{2,30}}\sis|:)\s{{1,2}}{_CODE}"
)
_SENT_CODE = re.compile(
    rf"(?i)\bcodes?\b[^\n.\d]{{0,24}}?(?<![\w.-]){_CODE}"
    rf"|(?<![\w.-]){_CODE.replace('code', 'first')}[^\n.\w]{{1,3}}(?:(?!{_OTHER_CODE}\b)[a-z]{{2,12}}\s){{0,3}}code\b"
)
_OTHER_BEFORE = re.compile(rf"(?i)\b{_OTHER_CODE}s?\s{{1,2}}$")
_SENT = re.compile(
    r"(?i)\b(?:texted|sms|text message|whatsapp|authenticator"
    r"|(?:by|via|in an?|in the|from an?|from the|per) (?:text|e-?mail|mail|message|phone call))\b"
)
"""The ways in which a code is sent."""


def _passwords(text: str) -> str:
    return replace_spans(text, _password_spans(text), PASSWORD)


def _password_spans(text: str) -> Iterator[Span]:
    for match in _GIVEN.finditer(text):
        span = value_span(text, match.span("value"))
        if (
            _reads_like_password(text, span)
            and _PASSWORD_WORD.search(_around(text, match.start(), span[1])) is not None
        ):
            yield span


def _pairs(text: str) -> str:
    spans = (value_span(text, match.span("value")) for match in _PAIR.finditer(text))
    return replace_spans(text, (span for span in spans if _reads_like_password(text, span)), PASSWORD)


def _logins(text: str) -> str:
    spans = (value_span(text, match.span("value")) for match in _LOGIN.finditer(text))
    phrases = (span for span in spans if _PHRASE.fullmatch(text, *span) is not None)
    return replace_spans(text, (span for span in phrases if _reads_like_password(text, span)), PASSWORD)


def _reads_like_password(text: str, span: Span) -> bool:
    """Return whether a value consists of words and a number, unlike the name of a product, and ends its clause."""
    start, stop = span
    marks = len(text[stop : stop + 2]) - len(text[stop : stop + 2].lstrip("!?#$%*"))
    if _PHRASE.fullmatch(text, start, stop) is None and _WORD_AND_NUMBER.fullmatch(text, start, stop) is None:
        return False
    if not is_value(text, span) or _CLAUSE_ENDS.match(text, stop + marks) is None:
        return False
    return _TECHNICAL.isdisjoint(word.casefold() for word in _WORD.findall(text, start, stop))


def _around(text: str, start: int, stop: int) -> str:
    """Return the sentence from `start` to `stop` with the one before it and the one after it."""
    before = [match.start() for match in _SENTENCE_END.finditer(text, max(0, start - _REACH), start)]
    following = [match.start() for match in _SENTENCE_END.finditer(text, stop, stop + _REACH)]
    first = before[-_SENTENCES] if len(before) >= _SENTENCES else max(0, start - _REACH)
    last = following[_SENTENCES - 1] if len(following) >= _SENTENCES else stop + _REACH
    return text[first:last]


_SENTENCES: Final = 2
"""Sentences on each side in which a secret is announced; with more, innocent numbers would be redacted."""
_LONGEST_KIND: Final = 16
"""The most characters of the word before "code" that says which code it is, with the blanks beside it."""


def _your_codes(text: str) -> str:
    return replace_spans(text, (match.span("code") for match in _YOUR_CODE.finditer(text)), CODE)


def _sent_codes(text: str) -> str:
    return replace_spans(text, _sent_code_spans(text), CODE)


def _sent_code_spans(text: str) -> Iterator[Span]:
    for match in _SENT_CODE.finditer(text):
        if _OTHER_BEFORE.search(text, max(0, match.start() - _LONGEST_KIND), match.start()) is not None:
            continue
        before = _SENTENCE_END.search(text[max(0, match.start() - _REACH) : match.start()][::-1])
        first = max(0, match.start() - (_REACH if before is None else before.start()))
        following = _SENTENCE_END.search(text, match.end(), match.end() + _REACH)
        if _SENT.search(text, first, match.end() + _REACH if following is None else following.start()) is not None:
            yield match.span("code" if match["code"] is not None else "first")


MENTIONS: Final[tuple[Rule, ...]] = (
    near_cues(_passwords, *STRONG_CUES, "cred", before=1, after=1),
    near_cues(_pairs, "cred", "login", "log-in", "access data", "zugangsdaten", "user"),
    near_cues(_logins, "login", "log-in"),
    near_cues(_your_codes, "code"),
    near_cues(_sent_codes, "code"),
)
"""Run after the rules for passwords and numbers that are named."""
