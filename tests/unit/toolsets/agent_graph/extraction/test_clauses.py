"""Verbs of a sentence state facts of the names around them."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import facts


def test_a_name_said_again_begins_a_clause() -> None:
    assert facts("Django depends on Redis, and Redis is maintained by Alice Baker.") == [
        ("Django", "DEPENDS_ON", "Redis"),
        ("Alice Baker", "WORKS_ON", "Redis"),
    ]


def test_a_comma_before_the_second_of_two_names_begins_a_clause() -> None:
    assert facts("Django uses Redis, and Flask requires Java.") == [
        ("Django", "USES", "Redis"),
        ("Flask", "DEPENDS_ON", "Java"),
    ]
    assert facts("Redis, and Kafka are used by Stripe.") == [("Stripe", "USES", "Redis"), ("Stripe", "USES", "Kafka")]


def test_who_made_a_thing_and_of_what_are_two_facts() -> None:
    assert facts("Patroni was written in Python in 2015 by Sarah Chen and Bob Miller.") == [
        ("Patroni", "USES", "Python"),
        ("Sarah Chen", "CREATED", "Patroni"),
        ("Bob Miller", "CREATED", "Patroni"),
    ]
    assert facts("Redis, a store used by GitLab, was written in C by Sarah Chen.") == [
        ("GitLab", "USES", "Redis"),
        ("Redis", "USES", "C"),
        ("Sarah Chen", "CREATED", "Redis"),
    ]


def test_a_participle_speaks_of_the_name_beside_it() -> None:
    assert facts("Wnn6 is a system based on the first version of Wnn developed by Siemens.") == [
        ("Wnn6", "DEPENDS_ON", "Wnn"),
        ("Siemens", "CREATED", "Wnn"),
    ]
    assert facts("Sphinx is a documentation generator for Python written by Georg Brandl.") == [
        ("Georg Brandl", "CREATED", "Sphinx")
    ]


def test_a_list_states_a_fact_for_each_of_its_items() -> None:
    assert facts("GitLab uses PostgreSQL, Redis and Docker.") == [
        ("GitLab", "USES", "PostgreSQL"),
        ("GitLab", "USES", "Redis"),
        ("GitLab", "USES", "Docker"),
    ]
    assert facts("Alice Baker and Bob Miller maintain Debian.") == [
        ("Alice Baker", "WORKS_ON", "Debian"),
        ("Bob Miller", "WORKS_ON", "Debian"),
    ]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("curl depends on OpenSSL, zlib and nghttp2.", ["OpenSSL", "zlib", "nghttp2"]),
        ("nginx uses PCRE, zlib and OpenSSL.", ["PCRE", "zlib", "OpenSSL"]),
        ("GitLab requires Redis, libidn2 and gnutls for its work.", ["Redis", "libidn2", "gnutls"]),
        ("GitLab needs Perl, patience and Redis.", ["Perl", "Redis"]),
        ("GitLab uses Python, bread and butter.", ["Python"]),
    ],
)
def test_a_list_goes_on_behind_what_is_unknown_in_it(text: str, items: list[str]) -> None:
    assert [target for _, _, target in facts(text)] == items


def test_unknown_items_of_a_subject_count_too() -> None:
    assert [source for source, _, _ in facts("Redis, nats and etcd depend on Linux.")] == ["Redis", "nats", "etcd"]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Dr. Smith and Prof. Jones wrote RFC 9999.", ["Smith", "Jones"]),
        ("Mr. Brown, Prof. Dr. Smith and Sir Jones wrote RFC 9999.", ["Brown", "Smith", "Jones"]),
        ("RFC 9999 was written by Dr. Smith and Prof. Jones.", ["Smith", "Jones"]),
    ],
)
def test_titles_do_not_part_a_list_of_people(text: str, people: list[str]) -> None:
    assert facts(text) == [(person, "CREATED", "RFC 9999") for person in people]


def test_verbs_behind_a_passive_share_its_subject() -> None:
    assert facts("GitLab is owned by Siemens and depends on Redis and Kafka.") == [
        ("Siemens", "OWNS", "GitLab"),
        ("GitLab", "DEPENDS_ON", "Redis"),
        ("GitLab", "DEPENDS_ON", "Kafka"),
    ]
    assert facts("GitLab is based on Ruby and uses Redis.") == [
        ("GitLab", "DEPENDS_ON", "Ruby"),
        ("GitLab", "USES", "Redis"),
    ]


def test_verbs_in_a_row_share_their_subject() -> None:
    assert facts("GitLab uses PostgreSQL and depends on Redis.") == [
        ("GitLab", "USES", "PostgreSQL"),
        ("GitLab", "DEPENDS_ON", "Redis"),
    ]
    assert facts("SELinux was developed and is maintained by Red Hat.") == [
        ("Red Hat", "CREATED", "SELinux"),
        ("Red Hat", "WORKS_ON", "SELinux"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Docker is great, and I use Kubernetes.",
        "Google tested Redis but they use Kafka.",
        "Netflix dropped Redis after everyone adopted Kafka.",
        "Redis was slow, and then somebody deployed Kafka.",
    ],
)
def test_a_pronoun_without_a_name_is_the_subject_of_its_verb(text: str) -> None:
    assert facts(text) == []


def test_who_refers_to_the_person_before_it() -> None:
    assert facts("Docker was created by Solomon Hykes, who joined Dagger.") == [
        ("Solomon Hykes", "CREATED", "Docker"),
        ("Solomon Hykes", "MEMBER_OF", "Dagger"),
    ]
