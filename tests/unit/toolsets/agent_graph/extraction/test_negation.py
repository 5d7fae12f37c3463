"""What a text denies, doubts or only intends is not read, and what it says beside that still is."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import facts, names


@pytest.mark.parametrize(
    "text",
    [
        "Django uses neither Redis nor Kafka.",
        "Django neither requires Kafka nor depends on Redis.",
        "Django is used by neither Google nor Apple.",
        "Neither Alice Brown nor Bob Stone works on Django.",
        "None of Django, Flask and Kafka uses Redis.",
        "None of the maintainers of Debian use Ansible.",
        "Git is popular, but neither Django nor Flask uses it.",
        "Nobody at Siemens uses Ansible.",
        "Git does not use Kafka, nor does Flask use Redis.",
        "Django uses anything but Redis.",
        "Django uses everything except Redis.",
        "Django is anything but a fork of Flask.",
        "Django no longer uses Redis.",
        "Django runs without Redis.",
        "Alice Brown denied that Acme owns Stripe.",
        "Alice Brown denies Acme owns Stripe.",
        "Bob Miller doubts that Debian depends on Redis.",
        "Bob Miller did not say that Debian depends on Redis.",
        "I do not think Debian depends on Redis.",
        "It is false that Flask uses Kafka.",
        "It is not true that Flask uses Kafka.",
        "It is rumoured that Apple owns Docker.",
        "Alice Baker falsely claimed that Microsoft owns Debian.",
        "Django was almost bought by Google.",
        "Django is allegedly written in Rust.",
        "Django might use Redis.",
        "Django could have used Redis.",
        "Django wants to use Redis.",
        "Django plans to use Redis.",
        "Django is going to use Redis.",
        "Django refuses to use Redis.",
        "Django does not want to start using Redis.",
        "Django does not need to use Redis.",
        "Django stopped using Redis.",
        "Mozilla decided against using Kafka.",
        "Google tried to buy GitHub.",
        "Netflix may adopt Rust.",
        "The claim that Oracle owns Debian is wrong.",
        "Had Google bought GitHub, it would use Bazel.",
        "Ann Lee wishes she worked for Google.",
        "Bob Miller is the author but not the maintainer of Django.",
    ],
)
def test_what_is_not_so_is_not_stated(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Django, unlike Flask, uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Unlike Flask, Django uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Django, as opposed to Flask and Ansible, uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Alice Brown, not Bob Stone, created Django.", [("Alice Brown", "CREATED", "Django")]),
        ("Alice Brown, and not Bob Stone, created Django.", [("Alice Brown", "CREATED", "Django")]),
        ("Alice Brown and not Bob Stone created Django.", [("Alice Brown", "CREATED", "Django")]),
        ("Django was created by Alice Brown, not by Bob Stone.", [("Alice Brown", "CREATED", "Django")]),
        ("Not Flask but Django uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Django is written not in Java but in Go.", [("Django", "USES", "Go")]),
        ("Django uses Kafka, not Redis.", [("Django", "USES", "Kafka")]),
        ("Django uses Kafka instead of Redis or MySQL.", [("Django", "USES", "Kafka")]),
        (
            "Django uses Kafka rather than Redis, and depends on Go.",
            [("Django", *fact) for fact in [("USES", "Kafka"), ("DEPENDS_ON", "Go")]],
        ),
        ("Instead of Redis, Django uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Instead of using Redis, Django uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Django uses neither Redis nor Kafka, and Flask uses MySQL.", [("Flask", "USES", "MySQL")]),
        (
            "Terraform has never required Ansible, and Vagrant requires Ruby.",
            [("Vagrant", "DEPENDS_ON", "Ruby")],
        ),
        ("Only Bob Miller, never Ann Lee, maintains Flask.", [("Bob Miller", "WORKS_ON", "Flask")]),
        ("Django uses Kafka and refuses to use Redis.", [("Django", "USES", "Kafka")]),
        ("Django uses Kafka and stopped using Redis.", [("Django", "USES", "Kafka")]),
        (
            "Django not only uses Kafka but also depends on Redis.",
            [("Django", "USES", "Kafka"), ("Django", "DEPENDS_ON", "Redis")],
        ),
        ("Alice Brown denied that Acme owns Stripe, but Google owns GitHub.", [("Google", "OWNS", "GitHub")]),
        ("Nobody denies that Django uses Kafka.", [("Django", "USES", "Kafka")]),
        ("Django uses nothing but Kafka.", [("Django", "USES", "Kafka")]),
        ("Django is almost entirely written in Python.", [("Django", "USES", "Python")]),
        ("Django appointed Alice Brown as lead of Kafka.", [("Alice Brown", "WORKS_ON", "Kafka")]),
    ],
)
def test_what_stands_beside_a_denial_is_read(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert facts(text) == expected


def test_what_is_denied_of_them_leaves_names_known() -> None:
    assert names("Django uses neither Redis nor Kafka.") == [
        ("Django", "technology"),
        ("Redis", "technology"),
        ("Kafka", "technology"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Sarah Chen is a former employee of Google.",
        "Sarah Chen is a former maintainer of Redis.",
        "Sarah Chen is the former owner of GitHub.",
        "Redis formerly used Kafka.",
        "Redis previously used Kafka.",
    ],
)
def test_what_is_said_to_be_former_is_not_stated(text: str) -> None:
    assert facts(text) == []
