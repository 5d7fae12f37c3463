"""Classifies a skill: its product area and the type of its issue."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from backends.ports.values import Json
from toolsets.skills.extraction.cues import is_addressed_to_a_machine
from toolsets.skills.extraction.model import MAX_LABEL, cut
from toolsets.skills.redaction import redact
from toolsets.skills.transcript.reader import visible

DEFAULT_AREA: Final = "general"
_CHARGED: Final = (
    r"(?:was|were|been|being|be|got|am|are|is|you|over|double|wrongly|twice) ?charged|charged? (?:me|us|him|her|them|twice"
    r"|for|to my|my"
    r"|again|too much|[$€£]\S*|\d\S*)|(?:an?|the|these|unknown|extra|double|hidden|what are the|additional) charges?"
    r" (?:of|for|on|from|to|in)|double charges?|(?:subscription|plan|contract|licen[cs]e|membership|annual|monthly) renewal"
    r"|renewal (?:fee|price)s?"
)
"""Charges of money; a battery is charged, too, and a certificate is renewed."""
_AREA_WORDS: Final[Mapping[str, str]] = {
    "accounts": r"accounts?|pins?|passcodes?|unlock pattern|log[- ]?ins?|logging in|sign[- ]?ins?|sign in|log in|passwords?"
    r"|passphrase|2fa|mfa"
    r"|two-factor|authenticator|sso|single sign-on|locked out|username|credentials",
    "billing": rf"invoices?|billing|bill(?:ed)?|{_CHARGED}|refund(?:ed|s)?|payments?|subscriptions?"
    r"|credit cards?|card number|vat|receipts?|coupon|discount|pricing|plan|trial"
    r"|quote|purchase|order (?:number|confirmation)|(?:my|our) order",
    "email": r"e-?mails?|(?-i:Exchange)|exchange (?:server|online)|free/busy|mail(?:box|boxes|server)?|smtp|imap|pop3|inbox"
    r"|spam|outlook|thunderbird|gmail"
    r"|newsletter|exim|postfix|attachments?|mta",
    "calendar": r"calendars?|appointments?|invitations?|caldav|ics",
    "printing": r"print(?:er|ers|ing|s|ed)?|toner|spooler|cups|scanner|cartridges?|ink|office ?jet|laser ?jet|paper jam|fuser",
    "networking": r"wi-?fi|wlan|network(?:ing)?|router|dns|dhcp|vpn|ethernet|proxy|firewall|ip address|gateway"
    r"|ping|modem|internet|tcp|subnet|hotspot",
    "storage": r"disks?|drive|backup|backups|storage|raid|partition|quota|file ?system|usb stick|nas|upload"
    r"|download|sync(?:ing|s|hronization)?|space left|mount(?:ing|ed)?|lvm|swap",
    "database": r"database|sql|postgres(?:ql)?|mysql|mariadb|query|queries|index(?:es)?|table|mongodb|redis"
    r"|replication|migration|transaction",
    "packages": r"packages?|apt(?:-get|itude)?|dpkg|deb|rpm|yum|dnf|pip|npm|repository|repositories"
    r"|sources\.list|dependenc(?:y|ies)|install(?:er|ation|ing|ed)?|uninstall|homebrew|snap|flatpak",
    "desktop": r"desktop|windows? manager|taskbar|screen|monitor|display|resolution|wallpaper|gnome|kde|xorg"
    r"|x11|start menu|keyboard|mouse|touchpad|font|locale",
    "mobile": r"mobile|phone|smartphone|tablet|iphone|ipad|android|ios|app store|push notifications?|sim|apk"
    r"|google play",
    "browser": r"browsers?|chrome|firefox|safari|edge|cookies?|cache|web ?page|website|extension|add-on"
    r"|javascript|tab",
    "API": r"api|endpoint|webhooks?|rest|graphql|sdk|oauth|json|http (?:\d{3}|status)|rate limit|curl"
    r"|request body|client library|token",
    "containers": r"docker|container(?:s)?|kubernetes|k8s|pods?|helm|image|registry|compose|kubectl",
    "version control": r"git|deploy keys?|commit|branch|merge|rebase|pull request|svn|repository history|checkout",
    "security": r"certificate|tls|ssl|encrypt(?:ion|ed)?|malware|virus|phishing|gpg|ssh keys?|vulnerabilit(?:y"
    r"|ies)|antivirus|signature|keyring|secure boot",
    "audio and video": r"audio|sound|microphone|camera|webcam|video|speaker|headset|recording|stream(?:ing)?"
    r"|playback|bluetooth headphones",
    "hardware": r"battery|batteries|charger|charging|(?:not|n't|never|stops?|only|slowly) charg(?:es?|ing)|laptop|cpu|gpu"
    r"|memory|ram|bios|uefi|fan|overheat(?:ing|s)?|power button"
    r"|motherboard|driver|firmware|usb|dock(?:ing station)?",
    "operating system": r"kernel|boot(?:ing|s)?|grub|systemd|init|reboot|blue screen|bsod|operating system|root"
    r"|shell|cron|syslog|daemon|module",
    "documents": r"spreadsheet|excel|word|pdf|document|report|csv|export(?:ing|ed)?|import(?:ing|ed)?|template"
    r"|slides|powerpoint|libreoffice|chart",
    "shipping": r"deliver(?:y|ed)|parcel|shipping|shipped|tracking|courier|return label|warehouse",
}
_TYPE_WORDS: Final[Mapping[str, str]] = {
    "billing": rf"invoices?|bill(?:ed|ing)|{_CHARGED}|refund(?:ed|s)?|payments?"
    r"|subscriptions?|credit cards?|vat|receipts?|coupon|discount|price",
    "access": r"(?:can(?:'t|not)|unable to|could ?n[o']t|couldn't) (?:log|sign|get) ?(?:in|into|on)"
    r"|(?:forgot(?:ten)?|lost|wrong|unknown|remember|locked|reset) (?:my |the |our |his |her )?(?:[\w-]+ )?"
    r"(?:pin|code|passcode|passphrase|key|pattern|username)"
    r"|log(?:ging)? in|sign(?:ing)? in|log-?in|password|locked(?: out)?|permission(?: denied)?|access denied"
    r"|unauthori[sz]ed|forbidden|40[13]|2fa|mfa|two-factor|not authori[sz]ed|read-only access|credentials",
    "performance": r"slow(?:ly|er)?|lag(?:s|gy|ging)?|latency|time(?:s|d)? ?-?out|freez(?:e|es|ing)|fr(?:o|e)ze"
    r"|hangs?|hanging|stutter(?:s|ing)?|high (?:cpu|memory)|takes (?:more than |over |about |up to |around "
    r"|nearly )?\d+ (?:seconds|minutes|hours|days)|takes (?:forever|ages|minutes|hours|too long|very long)"
    r"|out of memory|performance|sluggish|memory leak",
    "installation": r"install(?:s|ing|ed|er|ation)?|set ?up (?:fails|wizard)|uninstall(?:ing)?|upgrad(?:e|ing"
    r"|ed)|update (?:fails|failed|stops|is stuck)|reinstall(?:ing)?",
    "error": r"errors?|exceptions?|fail(?:s|ed|ure|ing)?|error code|exit code|stack ?trace|0x[0-9a-f]{4,}"
    r'|http \d{3}|50\d|404|could not|cannot|refused|denied|invalid|unable to|says? (?:that|")|traceback'
    r"|abort(?:s|ed)?",
    "bug": r"crash(?:es|ed|ing)?|wrong|broken|blank|empty|corrupt(?:ed)?|disappear(?:s|ed)?|missing"
    r"|duplicate(?:d|s)?|known (?:issue|bug)|bug|regression|incorrect|garbled|does(?:n't| not) (?:work|find|see"
    r"|recogni[sz]e|detect|connect|accept|show|load"
    r"|save|update|appear|sync|print|open|start|respond)|not (?:working|showing|loading|syncing|saving|printing)"
    r"|stopped working|unexpected|flicker(?:s|ing)?|turns? off|shuts? down|blinks?|drops?",
    "configuration": r"config(?:ure|uration|ured|uring)?|settings?|enable|disable|turn (?:on|off)|options?"
    r"|parameters?|default|proxy|environment variable|set (?:up|the)|customi[sz]e|change (?:the|my)|policy"
    r"|switch (?:to|from)",
}
_HOW_TO = re.compile(
    r"(?i)\b(?:how (?:do|can|should|would|could|might|to|does one|must) ?(?:i|we|you|one)?|is there (?:a"
    r"|any) (?:way|option|tool|command|setting|method)|is it possible to|where (?:can|do) (?:i|we)|what(?:'s"
    r"| is) the (?:best |right |correct |easiest |proper )?(?:way|command|procedure|method)|can i|can we"
    r"|(?:want|need|would like|trying|like) to (?!know)|how-to|steps to)\b"
)
_QUESTION = re.compile(
    r"(?i)\b(?:what|why|which|who|when|where|does|do|is|are|will|should|can|could|has|what's|difference)\b[^?]*\?"
)
_MONEY = re.compile(
    rf"(?i)\b(?:{_CHARGED}|billed|refund(?:ed|s)?|coupon|discount|price|vat|twice|double)\b"
    r"|\bwrong (?:amount|total|sum|address)\b"
)
"""Words about money itself, not about a page or a document that shows it."""
_FAILURE = re.compile(
    r"(?i)\b(?:errors?|exceptions?|fail(?:s|ed|ure|ing)?|crash(?:es|ed|ing)?|blank|empty|corrupt(?:ed)?|garbled|broken"
    r"|slow(?:ly)?|hangs?|freezes?|times? out|50\d|404|does(?:n't| not) (?:work|load|open|show|print|appear|update|save|sync)"
    r"|not (?:working|loading|showing|saving|syncing|printing)|stopped working|(?:can(?:'t|not)|unable to) (?:open|download"
    r"|load|export|print|see|save))\b"
)
_FORMATS: Final = "documents"
_TROUBLE: Final = ("error", "bug", "performance", "access")
_TYPE_KEYS: Final = frozenset({"issuetype", "type", "category", "issuecategory", "requesttype", "tickettype"})
_AREA_KEYS: Final = frozenset({"productarea", "product", "area", "component", "module", "service"})
KNOWN_AREAS: Final = frozenset(map(str.casefold, _AREA_WORDS))
_COMPILED_AREAS: Final = {
    name: re.compile(rf"(?i)(?<![\w-])(?:{words})(?![\w-])") for name, words in _AREA_WORDS.items()
}
_COMPILED_TYPES: Final = {
    name: re.compile(rf"(?i)(?<![\w-])(?:{words})(?![\w-])") for name, words in _TYPE_WORDS.items()
}


def product_area(main: str, problem: str, answer: str, metadata: Mapping[str, Json]) -> str:
    """Return the product area: the caller's, else the one that most words of the problem belong to, else `general`.

    Words of `main`, the most informative sentence, count three times as much as those of the rest of the problem. A file
    format counts a third of another word, because every product has one.
    """
    if (given := given_area(metadata)) is not None:
        return given
    if not any(words.search(main) for words in _COMPILED_AREAS.values()):
        main = problem
    scores = {
        name: (1 if name == _FORMATS else 3) * _distinct_hits(words, main)
        + (0 if name == _FORMATS else 1) * _distinct_hits(words, problem)
        + min(2, _distinct_hits(words, answer))
        for name, words in _COMPILED_AREAS.items()
    }
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= 2 else DEFAULT_AREA


def issue_type(main: str, problem: str, answer: str, metadata: Mapping[str, Json]) -> str:
    """Return the type of the issue: the caller's, else one of `ISSUE_TYPES`.

    The words of `main`, the most informative sentence, decide before those of the rest of the problem and of the answer.
    Among them, words for a failure decide before the subject of the failure, such as an invoice.
    """
    if (given := given_type(metadata)) is not None:
        return given
    if not any(words.search(main) for words in _COMPILED_TYPES.values()):
        main = problem
    scores = {
        name: 3 * _distinct_hits(words, main) + _distinct_hits(words, problem)
        for name, words in _COMPILED_TYPES.items()
    }
    asks_how = _HOW_TO.search(problem) is not None
    if scores["billing"] and (_MONEY.search(main) is not None or _FAILURE.search(main) is None):
        return "billing"
    scores["billing"] = 0
    if asks_how and not any(scores[name] for name in _TROUBLE):
        return "configuration" if _distinct_hits(_COMPILED_TYPES["configuration"], problem) > 1 else "how-to"
    if not any(scores[name] for name in _TROUBLE) and _QUESTION.search(problem) is not None:
        return "question"
    for name, words in _COMPILED_TYPES.items():
        scores[name] += min(2, _distinct_hits(words, answer)) if scores[name] else 0
    if _COMPILED_TYPES["access"].search(main) is not None and scores["access"] >= scores["performance"]:
        return "access"
    best = max(_ORDER, key=lambda name: scores[name])
    if scores[best] > 0:
        return best
    return "how-to" if asks_how else "question" if "?" in problem else "bug"


_ORDER: Final = ("performance", "bug", "error", "installation", "configuration", "access")
"""Of equal scores the earlier one wins: an installation that fails with an error is an error."""


def _distinct_hits(pattern: re.Pattern[str], text: str) -> int:
    return len({match.group().casefold() for match in pattern.finditer(text[:20_000])})


def given_area(metadata: Mapping[str, Json]) -> str | None:
    """Return the product area that the caller gives, redacted, None for an instruction to a program."""
    return _given(metadata, _AREA_KEYS)


def given_type(metadata: Mapping[str, Json]) -> str | None:
    """Return the type of the issue that the caller gives, redacted, None for an instruction to a program."""
    return _given(metadata, _TYPE_KEYS)


def _given(metadata: Mapping[str, Json], keys: Iterable[str]) -> str | None:
    for key, value in metadata.items():
        if "".join(c for c in key.casefold() if c.isalnum()) in keys and isinstance(value, str) and value.strip():
            label = " ".join(visible(value).split())
            return None if is_addressed_to_a_machine(label) else cut(redact(label), MAX_LABEL)
    return None
