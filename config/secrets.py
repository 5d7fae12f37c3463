"""Secrets in settings and texts: which keys hold one, and how those in a text are masked."""

import re
from types import UnionType
from typing import Union, get_args, get_origin

from pydantic import BaseModel, JsonValue, SecretStr

MASK = "********"

_SUFFIXES = (
    r"password|passwd|passphrase|pwd|token|secrets?|credentials?|signature"
    r"|(?:api|access|account|private|secret|shared)[_-]?key"
)
"""The ends of secrets' names, with or without a prefix, such as `sslpassword` of PostgreSQL's driver."""
_WORDS = r"auth|jwt|key|pass|pw|sig"
"""Names of secrets that must be whole words: `monkey` and `compass` are not secrets."""
_KEY = re.compile(rf"(?:{_SUFFIXES}|(?:^|[_-])(?:{_WORDS}))$", re.I)
_NAME = rf"\b[\w.-]{{0,40}}?(?:{_SUFFIXES}|(?:(?<=[_.-])|\b)(?:auth|jwt|pass|pw|sig))"
_QUOTED = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
_ASSIGNED = re.compile(rf"({_NAME})(\s?=\s?)({_QUOTED}|(?:\\.|[^&\s;,'\")\\])+)", re.I)
"""`password=...`, as in the query of a URL or in a keyword connection string; a backslash escapes the next character."""
_MAPPED = re.compile(rf"((?P<quote>['\"]){_NAME}(?P=quote)\s?:\s?)({_QUOTED})", re.I)
"""`"password": "..."`, as in JSON and in the repr of a dictionary."""
_HEADER = re.compile(r"\b((?:Bearer|Basic)\s+)[\w.~+/=-]{6,}", re.I)
"""`Authorization: Bearer ...`"""
_QUERY_KEY = re.compile(r"([?&]key=)[^&\s;,'\")]+", re.I)


def is_secret_key(name: str) -> bool:
    """Return whether a setting of this name holds a secret, such as `password`, `api_key` or `access_token`."""
    return _KEY.search(name) is not None


def secret_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the names of the fields that a model declares as secrets."""
    return frozenset(name for name, field in model.model_fields.items() if _has_secret(field.annotation))


def masked(value: JsonValue) -> JsonValue:
    """Return a value with the secrets in its texts masked: user information in URLs and secret parameters."""
    if isinstance(value, list):
        return [masked(each) for each in value]
    if isinstance(value, dict):
        return {name: MASK if is_secret_key(name) else masked(each) for name, each in value.items()}
    return _without_parameters(_without_userinfo(value)) if isinstance(value, str) else value


def masked_text(text: str) -> str:
    """Return a text with the secrets in its URLs and parameters masked."""
    if "://" in text:
        text = re.sub(r"\S+", lambda word: _without_userinfo(word[0]), text)
    return _without_parameters(text)


def _without_userinfo(url: str) -> str:
    # Up to the last @: a password may contain one, and people do not always encode it.
    start, end = url.find("://"), url.rfind("@")
    return f"{url[: start + 3]}{MASK}{url[end:]}" if 0 <= start < end else url


def _without_parameters(text: str) -> str:
    if ":" in text:
        text = _HEADER.sub(rf"\g<1>{MASK}", _MAPPED.sub(rf"\g<1>{MASK}", text))
    if "=" not in text:
        return text
    return _QUERY_KEY.sub(rf"\g<1>{MASK}", _ASSIGNED.sub(rf"\g<1>\g<2>{MASK}", text))


def _has_secret(annotation: object) -> bool:
    if get_origin(annotation) in (Union, UnionType) or get_args(annotation):
        return any(_has_secret(each) for each in get_args(annotation))
    return annotation is SecretStr
