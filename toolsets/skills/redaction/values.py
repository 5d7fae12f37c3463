"""Distinguishes a password or key from words about it."""

import re
from itertools import pairwise
from typing import Final

from toolsets.skills.redaction.replacement import Span, is_placeholder

QUOTED: Final = r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”|«[^»\n]{1,200}»"
VALUE: Final = rf"({QUOTED}|[^\s]{{1,4000}})"
"""A group that matches a possible value: a quoted text, or the text up to the next blank."""

ASIDE: Final = r"(?:\s?[(\[,;–—-]\s?(?:it|which|that|this)(?:['’]s|\s(?:is|was))\s{1,2})"
"""The words between a name and its value in "my PIN (it is 4711)"."""

_ORDINARY: Final = frozenset(
    """a an and any all also always already another as at back be been being because before after but by both can cannot
    can't click correct incorrect case changed changing check choose copied complex contain contains could default different
    displayed do does doesn't don't each empty encrypted enter entered either enough etc exact expired expires expiring fine
    for forgotten from generated get gets go going gone good greyed has have hashed here hidden how i if ignored in
    inside invalid is isn't it its it's just kept known later leave length less likely limited listed locked long longer lost made
    mandatory masked may me missing more most must my need needed needs never new next no none nor not nothing now null of off
    ok okay old on once one only open optional or other our out outdated over page please policy possible prompted probably
    protected provided rejected remembered required requires reset right same saved see select sent set shared short should
    shown since so some something sometimes stored still such sure than that the their them then there they this through to
    too true false try type unchanged under undefined unique unknown until up updated use used usually valid very via visible
    was wasn't we weak were what when where whether which while who why will with within without working works would wrong
    yes yet you your manager prompt field box screen dialog button option settings setting tab menu link form protection
    hints hint expiry expiration complexity requirements requirement file files store vault hash hashes least minimum maximum
    blank strong stronger unable first second last let login logging letters characters case-sensitive between above below
    again automatically not-set n/a tbd string number boolean text int integer str bool varchar object undefined value
    authentication authenticated authentication. based-on stolen compromised leaked exposed available unavailable accepted
    denied failed fails failing blocked disabled enabled deleted removed revoked issued bound tied added created ready
    mein meine dein deine unser unsere ihr ihre das der die ein eine nicht falsch mon ma votre mi su
    important easy hard strange odd weird random unsafe insecure simple private personal obvious
    stuck expire last asked done worked works thanks perfect great solved fixed cool awesome hello hi bye finally nope nah
    danke merci super sorry same note line account spelt
    it'll you'll we'll they're you're cached synced wiped cleared typed copied pasted mentioned described called named""".split()
)
"""Words after "the password is" that are not the password."""
_ORDINARY_ABROAD: Final = frozenset(
    """falsch abgelaufen erforderlich ungültig vergessen zu leer gesperrt notwendig nötig bekannt unbekannt geändert gespeichert
    schwach sicher unsicher kurz lang korrekt richtig inkorrekt weg verloren noch immer auch schon bereits jetzt leider wirklich
    obligatoire requis incorrect erroné faux expiré oublié invalide trop vide bloqué nécessaire inconnu changé modifié faible fort
    perdu toujours encore pas bon mauvais refusé rejeté demandé correct bien
    obligatoria obligatorio requerida requerido incorrecta incorrecto errónea inválida caducada expirada olvidada demasiado vacía
    bloqueada necesaria débil segura correcta muy válida nueva desconocida rechazada
    obbligatoria richiesta errata sbagliata scaduta non troppo vuota corretta valida debole sicura dimenticata
    obrigatória incorreta errada esquecida muito vazia necessária fraca forte não correta bloqueada exigida
    verplicht onjuist fout verkeerd ongeldig verlopen vergeten gewijzigd veranderd niet te leeg nodig vereist nog nu ook zoek
    kwijt onbekend gereset ingesteld geblokkeerd veilig zwak sterk kort hoofdlettergevoelig juist
    fel felaktigt ogiltigt krävs utgånget för tomt inte obligatoriskt glömt forkert ugyldig ugyldigt udløbet påkrævet feil ikke
    utløpt glemt wymagane nieprawidłowe błędne puste za wygasło nie неверный неправильный обязателен не слишком нужен истёк
    povinné špatné neplatné není je der die den dem les des una un le la el il lo het een""".split()
)
"""Words of other languages in the same place."""
_VARIABLE = re.compile(
    r"(?:\$\{?\w+\}?|\$\([^)]*\)?|%\w+%|\{\{?[^{}]*\}?\}?|<[^<>]*>|\[[^\[\]]{1,40}\]|[xX]{3,}|[^\w\s]+"
    r"|(?:your|my|the|new|enter|insert|process|os|env|config|settings|self|args|options)(?:[-_.][\w.()\[\]'\"-]*)"
    r"|(?:\w{1,20}:)?(?:~|\.{1,2})?(?:/[\w.-]+){1,20}/?"
    r"|(?:AES|SHA|MD|RSA|DES|WPA|TLS|SSL|PBKDF|NTLM|FIDO|UTF|ED)-?\d{1,5}(?:-\w{2,6})?"
    r"|v\d{1,4}(?:\.\d{1,6}){1,4}|(?:example|sample|placeholder|redacted|changeme\?))",
    re.IGNORECASE,
)
"""Texts in the place of a value: a variable, stars, a name in brackets, a path, the name of a method, or a version."""
_SETTING_BEFORE = re.compile(
    r"(?i)(?<![^\W_])(?:age|attempts|complexity|count(?:er)?|days?|expir(?:es|y|ation)|history|interval|len(?:gth)?|lifetime|limit"
    r"|lockout|policy|retention|retries|rotation|size|threshold|time-?out|ttl|validity|warning)\b"
    r"[\w\s\"'`:=()-]{0,30}$"
)
_UNIT_BEHIND = re.compile(
    r"(?i)[\"'`]?[ -]?(?:to \d{1,5} )?(?:ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?"
    r"|char(?:acter)?s?|digits?|letters?|symbols?|bits?|bytes?|attempts|tries|retries|passwords|logins|users|sekunden|minuten"
    r"|stunden|tagen?|wochen|monaten?|jahren?|zeichen|stellen|secondes|heures|jours|semaines|mois|caractères|segundos|minutos|horas"
    r"|días|dias|meses|caracteres|dagen|tekens|giorni|caratteri)(?!\w)"
)
_SYMBOL = re.compile(r"[!@#$%^&*+=~]")
_INFLECTED = re.compile(r"[a-z]{3,}(?:ing|ed|able|ible|ly)")
_NEXT_SETTING = re.compile(r"[;&](?=[\w .-]{1,40}=)|[;&,\"'<)]*$|,(?=\w{1,40}=)|[\"'<]")
_OPENING = "\"'`“«<[{("
_CLOSING = ".,;:)]}>\"'`”»"


def value_span(text: str, span: Span, *, assigned: bool = False) -> Span:
    """Return the part of a span that is the value: without quotes, closing punctuation and the next setting on the line."""
    start, stop = span
    if stop - start > 2 and text[start] in "\"'`“«" and text[stop - 1] in "\"'`”»":
        return start + 1, stop - 1
    if assigned and (cut := _NEXT_SETTING.search(text, start + 1, stop)) is not None:
        stop = cut.start()
    while stop > start and text[stop - 1] in _CLOSING:
        stop -= 1
    while start < stop and text[start] in _OPENING and not is_placeholder(text, start):
        start += 1
    return start, stop


def is_value(text: str, span: Span, *, stated: bool = False) -> bool:
    """Return whether a span may be a password: not a placeholder, a variable or a word about passwords.

    `stated` means that it follows "is", after which a participle is not a password.
    """
    start, stop = span
    value = text[start:stop]
    if len(value) < 2 or is_placeholder(text, start) or _VARIABLE.fullmatch(value) or is_setting(text, span):
        return False
    word = value.strip(_OPENING + _CLOSING + "!?*").replace("’", "'").lower()
    return word not in _ORDINARY and word not in _ORDINARY_ABROAD and not (stated and _INFLECTED.fullmatch(value))


def is_setting(text: str, span: Span) -> bool:
    """Return whether a number belongs to a rule about passwords or codes: it has a unit, or follows "length", "age" and so on."""
    start, stop = span
    if stop - start > _LONGEST_SETTING or not text[start:stop].isdecimal():
        return False
    line = max(text.rfind("\n", 0, start) + 1, start - _SAME_CLAUSE)
    return _UNIT_BEHIND.match(text, stop) is not None or _SETTING_BEFORE.search(text, line, start) is not None


def is_configuration(rest: str, value: str) -> bool:
    """Return whether a setting says how passwords are treated: `rest` is what its name has after "password".

    Its value is a word, a name of an algorithm, a duration, a class or a file: `password_encryption = scram-sha-256`.
    """
    if _TREATMENT.search(rest) is None:
        return False
    return not looks_secret(value) or (len(value) <= _LONGEST_NAME and _NAME_OF_METHOD.fullmatch(value) is not None)


_TREATMENT = re.compile(
    r"(?i)[_-](?:\w{1,20}[_-])?(?:age|algo(?:rithm)?s?|auth(?:entication)?|backend|cipher|class|cmd|column|command|complexity|digest"
    r"|dir|encod(?:er|ing)|encrypt(?:ed|ion)|env|expir(?:es|y|ation)|field|file|format|function|handler|hash(?:ed|er|ers|es|ing)?"
    r"|history|interval|kind|label|length|lifetime|manager|maps?|max|mechanism|method|min|mode|module|path|plugin|polic(?:y|ies)"
    r"|prompt|provider|required|rounds|rules?|scheme|source|stor(?:age|e)|strength|time-?out|type|validat(?:ion|ors?))$"
)
"""The end of the name of a setting that describes passwords and holds none."""
_METHOD: Final = (
    r"(?:scram|s?sha|s?md|pbkdf|hmac|with|argon|bcrypt|scrypt|yescrypt|crypt|gost|aes|des|ede|blowfish|camellia|chacha|poly|gcm|cbc"
    r"|ctr|ecb|ccm|xts|ntlm|lm|krb|kerberos|gss(?:api)?|sspi|ldap|pam|radius|peer|ident|cram|digest|caching|native|mysql|password"
    r"|wpa|psk|eap|sae|rsa|ecdsa|ed|ssl|tls|salted|blake|whirlpool|ripemd|keccak|base|utf)(?:\d{1,5})?(?:id|[a-z](?![a-z]))?"
)
_NAME_OF_METHOD = re.compile(
    rf"(?i)\d?{_METHOD}(?:[-_+/]?{_METHOD}|[-_+/]\d{{1,5}}){{0,7}}"
    r"|\d{1,5}(?:ms|[smhdwy])|[a-z_]\w*(?:\.[A-Za-z_]\w*){2,8}"
    r"|(?:[a-z]:)?(?:\\[\w .-]+){1,20}|[\w-]+(?:\.[\w-]+)?\.(?:cfg|conf|db|ini|json|kdbx|key|pem|properties|secret|txt|ya?ml)"
)
"""The name of an algorithm or a method, also of several, and a duration, a class or a file."""
_LONGEST_NAME: Final = 80
"""Characters of a name of a method, such as "SMS code"; a longer text may hold a secret."""


_LONGEST_SETTING: Final = 5
"""Digits of a limit in a rule, such as 90 days; more may be a code."""
_SAME_CLAUSE: Final = 48
"""The number of characters before a number that are searched for the name of a setting."""


def looks_secret(value: str, *, at_least: int = 6) -> bool:
    """Return whether a value reads unlike a word: letters and digits, a symbol within, or changing case."""
    if len(value) < at_least:
        return False
    letters = any(c.isalpha() for c in value)
    digits = sum(c.isdigit() for c in value)
    changes = sum(a.islower() and b.isupper() for a, b in pairwise(value))
    return (letters and digits > 0) or digits >= 4 or (letters and _SYMBOL.search(value) is not None) or changes > 2
