"""Removes passwords and codes that are named in languages other than English, with or without blanks between words."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.skills.redaction.replacement import CODE, PASSWORD, Rule, Span, group_rule, near_cues, replace_spans
from toolsets.skills.redaction.values import QUOTED, VALUE, is_value, looks_secret, value_span

_UNSPACED: Final = (
    *"密码 密碼 口令 通行码 通行碼 パスワード 暗証番号 合言葉 비밀번호 암호 패스워드 รหัสผ่าน पासवर्ड סיסמה סיסמא گذرواژه".split(),
    *("كلمة المرور", "كلمة السر", "الرقم السري", "رمز عبور"),
)
"""Names of passwords in scripts without blanks between words, or in which a value in ASCII stands out."""
_SAID_UNSPACED = re.compile(
    rf"(?:{'|'.join(_UNSPACED)})(?P<link>(?:[^\x21-\x7e\n，。、；！？]{{0,8}}?(?:是|为|為|成|は|은|는|คือ|：)|\s?[:=])\s{{0,2}})?"
    r"[^\x21-\x7e\n，。、；！？]{0,6}(?P<value>[!-~]{3,80})"
)
_SPACED: Final = (
    "heslo adgangskode passord salasana lösenord wachtwoord hasło jelsz mật şifre sifre parol senha contrase лозинк парол "
    "lozinka geslo slaptažod κωδικ".split()
)
_SAID_SPACED = re.compile(
    r"(?i)(?<![^\W\d_])(?:heslo|adgangskoden?|passord(?:et)?|salasana(?:ni)?|lösenord(?:et)?|wachtwoord|hasło|jelsz(?:ó|avam)"
    r"|mật khẩu|[şs]ifre(?:m|niz|si)?|parolam?|parool|parole|senha|contraseña|лозинка|пароль|lozinka|geslo|slaptažodis|κωδικός)"
    rf"(?:\s(?:je|er|on|to|jest|là|è|é|es|är|is|yra|ir|είναι|была?|сейчас|теперь))?\s?[:=]?\s{{1,2}}{VALUE}"
)
_SAID_ACCENTED = re.compile(rf"(?i)\b(?:password|senha|pin)\s(?:è|é|era|e['’])\s{{1,2}}{VALUE}")
_NAMES_ABROAD: Final = (
    r"(?:passwor[td]|kennwort|mot de passe|mdp|contraseña|contrasena|clave|senha|wachtwoord|lösenord|passord|adgangskode|hasło"
    r"|heslo|salasana|jelszó|parola|пароль|пароля)"
)
_VERBS_ABROAD: Final = (
    r"(?:utilis\w*|mets|mis|mettez|entr[eé]\w*|tap[eé]\w*|chois\w+|verwende\w*|benutze?\w*|nutze\w*|nehme\w*|nimm|eingegeben"
    r"|uso|usé|usar|utiliz\w+|puse|pongo|usato|usare|inserito|usei|coloquei|gebruik\w*|använd\w*|bruker|bruger|używam|používám)"
)
_AS_ABROAD = re.compile(
    rf"(?i)(?<!\S)({QUOTED}|[^\s,;]{{3,200}})\s{{1,2}}(?:als|comme|como|come|jako|som|как)\s{{1,2}}"
    rf"(?:[\w'’]{{1,12}}\s{{1,2}}){{0,2}}?(?<!\w){_NAMES_ABROAD}(?!\w)"
)
_USED_ABROAD = re.compile(
    rf"(?i)\b{_VERBS_ABROAD}\s{{1,2}}({QUOTED}|[^\s,;]{{3,200}})\s{{1,2}}(?:als|comme|como|come|jako|som)\s{{1,2}}"
    rf"(?:[\w'’]{{1,12}}\s{{1,2}}){{0,2}}?(?<!\w){_NAMES_ABROAD}(?!\w)"
)
_IS_ABROAD = re.compile(
    rf"(?i)(?<!\w){_NAMES_ABROAD}(?:\s{{1,2}}[\w'’]{{1,14}}){{0,3}}?\s{{1,2}}(?:ist|war|lautete?|hei(?:ß|ss)t|est|était"
    r"|s['’]appelle|es|se llama|si chiama|era|fue|è|é|foi|is|was|är|er|var"
    rf"|jest|to|je|było)(?:\s{{1,2}}(?:bisher|noch|immer|jetzt|nun|aktuell|derzeit|toujours|maintenant|ahora|todavía|ancora|ora|agora"
    rf"|nog|nu|steeds)){{0,2}}\s?:?\s{{1,2}}{VALUE}"
)
_CODE_SAID = re.compile(
    r"(?i)\b(?:pin(?:-?code)?|puk|tan|geheimzahl|kod pin|code pin|(?:código|codice)(?! d\w{0,2}['’ ]{1,2}(?:err|stat|est)))\b"
    r"[^\n\d.,;]{0,30}?"
    r"\b(?:lautet|ist|est|es|è|é)\s{1,2}(\d{3,8})(?!\w)"
)


_AS_CUES: Final = (" als ", "comme ", "como ", " come ", "jako ", " som ", "как ")
_NAME_CUES: Final = (
    *"passwor kennwort mot mdp contrase clave senha wachtwoord lösenord adgangskode hasło heslo salasana jelszó".split(),
    "parola",
    "парол",
    "passord",
)


def _unspaced(text: str) -> str:
    return replace_spans(text, _unspaced_spans(text), PASSWORD)


def _unspaced_spans(text: str) -> Iterator[Span]:
    for match in _SAID_UNSPACED.finditer(text):
        if match["value"].startswith(PASSWORD):
            continue
        span = value_span(text, match.span("value"))
        named = match["link"] is not None or looks_secret(text[slice(*span)], at_least=4)
        if named and is_value(text, span):
            yield span


def _spaced(pattern: re.Pattern[str]) -> Rule:
    """Return the rule for a value after a name, if it reads unlike a word, because ordinary words may follow as well."""

    def rule(text: str) -> str:
        spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
        unlike = (span for span in spans if is_value(text, span) and looks_secret(text[slice(*span)], at_least=4))
        return replace_spans(text, unlike, PASSWORD)

    return rule


def _used(text: str) -> str:
    """Replace any word after a verb of use; without one, the pattern asks for a value unlike a word."""
    spans = (value_span(text, match.span(1)) for match in _USED_ABROAD.finditer(text))
    return replace_spans(text, (span for span in spans if is_value(text, span)), PASSWORD)


LANGUAGES: Final[tuple[Rule, ...]] = (
    near_cues(_unspaced, *(name.lower() for name in _UNSPACED)),
    near_cues(_spaced(_SAID_SPACED), *_SPACED),
    near_cues(_spaced(_SAID_ACCENTED), " è ", " é ", " era ", " e'", " e’"),
    near_cues(_used, *_AS_CUES, before=1),
    near_cues(_spaced(_AS_ABROAD), *_AS_CUES, before=1),
    near_cues(_spaced(_IS_ABROAD), *_NAME_CUES),
    near_cues(group_rule(_CODE_SAID, CODE), "pin", "puk", "tan", "geheimzahl", "código", "codice"),
)
