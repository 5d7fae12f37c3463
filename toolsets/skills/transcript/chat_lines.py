"""Reads chats: lines that begin with a speaker, in the forms that programs export and people write."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolsets.skills.transcript.fences import fence_parts, has_fence
from toolsets.skills.transcript.headings import NAME_SHAPE, PICTOGRAPHS, heading, join_headings, without_affiliation
from toolsets.skills.transcript.model import Role
from toolsets.skills.transcript.notices import is_event, is_notice
from toolsets.skills.transcript.speakers import FIELD_WORDS, Utterance, is_field, label_role, section_role
from toolsets.skills.transcript.stamps import STAMP

GAP: Final = "\x1f"
"""A line in place of an omitted part of the conversation; the speaker after it is unknown."""
_HEAD = 300
"""The number of characters of a line that are searched for a speaker."""
_NAME_PART = r"[^\W_](?:[^\n:：<>\[\]|*#]{0,58}[\w.)'])?"
_NAME = rf"(?:\+(?=\d))?{_NAME_PART}(?:\s?{PICTOGRAPHS})?(?:\s?\|\s?{_NAME_PART}){{0,2}}(?:\s\[[\w .&-]{{1,40}}\])?"
_IN_FRONT = r"(?:\[[\w .&-]{1,40}\]\s)?"
"""A company in brackets before a name."""
_COLON = r"(?::(?:\s|$)|：)"
_NAME_BEFORE_TIME = (
    r"[^\W_](?:[^\n:：<>\[\]|*#]{0,58}?[\w.)'])?(?:\s?\|\s?[^\W_](?:[^\n:：<>\[\]|*#]{0,58}?[\w.)'])?){0,2}?"
)
_NAME_IN_ROW = r"[^\W_][^\t\n:<>]{0,58}"
_TIMED_FORMS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "[time] name:",
        re.compile(
            rf"[\u200e\u200f]?[\[(]{STAMP}[\])]\s{{0,3}}(?:[-–]\s?)?~?\s?(?P<name>{_IN_FRONT}{_NAME})\s?{_COLON}"
        ),
    ),
    ("time, tab, name", re.compile(rf"[\[(]?{STAMP}[\])]?\t(?P<name>{_NAME_IN_ROW})\t")),
    (
        "[time] <name>",
        re.compile(
            rf"[\[(]?(?:{STAMP})?[\])]?\s{{0,3}}(?:[-–|]\s?)?<[@+%~& ]?(?P<name>[^\s<>@:][^<>:]{{0,58}})>(?:\s|$)"
        ),
    ),
    (
        "time - name:",
        re.compile(rf"{STAMP}\s{{0,3}}(?:[-–,]\s?|\|\s?(?![^|\n:]{{0,60}}\|))?(?P<name>{_IN_FRONT}{_NAME})\s?{_COLON}"),
    ),
    (
        "name time:",
        re.compile(
            rf"(?:\*\*)?@?(?P<name>{_NAME_BEFORE_TIME})(?:\*\*)?,?\s{{1,4}}(?:\||-|–|—|•|·|at|on"
            rf"|APP)?\s{{0,3}}[\[(]?(?=\w){STAMP}[\])]?\s?{_COLON}"
        ),
    ),
    ("[time] name", re.compile(rf"\[{STAMP}\]\s{{1,3}}(?P<name>{_NAME})\s{{0,3}}$")),
)
TIMED: Final = frozenset(form for form, _ in _TIMED_FORMS)
_CLOCK = re.compile(r"\d[:.]\d\d")
_CLOCKLESS_FORMS: Final = tuple(each for each in _TIMED_FORMS if each[0] == "[time] <name>")
"""Those of the timed forms that a line without a time may have."""
_HEADING: Final = "name time"
"""The form of a line of its own with a name and a time, or a name and a verb."""
_UNTIMED_FORMS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "**name:**",
        re.compile(
            rf"\s{{0,3}}(?:[-*]\s+)?(?:\*\*|__)@?(?P<name>{_NAME})\s?(?:(?:[(\[](?=\w){STAMP}[)\]]\s?)?:(?:\*\*|__)"
            rf"|(?:\*\*|__)\s?(?:\([^()]{{1,40}}\)\s?)?:)"
        ),
    ),
    ("# name", re.compile(rf"#{{1,6}}\s+(?:\*\*)?(?P<name>{_NAME})(?:\*\*)?\s?:?\s{{0,3}}$")),
    ("name:", re.compile(rf"\s{{0,3}}(?P<name>{_NAME})\s?{_COLON}")),
    ("- name:", re.compile(rf"\s{{0,3}}[-*•]\s{{1,3}}(?P<name>{_NAME})\s?{_COLON}")),
    (
        "[name]",
        re.compile(r"\s{0,3}(?:\[(?P<name>[^\[\]\n]{1,60})\]|【(?P<cjk>[^【】\n]{1,60})】)\s?[:：]?\s{0,3}(?=\S|$)"),
    ),
    ("name -", re.compile(rf"\s{{0,3}}(?P<name>{_NAME})\s?(?:[-–—>]|>>|->|=>)\s")),
    ("name, tab", re.compile(rf"(?P<name>{_NAME_IN_ROW})\t(?=\S)")),
    ("name.", re.compile(r"\s{0,3}(?P<name>[QA]\d{0,3})[.)]\s")),
)
"""The forms without a time, the surest first. In weak forms, only labels that state a role or occur more than once count."""
_WEAK: Final = frozenset({"name:", "- name:", "# name", "**name:**", _HEADING})
_LABELS: Final = frozenset({"name:", "# name", "**name:**", "name time:"})
"""Forms that occur together in one conversation."""
_ROLES_ONLY: Final = frozenset({"name -", "name, tab", "name.", "[name]"})
_FENCE = re.compile(r"\s*(?:```|~~~)")
_REOPENS = re.compile(r"\S[^`]*```[\w+#-]{2,}\s*")
"""A fence that begins after text, while another one was not closed."""


@dataclass(frozen=True, slots=True)
class LineSpeaker:
    """The speaker of a line."""

    form: str
    name: str
    end: int
    """Where the text of the speaker begins in the line."""


def read_chat(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the utterances in order, None for a text in which no line names a speaker.

    Text before the first speaker has the speaker None. Lines without a speaker continue the last utterance.
    """
    lines = join_headings(lines)
    found, stated = _without_fields(lines, list(_headers(lines)))
    headers = _accepted(_without_settings(found, lines), lines)
    if not any(header is not None for header in headers):
        return None
    said = _blocks(lines, headers)
    return [replace(each, role=stated.get(each.speaker, each.role)) if each.speaker else each for each in said]


def _without_fields(
    lines: Sequence[str], headers: list[LineSpeaker | None]
) -> tuple[list[LineSpeaker | None], Mapping[str, Role]]:
    """Return the headers without fields such as "Requester: Ann", and the roles that these state.

    A field's text is the name of a heading.
    """
    names = {
        header.name.casefold(): header.name for header in headers if header is not None and header.form == _HEADING
    }
    stated: dict[str, Role] = {}
    for at, header in enumerate(headers):
        if header is None or header.form == _HEADING or not names:
            continue
        name = names.get(lines[at][header.end :].strip(" *_").casefold())
        if name is not None:
            headers[at] = None
            if (role := label_role(header.name)) is not None:
                stated.setdefault(name, role)
    return headers, stated


def _without_settings(headers: Sequence[LineSpeaker | None], lines: Sequence[str]) -> list[LineSpeaker | None]:
    """Return the headers without the keys of settings and the names of programs that print errors.

    Settings are a paragraph below the text of a speaker, of which no key is a speaker elsewhere. A paragraph that begins with a
    prompt has no speakers but those whose labels state a role. Without labels that state both roles all are kept.
    """
    kept = list(headers)
    names = Counter(header.name for header in headers if header is not None)
    stated = _role_counts(headers)
    if not {"customer", "agent"} <= set(stated):
        return kept
    # "Execute:" above a command names no one.
    for at, header in enumerate(headers):
        lone = header is not None and names[header.name] == 1 and not lines[at][header.end :].strip()
        if lone and header is not None and header.form == "name:" and not _states_role(header.name):
            kept[at] = None
    if all(header is None or label_role(header.name) is None or not header.name[0].islower() for header in headers):
        # Where the labels of both roles have a capital, "amd64: all Intel CPUs" defines a term.
        kept = [header if header is None or not header.name[0].islower() else None for header in kept]
    starts = [at for at in range(1, len(lines)) if lines[at].strip() and not lines[at - 1].strip()]
    for start in starts:
        stop = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
        block = headers[start:stop]
        if all(header is None for header in block):
            continue
        elsewhere = stated - _role_counts(block)
        own = Counter(header.name for header in block if header is not None)
        settings = (
            {"customer", "agent"} <= set(elsewhere)
            and not any(_states_role(name) and names[name] > count for name, count in own.items())
            and _are_settings(lines[start:stop], block)
        )
        prompted = _PROMPT.match(lines[start]) is not None
        for at, header in enumerate(block, start):
            if header is not None and (settings or (prompted and label_role(header.name) is None)):
                kept[at] = None
    return kept


def _role_counts(headers: Sequence[LineSpeaker | None]) -> Counter[Role]:
    """Return how many labels state each role."""
    counts: Counter[Role] = Counter()
    for header in headers:
        if header is not None and (role := label_role(header.name)) is not None:
            counts[role] += 1
    return counts


_PROMPT = re.compile(r"\s{0,8}[$#] [a-z./]")
_SETTING = re.compile(r".*[*/=%$<>{}\\].*|\s*[\w-]+-[\w-]+\s?:.*|\s*[a-z][\w-]*\s?:(?!.*[.?!]$).*")
"""A key with a hyphen or in lower case, or a value with a mark that names and sentences do not have."""
_SETTING_WORDS: Final = 6
"""Words of a line of settings; a longer one is something that somebody says."""


def _are_settings(lines: Sequence[str], headers: Sequence[LineSpeaker | None]) -> bool:
    """Return whether a paragraph has nothing but keys with short values, as a configuration file has."""
    first = headers[0]
    if first is None or first.form != "name:" or (_states_role(first.name) and not first.name[0].islower()):
        return False
    keys = {header.name for header in headers if header is not None}
    if len(keys) < _FEWEST_KEYS or any(_states_role(key) and not key[0].islower() for key in keys):
        return False
    # Below a key without a value its values are indented.
    plain = all(
        (header is not None and len(line.split()) <= _SETTING_WORDS) or line[:1] in " \t#;"
        for line, header in zip(lines, headers, strict=True)
    )
    return plain and any(_SETTING.fullmatch(line) is not None for line in lines)


_FEWEST_KEYS: Final = 2
"""One key may be a speaker; settings have several."""


def _blocks(lines: Sequence[str], headers: Sequence[LineSpeaker | None]) -> Iterator[Utterance]:
    speaker: str | None = None
    role = sent = None
    block: list[str] = []
    for line, header in zip(lines, headers, strict=True):
        if line == GAP:
            yield Utterance(speaker, "\n".join(block), role, sent=sent)
            speaker, role, sent, block = None, None, None, []
            continue
        if header is None:
            if not is_event(line):
                block.append(line)
            continue
        yield Utterance(speaker, "\n".join(block), role, sent=sent)
        role = section_role(header.name)
        speaker, sent = role or header.name, line[: header.end]
        said = line[header.end :].lstrip()
        block = [] if is_event(said) else [said]
    yield Utterance(speaker, "\n".join(block), role, sent=sent)


def _headers(lines: Sequence[str]) -> Iterator[LineSpeaker | None]:
    """Yield the header of each line, None if it has none; lines between fences are code and have none."""
    inside = _fenced_lines(lines)
    for line, code in zip(lines, inside, strict=True):
        yield None if code or _FENCE.match(line) is not None else header_in(line)


def _fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is below an open fence.

    If the last fence is never closed, one of them was forgotten: then a label that states a role ends a fence.
    """
    inside, left_open = _below_fences(lines, until_label=False)
    return _below_fences(lines, until_label=True)[0] if left_open else inside


def _below_fences(lines: Sequence[str], *, until_label: bool) -> tuple[list[bool], bool]:
    inside: list[bool] = []
    mark: str | None = None
    for line in lines:
        labelled = (
            until_label and mark is not None and (header := header_in(line)) is not None and _states_role(header.name)
        )
        if line == GAP or labelled or (mark is not None and _REOPENS.fullmatch(line[:_HEAD]) is not None):
            mark = None
        inside.append(mark is not None)
        mark = fence_parts(line, mark).open if mark is not None or has_fence(line) else None
    return inside, mark is not None


def header_in(line: str) -> LineSpeaker | None:
    """Return what may name the speaker of a line, None if nothing does."""
    head = line[:_HEAD].rstrip("\r")
    if not head.strip() or is_event(head) or is_notice(head):
        return None
    if (header := _in_forms(_TIMED_FORMS if _CLOCK.search(head) else _CLOCKLESS_FORMS, head)) is not None:
        return header
    above = heading(line)
    if above is not None and not is_field(above.name):
        return LineSpeaker(_HEADING, above.name, len(line))
    return _in_forms(_UNTIMED_FORMS, head)


def _in_forms(forms: Sequence[tuple[str, re.Pattern[str]]], head: str) -> LineSpeaker | None:
    for form, pattern in forms:
        if (match := pattern.match(head)) is not None:
            name = next(filter(None, match.groups())).strip(" *_@~")
            if name and not is_field(name) and (form not in _ROLES_ONLY or _states_role(name)):
                return LineSpeaker(form, name, match.end())
    return None


def _states_role(name: str) -> bool:
    return label_role(name) is not None or section_role(name) is not None


def _accepted(headers: Sequence[LineSpeaker | None], lines: Sequence[str]) -> list[LineSpeaker | None]:
    """Return the headers that name speakers; they have one form, so that lines of a pasted log are not among them."""
    repeated = Counter(header.name for header in headers if header is not None)
    if {"customer", "agent"} <= {label_role(name) for name in repeated}:
        # Beside such labels, "Windows / Linux:" is no name with a company.
        repeated = Counter(
            {name: 1 if without_affiliation(name) != name else count for name, count in repeated.items()}
        )
    found = [header for header in headers if header is not None and _plausible(header, repeated)]
    people = [header for header in found if section_role(header.name) is None]
    names = Counter((header.form, header.name) for header in people)
    weak = _WEAK - {_HEADING} if _alternate(headers, lines) else _WEAK
    sure = [h for h in people if label_role(h.name) is not None or h.form not in weak or names[h.form, h.name] > 1]
    if not sure:
        sections = {h.form for h in found if section_role(h.name) is not None}
        return [
            h if h is not None and h.form in sections and section_role(h.name) is not None else None for h in headers
        ]
    form = Counter(header.form for header in sure).most_common(1)[0][0]
    known = {header.name for header in sure if header.form == form}
    return [
        header if header is not None and _names_speaker(header, form, known, repeated) else None for header in headers
    ]


def _alternate(headers: Sequence[LineSpeaker | None], lines: Sequence[str]) -> bool:
    """Return whether two people or more have headings, each above a text, in a chat without labels that state both roles."""
    names: set[str] = set()
    labels: set[Role | None] = set()
    text_below = True
    for line, header in zip(lines, headers, strict=True):
        if header is None or header.form != _HEADING:
            labels.add(None if header is None else label_role(header.name))
            text_below = text_below or bool(line.strip())
            continue
        if not text_below:
            return False
        text_below = False
        names.add(header.name)
    return len(names) > 1 and text_below and not {"customer", "agent"} <= labels


def _names_speaker(header: LineSpeaker, form: str, known: set[str], repeated: Counter[str]) -> bool:
    """Return whether a header has the conversation's form; a name that occurs once must look like that of a person."""
    if header.form != form:
        return header.name in known or (
            label_role(header.name) is not None and {form, header.form} <= _LABELS and _plausible(header, repeated)
        )
    if header.name in known or label_role(header.name) is not None or form not in _WEAK:
        return _plausible(header, repeated)
    if form == _HEADING:
        return True
    return form != "# name" and NAME_SHAPE.fullmatch(header.name) is not None and _is_capitalized(header.name)


def _plausible(header: LineSpeaker, repeated: Counter[str]) -> bool:
    """Return whether a label is short and shaped like a name, unlike a clause before a colon."""
    if _states_role(header.name):
        return _is_role_label(header, repeated)
    if header.form not in _WEAK - {_HEADING}:
        # Programs also write "Lee, Ann"; before a colon alone that would be a clause.
        if header.form in TIMED and repeated[header.name] > 1:
            return True
        return NAME_SHAPE.fullmatch(without_affiliation(header.name).replace(", ", " ", 1)) is not None
    name = without_affiliation(header.name) if repeated[header.name] > 1 else header.name
    return NAME_SHAPE.fullmatch(name) is not None and _is_capitalized(name)


def _is_capitalized(name: str) -> bool:
    words = name.split()
    return len(words) <= 3 and (len(words) == 1 or all(not word[0].islower() for word in words))


def _is_role_label(header: LineSpeaker, repeated: Counter[str]) -> bool:
    """Return whether a label with a role is that of a speaker, unlike "customer ref", which names a field."""
    name = without_affiliation(header.name) if label_role(header.name) is not None else header.name
    words = re.sub(r"[(\[].*", "", name).split() or name.split()
    folded = [word.casefold().strip(".#") for word in words]
    last = header.name.split()[-1].casefold()
    if len(words) > _MOST_WORDS or is_field(words[0]):
        return False
    others = [word for word in folded[:-1] if word in FIELD_WORDS]
    if others or (last in FIELD_WORDS and len(last) > 1) or (folded[-1] in FIELD_WORDS and len(words[-1]) > 1):
        return False
    if section_role(header.name) is not None or repeated[header.name] > 1 or header.form not in _WEAK:
        return True
    # The words of a label that occurs once are roles, numbers and names, which have a capital.
    return all(label_role(word) is not None or not word[0].islower() for word in words)


_MOST_WORDS: Final = 4
"""Words of a speaker's name; a longer beginning is a sentence with a colon."""
