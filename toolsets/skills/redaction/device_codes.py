"""Removes the codes of devices and doors: of keypads, locks and authenticators, also named in other languages."""

import re
from typing import Final

from toolsets.skills.redaction.replacement import CODE, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import is_setting

_DIGITS: Final = r"\d{3}[ -]\d{3}|\d{4,9}"
_VALUE: Final = rf"((?:{_DIGITS})#?|(?=[A-Z]{{0,8}}\d)[A-Z0-9]{{4,12}})(?![\w-]|[.:/]\d)"
_LINK: Final = (
    r"(?:(?:\s(?:is|was|lautet|ist|war|est|était|es|era|è|é|jest|är|er)|\s?[:=]|\s[-–—])\s{1,2}|,\s{1,2}|\s{1,2})"
)
_OPENED = re.compile(
    rf"(?i)\b(?:un|dis)(?:lock|arm)(?:s|ed|ing)?\s(?:[\w'’-]{{1,20}}\s){{1,4}}?(?:with|by|using)\s{{1,2}}"
    rf"(?:(?:the |my )?(?:code|pin) )?((?:{_DIGITS})#?)(?![\w-]|[.:/]\d)"
)
_SHOWN = re.compile(
    r"(?i)\b(?:authenticator|authy|2fa|mfa|otp|totp|one[- ]time(?: password)?|hardware token|rsa token|token generator)\b"
    r"(?: (?:app|key|fob|device|code|generator)){0,2}(?: [a-z]{2,10})?"
    rf"\s(?:shows?|says?|displays?|gives?|reads|generated|generates|prints)(?: me)?"
    rf"(?: the)?(?: code)?\s?:?\s{{1,2}}({_DIGITS})(?!\w|[.:/]\d)"
)
_DEVICE = (
    r"(?:key ?pad|garage(?: door)?|lock(?:er)?|building|entrance|front door|cabinet|gate|barrier|lift|elevator|safe|server room"
    r"|conference|bridge|meeting|host|tan|tablet|phone|alarm(?: system)?|door)"
)
_NAMED = re.compile(
    rf"(?i)\b{_DEVICE}[ -](?:code|pin|passcode)s?\b(?: (?:for|of|on|at) (?:[\w'’-]{{1,20}} ){{1,4}}?)?{_LINK}{_VALUE}"
)
_CODE_FOR = re.compile(
    rf"(?i)\b(?:code|pin|combination|passcode) (?:for|of|to|on) (?:(?:the|my|our|your|this) )?(?:[\w'’-]{{1,20}} ){{0,3}}?"
    rf"{_DEVICE}(?:\?\s{{1,2}}(?:it['’]s |it is |that['’]s )?|{_LINK}){_VALUE}"
)
_PATTERN = re.compile(
    rf"(?i)\b(?:unlock|lock|screen|swipe) pattern\b[^\n\d.]{{0,40}}?\s(?:is|was|:)\s{{1,2}}({_DIGITS})(?!\w)"
)
_LOCK = (
    r"(?:(?:pad|key|gun|wall|bike|door|suitcase|combination|key box|number|dial)? ?"
    r"(?:locks?|safes?|lock ?box(?:es)?|key ?box|key ?safe)"
    r"|padlock|lockers?|vault|suitcase|briefcase|strong ?box|cash ?box|cabinet|key ?pad|gate|garage|door)(?:['’]s)?"
)
_TURNS: Final = r"\d{1,2}(?:\s?[./–-]\s?\d{1,2}){2,3}|\d{1,2}(?: \d{1,2}){2,3}"
_NUMBER_ALONE: Final = (
    r"(?![\w/-]|[.:]\d|\s(?:EUR|USD|GBP|kg|cm|mm|ms)\b|\s(?!(?:always|as|does|fails|has|is|opens|sometimes|stays|this|was"
    r"|works)\b)"
    r"[a-z]{1,14}s\b)"
)
_COMBINATION = re.compile(
    rf"(?i)\b(?:{_LOCK}\b[^\n.!?]{{0,60}}?\bcomb(?:ination|o)\b|comb(?:ination|o) (?:lock\b|(?:of|to|for|on|at) "
    rf"(?:[\w'’-]{{1,20}} ){{0,3}}?{_LOCK}\b))[^\n.!?\d]{{0,30}}?[\s,:(]({_TURNS}|\d{{3,6}}){_NUMBER_ALONE}"
)
_LOCK_CODE = re.compile(
    rf"(?i)\b{_LOCK}\b[^\n.!?\d]{{0,40}}?(?:[,(]\s?|\b(?:has|with|by|use|uses|takes|wants|needs)\s(?:the\s)?)(?:code|pin)"
    rf"[\s,:]{{1,3}}(?:is |was )?(\d{{4,8}}){_NUMBER_ALONE}"
)
_DIALLED = re.compile(
    rf"(?i)\b(?:dial|enter|type|punch|key|press|put)(?:l?ed|d|s)?(?: in)? ({_TURNS}|\d{{4,8}}) (?:on|at|into|in) "
    rf"(?:the |my |our )?(?:[\w'’-]{{1,20}} ){{0,2}}?{_LOCK}\b(?! (?:[\w-]{{1,20}} )?(?:column|dialog|field|menu|setting)\b)"
    rf"|\b(?:turn|dial|set|spin|spun)(?:l?ed|s)? (?:the |my |our )?(?:[\w'’-]{{1,20}} ){{0,2}}?{_LOCK} (?:to|at|on) "
    rf"({_TURNS}|\d{{3,6}}){_NUMBER_ALONE}"
)
_ABROAD = re.compile(
    r"(?i)\b(?P<name>(?:\w{0,24}[eslrm]-?code|(?:sms|tan|mein|ihr|dein|unser)-? ?code"
    r"|code (?:de |d['’]|du )?(?:la |l['’]|le )?(?:porte|portail|immeuble|entrée|accès|sécurité|vérification|confirmation|alarme"
    r"|coffre|déverrouillage|wi-?fi)"
    r"|(?:mon|votre|ton|mijn|uw|jouw|mein|ihr|dein) (?:code|pin)"
    r"|c[oó]d(?:igo|ice) (?:de |di |da |do |del |della |dell['’])?(?:la |el )?(?:puerta|acceso|accesso|acesso|seguridad|sicurezza"
    r"|segurança|verificación|verifica|verificação|alarma|allarme|cassaforte|porta|portone|cancello|caja fuerte)"
    r"|(?:mi|su|tu|mio|meu|seu) c[oó]d(?:igo|ice))\b)"
    rf"(?: [\w'’àéèíóçã]{{1,14}}){{0,2}}?{_LINK}{_VALUE}"
)
_NOT_SECRET = re.compile(
    r"(?i)fehler|error|erreur|fout|erro|exit|status|statut|estado|post|vorwahl|l[aä]nder|pays|pa[ií]s|artikel|produkt|barcode"
    r"|source"
    r"|quell|zip|farb|colou?r|model|bar-?code|qr"
)
"""Words in the names of codes that are not secret."""


def _rule(pattern: re.Pattern[str]) -> Rule:
    def rule(text: str) -> str:
        spans = (
            match.span(match.lastindex or 0)
            for match in pattern.finditer(text)
            if _NOT_SECRET.search(match.group()) is None
        )
        return replace_spans(text, (span for span in spans if _is_code(text, span)), CODE)

    return rule


def _is_code(text: str, span: Span) -> bool:
    return not is_setting(text, span)


DEVICE_CODES: Final[tuple[Rule, ...]] = (
    near_cues(_rule(_OPENED), "unlock", "disarm"),
    near_cues(_rule(_SHOWN), "authent", "authy", "2fa", "mfa", "otp", "token", "one-time", "one time"),
    near_cues(_rule(_NAMED), "code", "pin"),
    near_cues(_rule(_CODE_FOR), "code", "pin", "combination"),
    near_cues(_rule(_PATTERN), " pattern"),
    near_cues(_rule(_COMBINATION), "comb"),
    near_cues(_rule(_LOCK_CODE), "code", "pin"),
    near_cues(_rule(_DIALLED), *"lock safe box vault case cabinet pad gate garage door".split()),
    near_cues(_rule(_ABROAD), "code", "pin", "codice", "código", "codigo"),
)
