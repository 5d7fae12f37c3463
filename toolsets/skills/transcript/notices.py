"""Removes what is not said to the customer, in any form of conversation: notices of mail servers and internal notes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolsets.skills.literals import Literals
from toolsets.skills.transcript.speakers import Utterance
from toolsets.skills.transcript.stamps import STAMP
from toolsets.skills.transcript.words import any_of, words

_NOTICE = re.compile(rf"(?i)(?:^|\n|(?<=[.!?] ))[*_\s>-]{{0,8}}{any_of('notice')}")
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"[.!]\s+")
_MOST: Final = 8
"""Notices that are removed; an export has one or two, and each takes another look at the text."""


def is_notice(line: str) -> bool:
    """Return whether a line begins a notice of a mail server or an internal note."""
    return _NOTICE.match(line) is not None or (MAY_BE_INTERNAL.are_in(line.lower()) and _NOTE.match(line) is not None)


def without_notice(text: str) -> str:
    """Return a message without the notices about confidentiality, viruses and the environment below it.

    A notice ends with its paragraph, because text that was quoted may follow.
    """
    for _ in range(_MOST):
        match = _NOTICE.search(text)
        if match is None:
            break
        # A message that begins with a notice may go on in its paragraph.
        end = (_PARAGRAPH_END if text[: match.start()].strip() else _SENTENCE_END).search(text, match.end())
        text = text[: match.start()].rstrip() + ("" if end is None else f"\n\n{text[end.end() :]}")
    return text


_LABEL: Final = any_of("internal_note")
_ONLY: Final = any_of("not_public")
_ONLY_OR_WORD: Final = rf"(?:{_ONLY}|{any_of('not_public_word')})"
_ANY: Final = any_of("any_note")
_MARKS: Final = r"[*_]{0,3}"
_LINE_START: Final = r"^(?:[^\w\n\[({<]|_){0,12}(?:\d{1,2}[.)]\s)?"
_NOTE = re.compile(
    rf"(?im)(?:{_LINE_START}|(?<=[\s*_]))(?P<open>[\[({{]|<!--)\s?{_MARKS}"
    rf"(?:{_LABEL}|{_ANY} {_ONLY}|internal(?=:(?!.{{0,200}}external)))\b{_MARKS}"
    r"[^\n:\[\](){}]{0,40}?\s?[:,–—-]"
    rf"|{_LINE_START}(?:\[!\w{{1,12}}\]\s?{_MARKS}{_ONLY_OR_WORD}|{_ONLY}){_MARKS}\s?[:–—-]"
    rf"|(?P<mark>{_LINE_START}[\[(]{_MARKS}(?:{_LABEL}|{_ONLY_OR_WORD}){_MARKS}[\])])(?=[^\n]*\w)"
    rf"|{_LINE_START}(?P<alone>{_LABEL}){_MARKS}:?{_MARKS}(?:\s?[–—(-]\s?{_ONLY_OR_WORD}\)?{_MARKS})?[ \t]*$"
    rf"|^[*_]{{0,3}}(?:[^\n:\[\]()]{{1,40}}\s[(\[]{_LABEL}|(?-i:(?:[A-Z]\w{{1,20}} ){{1,2}})\[{_ONLY_OR_WORD})[)\]]{_MARKS}\s?:"
    rf"|^[ \t]*>[>#\s*_-]{{0,12}}(?=(?-i:[A-Z])){_ONLY_OR_WORD}{_MARKS}\s?(?::|$)"
    rf"|{_LINE_START}(?-i:I(?:nternal|NTERNAL)){_MARKS}:{_MARKS}(?= [^\n\w]{{0,4}}[^\W\d]{{2}}\S* \S)"
    r"(?![\s\S]{0,300}\bexternal\b)"
    r"|^[ \t]*@internal\b"
    rf"|(?:{_LINE_START}|(?<=[.!?:;)] ){_MARKS})(?:"
    rf"{_LABEL}{_MARKS}(?:\s?[(\[][^()\[\]\n]{{1,60}}[)\]]|\s(?:added |left |written )?(?:by|for|from|on|to|von) [^\n:]{{1,40}})?"
    rf"{_MARKS}\s?:"
    rf"|{_ANY} (?:for|to) {any_of('colleagues')}{_MARKS}\s?:"
    rf"|{_ANY}{_MARKS}(?:,|\s[–—-])\s{_MARKS}{_ONLY_OR_WORD}{_MARKS}\s?:"
    rf"|{_ANY}{_MARKS}\s?[(\[]{_MARKS}{_ONLY_OR_WORD}(?:,[^()\n]{{0,40}})?{_MARKS}[)\]])"
)
"""The beginning of an internal note: in brackets, below or after its label, or after a mark such as "[internal]"."""
_TITLE: Final = rf"[\s*_]{{0,4}}(?:{_LABEL}|{_ANY} {_ONLY}|{_ONLY_OR_WORD})\b"
_TAGGED = re.compile(
    r"(?is)<(?P<tag>(?:internal|private)(?:[_-]?(?:comment|note))?)>.{0,2000}?</(?P=tag)>"
    r"|\[(?P<code>(?:internal|private)(?:[_-]?(?:comment|note))?)\].{0,2000}?\[/(?P=code)\]"
    rf"|\{{(?P<panel>panel|info|note|warning|tip|quote|expand):(?:[^{{}}\n]{{0,80}}\|)?title={_TITLE}[^{{}}\n]{{0,120}}\}}"
    r".{0,2000}?(?:\{(?P=panel)\}|\Z)"
    rf"|<details>\s{{0,9}}<summary>{_TITLE}[^<]{{0,80}}</summary>.{{0,2000}}?</details>"
    rf"|^:::{_TITLE}.{{0,2000}}?\n:::",
    re.MULTILINE,
)
"""A note between tags or in a panel with a title."""
MAY_BE_INTERNAL: Final = Literals(
    "agent colleague customer hidden intern private restricted self share show staff support team technician work".split()
)
"""Of these, each such beginning has at least one; looking for them is faster."""
_NOTE_END = re.compile(r"\n[\s>|]*\n|\n(?=[ \t]*(?:```|~~~))|\Z")
_MARKED_END = re.compile(rf"{_NOTE_END.pattern}|(?<=[.!?])[*_]{{0,3}}\n(?=[A-Z])")
_QUOTED_END = re.compile(r"\n(?![ \t]*>)|\Z")
_BLANK_LINES = re.compile(r"(?:[\s>|]*\n)?")
_CLOSERS: Final = {"[": "]", "(": ")", "{": "}", "<!--": "-->"}
_LONGEST_BRACKETED: Final = 2_000
"""Characters in which a bracket must close; otherwise the text after a stray one would be lost."""


def without_internal_notes(text: str) -> str:
    """Return a message without the notes in it that are not for the customer, whatever quotes, brackets or stresses them.

    A note ends with its bracket, its quotation or its paragraph, and after a mark such as "[internal]" with a sentence
    that ends a line. Below a label on a line of its own it is the next paragraph.
    """
    if not MAY_BE_INTERNAL.are_in(text.lower()):
        return text
    text = without_tagged_notes(text)
    kept: list[str] = []
    done = 0
    while (match := _NOTE.search(text, done)) is not None:
        kept.append(text[done : match.start()])
        done = _end_of_note(text, match)
    return "".join((*kept, text[done:]))


def without_tagged_notes(text: str) -> str:
    """Return a text without internal notes between tags or in panels."""
    return _TAGGED.sub("", text)


def _end_of_note(text: str, match: re.Match[str]) -> int:
    ends = _NOTE_END
    if match["open"] is not None:
        found = _closing(text, match)
        if found is not None:
            return found
    elif ">" in match.group().partition("[")[0]:
        ends = _QUOTED_END
    elif match["mark"] is not None:
        ends = _MARKED_END
    start = match.end()
    if match["alone"] is not None and (below := _BLANK_LINES.match(text, start)) is not None:
        start = below.end()
    end = ends.search(text, start)
    return len(text) if end is None else end.start()


def _closing(text: str, match: re.Match[str]) -> int | None:
    """Return where the bracket that a note begins with is closed; None if it is not."""
    opener = match["open"]
    closer = _CLOSERS[opener]
    depth, at = 1, match.end()
    last = min(len(text), at + _LONGEST_BRACKETED)
    while depth:
        end = text.find(closer, at, last)
        if end < 0:
            return None
        depth += text.count(opener, at, end) - 1
        at = end + len(closer)
    return at


_INTERNAL_KIND = re.compile(rf"(?i)(?:{_LABEL}|{any_of('internal_entries')}|{_ONLY})")
_INTERNAL_WORD = re.compile(rf"(?i){any_of('not_public_word')}")
_PARTS = re.compile(r"[()\[\]{}|,·•;–—:]|\s-\s")
_INTERNAL_VALUE = re.compile(rf"(?i){_LABEL}|{_ONLY_OR_WORD}")
_INTERNAL_FIELDS, _PUBLIC_FIELDS, _KIND_FIELDS = (words(f"{name}_fields") for name in ("internal", "public", "kind"))
_NO: Final = frozenset({"", "0", "false", "no", "none"})


def is_internal(fields: Mapping[str, object]) -> bool:
    """Return whether the fields of a message say that the customer does not see it; their names are in lower case."""
    for name, value in fields.items():
        said = str(value).strip().lower()
        if name in _INTERNAL_FIELDS and value is not None and said not in _NO:
            return True
        if name in _PUBLIC_FIELDS and value is not None and said in _NO - {""}:
            return True
        if name in _KIND_FIELDS and _INTERNAL_VALUE.fullmatch(said.replace("_", " ")) is not None:
            return True
    return False


def is_internal_kind(text: str) -> bool:
    """Return whether a text calls an entry internal, such as "private comment" or "staff only"."""
    return _INTERNAL_KIND.fullmatch(text) is not None


def is_internal_word(text: str) -> bool:
    """Return whether a text is a word such as "internal"."""
    return _INTERNAL_WORD.fullmatch(text) is not None


def public(said: Sequence[Utterance]) -> Iterator[Utterance]:
    """Yield the messages that are for the customer.

    The name of a speaker may say that a message is internal: "Ann (internal)". If all speakers but one have such a word in
    their names, it names a department. If all messages are marked as internal, the mark means nothing, and all are read.
    """
    words = {each.speaker for each in said if each.speaker is not None and _named_internal(each.speaker) == "word"}
    others = {each.speaker for each in said if each.speaker is not None} - words
    departments = words if len(others) < _FEWEST_SPEAKERS else set[str]()
    if said and all(each.internal for each in said if each.speaker is not None):
        yield from said
        return
    for each in said:
        named = None if each.speaker is None or each.speaker in departments else _named_internal(each.speaker)
        if not each.internal and named is None:
            yield each


_FEWEST_SPEAKERS: Final = 2
"""A conversation has two people."""


def _named_internal(speaker: str) -> str | None:
    """Return "kind" or "word" for the name of a speaker that says that the message is internal, None for another."""
    parts = [part.strip(" *_") for part in _PARTS.split(speaker)]
    if any(is_internal_kind(part) for part in parts):
        return "kind"
    return "word" if len(parts) > 1 and any(is_internal_word(part) for part in parts) else None


_NOBODY = (
    r"(?:i|you|he|she|it|we|they|nobody|everybody|everyone|somebody|someone|nothing|none|something|one|two|three|four|five|the|a|an|no|my"
    r"|our|your|his|her|their|this|that|these|those|there|what|who|which|not|is|are|was|were|only|and|or|but|if|when|on|in|to|at|has"
    r"|have|had|just|still|all|any|some|few|much|many|more|already|turn(?:ed)?|key|arrow|upper|lower|bottom|top|right)"
)
_NICK = (
    rf"(?:(?!{_NOBODY}\b)[^\s,;!?]{{1,32}}|(?-i:(?!(?:The|My|A|An|No|I|We|It|This|That|There|Our|Your)\b)[A-Z][^\s,;!?]{{0,30}}"
    r"(?: [A-Z(][^\s,;!?]{0,30}){1,3})|[^\s]{1,32} [\[(][^\n()\[\]]{1,60}[\])])"
)
"""A name as programs write it: one word, or several with capitals, but not a pronoun or a noun with an article."""
_EVENT = re.compile(
    rf"(?i)\s*(?:[\[(]?{STAMP}[\])]?\s{{0,3}}(?:-!-|[-–|])?\s{{0,3}})?(?:(?:[-=]{{1,2}}>|<[-=]{{1,2}}|[→←])\s"
    rf"|[\[(<*]{{1,4}}(?:system|info)?[\])>*]{{0,4}}\s?)?"
    rf"(?:(?!{_NOBODY}\b|(?:when|after|before|since|until"
    rf"|once)\b)\S{{1,32}}(?: \S{{1,32}}){{0,2}} (?:has )?(?:joined|left|entered)"
    r" the (?:chat|conversation|channel|room|meeting|session|group)"
    rf"|{_NICK} (?:has |have )?(?:joined|left|entered|quit"
    r"|disconnected)(?: [#&]?[\w.-]{1,40})?(?: the (?:chat|conversation|channel|room|meeting|session|group))?"
    r"(?: \(.{0,80}\))?|<?media omitted>?|(?:image|video|audio|sticker|gif|document) omitted"
    r"|messages and calls are end-to-end encrypted.{0,120}"
    r"|(?:chat|conversation|session|call) (?:started|ended|closed|transferred|begins|ends).{0,60}"
    r"|this message was deleted|you are now (?:chatting|connected) (?:with|to).{0,60}"
    r"|(?:please wait|connecting you|an agent will).{0,80}|.{1,60} (?:is typing|changed the (?:subject|topic)"
    r"|set the topic).{0,80})[\])>*.! ]*"
)

_EVENT_WORDS: Final = Literals(
    (
        *"joined left entered quit disconnected omitted encrypted started ended closed ends transferred begins deleted".split(),
        *("you are now", "please wait", "connecting you", "an agent will", "is typing", "changed the", "set the topic"),
    )
)
"""Of these, each line that matches `_EVENT` has at least one; looking for them is faster."""
_EVENT_HEAD: Final = 300
"""The number of characters of a line that are compared."""


def is_event(line: str) -> bool:
    """Return whether a line is a message of the program: who joined or left, or what it omitted."""
    head = line[:_EVENT_HEAD]
    return _EVENT_WORDS.are_in(head.lower()) and _EVENT.fullmatch(head) is not None
