"""What is a name, what kind of thing bears it, and which names are those of one thing."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import facts, names
from toolsets.agent_graph.extraction.rules import FoundName, read


@pytest.mark.parametrize(
    "person", ["Julia", "Ada", "Pascal", "Dylan", "Ruby", "Anne-Marie Dupont", "Jean-Luc", "Mary-Jane Lee"]
)
def test_a_first_name_that_is_a_program_too_is_of_a_person_who_does_what_persons_do(person: str) -> None:
    assert names(f"{person} leads the Orion project.") == [(person, "person"), ("Orion", "project")]
    assert facts(f"{person} leads the Orion project.") == [(person, "WORKS_ON", "Orion")]
    assert facts(f"{person} joined Google.") == [(person, "MEMBER_OF", "Google")]


def test_what_programs_do_too_leaves_the_listed_name_a_program() -> None:
    assert names("Julia uses LLVM.")[0] == ("Julia", "technology")
    assert names("Yesterday Ruby led to shorter programs.") == [("Ruby", "technology")]
    assert names("They use Ada, Pascal and Julia.") == [(name, "technology") for name in ("Ada", "Pascal", "Julia")]


def test_will_is_a_first_name_before_a_last_name_and_a_verb() -> None:
    assert names("Will Smith will present Prometheus.")[0] == ("Will Smith", "person")
    assert ("Will Smith", "person") not in names("Will Smith present Prometheus?")


def test_a_city_is_a_place() -> None:
    assert names("They moved to New York City last year.") == [("New York City", "location")]


def test_an_unknown_name_that_has_members_is_an_organisation() -> None:
    assert names("Alice Baker is a member of Fooclub.")[1] == ("Fooclub", "organization")
    assert names("Alice Baker was an employee of Zorkon.")[1] == ("Zorkon", "organization")
    assert names("Alice Baker is a member of Debian.")[1] == ("Debian", "technology"), "what is listed stays as listed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice and Carol wrote Harvest.", [("Alice", "CREATED", "Harvest"), ("Carol", "CREATED", "Harvest")]),
        ("Sarah Chen wrote Blue Moon and Echo in 2015.", [("Sarah Chen", "CREATED", n) for n in ("Blue Moon", "Echo")]),
        ("GitLab blocks Harvest.", [("GitLab", "BLOCKS", "Harvest")]),
        ("The service requires Internet access.", []),
    ],
)
def test_an_ordinary_word_with_a_capital_is_a_name_where_something_is_done_to_it(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert facts(text) == expected


def test_an_undertaking_may_be_named_by_what_is_done_to_what() -> None:
    assert facts("The rewrite of Redis is blocked by CORE-7.") == [("CORE-7", "BLOCKS", "rewrite of Redis")]
    assert facts("Sarah Chen leads the migration to PostgreSQL.") == [
        ("Sarah Chen", "WORKS_ON", "migration to PostgreSQL")
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("John R. Smith, Jr. maintains Redis.", "John R. Smith, Jr."),
        ("Robert J Jenkins Jr. maintains Redis.", "Robert J Jenkins Jr."),
        ("Bill left Siemens. He maintains Redis.", "Bill"),
    ],
)
def test_names_of_persons_are_read_whole(text: str, name: str) -> None:
    assert facts(text) == [(name, "WORKS_ON", "Redis")]


@pytest.mark.parametrize(
    ("text", "name", "type"),
    [
        ("Sarah Chen from Zalando wrote it.", "Zalando", "organization"),
        ("IBM acquired Zaltron.", "Zaltron", "organization"),
        ("Sphinx is used by Zaltron.", "Zaltron", "technology"),
        ("Sphinx is a documentation generator.", "Sphinx", "technology"),
        ("It was written by Zaltron.", "Zaltron", "organization"),
    ],
)
def test_the_verb_determines_the_type_of_its_subject(text: str, name: str, type: str) -> None:
    assert (name, type) in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "DISCLAIMER OF WARRANTY 2.3",
        "- Troubleshoot the connection",
        "An Open Source project",
        "You DON'T need it.",
        "Dr.",
    ],
)
def test_what_is_only_written_large_names_nothing(text: str) -> None:
    assert names(text) == []


def test_the_name_of_a_place_may_be_the_name_of_a_project() -> None:
    assert facts("Phoenix is owned by Acme Corp and depends on Redis.") == [
        ("Acme Corp", "OWNS", "Phoenix"),
        ("Phoenix", "DEPENDS_ON", "Redis"),
    ]
    assert names("Phoenix grew fast. Phoenix is written in Elixir. Phoenix is small.")[0] == ("Phoenix", "project")
    assert names("Phoenix is a web framework.") == [("Phoenix", "technology")]
    assert names("Phoenix is a city in Arizona.")[0] == ("Phoenix", "location")


@pytest.mark.parametrize(
    ("text", "code", "type", "confidence"),
    [
        ("We closed AUTH-142.", "AUTH-142", "task", 0.95),
        ("Ticket TLS-13 is old.", "TLS-13", "task", 0.95),
        ("See KAFKA-1234 and others.", "KAFKA-1234", "task", 0.8),
        ("OpenSSL supports TLS-13.", "TLS-13", "technology", 0.65),
        ("Debian has IA-64 and X86-64 ports.", "IA-64", "technology", 0.65),
        ("Debian has IA-64 and X86-64 ports.", "X86-64", "technology", 0.65),
        ("Debian had VAX-11 support.", "VAX-11", "technology", 0.65),
    ],
)
def test_a_code_is_a_task_unless_it_looks_like_a_model(text: str, code: str, type: str, confidence: float) -> None:
    assert (code, type, confidence) in [(found.name, found.type, found.confidence) for found in read(text).entities]


def test_names_of_another_reader_replace_guesses_only() -> None:
    text = "We met in Wroclaw to learn Docker."
    told = [FoundName(10, 17, "location"), FoundName(27, 33, "person")]
    assert [(entity.name, entity.type) for entity in read(text, told).entities] == [
        ("Wroclaw", "location"),
        ("Docker", "technology"),
    ]


def test_it_is_not_the_place_that_the_sentence_begins_with() -> None:
    assert facts("Git is a tool. On Windows, it uses OpenSSL.") == [("Git", "USES", "OpenSSL")]


@pytest.mark.parametrize(
    "text", ["We looked at Hamcrest today.", "She is good at Hamcrest.", "They laughed at Hamcrest."]
)
def test_at_names_no_organisation_after_a_word_of_looking_or_skill(text: str) -> None:
    assert ("Hamcrest", "organization") not in names(text)
    assert ("Hamcrest", "organization") in names("Sarah Chen works at Hamcrest.")
