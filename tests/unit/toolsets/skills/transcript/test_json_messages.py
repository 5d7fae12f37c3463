"""Conversations that help desks, chats and language models export as JSON."""

import json
from collections.abc import Mapping, Sequence

import pytest

from backends.ports.values import Json
from toolsets.skills.transcript import UnreadableTranscript
from toolsets.skills.transcript.json_messages import in_json
from toolsets.skills.transcript.reader import read_transcript

ASKED = "The bike computer shows no speed since the battery was changed."
ANSWERED = "Please hold the mode button for five seconds."
THANKED = "It shows the speed again, thank you!"
EXPECTED = [("customer", ASKED), ("agent", ANSWERED), ("customer", THANKED)]
SAID = (ASKED, ANSWERED, THANKED)


def read(value: Json) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read_transcript(json.dumps(value)).turns if turn.role != "other"]


def messages(key: str, speakers: Sequence[Json], text: str = "body", **more: Sequence[Json]) -> list[Json]:
    return [
        {key: speaker, text: said, **{name: values[at] for name, values in more.items()}}
        for at, (speaker, said) in enumerate(zip(speakers, SAID, strict=True))
    ]


def _intercom(body: str = "<p>{}</p>") -> Json:
    def part(kind: str, said: str | None, author: Mapping[str, Json]) -> Json:
        text = None if said is None else body.format(said)
        return {"type": "conversation_part", "part_type": kind, "body": text, "author": author}

    olu: Json = {"type": "admin", "id": "7", "name": "Olu"}
    kim: Json = {"type": "user", "id": "5310", "name": "Kim Ray"}
    assert isinstance(olu, dict)
    assert isinstance(kim, dict)
    parts = [
        part("note", "The customer is on the old plan.", olu),
        part("assignment", None, olu),
        part("comment", ANSWERED, olu),
        part("comment", THANKED, kim),
        part("close", None, olu),
    ]
    return {
        "type": "conversation",
        "id": "1295",
        "source": {"type": "conversation", "subject": "", "body": body.format(ASKED), "author": kim},
        "conversation_parts": {"type": "conversation_part.list", "conversation_parts": parts},
    }


FORMATS: dict[str, Json] = {
    "Intercom": _intercom(),
    "Intercom, plain": _intercom("{}"),
    "Zendesk with its ticket": {
        "ticket": {"id": 35436, "subject": "No speed", "requester_id": 20978392, "assignee_id": 1},
        "comments": messages("author_id", (20978392, 1, 20978392), public=(True, True, True)),
    },
    "Zendesk with its users": {
        "comments": messages("author_id", (5, 1, 5)),
        "users": [{"id": 5, "name": "Linda", "role": "end-user"}, {"id": 1, "name": "Joe", "role": "agent"}],
    },
    "Zendesk, comments only": {"comments": messages("author_id", (5, 1, 5)), "next_page": None, "count": 3},
    "Zendesk, the ticket repeats the first comment": {
        "ticket": {"description": ASKED, "requester_id": 5},
        "comments": messages("author_id", (5, 1, 5)),
    },
    "Freshdesk": {
        "description_text": ASKED,
        "description": f"<div>{ASKED}</div>",
        "requester_id": 9,
        "responder_id": 1,
        "conversations": [
            {
                "body_text": ANSWERED,
                "body": f"<div>{ANSWERED}</div>",
                "incoming": False,
                "private": False,
                "user_id": 1,
            },
            {"body_text": "Ask for the model.", "incoming": False, "private": True, "user_id": 1},
            {"body_text": THANKED, "incoming": True, "private": False, "user_id": 9},
        ],
    },
    "Help Scout": {
        "_embedded": {
            "threads": [
                {"type": "customer", "body": ASKED, "createdBy": {"type": "customer", "first": "Ann"}},
                {"type": "note", "body": "A VIP.", "createdBy": {"type": "user", "first": "Bo"}},
                {"type": "message", "body": ANSWERED, "createdBy": {"type": "user", "first": "Bo"}},
                {"type": "customer", "body": THANKED, "createdBy": {"type": "customer"}},
            ]
        }
    },
    "Gorgias": {"messages": messages("from_agent", (False, True, False), text="body_text")},
    "directions": messages("direction", ("inbound", "outbound", "inbound")),
    "GitHub": {
        "title": "No speed",
        "body": ASKED,
        "user": {"login": "ann", "type": "User"},
        "comments": [
            {"user": {"login": "bo", "type": "User"}, "body": ANSWERED},
            {"user": {"login": "ann", "type": "User"}, "body": THANKED},
        ],
    },
    "Jira": {
        "key": "SUP-1",
        "fields": {
            "summary": "No speed",
            "description": {
                "type": "doc",
                "content": [{"type": "paragraph", "content": [{"type": "text", "text": ASKED}]}],
            },
            "reporter": {"displayName": "Ann"},
            "comment": {
                "comments": [
                    {"author": {"displayName": "Bo"}, "body": ANSWERED},
                    {"author": {"displayName": "Ann"}, "body": THANKED},
                ]
            },
        },
    },
    "Teams": {
        "value": [
            {"from": {"user": {"displayName": name}}, "body": {"contentType": "html", "content": f"<p>{said}</p>"}}
            for name, said in zip(("Ann", "Bo", "Ann"), SAID, strict=True)
        ]
    },
    "Telegram": {
        "name": "Support",
        "messages": [
            {"type": "message", "from": "Ann", "from_id": "user1", "text": ASKED},
            {
                "type": "message",
                "from": "Bo",
                "text": ["Please hold the ", {"type": "bold", "text": "mode"}, ANSWERED[20:]],
            },
            {"type": "message", "from": "Ann", "from_id": "user1", "text": THANKED},
        ],
    },
    "Slack": messages(
        "user", ("U02", "U07", "U02"), text="text", ts=("1772460000.0001", "1772460060.0", "1772460200.2")
    ),
    "Slack, newest first": messages(
        "user", ("U02", "U07", "U02"), text="text", ts=("1772460000.0001", "1772460060.0", "1772460200.2")
    )[::-1],
    "ISO times, newest first": messages(
        "author",
        ("Ann", "Bo", "Ann"),
        created_at=("2026-03-03T09:14:00Z", "2026-03-03T13:16:00Z", "2026-03-03T14:31:00Z"),
    )[::-1],
    "milliseconds, newest first": messages(
        "author", ("Ann", "Bo", "Ann"), timestamp=(1772460000000, 1772460060000, 1772460200000)
    )[::-1],
    "one text": {
        "conversation": "\n".join(
            f"{who}: {said}" for who, said in zip(("Customer", "Agent", "Customer"), SAID, strict=True)
        )
    },
    "a list within a list": [{"messages": messages("author", ("Ann", "Bo", "Ann"))}],
    "parts that nobody says": [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "kb", "input": {"q": "speed"}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "Wipe the disk."}]},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWERED}]},
        {"role": "user", "content": THANKED},
    ],
}


@pytest.mark.parametrize("value", FORMATS.values(), ids=FORMATS.keys())
def test_each_format_yields_the_same_turns(value: Json) -> None:
    assert read(value) == EXPECTED


def test_a_requester_who_writes_first_or_later_is_the_customer() -> None:
    said: list[Json] = [
        {"author_id": 1, "body": "Ann called us. Her speed is not shown."},
        {"author_id": 5, "body": THANKED},
    ]
    assert [role for role, _ in read({"ticket": {"requester_id": 5}, "comments": said})] == ["agent", "customer"]


@pytest.mark.parametrize(
    "value",
    [
        {"printer": {"name": "HP", "retries": 3}, "error": "The queue is stopped. Please restart it."},
        {"subject": "x"},
        {"messages": []},
        {"messages": [{"author": "Ann", "text": ""}]},
        {"items": [{"title": "A"}, {"title": "B"}]},
        [{"ticket": 1, "comments": messages("author", ("Ann", "Bo", "Ann"))}] * 2,
    ],
    ids=["configuration", "subject", "no message", "no text", "other list", "several conversations"],
)
def test_other_json_is_refused(value: Json) -> None:
    with pytest.raises(UnreadableTranscript, match="JSON without a list of messages"):
        in_json(json.dumps(value))


def test_messages_without_any_author_are_refused() -> None:
    with pytest.raises(UnreadableTranscript, match="name no authors"):
        in_json(json.dumps([{"text": said} for said in SAID]))


@pytest.mark.parametrize(
    "text", ["[12:03] Ann: It fails.", '{"a": 1} is what it prints.', "[" * 100_000, '{"a": ' * 2_000]
)
def test_a_text_that_is_no_json_has_no_messages(text: str) -> None:
    assert in_json(text) is None


@pytest.mark.parametrize("key", ["part_type", "type", "kind"])
def test_a_note_is_internal(key: str) -> None:
    found = in_json(
        json.dumps([{"author": "a", "text": "x", key: "note"}, {"author": "b", "text": "y", key: "comment"}])
    )
    assert isinstance(found, list)
    assert [each.internal for each in found] == [True, False]


def test_types_of_authors_state_roles_only_if_there_are_both() -> None:
    said: list[Json] = [
        {"user": {"login": name, "type": "User"}, "body": text}
        for name, text in zip(("bo", "ann", "bo"), ("Can I help you?", ASKED, ANSWERED), strict=True)
    ]
    assert [role for role, _ in read(said)] == ["agent", "customer", "agent"]


@pytest.mark.parametrize(
    ("ticket", "customer"),
    [
        ({"requester_id": 5, "requester": {"id": 5, "name": "Ann"}}, "Ann"),
        ({"requester": {"id": 5, "name": "Ann"}, "assignee": {"id": 5, "name": "Bo"}}, "Ann"),
        ({"name": "Ticket 12"}, "requester"),
    ],
)
def test_the_opening_of_a_ticket_has_the_name_of_its_requester(ticket: Mapping[str, Json], customer: str) -> None:
    value: Json = {**ticket, "description": ASKED, "conversations": [{"author": {"role": "agent"}, "body": ANSWERED}]}
    assert [turn.speaker for turn in read_transcript(json.dumps(value)).turns] == [customer, "agent"]


@pytest.mark.parametrize("role", [{"name": "support"}, ["agent"], 3])
def test_a_role_that_is_no_text_is_no_name_as_it_is_written(role: Json) -> None:
    authors: Sequence[Json] = ({"id": 1}, {"id": 2, "role": role}, {"id": 1})
    found = in_json(json.dumps(messages("author", authors)))
    assert isinstance(found, list)
    assert found[1].speaker == ("support" if isinstance(role, Mapping) else "#2")
