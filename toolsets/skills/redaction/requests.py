"""Removes the credentials of requests: in URLs, parameters and headers."""

import base64
import re
from typing import Final

from toolsets.skills.redaction.replacement import (
    CREDENTIALS,
    PASSWORD,
    TOKEN,
    Rule,
    group_rule,
    near_cues,
    replace_spans,
)
from toolsets.skills.redaction.values import is_value, looks_secret

_USERINFO = re.compile(
    r"://(?<=[A-Za-z0-9]://)([^\s/?\"'<>]{1,400}"
    r"|[^\s/:@]{1,80}:(?!\d{1,5}/)[^\s@\"'<>]{1,200})@(?=[\w\[({$%-])"
)
_SECRET_PARAMETER = re.compile(
    r"(?i)[?&;#](?:[\w.-]{0,30}(?:token|secret|password|passwd|pwd|signature|credential|api_?key|apikey"
    r"|access_?key|auth_?key|subscription-?key|app_?id(?==\w{24})"
    r"|session(?:_?id)?|jwt|otp|security-token)|key|sig|auth|sid|pass|pw|hash|hmac|assertion"
    r"|code(?==[^\s&#]{12})|state(?==[^\s&#]{12})"
    r"|invite|magic|ticket(?==[^\s&#]{12})|x-amz-[\w-]{1,30})=([^\s&;#\"'<>)\]]{3,4000})"
)
_SECRET_PATH = re.compile(
    r"(?i)\bhttps?://[^\s\"'<>?#]{1,300}/(?=[acijlmprsuv])(?:reset(?:-?password)?|password[_-]?reset|verify|confirm(?:ation)?"
    r"|activate|invite|invitation|magic"
    r"|unsubscribe|share|join|login|auth)/((?=[\w~.-]{0,200}\d)[\w~.-]{10,200})"
)
_HEADER = re.compile(
    r"(?i)\b(?:proxy-)?authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?:(?:basic|bearer|digest|token|apikey"
    r"|negotiate|aws4-hmac-sha256)\s{1,2})?"
    r"([^\s\"',;]{4,}(?:[ ](?:nonce|response|signature)=[^\s]{1,400}){0,3})"
)
_BEARER = re.compile(r"\b(?:[Bb]earer|BEARER)\s{1,2}((?=[\w.~+/=-]{0,40}[\d_.])[\w.~+/=-]{8,})")
_COOKIE = re.compile(r"(?i)\b(?:set-)?cookie[\"']?\s{0,2}[:=]\s{0,2}([^\s;\"']{1,100}=[^\n\"']{3,4000})")
_SESSION = re.compile(
    r"(?i)(?<![\w.-])(?:[\w.-]{0,30}(?:[._-]sid|sess(?:ion)?(?:[._-]?id)?|csrf[_-]?token|xsrf[_-]token|remember[_-](?:me|token))"
    r"|sid)=(?=[^\s;,&]{0,60}\d)([^\s;,&\"'<>)\]]{8,4000})"
)
_DATA_SOURCE = re.compile(
    r"(?<![\w:/@.-])([\w.-]{1,60}:[^\s:@/\"'<>]{3,100})@(?=(?:tcp|unix)\(|[\w-]{1,60}(?:\.[\w-]{1,60}){0,6}(?::\d{2,5}/|/))"
)
_BASIC = re.compile(r"\b[Bb]asic\s{1,2}([A-Za-z0-9+/]{8,400}={0,2})")
_ORACLE = re.compile(
    r"(?i)(?:\bjdbc:oracle:\w{1,10}:"
    r"|\b(?P<tool>sqlplus|rman|sqlldr|impdp|expdp|exp|imp|conn|connect|userid=)(?:\s{1,3}-\w{1,3}(?:\s\d)?){0,3}"
    r"(?:\s{1,3}(?:userid=|target|auxiliary|catalog))?\s{0,3}[\"']?(?<=[\s=\"'])"
    r"|\b(?:sql\w*|oracle|ora-\d+|database|db|schema|log\w*|connect\w*|credentials?|string)\b[^\n]{0,80}?[\s\"'`(=])"
    r"(?P<pair>[a-z][\w.$#-]{0,60}/(?P<password>[^\s/@]{3,120}))(?P<at>@(?://)?(?P<name>[\w.-]*))?"
)
"""`scott/tiger@ORCL`: the name of a user, a password and the name of a database."""
_SQL_TOOLS: Final = frozenset({"sqlplus", "rman", "sqlldr", "impdp", "expdp", "exp", "imp", "conn", "userid="})
_XML = re.compile(
    r"(?i)<[\w:.-]{0,30}(?:password|passwd|pwd|secret|token|api-?key"
    r"|passphrase)(?:\s[^<>]{0,100})?>([^<>\s][^<>\n]{0,400})</"
)


def _basic(text: str) -> str:
    """Replace the credentials of basic authentication: base64 of a name, a colon and a password."""
    return replace_spans(text, (match.span(1) for match in _BASIC.finditer(text) if _decodes(match[1])), TOKEN)


def _oracle(text: str) -> str:
    spans = (match.span("pair") for match in _ORACLE.finditer(text) if _names_a_password(text, match))
    return replace_spans(text, spans, CREDENTIALS)


def _names_a_password(text: str, match: re.Match[str]) -> bool:
    """Return whether words with a slash are a user and a password: beside a tool, or before the name of a database."""
    if not is_value(text, match.span("password")) or match["password"][0] in "&$%<{:":
        return False
    tool = (match["tool"] or "").lower()
    if match["at"] is None:
        return tool in _SQL_TOOLS - {"exp", "imp", "conn"}
    if tool in _SQL_TOOLS or match.group().lower().startswith("jdbc:"):
        return True
    named = match["at"].startswith("@//") or match["name"].isupper()
    secret = looks_secret(match["password"])
    return named or secret if tool else named and secret


def _decodes(encoded: str) -> bool:
    try:
        return b":" in base64.b64decode(encoded, validate=True)
    except ValueError:
        return False


_ORACLE_CUES: Final = tuple("sql ora database db schema log conn credential string rman exp imp userid=".split())
REQUESTS: Final[tuple[Rule, ...]] = (
    near_cues(group_rule(_USERINFO, CREDENTIALS), "://"),
    near_cues(group_rule(_HEADER, TOKEN), "authorization"),
    near_cues(group_rule(_BEARER, TOKEN), "bearer"),
    near_cues(_basic, "basic"),
    near_cues(group_rule(_DATA_SOURCE, CREDENTIALS), "@"),
    near_cues(group_rule(_COOKIE, TOKEN), "cookie"),
    near_cues(near_cues(group_rule(_SESSION, TOKEN), "sid=", "sess", "rf", "remember"), "="),
    near_cues(near_cues(_oracle, "/"), *_ORACLE_CUES),
    near_cues(group_rule(_SECRET_PARAMETER, TOKEN), "="),
    near_cues(group_rule(_SECRET_PATH, TOKEN), "://"),
    near_cues(group_rule(_XML, PASSWORD), "</", before=2),
)
