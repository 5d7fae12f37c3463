"""Reads conversations in JSON and JSON Lines, as help desks, chats and language models export them."""

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, TypeAlias, cast

from backends.ports.values import Json
from toolsets.skills.transcript.json_texts import MessageText, plain_texts, text_in
from toolsets.skills.transcript.model import Role, UnreadableTranscript
from toolsets.skills.transcript.notices import is_internal
from toolsets.skills.transcript.speakers import Utterance, label_role

Object: TypeAlias = Mapping[str, Json]
"""An object with its keys as `_folded` writes them."""

_LISTS: Final = tuple(
    "messages turns conversation transcript history comments chat conversationparts conversations threads replies thread".split()
)
_SPEAKERS: Final = tuple(
    "role speaker author sender from name user participant username createdby who by von absender wer".split()
)
_IDS: Final = tuple("authorid userid senderid fromid createdbyid".split())
_NAMES: Final = tuple("name displayname realname fullname username login nickname email".split())
_WITHIN: Final = ("user", "profile", "application")
"""Where the name of a speaker is, one level deeper."""
_REQUESTERS: Final = tuple("requesterid requester customerid customer contactid contact reporter".split())
_HELPERS: Final = tuple("assigneeid assignee responderid responder agentid agent adminassigneeid".split())
_TABLES: Final = tuple("users participants members people agents contacts teammates".split())
_TIMES: Final = tuple("createdat createddatetime created ts timestamp sentat sent postedat datetime date time".split())
_OPENINGS: Final = tuple("descriptiontext descriptionhtml description bodytext body question selftext".split())
"""Where a ticket has its first message, apart from the list of the others."""
_TICKETS: Final = tuple("source ticket issue fields case request question post submission".split())
_FROM_CUSTOMER: Final = tuple("incoming fromcustomer iscustomer".split())
_FROM_HELPER: Final = tuple("fromagent isagent fromstaff isstaff outgoing".split())
_DIRECTIONS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("in", "inbound", "incoming"), "customer"),
    **dict.fromkeys(("out", "outbound", "outgoing"), "agent"),
}
_KINDS: Final = ("parttype", "type", "kind")
_TYPES_OF_AUTHORS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("customer", "lead", "contact", "visitor", "enduser", "requester", "user"), "customer"),
    **dict.fromkeys(("admin", "agent", "bot", "team", "teammate", "operator", "staff"), "agent"),
}
_UNKNOWN: Final = "unknown"
_DEEPEST: Final = 5
"""Levels at which the messages of an export are searched; farther down are attachments and settings."""
_SEARCHED: Final = 50
"""The entries of a list that are searched for a text."""
_LONGEST_NAME: Final = 100
"""Characters; a longer value names nobody."""
_MILLISECONDS: Final = 10**11
"""A time since 1970 above it is in milliseconds."""
NO_MESSAGES: Final = (
    "The conversation is JSON without a list of messages that each have an author and a text, such as "
    '[{"author": "Ann", "text": "It fails."}].'
)
NO_AUTHORS: Final = "The messages of the JSON name no authors, so that nobody knows who asks and who answers."


def in_json(text: str) -> list[Utterance] | str | None:
    """Return the messages of JSON or JSON Lines, or the conversation that is one text in it; None for any other text.

    The author of a message is known by a role, a name or an id. An id is the customer's if it is that of the ticket's requester.
    Raises `UnreadableTranscript` for JSON without messages or without any author.
    """
    value = _value_of(text)
    if value is None:
        return None
    found = _found_in(value)
    if found is None:
        raise UnreadableTranscript(NO_MESSAGES)
    if isinstance(found, str):
        return found
    people = _People.of(found.around)
    read = [*_openings(found, people), *(_message(each, people) for each in found.messages)]
    texts = plain_texts([each.text for each in read])
    said = [replace(each.said, text=plain) for each, plain in zip(_with_types(read), texts, strict=True)]
    if not any(each.text.strip() for each in said):
        raise UnreadableTranscript(NO_MESSAGES)
    if len(said) > 1 and all(each.speaker == _UNKNOWN for each in said):
        raise UnreadableTranscript(NO_AUTHORS)
    return said


def _value_of(text: str) -> Json:
    """Return the JSON, the objects of JSON Lines as a list, or None."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("[{", "{", "[\n", "[ ", "[\t", "[\r")):
        return None
    value = _parsed(text.lstrip("\ufeff"))
    if value is not None:
        return value
    lines = [line for line in text.split("\n") if line.strip()]
    values = list(_objects(lines))
    # A line that is no object shows that the text is not JSON Lines.
    return values if len(values) == len(lines) else None


def _objects(lines: Sequence[str]) -> Iterator[Json]:
    for line in lines:
        value = _parsed(line) if line.lstrip().startswith("{") else None
        if not isinstance(value, dict) or (line is lines[0] and not text_in(_folded(value)).text):
            return
        yield value


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return None


def _folded(value: Mapping[str, Json]) -> Object:
    """Return an object with one spelling of its keys: `bodytext` for `body_text` and `bodyText`."""
    return {key.lower().replace("_", "").replace("-", ""): each for key, each in value.items()}


@dataclass(frozen=True, slots=True)
class _Found:
    """The messages, and the objects around them: those that contain the list, and the ticket beside it."""

    messages: Sequence[Mapping[str, Json]]
    around: Sequence[Object]


def _found_in(value: Json) -> _Found | str | None:
    """Return the first list of messages, the outermost first, or the text in place of one."""
    queue: deque[tuple[Json, tuple[Object, ...]]] = deque([(value, ())])
    while queue:
        each, above = queue.popleft()
        if isinstance(each, list):
            messages = _messages_in(each, named=True)
            if messages:
                return _Found(messages, _with_tickets(above))
            # Of several conversations, none is read.
            if len(each) == 1 and len(above) < _DEEPEST:
                queue.append((each[0], above))
        elif isinstance(each, dict):
            fields = _folded(each)
            path = (*above, fields)
            for key in _LISTS:
                listed = fields.get(key)
                if isinstance(listed, str) and "\n" in listed.strip() and not above:
                    return listed
                if isinstance(listed, list) and (messages := _messages_in(listed, named=False)):
                    return _Found(messages, _with_tickets(path))
            if not above and _is_message(fields):
                return _Found([each], ())
            queue += [
                (inner, path) for inner in fields.values() if len(path) < _DEEPEST and isinstance(inner, list | dict)
            ]
    return None


def _messages_in(values: Sequence[Json], *, named: bool) -> Sequence[Mapping[str, Json]]:
    """Return the objects of a list if they are messages; without a key that says so, an author must be `named`."""
    objects = [each for each in values if isinstance(each, dict)]
    found = map(_folded, objects[:_SEARCHED])
    return objects if any(_is_message(each) if named else text_in(each).text for each in found) else []


def _is_message(message: Object) -> bool:
    return not _OF_MESSAGES.isdisjoint(message) and bool(text_in(message).text)


_OF_MESSAGES: Final = frozenset({*_SPEAKERS, *_IDS, *_FROM_CUSTOMER, *_FROM_HELPER, "direction", "text"}) - {"name"}
"""A message has one of these keys or more."""


def _with_tickets(path: Sequence[Object]) -> Sequence[Object]:
    tickets = (_folded(ticket) for each in path for key in _TICKETS if isinstance(ticket := each.get(key), dict))
    return (*path, *tickets)


@dataclass(frozen=True, slots=True)
class _Person:
    name: str = ""
    id: str = ""
    role: Role | None = None
    type: str = ""
    """What an author is in the words of the program, such as "admin"."""


@dataclass(frozen=True, slots=True)
class _People:
    """What the objects around the messages say about people, by their ids."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    roles: dict[str, Role] = field(default_factory=dict[str, Role])

    @classmethod
    def of(cls, around: Sequence[Object]) -> "_People":
        """Return the people of a ticket: its requester asks, and whoever it is assigned to answers."""
        people = cls()
        for each in around:
            tables = (table for key in _TABLES if isinstance(table := each.get(key), list))
            for person in (_person(value) for table in tables for value in table):
                people.add(person, _TYPES_OF_AUTHORS.get(person.type) if person.role is None else person.role)
            for key in filter(each.__contains__, (*_REQUESTERS, *_HELPERS)):
                people.add(_person(each[key]), "customer" if key in _REQUESTERS else "agent")
        return people

    def add(self, person: _Person, role: Role | None) -> None:
        """Keep the name and the role of a person with an id; the first ones stay."""
        if person.id:
            self.names[person.id] = self.names.get(person.id) or person.name
            if role is not None:
                self.roles.setdefault(person.id, role)


def _person(value: Json) -> _Person:
    """Return the person that a value names: a text, a number, or an object with a name, an id, a role or a type."""
    if isinstance(value, str):
        return _Person(name=value.strip()[:_LONGEST_NAME])
    if isinstance(value, int) and not isinstance(value, bool):
        return _Person(id=str(value))
    if not isinstance(value, Mapping):
        return _Person()
    fields = _folded(value)
    role, type_ = (_label(fields.get(key)) for key in ("role", "type"))
    name = next((text for key in _NAMES if isinstance(text := fields.get(key), str) and text.strip()), "")
    name = name or " ".join(part for key in ("first", "last") if isinstance(part := fields.get(key), str))
    if not name:
        name = next((person.name for key in _WITHIN if (person := _named(fields.get(key))).name), "")
    number = fields.get("id")
    return _Person(
        name=name.strip()[:_LONGEST_NAME] or role,
        id=str(number) if isinstance(number, int | str) and not isinstance(number, bool) else "",
        role=label_role(role) if role else None,
        type=type_.lower().replace("_", "").replace("-", ""),
    )


def _label(value: Json) -> str:
    return value.strip()[:_LONGEST_NAME] if isinstance(value, str) else _named(value).name


def _named(value: Json) -> _Person:
    return _person(value) if isinstance(value, Mapping) else _Person()


@dataclass(frozen=True, slots=True)
class _Read:
    """A message, its text as it is written, and the type of its author."""

    said: Utterance
    text: MessageText
    type: str = ""


def _message(message: Mapping[str, Json], people: _People) -> _Read:
    fields = _folded(message)
    person = _author(fields, people)
    text = text_in(fields)
    role: Role | None = person.role or people.roles.get(person.id) or _direction(fields)
    name = person.name or people.names.get(person.id) or (f"#{person.id}" if person.id else role or _UNKNOWN)
    internal = is_internal({key.lower(): value for key, value in message.items()})
    internal = internal or any(fields.get(key) == "note" for key in _KINDS)
    # Trackers mark what they write themselves so.
    role = "other" if fields.get("system") is True else role
    return _Read(Utterance(name, "", role, internal, _sent(fields)), text, person.type)


def _author(fields: Object, people: _People) -> _Person:
    """Return the author: the first field with a name, with the id and the type in the others."""
    found = [_person(fields[key]) for key in _SPEAKERS if key in fields]
    ids = [
        str(value) for key in _IDS if isinstance(value := fields.get(key), int | str) and not isinstance(value, bool)
    ]
    named = next((person for person in found if person.name), _Person())
    number = named.id or next(iter((*ids, *(person.id for person in found if person.id))), "")
    kind = next((person.type for person in found if person.type), "")
    role: Role | None = next((person.role for person in found if person.role is not None), None)
    if not number and named.name in people.names:
        return _Person("", named.name, role, kind)
    return _Person(named.name, number, role, kind)


def _direction(fields: Object) -> Role | None:
    """Return the role that a field such as "incoming" states."""
    by_customer = next((said for key in _FROM_CUSTOMER if isinstance(said := fields.get(key), bool)), None)
    by_helper = next((said for key in _FROM_HELPER if isinstance(said := fields.get(key), bool)), None)
    if by_customer is not None or by_helper is not None:
        return "customer" if by_customer or by_helper is False else "agent"
    return _DIRECTIONS.get(str(fields.get("direction")).lower())


def _with_types(read: Sequence[_Read]) -> Iterator[_Read]:
    """Yield messages with the roles that the types of their authors mean, if there are types of both roles.

    Beside customers, "user" is the type of those who use the program to answer.
    """
    types = {each.type for each in read} & _TYPES_OF_AUTHORS.keys()
    meant = {each: _TYPES_OF_AUTHORS[each] for each in types}
    if {"user", "customer"} <= types:
        meant["user"] = "agent"
    if {"customer", "agent"} - set(meant.values()):
        yield from read
        return
    for each in read:
        role = each.said.role or meant.get(each.type)
        name = (role if each.said.speaker == _UNKNOWN else None) or each.said.speaker
        yield replace(each, said=replace(each.said, role=role, speaker=name))


_ASKERS: Final = ("author", "user", "createdby")


def _openings(found: _Found, people: _People) -> Iterator[_Read]:
    """Yield the first message of a ticket, which stands beside the list, unless the list repeats it."""
    texts = {_key(text_in(_folded(each)).text) for each in found.messages}
    for fields in found.around:
        text = text_in(fields, _OPENINGS)
        if text.text.strip() and _key(text.text) not in texts:
            # Other names beside the list are those of the ticket, or of its channel.
            asker = _author({key: fields[key] for key in (*_ASKERS, *_IDS) if key in fields}, people)
            requester = next((_person(fields[key]) for key in _REQUESTERS if key in fields), _Person())
            name = requester.name or people.names.get(requester.id) or asker.name or "requester"
            yield _Read(Utterance(name, "", "customer", sent=_sent(fields)), text, asker.type)
            return


def _key(text: str) -> str:
    return " ".join(text[: 10 * _LONGEST_NAME].split())


def _sent(fields: Object) -> str | None:
    """Return the time of a message as text; a number of seconds or milliseconds since 1970 as that time in UTC."""
    value = next((fields[key] for key in _TIMES if fields.get(key)), None)
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        return value[:_LONGEST_NAME]
    try:
        seconds = float(cast("float", value))
        return datetime.fromtimestamp(seconds / (1000 if seconds > _MILLISECONDS else 1), UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return None
