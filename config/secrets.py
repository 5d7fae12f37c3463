"""Secrets in settings and texts: which keys hold one, and how a text is shown without those that it carries."""

import re
from types import UnionType
from typing import Union, get_args, get_origin

from pydantic import BaseModel, JsonValue, SecretStr

MASK = "********"

_WORDS = r"password|passwd|passphrase|pwd|token|secrets?|credentials?|api[_-]?key|access[_-]?key|private[_-]?key|auth"
_KEY = re.compile(rf"(?:^|[_-])(?:{_WORDS}|key)$", re.I)
_ASSIGNED = re.compile(rf"\b((?:[\w.-]{{1,40}}[_.-])?(?:{_WORDS}))(\s?=\s?)(\"[^\"]*\"|'[^']*'|[^&\s;,'\")]+)", re.I)
"""`password=...` as in the query of a URL or in a connection string of keywords."""
_QUERY_KEY = re.compile(r"([?&]key=)[^&\s;,'\")]+", re.I)


def is_secret_key(name: str) -> bool:
    """Say whether a setting of this name holds a secret, such as `password`, `api_key` or `access_token`."""
    return _KEY.search(name) is not None


def secret_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the names of the fields that a model declares as secrets."""
    return frozenset(name for name, field in model.model_fields.items() if _has_secret(field.annotation))


def masked(value: JsonValue) -> JsonValue:
    """Return a value with the secrets of its texts masked: user information of a URL and secret parameters."""
    if isinstance(value, list):
        return [masked(each) for each in value]
    if isinstance(value, dict):
        return {name: MASK if is_secret_key(name) else masked(each) for name, each in value.items()}
    return _without_parameters(_without_userinfo(value)) if isinstance(value, str) else value


def masked_text(text: str) -> str:
    """Return a text of words with the secrets of its URLs and parameters masked."""
    if "://" in text:
        text = re.sub(r"\S+", lambda word: _without_userinfo(word[0]), text)
    return _without_parameters(text)


def _without_userinfo(url: str) -> str:
    # Up to the last @: a password may hold one, and people do not always encode it.
    start, end = url.find("://"), url.rfind("@")
    return f"{url[: start + 3]}{MASK}{url[end:]}" if 0 <= start < end else url


def _without_parameters(text: str) -> str:
    if "=" not in text:
        return text
    return _QUERY_KEY.sub(rf"\g<1>{MASK}", _ASSIGNED.sub(rf"\g<1>\g<2>{MASK}", text))


def _has_secret(annotation: object) -> bool:
    if get_origin(annotation) in (Union, UnionType) or get_args(annotation):
        return any(_has_secret(each) for each in get_args(annotation))
    return annotation is SecretStr
