"""Removes secrets that stand apart from their name: in a later clause or sentence, in a pair, or after words such as "says"."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from toolsets.skills.redaction.passwords import STRONG, STRONG_CUES
from toolsets.skills.redaction.replacement import CODE, PASSWORD, TOKEN, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import is_setting, is_value, looks_secret, value_span

_V: Final = r"(?P<value>[\"'`“]?[^\s…]{4,80})"
_ADVERB: Final = (
    r"(?:(?:now|currently|still|just|simply|for now|at the moment|from now on|temporarily|jetzt|nun|vorerst) ){0,2}"
)
_IT_IS: Final = (
    r"(?:(?:it|this|that|which|es|das|dieses)(?:['’](?:s|ll be)| (?:is|was|will be|should be|reads|ist|lautet)(?: now)?)"
    r"|(?:should|will|must) (?:now )?be|(?:the )?new (?:one|password) (?:is|:)|is now|yours (?:is|was)"
    r"|(?:you (?:can|could|should|may|must) |please |just |then )(?:use|enter|try|take|type))"
)
_MADE: Final = (
    r"(?:reset|chang|updat|set(?!ting)|given|gave|new|created?|made|generat|assign|issu|temporary"
    r"|zurückgesetzt|geändert|gesetzt)"
)
_LATER: Final = re.compile(
    rf"(?i)(?:\b{_MADE}\w{{0,10}}[^\n!?]{{0,40}}?\b(?:{STRONG})s?\b[^\n!?]{{0,60}}?"
    rf"|\b(?:{STRONG})s?\b[^\n!?]{{0,40}}?\b{_MADE}[^\n!?]{{0,40}}?)"
    rf"(?:[\s,;–-]{_IT_IS} {_ADVERB}|\b(?:set|reset|changed|created)\s?:\s?){_V}"
)
"""A password was set, and a later clause or the next sentence says what it is."""
_ABOUT: Final = r"[ -](?:box|dialog|field|form|hint|manager|page|policy|prompt|reset|rule|screen|window)s?\b"
_SHOWN: Final = re.compile(
    rf"(?i)\b(?:{STRONG})\b(?!{_ABOUT})[^\n.!?,;]{{0,40}}?\b(?:says|reads|shows|ends up as|begins with|starts with|ends (?:in"
    rf"|with)|looks like)\s{_V}"
)
_TRAILED_OFF: Final = re.compile(
    rf"(?i)\b(?:{STRONG})\b(?: hint)?\s?(?:\.{{2,4}}|…)\s?(?:it|that)(?:['’]s| is| was)\s{_V}"
)
_ASKED: Final = re.compile(
    rf"(?i)\b(?:is|was|isn['’]t|wasn['’]t) (?:the|my|your|our|his|her|that) (?:[\w-]{{1,20}} ){{0,2}}?(?:{STRONG})"
    rf" (?:(?:still|now|really|maybe|perhaps|not|just|always) ){{0,2}}{_V}(?=\s?\?|[ ,][^\n.!?]{{0,40}}\?)"
    rf"|\bis it\s(?P<first>[^\s?]{{4,80}})\?[^\n]{{0,60}}\b(?:{STRONG})"
)
_PAIR: Final = re.compile(
    r"(?i)(?<![^\s(\[>])(?P<value>[^\s,;]{3,80})(?:,? (?:and|or|then|und) |,\s)(?P<other>[^\s,;]{3,80}),?\s"
    r"as (?:(?:my|the|our) )?(?:passwords?|passphrases|pass ?codes|pins|pw|passwörter)\b"
)
_THEN: Final = re.compile(
    r"(?i)\[password\][^\n.!?\[]{0,40}?(?:[,;] ?| and | but )(?:(?:and |but )?(?:then|later|now|after that)(?: (?:it|this"
    r"|that) (?:is|was))?"
    rf"|(?:and |but )?(?:now (?:it|this) is|(?:the|my|our|your) (?:new|current|other|second|present) (?:one|password)(?: is"
    rf"| was)?))\s{_V}"
)
"""A second password after a placeholder of the first one."""
_LOGIN: Final = r"\b(?:log(?:s|ged|ging)?|sign(?:s|ed|ing)?)[ -]?(?:in|on)\b"
_AS_USER_WITH: Final = re.compile(
    rf"(?i){_LOGIN}(?: to [\w' -]{{2,30}}?)? (?:as|with)(?: the)?(?: user(?:name)?)? (?:[\w.@+-]{{2,40}}|\[email\])"
    rf" (?:with|using|and)(?: the)?\s{_V}"
)
_LOGIN_WITH: Final = re.compile(rf"(?i){_LOGIN}(?: to [\w' -]{{2,30}}?)? (?:with|using)\s{_V}")
_USED_FOR_LOGIN: Final = re.compile(
    rf"(?i)\b(?:use|enter|type|take|try)\s{_V}\s(?:to|for|when|at|as)\s[^\n.!?]{{0,24}}?(?:{_LOGIN}|\blog-?ins?\b)"
)
_TYPED_WHERE: Final = re.compile(
    rf"(?i)\b(?:type|enter|use|put)(?: in)?\s{_V}\s(?:where|when|if|wherever|in|into|at|for)\s[^\n.!?]{{0,40}}?\b(?:{STRONG})\b"
)
_DEED: Final = r"(?:type|typed|enter|entered|put in|keyed in|tried|gave|chose|picked)"
_TYPED_BEHIND: Final = re.compile(
    rf"(?i)\b(?:{STRONG})\b[^\n.!?]{{0,60}}?\b(?:i|we|he|she|they)(?: (?:always|then|just|have|had)){{0,2}} {_DEED}(?: in)?\s{_V}"
)
_IT_IS_PASSWORD: Final = re.compile(
    r"(?i)\b(?:(?:set|changed|reset|switched|updated) (?:it|that|this|mine|yours) (?:back )?(?:to|as)|wrote|noted|put|typed"
    r"|used|entered)"
    rf"\s{_V}(?:\s[^\n.!?]{{1,50}}?)?(?:[,;]|\s[-–—])\s(?:that|this|it|which)(?:['’]s| is)\b[^\n!?]{{0,24}}?\b(?:{STRONG})\b"
)
_TYPED_BOTH: Final = re.compile(
    rf"(?i)\b(?:enter|type)(?:ed|d)?\s[\w.@-]{{2,40}},? (?:and then|and|then) {_V},?\s[^\n.!?]{{0,60}}?\b(?:{STRONG})\b"
)
_LOGIN_ABROAD: Final = re.compile(rf"(?i)\bmit\s{_V}\s(?:an|ein)\b[^\n.!?]{{0,60}}?\b(?:{STRONG})\b")
_NETWORK: Final = re.compile(
    r"(?i)\b(?:wi-?fi|ssid|wlan|wireless|network|hotspot|router|sticker|label|(?:join|connect)(?:s|ed|ing)?)\b[^\n!?]{0,60}?"
    r"(?:\bkey(?: (?:for|of|to) (?:it|that|this))?(?:\s(?:is|was|says|reads)|\s?[:=])?\s{1,2}"
    r"|\b(?:has|needs|takes|using|wants|with)\s{1,2}(?=\S{8,63} as (?:(?:the|its|a) )?(?:network )?key\b))" + _V
)
_KEY_TO_JOIN: Final = re.compile(
    rf"(?i)\b(?:the|its|our|my|this) key\s{_V}\s[^\n.!?]{{0,30}}?\b(?:wi-?fi|wlan|network|hotspot|router|join|connect)\b"
)
_REPLACED_KEY: Final = re.compile(
    r"(?i)\b(?:key|token|secret)\b[^\n.!?]{0,50}?\b(?:the|my|your|our) (?:new|current|second|other) one(?:\s(?:is|was)|\s?:)\s"
    + _V
    + r"|\b(?:replace|swap|exchange|change)d?\b[^\n.!?]{0,12}?\b(?:key|token|secret)\b[^\n.!?]{0,30}?"
    r"\b(?:with|by|to|for)\s(?P<new>[\"'`“]?\S{8,80})"
)
_SENT_TOKEN: Final = re.compile(
    r"(?i)\b(?:token|api[ -]key|secret)\b[^\n.!?]{0,60}?\b(?:i|we|he|she|they)(?: (?:always|then|just|have|had)){0,2}"
    rf" (?:send|sent|pass|passed|use|used|{_DEED})(?: in)?\s{_V}"
)
_NEW_KEY: Final = re.compile(
    r"(?i)\b(?:new|another|temporary|generated|created|made|issued|fresh|different"
    r"|replacement)\b[^\n.!?]{0,20}?\bkey(?: for you)?"
    rf"(?:\s?[:=]|,|\s[-–—]|\s(?:is|was))\s{{1,2}}{_V}"
)
_REQUIRED: Final = re.compile(rf"(?i)\brequirepass\s{{1,4}}{_V}")
_CODE_TYPED: Final = re.compile(
    rf"(?i)\b(?:pin|puk|pass ?code|otp)\b[^\n.!?\d]{{0,60}}?\b(?:i|we|he|she|they)(?: (?:always|then|just|have"
    rf"|had)){{0,2}} {_DEED}"
    r"(?: in)?\s(?P<value>\d{4,8})(?!\w|[.:/]\d|\s(?:times|digits)\b)"
    r"|\b(?:pin|puk|pass ?code|otp)\b [^\n.!?,\d]{1,40},\s(?P<apposed>\d{4,8})(?=,)"
    r"|\b(?:is|was|isn['’]t) (?P<asked>\d{4,8}) (?:(?:still|really|not|now) )?(?:my|the|your|our) (?:[\w-]{1,16} )?(?:pin|puk"
    r"|pass ?code|otp)\b"
)
_HOST_OR_KEYS: Final = re.compile(
    r"(?i)(?:(?:ctrl|strg|alt|shift|cmd|win|fn|f\d{1,2})\b\W?){1,4}\w?|[\w-]{1,60}(?:\.[\w-]{2,60}){1,6}(?::\d{1,5})?"
    r"|[\w-]{2,30}=.*|.*[\\/@()<>].*|v?\d+(?:[.,:/-]\d+)*[a-z]{0,2}|(?-i:[A-Z]{1,3}-?\d{1,5}[A-Z]{0,2})|\d+[A-Za-z]{1,3}"
)
"""A combination of keys, a host, a setting, a path, a version, an amount or the number of a model."""
_TECHNICAL: Final = frozenset(
    """android api apache arch aes chrome chromium debian docker dsa ecdsa ed edge excel firefox firmware gmail grub hdmi imap
    ipad iphone ipv java keepass kernel ldap linux lts mac macos mint mysql net netbios nginx ntlm nvidia oauth office openid
    openssl oracle outlook php pop postgres postgresql powershell python raspberry redhat rsa ruby safari saml scram
    server sha smb smtp
    sql sqlite ssd ssh ssl sso tls tomcat totp ubuntu usb utf version vpn webauthn win windows wpa""".split()
)
"""Words in the names of products and methods."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_CODED: Final = re.compile(
    r"(?:[^\W\d_]{2,}[-_.#+&]){1,4}[^\W\d_]{2,}[-_.#+&]?\d{1,6}[!?#$%*]?"
    r"|[^\W\d_]{3,}[-_#&*!+=]\d{1,6}(?:[-_#&*!+=][^\W\d_]{2,})?[!?]?"
    r"|(?=\S{6})[^\W\d_]+\d{1,3}[^\W\d_]\S*"
)
"""Words and a number that are joined by marks, or a word with a digit within: forms that names of users rarely have."""


def _reads(value: str, at_least: int) -> bool:
    """Return whether a value reads unlike a word, the name of a product, a host, a version and a combination of keys."""
    return (
        looks_secret(value, at_least=at_least)
        and any(map(str.isalpha, value))
        and _HOST_OR_KEYS.fullmatch(value) is None
        and _TECHNICAL.isdisjoint(map(str.casefold, _WORD.findall(value)))
    )


def _is_coded(value: str, at_least: int) -> bool:
    return _CODED.fullmatch(value) is not None and _reads(value, at_least)


def _rule(
    pattern: re.Pattern[str], placeholder: str, at_least: int, accepts: Callable[[str, int], bool] = _reads
) -> Rule:
    """Return the rule for the values that a pattern finds, if each is accepted and has `at_least` characters."""

    def spans(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            values = sorted(
                value_span(text, match.span(name)) for name in pattern.groupindex if match[name] is not None
            )
            if any(accepts(text[slice(*span)], at_least) for span in values):
                yield from (span for span in values if is_value(text, span) and not is_setting(text, span))

    return lambda text: replace_spans(text, spans(text), placeholder)


def _codes(text: str) -> str:
    return replace_spans(text, (match.span(match.lastgroup or 0) for match in _CODE_TYPED.finditer(text)), CODE)


_LOGIN_CUES: Final = ("log", "sign")
ANNOUNCED: Final[tuple[Rule, ...]] = (
    near_cues(_rule(_LATER, PASSWORD, 5), *STRONG_CUES),
    near_cues(_rule(_SHOWN, PASSWORD, 6), *STRONG_CUES),
    near_cues(_rule(_TRAILED_OFF, PASSWORD, 5), *STRONG_CUES),
    near_cues(_rule(_ASKED, PASSWORD, 5), *STRONG_CUES),
    near_cues(_rule(_PAIR, PASSWORD, 4), " as "),
    near_cues(_rule(_IT_IS_PASSWORD, PASSWORD, 5), *STRONG_CUES),
    near_cues(_rule(_TYPED_WHERE, PASSWORD, 6, _is_coded), *STRONG_CUES),
    near_cues(_rule(_TYPED_BEHIND, PASSWORD, 6), *STRONG_CUES),
    near_cues(_rule(_AS_USER_WITH, PASSWORD, 6), *_LOGIN_CUES),
    near_cues(_rule(_LOGIN_WITH, PASSWORD, 6, _is_coded), *_LOGIN_CUES),
    near_cues(_rule(_USED_FOR_LOGIN, PASSWORD, 6, _is_coded), *_LOGIN_CUES),
    near_cues(_rule(_NETWORK, PASSWORD, 8), "key"),
    near_cues(_rule(_TYPED_BOTH, PASSWORD, 6), *STRONG_CUES),
    near_cues(_rule(_LOGIN_ABROAD, PASSWORD, 6, _is_coded), *STRONG_CUES),
    near_cues(_rule(_KEY_TO_JOIN, PASSWORD, 8), "key"),
    near_cues(_rule(_REPLACED_KEY, TOKEN, 8), "key", "token", "secret"),
    near_cues(_rule(_SENT_TOKEN, TOKEN, 8), "token", "key", "secret"),
    near_cues(_rule(_NEW_KEY, TOKEN, 8), "key"),
    near_cues(_rule(_REQUIRED, PASSWORD, 4), "requirepass"),
    near_cues(_codes, "pin", "puk", "pass", "otp"),
)
"""Run after the rules for secrets beside their names."""
SECOND_VALUES: Final[tuple[Rule, ...]] = (near_cues(_rule(_THEN, PASSWORD, 5), PASSWORD),)
"""Run after the rules that replace the first value."""
