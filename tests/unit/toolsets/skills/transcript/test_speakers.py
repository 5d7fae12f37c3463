"""Who asks and who answers."""

import pytest

from toolsets.skills.transcript.model import Role
from toolsets.skills.transcript.speakers import Utterance, begins_with_a_role, is_field, label_role, roles, section_role


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("Customer", "customer"),
        ("Customer (Ann)", "customer"),
        ("You", "customer"),
        ("Support", "agent"),
        ("Bob, help desk", "agent"),
        ("Customer service", "agent"),
        ("Customer success", "agent"),
        ("user support", "agent"),
        ("System", "other"),
        ("客服小王", "agent"),
        ("Ann", None),
        ("me and my dog", None),
        ("a very long label of more than eight words by the support", None),
        ("", None),
    ],
)
def test_a_label_states_a_role_or_is_a_name(label: str, role: Role | None) -> None:
    assert label_role(label) == role


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("Problem", "customer"),
        ("Question 2.", "customer"),
        ("Q.", "customer"),
        ("Resolution", "agent"),
        ("Fix #3", "agent"),
        ("Problem solver", None),
        ("Ann", None),
    ],
)
def test_a_section_of_a_report_asks_or_answers(label: str, role: Role | None) -> None:
    assert section_role(label) == role


@pytest.mark.parametrize(
    ("line", "begins"),
    [("**Customer**: x", True), ("> Agent: x", True), ("System: x", False), ("Customer x", False), ("Ann: x", False)],
)
def test_a_line_begins_with_a_role(line: str, begins: bool) -> None:
    assert begins_with_a_role(line) is begins


@pytest.mark.parametrize(
    ("label", "field"), [("Error", True), ("Step 2", True), (" Subject ", True), ("Ann", False), ("Customer", False)]
)
def test_a_label_is_known_to_name_a_field(label: str, field: bool) -> None:
    assert is_field(label) is field


def said(*pairs: tuple[str, str]) -> list[Utterance]:
    return [Utterance(name, text) for name, text in pairs]


def test_a_stated_role_comes_first() -> None:
    assert roles([Utterance("ann", "How can I help?", "customer"), Utterance("Support", "x")]) == {
        "ann": "customer",
        "Support": "agent",
    }


@pytest.mark.parametrize(
    ("first", "second", "asks"),
    [
        ("My invoice is wrong, please help.", "Please open the settings.", "ann"),
        ("Hello, how can I help you?", "My invoice is wrong.", "bob"),
        ("x", "y", "ann"),
    ],
)
def test_what_names_say_decides_and_else_the_first_one_asks(first: str, second: str, asks: str) -> None:
    found = roles(said(("ann", first), ("bob", second)))
    assert [name for name, role in found.items() if role == "customer"] == [asks]


def test_the_last_one_asks_where_the_problem_stands_above() -> None:
    assert roles(said(("ann", "x"), ("bob", "y")), described=True) == {"ann": "agent", "bob": "customer"}


def test_beside_a_stated_agent_another_one_asks() -> None:
    assert roles(said(("Support", "Please restart it."), ("ann", "x"))) == {"Support": "agent", "ann": "customer"}


def test_nobody_has_no_roles() -> None:
    assert roles([]) == {}
