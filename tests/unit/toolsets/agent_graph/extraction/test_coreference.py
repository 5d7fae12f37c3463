"""Pronouns and other names mean entities that were named before."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import facts, names
from toolsets.agent_graph.extraction.coreference import abbreviates
from toolsets.agent_graph.extraction.rules import read


def test_who_is_he_is_no_object_of_the_conjunction_before_it() -> None:
    assert facts("Alice Baker left Google before she joined Siemens.") == [("Alice Baker", "MEMBER_OF", "Siemens")]


def test_it_means_what_the_sentence_before_was_about() -> None:
    text = "Git is covered by the GPL (and compatible with SQLite). It was written by Sarah Chen. It uses Perl."
    assert facts(text) == [("Sarah Chen", "CREATED", "Git"), ("Git", "USES", "Perl")]


def test_a_pronoun_means_the_last_person_and_costs_confidence() -> None:
    text = "Alice Baker met Bob Miller. He maintains Debian."
    assert facts(text) == [("Bob Miller", "WORKS_ON", "Debian")]
    assert read(text).relations[0].confidence < read("Bob Miller maintains Debian.").relations[0].confidence


def test_relations_speak_of_the_name_whichever_was_said() -> None:
    text = "Kubernetes, also known as Kube9, is a platform. Kube9 uses etcd."
    assert facts(text) == [("Kubernetes", "USES", "etcd")]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Mozilla made the browser Firefox for Debian (also known as Iceweasel).", {}),
        ("Docker replaces Vagrant on Debian (aka Iceweasel).", {}),
        ("Docker replaces Vagrant for Initech (also known as Initech Holding).", {}),
        ("Alice Baker maintains Postfix (also known as VMailer).", {"Postfix": ["VMailer"]}),
        ("Alice Baker works on Postfix (also known as VMailer).", {"Postfix": ["VMailer"]}),
    ],
)
def test_another_name_in_parentheses_is_no_name_of_the_wrong_thing(text: str, known: dict[str, list[str]]) -> None:
    """Which of two names it is for, the one before or behind the preposition, is not known."""
    assert {entity.name: list(entity.aliases) for entity in read(text).entities if entity.aliases} == known


def test_a_last_name_alone_means_who_bears_it() -> None:
    text = "Alice Baker joined Siemens. Baker maintains Debian."
    assert facts(text)[1] == ("Alice Baker", "WORKS_ON", "Debian")
    assert ("Baker", "person") not in names(text)


@pytest.mark.parametrize(
    ("text", "name", "alias"),
    [
        ("PostgreSQL, also known as Postgres, is a database.", "PostgreSQL", "Postgres"),
        ("The Internet Assigned Numbers Authority (IANA) keeps lists.", "Internet Assigned Numbers Authority", "IANA"),
        ("PPTP (Point-to-Point Tunneling Protocol) is old.", "PPTP", "Point-to-Point Tunneling Protocol"),
        ("Joel Klecker, who was also known as Espy, passed away.", "Joel Klecker", "Espy"),
        ("They ship the Softlanding Linux System (better known as SLS).", "Softlanding Linux System", "SLS"),
    ],
)
def test_two_names_of_one_thing_make_one_entity(text: str, name: str, alias: str) -> None:
    found = {entity.name: entity.aliases for entity in read(text).entities}
    assert found[name] == (alias,)
    assert alias not in found


@pytest.mark.parametrize(
    ("short", "long", "expected"),
    [
        ("AWS", "Amazon Web Services", True),
        ("GNU", "GNU's Not Unix", True),
        ("DNS", "Domain-Name System", True),
        ("UNHCR", "United Nations", False),
        ("AWS", "Services of Amazon", False),
        ("AWS", "aw", False),
        ("Amazon", "Amazon Web Services", False),
    ],
)
def test_initials_in_their_order_abbreviate_a_name(short: str, long: str, *, expected: bool) -> None:
    assert abbreviates(short, long) is expected
