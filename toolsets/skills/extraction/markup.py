"""Removes the markup and the emoticons of prose, and leaves commands, paths and inline code as they were written."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Final

from toolsets.lexical_scores import STOP_WORDS

_TICKS = re.compile(r"`+")
_LONGEST_CODE: Final = 2_000
"""Characters between two marks; farther apart they hardly belong together."""
_FIRST_HELD: Final = 0xE000
"""The beginning of Unicode's private use area; its characters are no words and no marks."""
_MOST_HELD: Final = 0x1900
"""The size of that area."""
_HELD = re.compile("[\ue000-\uf8ff]")
"""Characters for private use, which stand for inline code."""
_LINK = re.compile(
    r"(?<![\w\])])!?\[(?P<label>[^\[\]]{0,200})\]\(\s*<?(?P<target>[^()\s<>]{0,200}[:/.#][^()\s<>]{0,300})>?\s*"
    r"(?:\"[^\"]{0,100}\")?\)"
)
_BEFORE: Final = r"\s(\[{\"“‘—–:,;>…-"
_AFTER: Final = r"\s.,;:!?)\]}\"”’'—–…-"
_STARS = re.compile(
    rf"(?<![^_{_BEFORE}])(?P<mark>\*{{1,3}})(?=[^\W_]|[\"“(\[<\ue000-\uf8ff])(?P<said>[^*\n]{{1,200}})(?<!\s)(?P=mark)"
    rf"(?:(?=\*\*(?!\*))|(?![^_{_AFTER}]))"
)
_UNDERSCORES = re.compile(
    rf"(?<![^*{_BEFORE}])(?P<mark>_{{1,3}})(?=[^\W_]|[\"“(\[<\ue000-\uf8ff])(?P<said>[^_\n]{{1,200}})(?<!\s)(?P=mark)(?![^*{_AFTER}])"
)
_STRAY = re.compile(r"^\*\*(?=[A-Z][a-z])|(?<=[a-z][.!?:])\*\*$")
_CODE_CHARACTERS = re.compile(r"[\\/=|<>{}\[\]();$&#@~^%+*_]|\.\w|(?:^|\s)--?\w")
_SHELL = re.compile(
    r"(?<![\w/.-])(?:rm|rmdir|ls|cp|mv|ln|grep|egrep|sed|awk|chmod|chown|chgrp|tar|zip|unzip|gzip|gunzip|git|docker|kubectl"
    r"|sudo|scp|rsync|ssh|curl|wget|du|df|ps|mkdir|del|dir|xcopy|robocopy|pip3?|npm|apt|apt-get|dpkg|cd|pytest"
    r"|SELECT|DELETE FROM|INSERT INTO|GRANT|(?:find|echo|cat|ls|export|xargs|tee) (?=[./~$\"'*-])) |\s--?[a-z][\w-]*\s"
)
"""A command after which asterisks are patterns of file names or of columns."""
_SENTENCE_END = re.compile(r"[a-z)][.!?]\s+(?=[A-Z])")
_STRESSED: Final = STOP_WORDS | frozenset(
    """always any both each every exactly first last never no now once one only other really same same second still
    third twice until very without yes""".split()
)
"""Words in lower case that people emphasize; another one between single marks may be a name or a pattern."""


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return where inline code begins and ends, in order, with its backticks."""
    if "`" not in text:
        return []
    runs = [match.span() for match in _TICKS.finditer(text)]
    closers: list[int | None] = [None] * len(runs)
    following: dict[int, int] = {}
    for at in reversed(range(len(runs))):
        start, stop = runs[at]
        closers[at] = following.get(stop - start)
        following[stop - start] = at
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(runs):
        start, closer = runs[at][0], closers[at]
        if closer is None or runs[closer][1] - start > _LONGEST_CODE or _is_apostrophe(text, *runs[at]):
            at += 1
            continue
        spans.append((start, runs[closer][1]))
        at = closer + 1
    return spans


def _is_apostrophe(text: str, start: int, stop: int) -> bool:
    """Return whether a backtick is the mark in "don`t"."""
    return text[start - 1 : start].isalpha() and text[stop : stop + 1].isalpha()


class HeldCode:
    """Inline code that single characters stand for while the prose around it is read or changed."""

    def __init__(self) -> None:
        self._codes: list[str] = []

    def hold(self, text: str) -> str:
        """Return a text with one character, which is neither a word nor a mark, for each inline code."""
        spans = code_spans(text)
        if not spans or len(self._codes) + len(spans) > _MOST_HELD or _HELD.search(text) is not None:
            return text
        parts: list[str] = []
        done = 0
        for start, stop in spans:
            parts += (text[done:start], chr(_FIRST_HELD + len(self._codes)))
            self._codes.append(text[start:stop])
            done = stop
        return "".join((*parts, text[done:]))

    def restore(self, text: str) -> str:
        """Return a text, or a part of one, with its inline code."""
        return _HELD.sub(self._code, text) if self._codes else text

    def _code(self, match: re.Match[str]) -> str:
        number = ord(match.group()) - _FIRST_HELD
        return self._codes[number] if number < len(self._codes) else match.group()


def outside_code(change: Callable[[str], str], text: str) -> str:
    """Return a text after a change of its prose."""
    if "`" not in text:
        return change(text)
    held = HeldCode()
    return held.restore(change(held.hold(text)))


def single_blanks(text: str) -> str:
    """Return a text on one line with single blanks, except in inline code."""
    return outside_code(lambda prose: " ".join(prose.split()), text)


def without_markup(text: str) -> str:
    """Return a text without emphasis around words, and with `label (target)` for a link."""
    return outside_code(_unmarked, text) if any(mark in text for mark in "*_[") else text


def _unmarked(text: str) -> str:
    text = _LINK.sub(_as_text, text)
    for _ in range(3):
        # Emphasis within emphasis is removed from the inside out.
        before = text
        for form in (_STARS, _UNDERSCORES):
            text = form.sub(_Emphasis(text).plain, text)
        if text == before:
            break
    return _STRAY.sub("", text) if text.count("**") == 1 else text


def _as_text(link: re.Match[str]) -> str:
    label, target = link["label"].strip(), link["target"]
    return target if label in {"", target} else f"{label} ({target})"


class _Emphasis:
    """The marks in a text that are emphasis, judged by what they enclose and by the commands before them."""

    def __init__(self, text: str) -> None:
        self._commands = [match.start() for match in _SHELL.finditer(text)]
        self._sentences = [match.end() for match in _SENTENCE_END.finditer(text)] if self._commands else []
        self._unpaired = frozenset(mark for mark in "*_" if text.count(mark) % 2 == 1)

    def plain(self, match: re.Match[str]) -> str:
        """Return what the marks enclose, or the text of the match if they are no emphasis."""
        return match["said"] if self._is_emphasis(match) else match.group()

    def _is_emphasis(self, match: re.Match[str]) -> bool:
        mark, said = match["mark"], match["said"]
        command = self._follows_command(match.start())
        if len(mark) > 1 and mark[0] == "*":
            return not command or said[0].isupper()
        if command or (len(mark) == 1 and _CODE_CHARACTERS.search(said) is not None):
            return False
        words = [word.strip(".,:!?'’\"“”") for word in said.split()]
        if len(words) == 1:
            # `__all__` and `__FILE__` are names.
            word = words[0]
            capital = word.istitle() or (mark == "*" and word.isupper())
            return capital or (len(mark) == 1 and word in _STRESSED)
        if len(mark) == 1 and mark in self._unpaired:
            return False
        return said[0].isupper() or len(mark) > 1 or all(word.replace("-", "").isalpha() for word in words)

    def _follows_command(self, at: int) -> bool:
        """Return whether a command begins earlier in the sentence."""
        number = bisect_left(self._commands, at)
        if number == 0:
            return False
        ended = bisect_right(self._sentences, at)
        return self._commands[number - 1] >= (self._sentences[ended - 1] - 1 if ended else 0)


_FACES: Final = (
    "\U0001f600-\U0001f64f\U0001f910-\U0001f92f\U0001f970-\U0001f97a\U0001f9d0\u2639-\u263b"
    "\U0001f44a-\U0001f44f\U0001f4aa\u270a-\u270c\u2764\U0001f493-\U0001f49f\U0001f5a4\U0001f9e1\U0001f389\U0001f38a\u2728\U0001f4af"
)
"""The emoji for faces, hands, hearts and parties; others may be the signs on buttons."""
_EMOTICON = re.compile(
    rf"(?:[:;]['’]?-?(?P<mouth>[()]{{1,4}}|[DPp/|*])|=[)D]|xD+|\^_?\^)(?=[\s.,!?…]|$)"
    rf"|[{_FACES}][{_FACES}\ufe0f\u200d\u2640\u2642\U0001f3fb-\U0001f3ff]*"
)
_ATTACHED = re.compile(r"[a-z]{2}$")
_NAMES_SIGN = re.compile(
    r"(?i)(?:\b(?:an?|the|this|these|your|or|with|on|as|click|choose|enter|hit|insert|press|put|react|run|select|send|tap|type|use|write)"
    r"|[\"'“‘«(\[])\s?$"
)
"""What is before a sign that the sentence is about: "Tap 👍", "Type :D"."""
_IS_NAMED = re.compile(r"(?i)\s?(?:[\"'”’»)\]]|(?:button|emoji|icon|key|menu|reaction|sign|symbol|tab)\b)")
_GOES_ON = re.compile(r"\s*(?:because|from|of|than|until|which|with)\b|\s*[.,!?…]")
_ORNAMENT = re.compile(
    r"^(?:[\u25b6\u26a0\u2705\u2714\u2757\u27a1\U0001f446-\U0001f449\U0001f4a1\U0001f527]\ufe0f?\s*)+(?=[A-Z])"
)
"""Emoji before a sentence, as a bullet; in its midst they may be the arrows of a menu's path."""
_LONGEST_BEFORE: Final = 12
"""The number of characters before an emoticon that are read."""


def without_emoticons(text: str) -> Iterator[str]:
    """Yield the parts of a text between its emoticons, which end a sentence unless it goes on after them.

    Each part ends with a mark, apart from the last one if no emoticon is after it.
    """
    held = HeldCode()
    yield from (held.restore(part) for part in _parts_of(_ORNAMENT.sub("", held.hold(text))) if part)


def _parts_of(text: str) -> Iterator[str]:
    """Yield the parts of a text without inline code."""
    said = ""
    done = open_brackets = 0
    for match in _EMOTICON.finditer(text):
        gap = text[done : match.start()]
        open_brackets = max(0, open_brackets + gap.count("(") - gap.count(")"))
        if not _is_emoticon(text, match, closes=open_brackets > 0):
            said += text[done : match.end()]
            open_brackets += match.group().count("(") - match.group().count(")")
        elif open_brackets or _GOES_ON.match(text, match.end()) is not None:
            # "(no joke ;))": the last bracket closes the one before.
            mouth = match["mouth"] or ""
            said += gap.rstrip() + (")" if open_brackets and mouth.endswith("))") else "")
        else:
            yield _ended(said + gap)
            said = ""
        done = match.end()
    yield (said + text[done:]).strip()


def _is_emoticon(text: str, match: re.Match[str], *, closes: bool) -> bool:
    """Return whether signs are an emoticon, unlike a bracket after a colon, a command and the sign on a button."""
    before = text[max(0, match.start() - _LONGEST_BEFORE) : match.start()]
    mouth = match["mouth"] or ""
    if closes and mouth in {")", "-)"}:
        return False
    if match.group()[0].isascii() and before and not before[-1].isspace() and before[-1] not in ".!?…":
        return bool(mouth) and mouth[0] in "()" and _ATTACHED.search(before) is not None
    named = _NAMES_SIGN.search(before) is not None
    return not named and _IS_NAMED.match(text, match.end()) is None


def _ended(text: str) -> str:
    """Return a sentence with a mark at its end."""
    text = text.strip().rstrip(",-–— ")
    return f"{text}." if text and text[-1] not in ".!?…:;" else text
