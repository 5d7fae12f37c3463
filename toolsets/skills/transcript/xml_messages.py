"""Reads the messages of XML; kept separate because it reads events of a parser that expands no entity."""

from dataclasses import dataclass, field
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from toolsets.skills.transcript.notices import is_internal
from toolsets.skills.transcript.speakers import Utterance, label_role

_DEEPEST: Final = 40
"""More levels than exports have; a hostile text is not read."""
_LONGEST_NAME: Final = 100
"""Characters; a longer value names nobody."""


class _NotRead(Exception):
    """The text has a document type, too deep elements or a byte that XML forbids."""


@dataclass(slots=True)
class _Element:
    name: str
    said: list[str] = field(default_factory=list[str])
    """The text in the element, without that of elements for speakers."""
    speaker: str = ""
    text: str | None = None
    """The text of the child that has the message."""
    parts: int = 0
    """How many messages are within the element."""
    internal: bool = False
    """Whether its name or an attribute says that the customer does not see it."""


def in_xml(text: str, *, speakers: tuple[str, ...], texts: tuple[str, ...]) -> list[Utterance] | None:
    """Return the messages of XML, None for any other text.

    A message is an element whose speaker is in an attribute or a child named in `speakers`, or is the element's name if
    that states a role. Its text is in an attribute or a child named in `texts`, or in the element. A document type is
    refused, so that no entity is expanded.
    """
    reading = _XmlHandler(speakers, texts)
    parser = ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.data
    parser.StartDoctypeDeclHandler = _refuse
    try:
        last = True
        parser.Parse(text.strip().encode(), last)
    except (ExpatError, UnicodeEncodeError, ValueError, _NotRead):
        return None
    return reading.found if len(reading.found) > 1 else None


def _refuse(*_: object) -> None:
    raise _NotRead


@dataclass(slots=True)
class _XmlHandler:
    speakers: tuple[str, ...]
    texts: tuple[str, ...]
    found: list[Utterance] = field(default_factory=list[Utterance])
    path: list[_Element] = field(default_factory=list[_Element])

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        if len(self.path) >= _DEEPEST:
            raise _NotRead
        element = _Element(_local(name), internal=is_internal({"type": _local(name)}))
        if attributes:
            said = {_local(key): value.strip() for key, value in attributes.items()}
            element.speaker = next((said[key] for key in self.speakers if said.get(key)), "")
            element.text = next((said[key] for key in self.texts if said.get(key)), None)
            element.internal = element.internal or is_internal(said)
        self.path.append(element)

    def data(self, text: str) -> None:
        """Add text to the element."""
        if self.path:
            self.path[-1].said.append(text)

    def end(self, _: str) -> None:
        """End an element: it is a message, or the speaker or the text of one, or a part of its text."""
        element = self.path.pop()
        said = "".join(element.said)
        parent = self.path[-1] if self.path else None
        speaker = element.speaker or (
            element.name if label_role(element.name) is not None and not element.parts else ""
        )
        if parent is not None and element.name in self.speakers and not element.speaker and not element.parts:
            parent.speaker = parent.speaker or said.strip()
        elif parent is not None and not element.speaker and element.name in self.texts and not element.parts:
            parent.text = said if parent.text is None else f"{parent.text}\n{said}"
        elif speaker and not element.parts and (content := said if element.text is None else element.text).strip():
            name = speaker.strip()[:_LONGEST_NAME]
            self.found.append(Utterance(name, content.strip(), internal=element.internal))
            for above in self.path:
                above.parts += 1
        elif parent is not None and not element.parts:
            parent.said.append(said)


def _local(name: str) -> str:
    return name.rpartition(":")[2].casefold()
