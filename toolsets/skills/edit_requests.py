"""Requests to edit a skill, such as "also tag it as billing"; kept separate because none of them is a step of the skill."""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon

_LEXICON = lexicon("feedback")
_LEAD: Final = rf"\W{{0,3}}(?:{_LEXICON.any_of('request_lead')}[ ,:]+){{0,4}}"
_SOME: Final = rf"(?:(?:the )?{_LEXICON.any_of('some')} ){{0,3}}"
_PART: Final = rf"{_SOME}{_LEXICON.any_of('text_part')}(?!\w)(?= {_LEXICON.any_of('of_text')}\b|[,;]|\W*$)"
_TO_EDITORS = re.compile(
    rf"(?i){_LEAD}(?:{_LEXICON.any_of('edit_it')}(?!\w)|{_LEXICON.any_of('mend')}"
    rf"|{_LEXICON.any_of('part_of_skill')}|{_LEXICON.any_of('put_in')} {_PART}"
    r"|(?!let\b)[a-z]+ (?:me|us)\b)"
)
_NOT_TO = re.compile(
    rf"(?i){_LEAD}{_LEXICON.any_of('not_to')} "
    rf"(?:{_LEXICON.any_of('edit_it')}(?!\w)|{_LEXICON.any_of('put_words')}|{_LEXICON.any_of('part_of_skill')}"
    rf"|{_LEXICON.any_of('rely_on')} {_LEXICON.any_of('advice')})"
)
_NOTE_THAT = re.compile(
    r"(?i)\W{0,3}(?:(?:an?|the) )?(?:hint|note|remark|reminder|sentence|warning)(?: saying)? that (?=\S)"
)
_PART_ALONE = re.compile(rf"(?i)\W{{0,3}}(?:the )?{_PART}")


def asks_to_edit(text: str) -> bool:
    """Return whether a sentence asks for a change of the skill, or says what not to add, to remove or to rely on."""
    return _TO_EDITORS.match(text) is not None or _NOT_TO.match(text) is not None


def said_in_note(text: str) -> str | None:
    """Return what is to be added, without "a note that"; None if only a part of a text is named: "a photo of the port"."""
    if (note := _NOTE_THAT.match(text)) is not None:
        return text[note.end() :]
    return None if _PART_ALONE.match(text) is not None else text
