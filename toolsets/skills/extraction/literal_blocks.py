"""Recognizes blocks of lines that are kept letter by letter: sessions, configurations, what a sentence announces."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.extraction.command_lines import is_command, listed_commands
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.verbs import is_verb

Part: TypeAlias = Literal["code", "output", "caption"]
"""What a line is: code, what a program printed in a session, or the caption of a listing or a table."""
_Announcement: TypeAlias = Literal["open", "caption", "colon", "following", "unfinished"]
"""How the line before a block announces it: "hold it using", a caption, "Add this:", "as follows.", or without a full stop."""

_LEXICON = lexicon("answers")
_OPEN = re.compile(rf"(?i)\b{_LEXICON.any_of('open_ending')}$")
_FOLLOWING = re.compile(rf"(?i)\b{_LEXICON.any_of('following')}\b[^.!?]{{0,30}}[.!?]$")
_CAPTION = re.compile(
    rf"(?i:{_LEXICON.any_of('caption')}) \d{{1,3}}(?:[.-]\d{{1,3}}){{0,2}}[.:]? (?P<text>[A-Z./~\[].{{1,150}})"
    r"(?<![.!?,;:])"
)
_PROMPT = re.compile(
    r"\s*(?:\$ (?=\S)(?!\d)|[\w.-]{1,30}@[\w.-]{1,30}[:~][^$#]{0,60}[$#] |PS(?: [A-Z]:[^>]{0,80})?> |[A-Z]:\\[^>]{0,80}>)"
)
_ROOT: Final = "# "
"""The prompt of root, which is also the mark of a comment."""
_SCRIPT: Final = "#!/"
"""The beginning of a script, whose lines need no announcement."""
_AS_ROOT = re.compile(r"\s*# [a-z./]")
_HERE = re.compile(r"<<-?\s?([\"']?)(?P<end>\w{1,40})\1")
_ITEM = re.compile(r"\s{0,12}(?:\(?\d{1,2}[.)]|\(?[a-h]\)|[-*•‣◦–])\s")
_COMMENT = re.compile(r"\s*(?:#|;|//\s|/\*|<!--)")
_ENTRY = re.compile(
    r"\s*(?:-\s)?[\w.$/*\[\]@%-]{1,60}(?: [\w.-]{1,20}){0,2}(?:\s?[:=]\s?|\s{2,})\S.{0,200}|\s*(?:-\s)?[\w.-]{1,40}:"
)
_FORMAL = re.compile(
    r"\s*\[[^\[\]]{1,80}\]|\s*</?[A-Za-z][^<>]{0,200}>|.*[;{}\\]|.*\S(?: {3,}|\t)\S.*|.*(?:\w|\s)=\s?\S.*|.*\w::?/?/?\w.*"
    r"|.*(?:^|[\s\"'(])(?:~|\.{1,2})?/\w.*|\s*[A-Z][a-z]+(?:-[A-Z][a-z]+)+: \S.*|\s*\$?\w+\(.*\)|\s{2,}\w[\w.-]*:.*"
)
"""A line that prose does not look like: a section, a tag, columns, an assignment, a path, an address."""
_RECORD = re.compile(
    r"\s*(?:@|\*|(?P<plain>[\w-]{1,63})|(?=[\w-]{0,63}[.*])[\w*-][\w.*-]{0,250})\s+(?:\d{1,9}[smhdw]?\s+)?(?:IN\s+)?"
    r"(?:AAAA|CAA|CNAME|SRV|TLSA|TXT|(?(plain)(?!)|(?:A|ALIAS|DS|MX|NS|PTR|SOA)))\s+(?=[^a-z]|[\w.-]+\.)\S.*"
)
"""A record of a zone: a name, perhaps a time to live, a type and a value, which may end with a full stop."""
_GOES_ON = re.compile(rf"\s*(?:and|then|{'|'.join(sorted(_LEXICON.words('preposition')))})\b")
"""The second half of a sentence."""
_ENDS_SENTENCE = re.compile(r"[^\W\d_][\"'”’)]?[.!?]$")
_LONGEST: Final = 400
"""Characters of a line; a longer one is data, not a command to repeat."""
_MOST_LINES: Final = 80
"""A longer block is a log or a file, not commands to repeat."""
_FEWEST_WORDS: Final = 3
"""With two words a line may still be a command or a label."""
_LOGGED = re.compile(r"(?:[a-z][\w.\[\]-]{0,30}|[A-Z]|(?i:error|warning|fatal|info)):\s")
"""The beginning of what a program prints, with its name or the kind of the message."""
_ARTICLE = re.compile(r"(?i)\s+(?:an?|the)$")
_UNFINISHED_WORDS: Final = 5
"""Fewer words without a full stop are a heading, not a sentence that goes on below."""


@dataclass(frozen=True, slots=True)
class LiteralLine:
    """A line that is kept as it is, without the indentation of its block and the label of a caption."""

    part: Part
    text: str


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines from `start` up to `stop`, without blank ones, and whether a blank line is before them."""

    start: int
    stop: int
    apart: bool


def literal_lines(lines: Sequence[str]) -> Mapping[int, LiteralLine]:
    """Return the lines that are kept as they are, by their numbers; commands with a prompt in a session are left out."""
    if len(lines) == 1:
        return {}
    found = {number: LiteralLine("code", lines[number].strip()) for number in listed_commands(lines)}
    before, after_literal, after_session = "", False, False
    held: dict[int, LiteralLine] = {}
    blocks = list(_blocks(lines))
    for block, following in zip_longest(blocks, blocks[1:]):
        said = [line.rstrip() for line in lines[block.start : block.stop]]
        session = _is_session(said, after_session=after_session)
        if session:
            found.update(held)
            parts = dict(_session(said))
        else:
            goes_on = following is not None and following.apart and _GOES_ON.match(lines[following.start]) is not None
            within = goes_on and block.apart and before[-1:].isalnum()
            parts = _parts(said, before, apart=block.apart, after_literal=after_literal, within=within)
        # A block between two parts of a session is what the first one printed, and so is one of numbers.
        held = {} if session or parts or not after_session else _printed(block, said)
        if held and all(any(map(str.isdigit, line)) or not line[0].isalnum() for line in said):
            found.update(held)
        found.update({block.start + at: line for at, line in parts.items()})
        before, after_literal, after_session = said[-1], bool(parts) and not session, session or bool(held)
    return found


def ends_openly(text: str) -> bool:
    """Return whether a sentence ends without the object of its last word: "set it to hold using"."""
    return text[-1:].isalnum() and _OPEN.search(text[-40:]) is not None


def announcing(text: str, *, apart: bool) -> str:
    """Return a sentence with a colon if it announces the code below it, from which a blank line separates it if `apart`."""
    unfinished = text[-1:].isalnum() and (len(text.split()) >= _UNFINISHED_WORDS or is_order(text))
    if (
        ends_openly(text)
        or (apart and unfinished)
        or (text[-1:].isalnum() and _PLACE_AND_VERB.fullmatch(text) is not None)
    ):
        return f"{_ARTICLE.sub('', text)}:"
    return text


_PLACE_AND_VERB = re.compile(
    r"(?i)(?:(?:and|also|now|please|then),? )?(?:(?:above|at|below|in|inside|into|on|to|under|within) [^,;:?!]{1,120}?,? "
    r"(?:(?:also|just|please|simply|then) )?(?:you (?:(?:also|just) )?(?:(?:can|could|have to|must|need to|should|will) )?)?"
    r"(?:add|append|include|insert|need|paste|place|put|set|write)(?: (?:the|this|these)(?: (?:line|setting|entry)s?)?)?"
    r"|you(?:['’]ll| will)? need (?:the following|these|this) (?:at|in|inside|under) \S{1,80}(?: \S{1,80})?)"
)
"""A place and the verb whose object is the code below: "In config.php add"."""


def resumed(before: str, after: str) -> tuple[str, str]:
    """Return the sentences before and after code, with the place that begins the second one put at the end of the first.

    "Set: ..." with "in `smb.conf`, then restart it with" is "Set in `smb.conf`:" and "then restart it with".
    """
    opened = before.removesuffix(":")
    place = _PLACE_BEHIND.match(after) if after[:1].islower() and opened[-1:].isalnum() else None
    if place is None or (place["to"] is not None and is_verb(place["to"].lower())):
        return before, after
    return f"{opened} {place['place'].rstrip()}:", after[place.end() :].strip()


_PLACE_BEHIND = re.compile(
    r"(?P<place>(?:above|as|at|below|for|from|inside|into|in|onto|on|to(?= (?P<to>[\w-]+))|under|within) "
    r"[^\s,;:!?](?:[^,;:!?.]|[.](?=\S)){0,120}?)(?:[.!](?=\s|$)|,?\s(?=(?:and then|and|then)\b)|$)"
)
"""Where code belongs, up to the end of the sentence or to what is to be done then."""


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    """Yield the runs of lines that are not blank; one that announces the next lines with a colon ends a run."""
    start: int | None = None
    apart = True
    for at, line in enumerate(lines):
        if not line.strip():
            if start is not None:
                yield _Block(start, at, apart)
            start, apart = None, True
            continue
        start = at if start is None else start
        announces = line.rstrip().endswith(":") and len(line.split()) >= _FEWEST_WORDS
        # In a session such a line is printed by a program.
        if announces and not _has_prompt(lines[start]):
            yield _Block(start, at + 1, apart)
            start, apart = None, False
    if start is not None:
        yield _Block(start, len(lines), apart)


def _parts(
    said: Sequence[str], before: str, *, apart: bool, after_literal: bool, within: bool
) -> Mapping[int, LiteralLine]:
    """Return the lines of a block that are literal; it is so as a whole, or not at all.

    `within`: the block is between two halves of a sentence, so that it is so if it is indented.
    """
    if apart and len(said) == 1 and (caption := _CAPTION.fullmatch(said[0].strip())) is not None:
        return {0: LiteralLine("caption", f"{caption['text']}:")}
    announced = _announcement(before, apart=apart, after_literal=after_literal)
    if within and announced in {None, "unfinished"}:
        announced = "open" if all(line[:2].isspace() for line in said) and not before[:1].isspace() else "following"
    if (announced is None and len(said) == 1) or not _is_literal(said, announced):
        return {}
    indent = min(len(line) - len(line.lstrip()) for line in said)
    return {at: LiteralLine("code", line[indent:]) for at, line in enumerate(said)}


def _announcement(before: str, *, apart: bool, after_literal: bool) -> _Announcement | None:
    text = before.strip()
    if not text:
        return None
    if text.endswith(":"):
        return "colon"
    if not apart:
        return None
    if _CAPTION.fullmatch(text) is not None:
        return "caption"
    if ends_openly(text):
        return "open"
    if after_literal or _FOLLOWING.search(text[-80:]) is not None:
        return "following"
    return "unfinished" if text[-1].isalnum() and len(text.split()) >= _UNFINISHED_WORDS else None


def _is_literal(said: Sequence[str], announced: _Announcement | None) -> bool:
    if len(said) > _MOST_LINES or _ITEM.match(said[0]) is not None or any(len(line) > _LONGEST for line in said):
        return False
    if said[0].startswith(_SCRIPT):
        return True
    if announced in {"open", "caption"}:
        return not any(map(_is_sentence, said))
    plain = [line for line in said if not _is_technical(line)]
    # "Note: restart it" has the form of an entry.
    if not plain and any(map(_is_formal, said)):
        return True
    most = len(said) > 1 and announced in {"colon", "following"} and 2 * len(plain) < len(said)
    return most and not any(_is_sentence(line) or is_order(line) for line in plain)


def _is_technical(line: str) -> bool:
    """Return whether a line may belong to a configuration."""
    if _COMMENT.match(line) is not None:
        return True
    return not _is_sentence(line) and (_ENTRY.fullmatch(line) is not None or _is_formal(line) or line[:1].isspace())


def _is_formal(line: str) -> bool:
    if _RECORD.fullmatch(line) is not None:
        return True
    return _COMMENT.match(line) is None and _FORMAL.fullmatch(line) is not None and not _is_sentence(line)


def _is_sentence(line: str) -> bool:
    """Return whether a line reads like prose: it ends like a sentence, or has several words that only join others."""
    if _COMMENT.match(line) is not None or _RECORD.fullmatch(line) is not None:
        return False
    if _ENDS_SENTENCE.search(line) is not None and len(line.split()) >= _FEWEST_WORDS:
        return True
    return _joins_words(line) and not is_command(line)


def _joins_words(line: str) -> bool:
    return sum(word.strip(",.:;()") in STOP_WORDS for word in line.casefold().split()) > 1


def _is_session(said: Sequence[str], *, after_session: bool) -> bool:
    """Return whether a block is one of a terminal: its first line has a prompt, or a later one while a session goes on."""
    return _has_prompt(said[0]) or (after_session and any(map(_has_prompt, said)))


def _has_prompt(line: str) -> bool:
    if _PROMPT.match(line) is not None:
        return True
    text = line.strip()
    return text.startswith(_ROOT) and is_command(text.removeprefix(_ROOT))


def _session(said: Sequence[str]) -> Iterator[tuple[int, LiteralLine]]:
    """Yield the lines of a session without a prompt: those that go on with a command, and what it printed.

    Lines below the last command may be prose instead: "$ systemctl restart cups" and then "Then print again."
    """
    of_root = said[0].lstrip().startswith(_ROOT)
    prompted = [_has_prompt(line) or (of_root and _AS_ROOT.match(line) is not None) for line in said]
    last = max(at for at, each in enumerate(prompted) if each)
    printed = _prints(said[last + 1 :])
    end: str | None = None
    goes_on = False
    for at, line in enumerate(said):
        if end is not None:
            yield at, LiteralLine("code", line)
            end = None if line.strip() == end else end
        elif goes_on:
            yield at, LiteralLine("code", line)
        elif not prompted[at]:
            if at < last or printed:
                yield at, LiteralLine("output", line.strip())
            continue
        elif (here := _HERE.search(line)) is not None:
            end = here["end"]
        goes_on = line.endswith("\\")


def _prints(said: Sequence[str]) -> bool:
    """Return whether lines are what a program printed, rather than prose."""
    prose = sum(_instructs(line.strip()) and not _is_formal(line) for line in said)
    return 2 * prose <= len(said) - (len(said) == 1)


def _instructs(line: str) -> bool:
    """Return whether a line is a sentence for the reader rather than for the log."""
    if _LOGGED.match(line) is not None:
        return False
    ends = _ENDS_SENTENCE.search(line) is not None and line[:1].isupper() and not any(map(str.isdigit, line))
    return is_order(line) or _joins_words(line) or (ends and len(line.split()) >= _FEWEST_WORDS)


def _printed(block: _Block, said: Sequence[str]) -> dict[int, LiteralLine]:
    if any(map(_is_sentence, said)):
        return {}
    return {block.start + at: LiteralLine("output", line.strip()) for at, line in enumerate(said)}
