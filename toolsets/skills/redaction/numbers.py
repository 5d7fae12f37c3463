"""Removes the numbers of cards, accounts and social security, and codes that were sent."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.skills.redaction.replacement import (
    ACCOUNT,
    BIRTH_DATE,
    CARD,
    CODE,
    EXPIRY,
    PHONE,
    SOCIAL_SECURITY,
    Rule,
    Span,
    group_rule,
    near_cues,
    number_rule,
    replace_spans,
)
from toolsets.skills.redaction.values import ASIDE

_CARD = re.compile(r"\d(?<![\w.]\d)(?<!\d[-–]\d)(?:[ \-–.\u00a0]{0,2}\d){12,18}(?!\w|[-–]\d)")
_CARD_SAID = re.compile(r"(?i)\b(?:card|visa|mastercard|amex|maestro|discover|debit|credit)\b[^\n]{0,40}$")
_ISSUERS = re.compile(r"3[0-9]|4|5[0-9]|6[0-9]|2[2-7]|81")
_IBAN = re.compile(r"(?i)(?<![\w-])[A-Z]{2}\d{2}(?:[ \-\u00a0]?[A-Z0-9]){11,30}(?![A-Z0-9])")
_IBAN_HINT = re.compile(r"\d\d(?<=[A-Za-z]{2}\d\d)")
"""The beginning of every such number; a pattern that begins with a digit is found fast."""
_SSN = re.compile(r"\d{3}(?<!000)(?<!666)(?<![\w.-]\d{3})([- .\u00a0–])(?!00)\d{2}\1(?!0000)\d{4}(?!\w|-\w)")
_NINO = re.compile(r"(?<!\w)(?i:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D])(?!\w)")
_AHV = re.compile(r"756(?<![\w.-]756)([. ]?)\d{4}\1\d{4}\1\d{2}(?![\w.-]\d|\w)")
"""Numbers of the Swiss social insurance, which begin with the code of the country."""
_NUMBER = r"\(?(?:(?:number|numbers|no|nr|num|id|code|ref|reference|is numbered|numbered)\b\.?|#)"
_LINK = rf"(?:{ASIDE}|(?:\s{{0,2}}(?:is|was|ist|lautet|est|es|:|=|#|-|–)){{0,2}}\s{{0,3}}(?:is\s)?[(\[\"'“]{{0,2}}|,\s{{1,2}})"
_WITH_WHOM = r"\s(?:with|at|from|for|of|in) (?:[\w'’&.-]{1,20} ){0,3}?[\w'’&.-]{1,20}(?:\s?[:=]|\s(?:is|was))\s{1,3}"
"""The company between the name of a number and "is"."""
_DIGITS = r"(?:(?-i:[A-Z]{1,4}[ -]?))?\d(?:[ .\-–/]?\d){3,32}(?:(?-i:[ -]?[A-Z]))?(?![A-Za-z0-9])"
_MIXED = r"(?=[A-Z]{0,33}\d)[A-Z0-9]{5,34}(?![A-Za-z0-9])"
_SOCIAL_SAID = re.compile(
    rf"(?i)\b(?=[abcinprst])(?:ssn|social(?: security)?|s\.s\.n\.|itin|national insurance|nino|ni(?= number)|sin"
    rf"|tax(?:payer)? id(?:entification)?|tin|aadhaar|cpf|personnummer|steuer-?id"
    rf"|national id(?:entity)?|sozialversicherungs(?:nummer|nr)|sv-?nummer|rentenversicherungsnummer|sécurité sociale|nhs"
    rf"|codice fiscale|pesel|burgerservicenummer|pan(?: card)?(?= (?:no|number|id)\b))\b\s?{_NUMBER}?{_LINK}"
    rf"(\d{{2}} ?\d{{6}} ?[A-Z] ?\d{{3}}(?!\w)|{_DIGITS}|{_MIXED})"
)
_LAST_FOUR = re.compile(
    r"(?i)\b(?:last|final) (?:four|4)(?: digits)?(?: of (?:my|the|your) (?:ssn|social(?: security)?(?: number)?"
    r"|card|account))?"
    r"(?: number)?(?: are| is|:| =)?\s{0,3}(\d{4})(?!\w)"
)
_ACCOUNT_SAID = re.compile(
    r"(?i)\b(?=[bcsgampriklwd])(?:(?:bank|checking|savings|current|giro) )?"
    rf"(?:account|acct?|a/c|customer|client|contract|subscri(?:ber|ption)|member(?:ship)?|policy|passport"
    rf"|routing|sort|aba|bic|swift|iban|konto|kontonummer|blz|licen[cs]e|driver'?s licen[cs]e|insurance|patient"
    rf"|loyalty)"
    rf"\b,?\s?{_NUMBER}(?:{_WITH_WHOM}|{_LINK})({_DIGITS}|{_MIXED})"
)
_ACCOUNT_ABROAD = re.compile(
    r"(?i)\b(?=[knrv])(?:(?:kunden|vertrags|konto|mitglieds|versicherungs|teilnehmer|klant|rekening|contract)-?(?:nummer|nr\b\.?)"
    r"|(?:n[uú]m[eé]ro|n[°º]|nº) (?:de |di )?(?:client|cliente|compte|cuenta|conto|contrat[to]?|contrato|abonné)"
    rf"|reference (?:as|of|for) (?:a|my|the|your|our) (?:customer|client|account|contract)){_LINK}({_DIGITS}|{_MIXED})"
)
_ACCOUNT_BARE = re.compile(
    r"(?i)\b(?=[saribkcmp])(?:sort(?= \d\d-\d\d-\d\d)|(?:customer|client|contract|member|policy|subscriber)"
    r"|account|acct|a/c|routing|sort code|iban|kontonummer|kto(?:\.|-?nr\.?)?|aba"
    rf"|bsb){_LINK}"
    r"(?!(?:(?:19|20)\d\d-\d\d-\d\d|\d\d-\d\d-(?:19|20)\d\d)(?!\d))(\d(?:[ \-–]?\d){5,16})(?!\w|\.\w)"
)
_ACCOUNT_APART = re.compile(
    r"(?i)\b(?:account|policy|contract|customer|member(?:ship)?)\b[^\n.!?\d]{1,40}[,;] (?:the |my |its |under )?number"
    r"(?:\s(?:is|was)|\s?:)?\s{1,2}(\d(?:[ \-]?\d){5,16})(?!\w|\.\w)"
)
_REMOTE_ID = re.compile(
    r"(?i)\b(?:team ?viewer|any ?desk|rust ?desk)(?: id)?(?:\s(?:is|was)|\s?[:=])?\s{1,2}(\d{3} ?\d{3} ?\d{3,4})(?!\w)"
)
"""The number under which a computer can be reached."""
_CODE_SAID = re.compile(
    r"(?i)\b(?:(?:verification|security|one[- ]time|login|log-?in|sign-?in|sms|2fa|mfa|tfa|authenticat(?:ion"
    r"|or)|confirmation"
    r"|access|unlock|door|gate|alarm|recovery|backup|reset|pairing|entry|card|sim|puk|cvv|cvc|atm|voicemail|safe|guard"
    r"|(?:\d|four|six|eight)[- ]?digit)"
    r" (?:pattern |key ?pad )?(?:codes?|pins?)|pass-?codes?|otp|cvv2?|cvc2?|cid|pin(?:[ -]?codes?| numbers?)?(?:'s)?|puk"
    r"|my code(?= is \d{4,8}\b(?! (?:lines|bytes|characters))))\b"
    r"(?: (?:i got|you sent|sent|received|from the app|(?:on|to|in|of) (?:the|my|your|our) \w{1,20}"
    r"|for [\w ]{1,20}?|(?:that |which )?(?:i|we|you|he|she|they) [a-z' ]{2,30}?(?= (?:is|was))))?"
    rf"(?:{ASIDE}|,\s{{1,2}}|(?:\s{{0,2}}(?:is|are|was|used|given|sent|:|=|#|-|–|\d[.)](?=\s))){{0,3}}\s{{0,3}})[(\[\"'“]?"
    r"(\d(?:[ -]?\d){2,9}#?(?![A-Za-z0-9])|(?=[A-Z]{0,11}\d"
    r"|[\w-]{4,60}\d)[A-Z0-9]{3,12}(?:-[A-Z0-9]{2,12}){0,5}(?![A-Za-z0-9]))"
)
_AS_CODE = re.compile(
    r"(?i)(?<![\w.-])(\d{4,8}|\d{3}[ -]\d{3}) as (?:the|my|a|your|its|our|his|her) (?:[\w-]{1,20} ){0,2}?(?:code|pin|otp"
    r"|passcode)\b"
    r"|(?<![\w.-])(\d{3,4}) as (?:the|my|a|your) (?:cvv2?|cvc2?)\b"
)
_PIN_FOR = re.compile(r"(?i)\bpin[\"'”]?\s(?:for|of)\s{1,2}(\d{4,8})(?!\w)")
_ON_THE_BACK = re.compile(
    r"(?i)\b(?:digits|code) (?:on|at|from) the (?:back|front|signature\w*|reverse)\b[^\n\d]{0,30}(\d{3,4})(?!\w)"
)
_OPENED_WITH = re.compile(
    r"(?i)\b(?:gate|door|alarm|safe|lock(?:er)?|padlock|garage|key ?pad|barrier|lift|elevator)\b[^\n\d.]{0,30}?"
    r"\b(?:(?:opens?|opened|unlocks?|disarms?|works?) (?:with|by|on)|takes|accepts|wants)"
    r"\s{1,2}[#*]?(\d{4,8})(?!\w|[.:]\d|\s[a-z]{1,12}s\b)"
)
_BIRTH_SAID = re.compile(
    r"(?i)\b(?:dob|d\.o\.b\.|date of birth|birth ?date|birthday|born(?: on)?|geboren(?: am)?"
    r"|geb\.(?: am)?|geburtsdatum|née? le|nat[oa] il|nacid[oa] el)(?:\s(?:on|in|of|the|your|my|file|record|here|given"
    r"|as)){0,4}(?:\s{0,2}(?:is|was|:|=|,|\()){0,2}"
    r"\s{0,3}(?:the\s)?(\d{1,4}[./ -]\d{1,2}[./ -]\d{1,4}|\d{1,2}(?:st|nd|rd|th|\.)?(?: of)? [A-Z][a-z]{2,8}\.?,? \d{4}"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?!\w)"
)
_CODE_FIRST = re.compile(
    r"(?i)(?<![\w.-])(\d{4,8}|\d{3}[ -]\d{3})(?:, (?:which|that))? (?:is|was) (?:your|my|the|our) [^.\n]{0,40}?"
    r"\b(?:code|pin|otp|passcode|password)\b"
)
_CODE_APART = re.compile(r"(?i)\b(?:my|our|his|her) [\w ]{0,30}?\b(?:pin|passcode|code),\s{1,2}(\d{4,8})(?!\w)")
_CODE_IN_GROUPS = re.compile(
    r"(?i)(?<!error )(?<!exit )(?<!status )\bcode(?:\s(?:is|was))?\s{1,2}(\d\d(?:[ -]\d\d){2,4}|\d(?:[ -]\d){3,7})(?!\w|-\w)"
)
_BARE_CODE_SAID = re.compile(
    r"(?i)\b(?:the code|code) (?:i (?:got|received)|you sent|in the (?:sms|text|e-?mail)|from (?:the|my) (?:sms"
    r"|text|app|phone))"
    r"[^\n\d]{0,20}(\d[\d -]{2,8}\d)(?!\w)"
)

_MONTH = (
    r"((?:0?[1-9]|1[0-2])\s?[/.-]\s?(?:20)?\d{2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (?:20)?\d{2})"
    r"(?![\w/.-]\d|\w)"
)
_EXPIRES = (
    r"(?:exp(?:\.|iry|ires?|ired|iring|iration)?|valid (?:thru|through|until|till|to)|good (?:thru|through|until)|runs? out"
    r"|ran out|ends?|gültig bis|läuft ab|abgelaufen|ablaufdatum)"
    r"(?![a-z])(?: date)?(?:\s?(?:on|in|at|is|was|the end of|:|=)){0,2}\s{0,3}"
)
_EXPIRY = re.compile(rf"(?i)\[card number\](?:[^\n]{{0,40}}?\b{_EXPIRES}|[,;/]?\s{{1,2}}){_MONTH}")
_CARD_EXPIRES = re.compile(
    rf"(?i)\b(?:card|visa|mastercard|maestro|amex|karte|kreditkarte|carte|tarjeta)(?:['’]s)?\b[^\n.]{{0,60}}?\b{_EXPIRES}{_MONTH}"
)
_EXPIRY_SAID = re.compile(
    r"(?i)\bexp(?:iry|iration)?\.?(?: date)?(?: (?:of|on|for) (?:my|the|this|that|his|her|our) (?:\w{1,12} ){0,2}?card| date"
    r"|(?<=expiry)(?=\s?(?:is|was|:|=)))"
    rf"(?:\s?(?:is|was|:|=)){{0,2}}\s{{0,3}}{_MONTH}"
)
_VALID_THRU = re.compile(rf"(?i)\bvalid thru\b(?:\s?(?:is|:))?\s{{0,3}}{_MONTH}")
"""The words that cards bear."""
_SAFETY_CODE = r"\b(?:cvv2?|cvc2?|cv2|cid|(?:card )?security code)\b"
_EXPIRY_NEAR_CODE = re.compile(
    rf"(?i){_SAFETY_CODE}[^\n]{{0,40}}?(?:\n[^\n]{{0,20}}?)?\b{_EXPIRES}\(?{_MONTH}"
    rf"|\b{_EXPIRES}\(?{_MONTH}(?=[^\n]{{0,40}}?(?:\n[^\n]{{0,20}}?)?{_SAFETY_CODE})"
)
"""The two data of a card that are given together."""
_DOCUMENT_SAID = re.compile(
    r"(?i)\b(?:passport|reisepass|personalausweis|(?:driver'?s?'?|driving) licen[cs]e|führerschein(?:nummer)?|id card"
    rf"|identity card)\s?{_NUMBER}?{_LINK}((?-i:(?=[A-Z0-9-]{{0,20}}\d{{2}})[A-Z0-9](?:[ -]?[A-Z0-9]){{5,19}})(?!\w|-\w))"
)


def _said_as_code(text: str) -> str:
    return replace_spans(text, (match.span(match.lastindex or 0) for match in _AS_CODE.finditer(text)), CODE)


def _expiries_near_codes(text: str) -> str:
    spans = (match.span(match.lastindex or 0) for match in _EXPIRY_NEAR_CODE.finditer(text))
    return replace_spans(text, spans, EXPIRY)


def _is_card(text: str, match: re.Match[str]) -> bool:
    """Return whether digits are a card number: by issuer and check digit, or despite a wrong digit because the text says so."""
    digits = [int(c) for c in match.group() if c.isdigit()]
    said = _CARD_SAID.search(text, max(0, match.start() - 60), match.start()) is not None
    if said:
        return True
    leading = _ISSUERS.match("".join(map(str, digits[:2])))
    return leading is not None and passes_luhn(digits)


def passes_luhn(digits: list[int]) -> bool:
    """Return whether the last digit is the check digit of the others (ISO/IEC 7812)."""
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


def _ibans(text: str) -> str:
    return replace_spans(text, _iban_spans(text), ACCOUNT)


def _iban_spans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text) if _IBAN_HINT.search(text) is not None else ():
        # Words may follow without a mark: the longest prefix with a correct check number is the account.
        found = match.group()
        stops = (at for at in range(len(found), 14, -1) if found[at - 1].isalnum() and not found[at : at + 1].isalnum())
        stop = next((at for at in stops if is_iban(found[:at])), None)
        if stop is not None:
            yield match.start(), match.start() + stop


def is_iban(text: str) -> bool:
    """Return whether a text is an account number with a correct check number (ISO 13616, modulus 97)."""
    compact = "".join(c for c in text.upper() if c.isalnum())
    if not 15 <= len(compact) <= 34 or not compact.isascii():
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


_TO_ENTER = re.compile(
    r"(?i)\b(?:enter|type|use|press|dial|key in)(?:ed|d)?\s{1,2}(\d{4,8})\s[^.\n]{0,40}?\b(?:pin|passcode|otp|sms code)\b"
)
_SECOND_ACCOUNT = re.compile(r"\[account number\]\s?[/,;]\s?(\d(?:[ -]?\d){5,12})(?!\w|\.\w)")
_TEXT_SAYS = re.compile(
    r"(?i)\b(?:sms|text(?: message)?|authenticator(?: app)?|(?-i:[ms]?m?TAN))\b"
    r"(?:\s(?:says|said|reads|shows|is|was)|\s?:)?\s{1,2}((?:[A-Z]-)?\d{4,8})(?!\w)"
)
_COMBINATION = re.compile(
    r"(?i)\bcomb(?:ination|o)\b[^\n\d.]{0,40}?(?:is|was|:|=)\s{1,2}(\d{1,2}(?:[ ./–-]{1,3}\d{1,2}){2,3}|\d{3,6})(?!\w)"
)
_CODE_SENT = re.compile(
    r"(?i)\b(?:code|number)\b[^\n\d]{0,20}\b(?:texted|sent|e-?mailed|read|given) to me\b[^\n\d]{0,12}(\d{4,8})(?!\w)"
)
_GOOGLE_CODE = re.compile(r"(?i:\b(?:google|code)\b[^\n]{0,30}?)(?<![\w-])G-(\d{6})(?!\w)")
_GUARD_CODE = re.compile(r"(?i:\bsteam guard\b[^\n]{0,30}?)(?<!\w)((?=[A-Z]{0,4}\d)[A-Z0-9]{5})(?!\w)")
_TYPED_CODE = re.compile(
    r"(?i)\b(?:face id|touch id|fingerprint)\b[^\n]{0,60}?\b(?:type|enter|use)(?:d|ed)?\s{1,2}(\d{4,8})(?!\w)"
)
_DIGIT_WORD = (
    r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine"
    r"|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun)"
)
_IN_WORDS = rf"(?:(?:double|triple|treble)[ -])?{_DIGIT_WORD}"
_PHONE_IN_WORDS = re.compile(
    rf"(?i)(?<![\w-])(?:plus[ ,]{{1,2}})?{_IN_WORDS}(?:[ ,.\-–]{{1,3}}{_IN_WORDS}){{5,19}}(?!\w|-\w)"
)
_CODE_IN_WORDS = re.compile(
    rf"(?i)\b(?:pin|code|passcode|otp|puk|cvv|cvc|number)(?:\s(?:is|was|reads)|\s?[:=])\s{{1,2}}"
    rf"({_IN_WORDS}(?:[ ,.\-–]{{1,3}}{_IN_WORDS}){{2,11}})(?!\w|-\w)"
)
_IBAN_SAID = re.compile(
    rf"(?i)\biban\b(?:\s?{_NUMBER})?{_LINK}((?-i:[A-Za-z]{{2}}\d{{2}}(?:[ \-\u00a0]?[A-Z0-9]{{1,4}}){{3,8}}(?![A-Za-z0-9])))"
)
_ENDS_IN = re.compile(
    r"(?i)\b(?:account|acct|ssn|social security)\b[^\n.]{0,30}?\b(?:ends|ending|ended)(?: (?:in|with"
    r"|on))?\s?:?\s{0,2}(\d{4})(?!\w)"
)
# "Customer" alone begins every other line of a conversation.
_ACCOUNT_CUES: Final = (
    *"acc a/c member policy passport routing sort aba bic swift iban konto kto blz licen insurance patient loyalty bsb".split(),
    *("client", "contract", "subscri", "customer\n", "customer#"),
    *(f"customer {begin}" for begin in "nicr#"),
    *(f"customer{before}{begin}" for before in (" ", ", ", ": ", " is ") for begin in "(\"'0123456789"),
)
"""Each name for an account contains one of these."""
NUMBERS: Final[tuple[Rule, ...]] = (
    _ibans,
    near_cues(group_rule(_IBAN_SAID, ACCOUNT), "iban"),
    near_cues(group_rule(_ENDS_IN, CODE), "ends", "ending", "ended"),
    near_cues(group_rule(_CODE_IN_WORDS, CODE), "pin", "code", "otp", "puk", "cv", "number"),
    near_cues(
        group_rule(_PHONE_IN_WORDS, PHONE),
        " four",
        " five",
        " seven",
        "double",
        " vier",
        " sieben",
        " two",
        " one",
        " six",
    ),
    near_cues(group_rule(_LAST_FOUR, CODE), "last", "final"),
    near_cues(
        group_rule(_BIRTH_SAID, BIRTH_DATE), "dob", "d.o.b", "birth", "born", "geb", "né le", "née le", " il", " el"
    ),
    group_rule(_SOCIAL_SAID, SOCIAL_SECURITY),
    number_rule(_CARD, CARD, accepts=_is_card),
    number_rule(_SSN, SOCIAL_SECURITY),
    number_rule(_NINO, SOCIAL_SECURITY),
    number_rule(_AHV, SOCIAL_SECURITY),
    near_cues(group_rule(_ACCOUNT_SAID, ACCOUNT), *_ACCOUNT_CUES),
    near_cues(
        group_rule(_DOCUMENT_SAID, ACCOUNT),
        "passport",
        "pass",
        "ausweis",
        "licen",
        "führerschein",
        "id card",
        "identity",
    ),
    near_cues(group_rule(_ACCOUNT_BARE, ACCOUNT), *_ACCOUNT_CUES),
    near_cues(group_rule(_ACCOUNT_APART, ACCOUNT), " number", ",number"),
    near_cues(group_rule(_REMOTE_ID, ACCOUNT), "viewer", "desk"),
    near_cues(group_rule(_ACCOUNT_ABROAD, ACCOUNT), "nummer", "nr", "mero de", "n°", "nº", "reference"),
    near_cues(group_rule(_CARD_EXPIRES, EXPIRY), "card", "visa", "maestro", "amex", "karte", "carte", "tarjeta"),
    near_cues(group_rule(_EXPIRY_SAID, EXPIRY), "exp"),
    near_cues(group_rule(_VALID_THRU, EXPIRY), "thru"),
    near_cues(_expiries_near_codes, "cvv", "cvc", "cv2", "cid", "security code", before=1),
    near_cues(_said_as_code, " as "),
    near_cues(group_rule(_PIN_FOR, CODE), "pin"),
    near_cues(group_rule(_ON_THE_BACK, CODE), "digits", "code"),
    near_cues(
        group_rule(_OPENED_WITH, CODE),
        "gate",
        "door",
        "alarm",
        "safe",
        "lock",
        "garage",
        "pad",
        "barrier",
        "lift",
        "elevator",
    ),
    near_cues(group_rule(_CODE_SAID, CODE), "code", "pin", "otp", "cvv", "cvc", "cid", "puk"),
    near_cues(group_rule(_BARE_CODE_SAID, CODE), "code"),
    near_cues(group_rule(_CODE_IN_GROUPS, CODE), "code"),
    near_cues(group_rule(_CODE_FIRST, CODE), "code", "pin", "otp", "pas"),
    near_cues(group_rule(_TO_ENTER, CODE), "pin", "code", "otp", before=2),
    near_cues(group_rule(_TEXT_SAYS, CODE), "sms", "text", "authenticator", "tan"),
    near_cues(group_rule(_COMBINATION, CODE), "combination", "combo"),
    near_cues(group_rule(_CODE_SENT, CODE), "to me"),
    near_cues(group_rule(_GOOGLE_CODE, CODE), "g-"),
    near_cues(group_rule(_GUARD_CODE, CODE), "steam guard"),
    near_cues(group_rule(_TYPED_CODE, CODE), "face id", "touch id", "fingerprint"),
    near_cues(group_rule(_CODE_APART, CODE), "code", "pin"),
)
"""The order matters: rules for named numbers run before rules for bare digits, which might misjudge them."""
NEIGHBOURS: Final[tuple[Rule, ...]] = (
    near_cues(group_rule(_EXPIRY, EXPIRY), "[card number]"),
    near_cues(group_rule(_SECOND_ACCOUNT, ACCOUNT), "[account number]"),
)
"""Rules for values that are recognised by the placeholder next to them."""
