"""Conversations that programs export."""

import json

import pytest

from toolsets.skills.transcript.tables import messages_in

BOTH = [("ann", "It fails."), ("bob", "Restart it.")]


def said(text: str) -> list[tuple[str | None, str]] | None:
    found = messages_in(text)
    assert not isinstance(found, str)
    return None if found is None else [(each.speaker, each.text) for each in found]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"author": name, "text": text} for name, text in BOTH]),
        json.dumps({"messages": [{"from": {"display_name": name}, "body": [{"text": text}]} for name, text in BOTH]}),
        "\n".join(json.dumps({"user": name, "content": text}) for name, text in BOTH),
        "Time,Speaker,Text\n1,ann,It fails.\n2,bob,Restart it.\n",
        'author;message\nann;"It fails."\nbob;"Restart it."',
        "who\tmsg\nann\tIt fails.\nbob\tRestart it.",
        "| Author | Text |\n|---|:-:|\n| ann | It fails. |\n| **bob** | Restart it. |",
        '<c><m author="ann">It fails.</m><m author="bob">Restart it.</m></c>',
    ],
    ids=["JSON", "nested JSON", "JSON Lines", "CSV", "semicolons", "tabs", "Markdown", "XML"],
)
def test_every_format_yields_the_same_messages(text: str) -> None:
    assert said(text) == BOTH


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It fails, or so the text says.",
        "[12:03] Ann: It fails.",
        "[1, 2, 3]",
        '{"text": "a"}\nno JSON',
        "[" * 100_000,
        "author,text\n",
        "author,text\nann",
        "| Step | What |\n|---|---|\n| 1 | Restart it. |",
        "| Author |\n|---|\n| ann |",
    ],
)
def test_any_other_text_has_none(text: str) -> None:
    assert said(text) is None


def test_in_markdown_the_roles_may_name_the_column() -> None:
    text = "| | What |\n|---|---|\n| Customer | It fails. |\n| Agent | Run `a \\| b`.<br/>Wait. |"
    assert said(text) == [("Customer", "It fails."), ("Agent", "Run `a | b`.\nWait.")]


def test_a_table_below_a_text_is_a_part_of_it() -> None:
    table = "| Author | Text |\n|---|---|\n| ann | It fails. |"
    assert said(f"# Chat\n\n{table}") == BOTH[:1]
    assert said("A sentence.\n" * 7 + table) is None
    assert said(table + "\nA sentence." * 7) is None


@pytest.mark.parametrize(
    ("text", "internal"),
    [
        ('[{"author": "ann", "text": "a", "Internal": true}]', True),
        ('[{"author": "ann", "text": "a", "public": true}]', False),
        ("author,text,visibility\nann,a,internal", True),
        ("author,text,visibility\nann,a,public", False),
    ],
)
def test_what_the_customer_does_not_see_is_marked(text: str, internal: bool) -> None:
    found = messages_in(text)
    assert isinstance(found, list)
    assert [each.internal for each in found] == [internal]


def test_a_message_without_an_author_has_an_unknown_one_and_a_long_name_is_shortened() -> None:
    assert said('[{"text": "a"}]') == [("unknown", "a")]
    assert said(json.dumps([{"author": "n" * 500, "text": "a"}])) == [("n" * 100, "a")]
