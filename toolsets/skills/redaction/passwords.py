"""Removes stated passwords and keys: "my password is ...", "key: ...", the answer to a question for one."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.skills.redaction.replacement import PASSWORD, TOKEN, Rule, Span, is_placeholder, near_cues, replace_spans
from toolsets.skills.redaction.values import ASIDE, VALUE, is_configuration, is_value, looks_secret, value_span

# Alternatives that ignore case are slow to reject, so that their first letters are checked before them.
STRONG: Final = (
    r"(?=[pkmcswhlneabrп密パ])(?:pass[ _-]?w[o0]rd|pas?swo?r?d|passwrod|pas+word|passwd|pass?wrd|pswrd|pwrd|pword|passwort"
    r"|pass[- ]?phrase|pass ?key|passcode|pwd|pswd|psw|pw|p/w|psk|pre-?shared key|kennwort|mot de passe|mdp"
    r"|contrase[nñ]a|clave|senha|wachtwoord|hasło|lösenord|пароль|密码|パスワード|wi-?fi key|network key|wpa2? key"
    r"|(?:secret|security) (?:question(?:'?s)? )?answer"
    r"|answer to (?:my|the|your|our) (?:security|secret) question|mother['’]?s maiden name|seed phrase"
    r"|(?:magic|safe|code|recovery|secret) word|(?:enable|shared) secret|(?:snmp|read|write) community"
    r"|community string"
    r"|recovery phrase|mnemonic|recovery key|encryption key|bitlocker key)"
)
"""Names of passwords, after which any word may be one."""
_WEAK = (
    r"(?=[satcprijlmbw])(?:secret(?:[ _-]?(?:key|access[ _-]?key|token|value))?|api[ _-]?(?:key|token|secret)"
    r"|app[ _-]?(?:key|secret|token|password)|access[ _-]?(?:key|token)(?:[ _-]?id)?"
    r"|auth(?:entication|orization)?[ _-]?(?:token|key|code)|client[ _-]?secret|private[ _-]?key"
    r"|refresh[ _-]?token|id[ _-]?token|session[ _-]?(?:id|token|key)|jsessionid|phpsessid|account[ _-]?key"
    r"|shared[ _-]?access[ _-]?(?:key|signature)|(?:signing|security)[ _-]?key|master[ _-]?key|license[ _-]?key"
    r"|licen[cs]e[ _-]?key|product[ _-]?key|serial(?: key)?|activation (?:key|code)|token|credentials?|creds"
    r"|bearer|webhook[ _-]?secret|salt)"
)
_OF_WHAT = (
    r"(?: (?:(?:for|of|to|on)|(?:(?:that|which) )?(?:i|we|you|he|she|they)(?:'ve|'d)?|that|which)"
    r" (?:[\w@.'/\[\]-]{1,40} ){0,4}?[\w@.'/\[\]-]{1,40}?)?"
)
_IS = (
    r"(?:is|was|are|(?:will|would|shall) (?:now |then )?be|used to be|had been"
    r"|becomes|became|remains|reads|ist|war|lautet|est|es|era|has been (?:set|changed|reset) to|(?:(?:is|was|got) )?(?:now "
    r"|still |currently )?"
    r"(?:set |changed |reset |updated )(?:by \w{1,20} (?:\w{1,20} )?)?to|=|:|->|=>|→|\|)"
)
_SAID_FORM = (
    rf"(?:\b|(?<=_)|(?<=[a-z]))(?:%s)s?(?![A-Za-z])(?P<rest>[\w-]{{0,24}})[\"'\])`*\\]{{0,3}}(?:\s\([^()\n]{{1,40}}\))?{_OF_WHAT}"
    rf"(?P<link>\s{{0,3}}{_IS}(?:\s{{1,2}}(?:now|still|currently|just|simply|exactly|literally|probably|obviously|actually"
    rf"|of course|back to)|\s?:)?[*`_]{{0,2}}\s{{1,3}}(?:(?:it|that|this)(?:['’]s|\s(?:is|was))\s{{1,2}})?"
    rf"|[ \t]{{0,3}}(?:=>?|:=?|->|→)[*_]{{0,2}}[ \t]{{0,3}}(?:(?:it|that|this)(?:['’]s| is| was)\s{{1,2}})?|{ASIDE}){VALUE}"
)
_STRONG_SAID = re.compile(_SAID_FORM % STRONG, re.IGNORECASE)
_WEAK_SAID = re.compile(_SAID_FORM % _WEAK, re.IGNORECASE)
_SHORT = re.compile(
    r"(?im)(?:(?:\b|(?<=_))(?:pass|pw|p/w|pwd|mdp|clave)(?P<link>\s?[:=]\s?)"
    rf"|(?:^|\b(?:my|the|our|his|her|and) )pass(?P<stated> (?:is|was) )){VALUE}"
)
_BESIDE_NAME = re.compile(
    rf"(?i)(?:\b(?:wi-?fi|ssid|network|user(?:name)?|login"
    rf"|account)\b|\w@[\w.-]{{1,60}})[^\n]{{0,60}}?[,;/&]\s?(?:and )?(?:the )?(?:{STRONG}|pass)\s{{1,2}}{VALUE}"
)
_SELF_ANSWERED = re.compile(
    rf"(?i)\b(?:{STRONG}|pass|pin|code)\?[ \t]{{1,2}}(?:(?:it|that)(?:['’]s| is| was)\s{{1,2}})?{VALUE}"
)
_SELF_ANSWERED_LATER = re.compile(
    rf"(?i)\b(?:{STRONG}|{_WEAK})(?: [\w'’ ]{{1,40}})?\?[ \t]{{1,2}}(?:[a-z'’]{{2,8}},?[ ]){{1,5}}?(?![a-z'’]{{2,8}}[ ]){VALUE}"
)
"""A question answered by the person who asks it."""
_XML_SETTING = re.compile(
    r"(?i)\b(?:key|name)=[\"'][^\"'\n]{0,60}(?:password|passwd|pwd|secret|token|api_?key)[^\"'\n]{0,20}[\"']\s{1,4}"
    r"value=[\"']([^\"'\n]{3,400})[\"']"
)
_COMMUNITY = re.compile(
    rf"(?i)\bcommunity(?: string| name)?(?:\s(?:is|was|to|from \w{{2,30}} to)|\s?[:=])?\s{{1,2}}{VALUE}"
)
_KEY_VARIABLE = re.compile(r"(?<![\w-])[A-Z][A-Z0-9_]{1,40}_KEY\s?[:=]\s?[\"']?([^\s\"',;]{8,400})")
_TOLD_NEXT = re.compile(rf"(?i)\b(?:{STRONG}|pass)[.!]\s{{1,2}}(?:it|that)(?:['’]s| is| was)\s{{1,2}}{VALUE}")
_BESIDE = (
    r"(?i)(?:\b|(?<=_))(?:%s)s?\s{1,2}"
    r"(?:(?:itself|of|to|with|called|named|tried|i use|you gave me|they gave me|i got"
    r"|(?:that )?(?:i|we|he|she|they) (?:typed|entered|used?|chose|set|tried|picked|have|had|remember)(?: was| is)?) )?"
    + VALUE
)
_BESIDE_STRONG = re.compile(_BESIDE % rf"{STRONG}|pass")
_BESIDE_WEAK = re.compile(_BESIDE % r"(?:api|access|security)[ _-]?key|token|secret")
_AS_PASSWORD = re.compile(
    r"(?i)\b(?:use|used|enter|entered|typed?|type in|tried|set|choose|chose|put|with|gave him|gave them)\s{1,2}"
    r"(\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|`[^`\n]{1,100}`|[^\s,;]{3,200})\s{1,2}"
    r"(?:as|for(?= (?:the|my|your|our|a|an|new|temporary) )) "
    r"(?:(?:the|my|your|our|his|her|their|a|an|new|temporary) )?(?:[\w-]{1,20} )?(?:password|passphrase|pass|pw|passcode"
    r"|key(?![ -](?:binding|combination|field|file|format|header|input|name|pair|sequence|size|type)))\b"
)
_CAPITALISED = re.compile(
    r"(?i)\b(?:use|used|using|enter|entered|typed?|tried|try|with)\s{1,2}(?:the|my|our|this) (?:[\w-]{1,20} )?"
    r"(?:password|passphrase|pass|pw|passcode)\s{1,2}((?-i:[A-Z])[a-z]{3,20})(?=[.,;!?)\n]|\Z"
    r"|\s(?:once|twice|again|(?:two|three|four|five|several|many|\d{1,3}) times|and|but|in|into|at|on|for|since)\b)"
)
"""A name after "the password", unless it is one of a product that asks for the password."""
_PRODUCTS: Final = frozenset(
    """windows outlook microsoft google apple chrome firefox safari edge linux debian ubuntu android gmail office amazon
    netflix""".split()
)
_TAKEN_AS_PASSWORD = re.compile(
    r"(?i)(?<!\S)([^\s,;]{4,200})\s{1,2}"
    r"as (?:(?:my|the|your|our|his|her|their|a|an) )?(?:[\w-]{1,20} )?(?:password|passphrase|passcode)\b"
)
_PAIR = re.compile(
    r"(?i)\b(?:credentials?|creds|log-?ins?|user(?:name)?|signs? in|logs? in|logging in|signed in|logged in)(?: details)?"
    r"(?: with| as| are| is| for \w{1,30})?\s{0,2}[:=]?\s{0,2}(?:(?:user(?:name)?|login)\s?)?"
    r"(?:[\w.+-]{2,60}|\[email\])(?:\s?/\s?|:| and | pass )([^\s/,;]{4,200})"
)
_UNLIKE_A_WORD = (
    r"[^\s,;:/()@]{2,40}[!#$%^*][\w!#$%^*-]{1,40}|[^\s,;:/()@]{5,40}[!#$%^*](?=\s[a-z])"
    r"|(?=[^\s\d]{0,40}\d)[^\s,;:/()@]{5,40}[!#$%^*]"
)
_VALUE_ENDS = r"(?=[\s.,;:?!)\]>\"'`”…*]|\Z)"
_LOGGED_IN_WITH = re.compile(
    r"(?i)\b(?:log(?:ged|s|ging)?[ -]?in|sign(?:ed|s|ing)?[ -]?in)\b[^\n.!?]{0,60}?\bwith\s{1,2}(?:[\w.-]{2,30}:)?"
    rf"({_UNLIKE_A_WORD}){_VALUE_ENDS}"
)
"""A value used to log in; it needs no name if it has a symbol that words do not have."""
_BEHIND_COLON = re.compile(
    rf"(?i)\b(?:use|used|using|tried|try|with|as)\s{{1,2}}[\w.-]{{2,30}}:({_UNLIKE_A_WORD}){_VALUE_ENDS}"
)
_CHANGED_TO = re.compile(
    rf"(?i)\b(?:{STRONG})\s{{1,2}}(?:(?:wurde|ist|war|habe ich|haben wir)\s)?"
    rf"(?:auf|in|zu|a|en|à|to)\s{{1,2}}([^\s,;]{{4,200}})\s{{1,2}}"
    r"(?:geändert|gesetzt|umgestellt|zurückgesetzt|festgelegt|changed|set)\b"
)
_SET_TO = re.compile(
    rf"(?i)\b(?:set|changed?|reset|updated?|switched|made)\b[^\n.!?]{{0,40}}?\b(?:{STRONG})\s{{1,2}}"
    rf"(?:[\w-]{{1,20}}\s){{0,3}}?(?:back )?(?:to|as)\s{{1,2}}{VALUE}"
)
_CHANGED_FROM = re.compile(rf"(?i)\b(?:{STRONG})\s{{1,2}}from\s{{1,2}}{VALUE}\s{{1,2}}to\b")
_USER_WITH = re.compile(
    rf"(?i)\buser(?:name)?\s[\w.@+-]{{2,60}}\s(?:with|and)\s(?:the\s)?(?:{STRONG}|pass)\s{{1,2}}{VALUE}"
)
_POSSESSIVE = re.compile(rf"(?i)\b(?:{STRONG}|pass|pin)['’]s\s{{1,2}}{VALUE}")
_BOTH = re.compile(
    r"(?i)\b(?:user(?:name)?|login|usr|name|u)\s?(?:/|&|and)\s?(?:pass(?:word)?|pw|pwd|p)\b\s?(?:is|are|was|:|=)\s?"
    r"[^\s/]{1,60}\s?/\s?([^\s/]{3,200})"
)
_LETTERS = re.compile(
    r"(?im)(?:^|[\s(,;])u(?:sr)?\s?[:=]\s?[^\s,;/]{1,60}[\s,;/]{1,3}p(?:w)?\s?[:=]\s?([^\s,;]{3,200})"
)
_SPELT = re.compile(
    rf"(?i)\b(?:{STRONG}|pass|pin|code)\b[^\n]{{0,40}}?\bspel(?:led|t)\b(?: out)?[\s:]{{1,3}}"
    r"((?:[\w!@#$%&*](?:[-–.,_]|[ ]|, )){2,60}[\w!@#$%&*](?!\w))"
)
_SPELT_AFTER_IS = re.compile(
    rf"(?i)\b(?:{STRONG}|pass|token)(?:\s(?:is|was|ist|est|es)|\s?[:=])\s{{1,2}}"
    r"[\"'“]?((?:[\w!@#$%&*](?:[ ][-–][ ]|[-–., ]|,[ ])){3,60}[\w!@#$%&*](?!\w))"
)
"""A value whose characters stand apart."""
_NETWORK_KEY = re.compile(
    r"(?i)\b(?:wi-?fi|ssid|wlan|wireless)\b[^\n]{0,60}?(?:\n\s{0,8}|[\s,;/])(?:the )?key(?:\s(?:is|was)|\s?[:=])\s{1,2}"
    + VALUE
)
_KEY_OF_NETWORK = re.compile(
    rf"(?i)\bkey (?:for|of|to) (?:[\w'’-]{{1,20}} ){{0,3}}?(?:wi-?fi|wlan|network|hotspot|router)\b(?: [\w'’-]{{1,20}}){{0,2}}?"
    rf"(?:\s(?:is|was)|\s?[:=])\s{{1,2}}{VALUE}"
)
_BEHIND_WIFI = re.compile(r"(?i)\b(?:wi-?fi|wlan)\s?:\s?[^\s/]{1,32}\s?/\s?([^\s/]{8,63})")
_BEHIND_NETWORK = re.compile(r"(?i)\bssid\b\W{1,3}[^\s/]{1,32}\s?/\s?([^\s/]{8,63})")
_SAID_LATER = re.compile(
    rf"(?i)\b(?:{STRONG})\b[^\n.!?,;:]{{1,60}}?(?::\s(?:the|same|usual|la|le|el|die|das|der|het|o|a)\s[^\n.!?,;:]{{1,40}})?"
    rf"(?:,|\s[-–—])\s{{1,2}}(?=[^\s,]{{0,60}}[a-z])(?=[^\s,]{{0,60}}[\d!@#$%^&*])"
    r"([^\s,.;:/()]{6,60})(?=[\"'`”)\]>*]{1,2}(?:\s|\Z)|[\"'`”)\]>*]{0,2}(?:\s?[,.;:!?…\n]|\s[-–—]\s|\Z))"
)
_APPOSED_TOKEN = re.compile(
    rf"(?i)\b(?:{_WEAK})(?: [\w'’ -]{{1,60}})?(?:,| [-–—])\s{{1,2}}([\w.~+/=-]{{8,200}})(?=,|\s[-–—]\s)"
)
"""`the API secret we gave you, 7hQ9-kk2L, must be ...`."""
_THIS_ONE = re.compile(
    r"(?i)\b(?:use|try|take|enter|with|type) (?:this|that|the (?:new|following|temporary)) one\s?[:=–-]\s{0,3}"
    r"((?=\S{0,60}[!#$%^&*@?]\S)(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])\S{8,80})"
)
_DEFINED = re.compile(
    r"(?i)['\"][\w.-]{0,40}(?:password|passwd|secret|token|_key|salt)['\"]\s?,\s{0,3}['\"]([^'\"\n]{3,200})['\"]"
)
_BEHIND_NAME = re.compile(r"(?i)\b(?:root|admin(?:istrator)?|user)\s{0,2}/\s{0,2}(?![\w.-]*/)([^\s/,;]{6,200})")


def _strong(text: str) -> str:
    for pattern in (_STRONG_SAID, _SHORT):
        text = replace_spans(text, _stated(text, pattern), PASSWORD)
    return text


def _stated_rule(pattern: re.Pattern[str]) -> Rule:
    """Return the rule for a value after words that a participle may also follow, which is not a password."""

    def rule(text: str) -> str:
        spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
        return replace_spans(text, (span for span in spans if is_value(text, span, stated=True)), PASSWORD)

    return rule


def _capitalised(text: str) -> str:
    spans = (match.span(1) for match in _CAPITALISED.finditer(text))
    names = (span for span in spans if text[slice(*span)].lower() not in _PRODUCTS and is_value(text, span))
    return replace_spans(text, names, PASSWORD)


def _spelt(text: str) -> str:
    for pattern in (_SPELT, _SPELT_AFTER_IS):
        text = replace_spans(text, (match.span(1) for match in pattern.finditer(text)), PASSWORD)
    return text


def _weak(text: str) -> str:
    spans = (span for span in _stated(text, _WEAK_SAID) if looks_secret(text[slice(*span)]))
    return replace_spans(text, spans, TOKEN)


def _stated(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    for match in pattern.finditer(text):
        link = match["link"] or " is"
        if link.strip()[-1:] not in (":", "=") and is_placeholder(text, match.start() - 1):
            continue
        quoted = match[match.re.groups][0] in "\"'`“«"
        span = value_span(text, match.span(match.re.groups), assigned="=" in link)
        if is_value(text, span, stated=not quoted and link.strip(" \t*_`")[-1:].isalpha()) and not (
            match.re is not _SHORT and is_configuration(match["rest"], text[slice(*span)])
        ):
            yield span


def _beside(pattern: re.Pattern[str], placeholder: str, at_least: int) -> Rule:
    """Return the rule for a value next to the word without "is".

    The value must read unlike a word and have `at_least` characters; 0 accepts any value.
    """

    def rule(text: str) -> str:
        spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
        secret = (
            span
            for span in spans
            if is_value(text, span) and (at_least == 0 or looks_secret(text[slice(*span)], at_least=at_least))
        )
        return replace_spans(text, secret, placeholder)

    return rule


STRONG_CUES: Final = (
    *(
        "pas pwd psw pw wort mdp contrase clave senha wachtwoord hasło lösenord пароль 密码 パスワード key psk secret answer "
        "maiden phrase mnemonic p/w pword community"
    ).split(),
    *("magic word", "safe word", "code word", "recovery word", "secret word"),
)
_WEAK_CUES: Final = (
    *"secret key token sessionid session_id session-id phpsessid auth signature serial activation cred bearer salt".split(),
    "session id",
)
"""Each word for a password or a key contains one of these."""
PASSWORDS: Final[tuple[Rule, ...]] = (
    near_cues(_spelt, *STRONG_CUES, "pin", "code", "token"),
    near_cues(_strong, *STRONG_CUES),
    near_cues(_stated_rule(_SET_TO), *STRONG_CUES),
    near_cues(_stated_rule(_USER_WITH), "user"),
    near_cues(_beside(_CHANGED_FROM, PASSWORD, 4), *STRONG_CUES),
    near_cues(_beside(_POSSESSIVE, PASSWORD, 4), "'s", "’s"),
    near_cues(_beside(_BOTH, PASSWORD, 0), "/"),
    near_cues(_stated_rule(_NETWORK_KEY), "ssid", "fi", "wlan", "wireless"),
    near_cues(_beside(_BEHIND_NETWORK, PASSWORD, 0), "ssid"),
    near_cues(_beside(_BEHIND_WIFI, PASSWORD, 8), "fi", "wlan"),
    near_cues(_beside(_XML_SETTING, PASSWORD, 6), "value="),
    near_cues(_beside(_SAID_LATER, PASSWORD, 6), *STRONG_CUES),
    near_cues(_beside(_DEFINED, PASSWORD, 0), "pass", "secret", "token", "_key", "salt"),
    near_cues(_beside(_LETTERS, PASSWORD, 4), "u:", "u =", "u=", "u :", "usr"),
    near_cues(_weak, *_WEAK_CUES),
    near_cues(_beside(_KEY_VARIABLE, TOKEN, 8), "_key"),
    near_cues(_capitalised, *STRONG_CUES),
    near_cues(_beside(_TAKEN_AS_PASSWORD, PASSWORD, 4), "pas", before=2),
    near_cues(_beside(_BESIDE_NAME, PASSWORD, 0), *STRONG_CUES),
    near_cues(_beside(_AS_PASSWORD, PASSWORD, 0), "pas", "pw", "key", before=3),
    near_cues(_beside(_CHANGED_TO, PASSWORD, 0), *STRONG_CUES),
    near_cues(_beside(_BEHIND_NAME, PASSWORD, 6), "root", "admin", "user"),
    near_cues(
        _beside(_PAIR, PASSWORD, 4), "cred", "login", "log-in", "log in", "logs in", "logging", "logged", "user", "sign"
    ),
    near_cues(_beside(_LOGGED_IN_WITH, PASSWORD, 6), "log", "sign"),
    near_cues(_beside(_BEHIND_COLON, PASSWORD, 6), "use", "using", "tried", "try ", "with ", "as "),
    near_cues(_beside(_SELF_ANSWERED, PASSWORD, 4), "?"),
    near_cues(_beside(_SELF_ANSWERED_LATER, PASSWORD, 6), "?"),
    near_cues(_beside(_APPOSED_TOKEN, TOKEN, 8), *_WEAK_CUES),
    near_cues(_beside(_THIS_ONE, PASSWORD, 8), " one"),
    near_cues(_beside(_KEY_OF_NETWORK, PASSWORD, 6), "key "),
    near_cues(_beside(_COMMUNITY, PASSWORD, 4), "community"),
    near_cues(_beside(_TOLD_NEXT, PASSWORD, 4), *STRONG_CUES),
    near_cues(_beside(_BESIDE_STRONG, PASSWORD, 4), *STRONG_CUES),
    near_cues(_beside(_BESIDE_WEAK, TOKEN, 8), "key", "token", "secret"),
)
