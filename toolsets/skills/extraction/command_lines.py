"""Recognizes lines that are commands without a prompt, so that they are kept letter by letter."""

import re
from collections.abc import Sequence
from typing import Final

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.verbs import IMPERATIVES, is_verb, third_person

_PROGRAM = re.compile(
    r"\s*(?!(?:make|service|ping|mount|export|snap|node|java|ip) (?:\S+ ){0,20}?(?:it|sure|that|the|this|your)(?:\s|$))"
    r"(?!(?:make|service|ping|mount|export|snap|node|java) (?:\S+ ){0,20}?an?\s)"
    r"(?=(?:sudo|apt|apt-get|aptitude|dpkg|systemctl|service|docker|kubectl|helm|git|pip|pip3|npm|npx|yarn"
    r"|brew|yum|dnf|pacman|snap|cd|ls|rm"
    r"|cp|mv|mkdir|chmod|chown|cat|echo|export|curl|wget|ssh|scp|ping|ipconfig|netsh|sfc|dism|chkdsk|gpupdate"
    r"|nslookup|journalctl|mount|umount"
    r"|python|python3|node|java|make|psql|mysql|sqlite3|openssl|ip|nmcli|modprobe|update-\w+|\./\S+) (?:-|/"
    r"|\w+ |\S*[./=:-]|\w+$)"
    r"(?![^\n]{0,200}(?:\?|[a-z]\.)$))\S.*"
)
_OPTIONS = re.compile(
    r"\s*(?!(?:then|and|or|also|just|next|please|finally|after|now|so|but|if|when|you|use|run"
    r"|try)\b)[a-z][\w.+-]{1,30}(?: [^\s:]{1,80}){0,2}? --?[a-z][\w-]*(?:[= ][^\s]{1,80}){0,10}(?<![.,;:?!])\s*"
)
_CMDLET = re.compile(
    r"\s*(?:Add|Clear|Copy|Disable|Enable|Export|Format|Get|Import|Install|Invoke|Mount|Move|New|Register|Remove|Rename|Repair"
    r"|Reset|Restart|Resume|Set|Start|Stop|Suspend|Test|Unblock|Uninstall|Unregister|Update|Write)-[A-Z][A-Za-z]{2,40}"
    r"(?: [^\s]{1,80}){0,12}(?<![.,:;!?])\s*"
)
_BARE = re.compile(r"\s*[a-z](?:[a-z\d_+-]|\.(?=[a-z\d])){1,30}(?: [^\s]{1,80}){1,10}(?<![.,:;!?])\s*")
_ARGUMENT = re.compile(
    r"--?[a-z][\w-]*(?:=\S*)?|[\w.-]*[/\\]\S+|[A-Z]:\\\S*|\w+=\S+|[\w-]+\.(?!(?:co|com|de|io|net|org)$)[a-z]{2,4}"
)
"""An argument that a word of prose does not look like: an option, a path, an assignment or the name of a file."""
_SUDO = re.compile(r"\s*sudo [a-z]\S*(?: [^\s]{1,80}){1,10}\s*")
_LISTED = re.compile(r"\s*(?!\(?[a-z]\))(?:[a-z/~.$!]|[A-Z]:\\)[^\s]{0,80}(?: [^\s]{1,80}){0,11}(?<![.,:;!?])\s*")
_LONGEST: Final = 400
"""Characters of a line; longer ones are data, which would take the expressions long."""
_BEGINS = re.compile(r"\s*(?:[a-z]|\./|[A-Z][a-z]+-[A-Z])")
"""The beginning of each of these forms; most lines begin with a capital and have none of them."""
_LEXICON = lexicon("answers")
_PROGRAMS = _LEXICON.words("program")
_NAMED_LIKE_VERBS = _LEXICON.words("program_like_verb")
_HYPHENATED = re.compile(
    r"\s*(?P<program>[a-z][a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){1,3}) [^\s]{1,80}"
    r"(?: [^\s]{1,80}){0,10}(?<![.,:;!?])\s*"
)


def is_command(line: str) -> bool:
    """Return whether a line is a command by its program, its options or its arguments."""
    if len(line) >= _LONGEST or _BEGINS.match(line) is None:
        return False
    if any(form.fullmatch(line) is not None for form in (_PROGRAM, _OPTIONS, _CMDLET)):
        return not _tells_of_program(line)
    if (named := _HYPHENATED.fullmatch(line)) is not None and names_program(named["program"]):
        return not _reads_like_prose(line)
    if _SUDO.fullmatch(line) is not None:
        return not _reads_like_prose(line)
    if _BARE.fullmatch(line) is None or _reads_like_prose(line):
        return False
    program, *arguments = line.split()
    return not is_verb(program) and any(_ARGUMENT.fullmatch(argument) for argument in arguments)


def _tells_of_program(line: str) -> bool:
    """Return whether a line says what a command does: "docker ps shows no containers since the update"."""
    words = line.casefold().split()
    for at, word in enumerate(words[1:_LONGEST_SUBJECT], 1):
        if not word.isalpha():
            if word[0] in "-\"'`":
                return False
        elif third_person(word) is not None:
            return not STOP_WORDS.isdisjoint(words[at + 1 :])
    return False


_LONGEST_SUBJECT: Final = 5
"""The words of a command before the verb of a sentence about it."""


def names_program(word: str) -> bool:
    """Return whether a word in lower case is the name of a program, and not one of the language: "apt-mark", "update-grub"."""
    before, hyphen, _ = word.partition("-")
    return word in _PROGRAMS or (bool(hyphen) and (before in _PROGRAMS or word in _NAMED_LIKE_VERBS))


def _reads_like_prose(line: str) -> bool:
    return not STOP_WORDS.isdisjoint(line.casefold().split())


def listed_commands(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of which at least two follow a line with a colon at its end, and which are commands."""
    found: set[int] = set()
    for number, line in enumerate(lines):
        if not line.rstrip().endswith(":") or number in found:
            continue
        end = number + 1
        while end < len(lines) and _may_be_listed(lines[end]):
            end += 1
        block = lines[number + 1 : end]
        if len(block) > 1 and 2 * sum(map(instructs, block)) < len(block):
            found.update(range(number + 1, end))
    return frozenset(found)


def _may_be_listed(line: str) -> bool:
    return len(line) < _LONGEST and _LISTED.fullmatch(line) is not None and not _reads_like_prose(line)


def instructs(line: str) -> bool:
    """Return whether a line is rather an instruction in lower case: "click save"."""
    return line.split(maxsplit=1)[0] in IMPERATIVES and not is_command(line)
