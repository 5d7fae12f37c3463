"""The data of `words.toml`; kept separate because the lexicon of extraction depends on transcripts, not the reverse."""

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def _table() -> dict[str, dict[str, list[str] | str]]:
    text = (files("toolsets.skills.transcript") / "words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def words(name: str) -> frozenset[str]:
    """Return a class of words, in lower case. Raises `KeyError`."""
    listed = _table()["words"][name]
    return frozenset(listed.split() if isinstance(listed, str) else listed)


def any_of(name: str) -> str:
    """Return a regular expression for any of the phrases of a name, in which <other> means those of another name.

    Raises `KeyError`.
    """
    phrases = (_NAMED.sub(lambda match: any_of(match[1]), phrase) for phrase in _table()["phrases"][name])
    return f"(?:{'|'.join(phrases)})"


_NAMED = re.compile(r"(?<!P)<([a-z_]+)>")
