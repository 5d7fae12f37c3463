"""Texts are read by rules: what they state, of whom and of what."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import MIGRATION, facts, names
from toolsets.agent_graph.extraction.extractors import RuleExtractor
from toolsets.agent_graph.extraction.rules import read


async def test_the_documented_sample_comes_out_as_documented() -> None:
    found = await RuleExtractor().extract(MIGRATION)
    assert [(entity.name, entity.type) for entity in found.entities] == [
        ("Sarah Chen", "person"),
        ("Google", "organization"),
        ("TensorFlow migration", "project"),
        ("TensorFlow", "technology"),
        ("Python", "technology"),
        ("Docker", "technology"),
    ]
    assert [(relation.source, relation.type, relation.target) for relation in found.relations] == [
        ("Sarah Chen", "MEMBER_OF", "Google"),
        ("Sarah Chen", "WORKS_ON", "TensorFlow migration"),
        ("TensorFlow migration", "USES", "Python"),
        ("TensorFlow migration", "USES", "Docker"),
    ]


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ticket AUTH-142 blocks the Checkout project.", [("AUTH-142", "BLOCKS", "Checkout")]),
        ("The ticket AUTH-142 blocks the Checkout project.", [("AUTH-142", "BLOCKS", "Checkout")]),
        ("Issue #12 blocks the Checkout project.", [("#12", "BLOCKS", "Checkout")]),
        ("Bug #99 blocks AUTH-142.", [("#99", "BLOCKS", "AUTH-142")]),
        ("Ticket #99 blocks AUTH-142.", [("#99", "BLOCKS", "AUTH-142")]),
        ("Issue #12 is blocked by ticket AUTH-142.", [("AUTH-142", "BLOCKS", "#12")]),
        ("Issue #12 and ticket AUTH-1 block AUTH-2.", [("#12", "BLOCKS", "AUTH-2"), ("AUTH-1", "BLOCKS", "AUTH-2")]),
        ("Ticket AUTH-1 blocks issue #12 and issue #13.", [("AUTH-1", "BLOCKS", "#12"), ("AUTH-1", "BLOCKS", "#13")]),
        ("Task AUTH-142 depends on Redis.", [("AUTH-142", "DEPENDS_ON", "Redis")]),
        ("Pull request #4821 fixes Flask.", [("#4821", "MODIFIED", "Flask")]),
        ("The fix for bug #99 blocks AUTH-142.", []),
    ],
)
def test_a_key_may_stand_behind_the_word_for_a_task(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert facts(text) == expected


def test_who_is_he_is_no_object_of_the_conjunction_before_it() -> None:
    assert facts("Alice Baker left Google before she joined Siemens.") == [("Alice Baker", "MEMBER_OF", "Siemens")]


def test_a_suggestion_is_no_use() -> None:
    text = "Discussed API design with Bob. He suggested using GraphQL."
    assert names(text) == [("Bob", "person"), ("GraphQL", "technology")]
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice Baker leads Debian.", ("Alice Baker", "WORKS_ON", "Debian")),
        ("Alice Baker led Debian until 2016.", ("Alice Baker", "WORKS_ON", "Debian")),
        ("Alice Baker has been working on PostgreSQL.", ("Alice Baker", "WORKS_ON", "PostgreSQL")),
        ("Alice Baker is a member of the Linux Foundation.", ("Alice Baker", "MEMBER_OF", "Linux Foundation")),
        ("Alice Baker works for Siemens.", ("Alice Baker", "MEMBER_OF", "Siemens")),
        ("Alice Baker joined Siemens in 2019.", ("Alice Baker", "MEMBER_OF", "Siemens")),
        ("GitLab uses PostgreSQL.", ("GitLab", "USES", "PostgreSQL")),
        ("PostgreSQL is used by GitLab.", ("GitLab", "USES", "PostgreSQL")),
        ("GitLab depends on Redis.", ("GitLab", "DEPENDS_ON", "Redis")),
        ("Xfce is based on the GTK+ toolkit.", ("Xfce", "DEPENDS_ON", "GTK+")),
        ("Kali Linux is a Debian-based distribution.", ("Kali Linux", "DEPENDS_ON", "Debian")),
        ("AUTH-142 blocks AUTH-143.", ("AUTH-142", "BLOCKS", "AUTH-143")),
        ("AUTH-143 is blocked by AUTH-142.", ("AUTH-142", "BLOCKS", "AUTH-143")),
        ("IBM owns Red Hat.", ("IBM", "OWNS", "Red Hat")),
        ("Red Hat was acquired by IBM.", ("IBM", "OWNS", "Red Hat")),
        ("Linus Torvalds created Git.", ("Linus Torvalds", "CREATED", "Git")),
        ("Git was originally written by Linus Torvalds.", ("Linus Torvalds", "CREATED", "Git")),
        ("Linus Torvalds is the author of Git.", ("Linus Torvalds", "CREATED", "Git")),
        ("Alice Baker rewrote OpenSSL.", ("Alice Baker", "MODIFIED", "OpenSSL")),
        ("RFC 1945 refers to RFC 822.", ("RFC 1945", "REFERENCES", "RFC 822")),
        ("RFC 7230 contradicts RFC 2616.", ("RFC 7230", "CONTRADICTS", "RFC 2616")),
        ("Devuan is a fork of Debian.", ("Devuan", "RELATED_TO", "Debian")),
        ("Git is written in C.", ("Git", "USES", "C")),
        ("Wayland replaces X11.", ("Wayland", "RELATED_TO", "X11")),
        ("Exim was superseded by Postfix.", ("Postfix", "RELATED_TO", "Exim")),
        ("Podman is a drop-in replacement for Docker.", ("Podman", "RELATED_TO", "Docker")),
        ("GitLab provides an alternative to GitHub.", ("GitLab", "RELATED_TO", "GitHub")),
        ("Zubpy is a Python wrapper around libfoo.", ("Zubpy", "RELATED_TO", "libfoo")),
        ("Freon is a fork of gnome-shell-extension-sensors.", ("Freon", "RELATED_TO", "gnome-shell-extension-sensors")),
        ("They use TAP::Harness (a replacement for Test::Harness).", ("TAP::Harness", "RELATED_TO", "Test::Harness")),
        ("Django is part of the Zub platform.", ("Django", "MEMBER_OF", "Zub")),
        ("Bill Nottingham became the leader of Fedora.", ("Bill Nottingham", "WORKS_ON", "Fedora")),
        ("This is the Zub fork maintained by Tom Carnase.", ("Tom Carnase", "WORKS_ON", "Zub")),
        ("It draws graphs for the GD::Pie module by Sarah Chen.", ("Sarah Chen", "CREATED", "GD::Pie")),
        ("It is rendered with Sarah Chen's GD.pm.", ("Sarah Chen", "CREATED", "GD.pm")),
        ("Google’s TensorFlow is popular.", ("Google", "OWNS", "TensorFlow")),
        ("It reads text in Octave, an editor written by Sarah Chen.", ("Sarah Chen", "CREATED", "Octave")),
        ("GitLab requires GNU Make.", ("GitLab", "DEPENDS_ON", "Make")),
        ("GitLab requires C++11.", ("GitLab", "DEPENDS_ON", "C++11")),
        ("Zubzip compresses files using Huffman.", ("Zubzip", "USES", "Huffman")),
        ("Velvet is a genomic assembler written in Fortran.", ("Velvet", "USES", "Fortran")),
        ("HTSlib is the core library used by samtools.", ("samtools", "USES", "HTSlib")),
        ("Altair is based on Haskell's Cabal.", ("Altair", "DEPENDS_ON", "Cabal")),
        ("QuakeSpasm is based on the SDL port of FitzQuake.", ("QuakeSpasm", "DEPENDS_ON", "FitzQuake")),
        ("GitLab depends on various libraries, including Guava.", ("GitLab", "DEPENDS_ON", "Guava")),
        ("Zubzip is a Flask extension that helps with files.", ("Zubzip", "RELATED_TO", "Flask")),
        ("Zubzip is a fast, modular and extensible DHCP server written in Go.", ("Zubzip", "USES", "Go")),
        ("Rhino is an implementation of the JavaScript language written in Java.", ("Rhino", "USES", "Java")),
        ("Zubzip is a set of programs developed by Mozilla.", ("Mozilla", "CREATED", "Zubzip")),
        ("Zubzip is implemented using the Tcl scripting language.", ("Zubzip", "USES", "Tcl")),
        ("Zubzip uses cron, the Linux scheduling service.", ("Zubzip", "USES", "cron")),
        ("The Zub::Zip module provides Perl bindings for libzub.", ("Zub::Zip", "RELATED_TO", "libzub")),
        ("Zubzip is an extension to the Django web framework.", ("Zubzip", "RELATED_TO", "Django")),
        (
            "Zubzip is a full-featured, multi-platform BitTorrent client using Docker in it.",
            ("Zubzip", "USES", "Docker"),
        ),
    ],
)
def test_a_plain_statement_is_read(text: str, expected: tuple[str, str, str]) -> None:
    assert facts(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "GitLab does not use MongoDB.",
        "Alice Baker never worked on Debian.",
        "Most users of Debian like Python.",
        "The Linux and Mac versions are based on Valgrind.",
        "Java applications use Maven.",
        "Sarah Chen is the author of the Python documentation toolset.",
        "Postfix is not a replacement for Exim.",
        "Why does GitLab use PostgreSQL?",
        "Argparse4j is based on Python's parser.",
        "A Python parser, based on PEG, comes with it.",
        "RDF::ACL is a library for managing lists based on RDF data.",
        "When signing a JAR, Zub will choose algorithms based on Android versions.",
        "PNMixer is a mixer for systems that use ALSA.",
        "Tipsy is a plugin for a Facebook-like effect.",
        "It serves the script used by Haskell communities.",
        "Zubzip implements the DES-based Unix crypt function.",
        "Postfix is designed to help applications using MongoDB to move their data.",
        "Zubzip reads audio frames encoded using Vorbis.",
        "It supports PDF as an alternative, producing PDF directly using Cairo.",
        "Zubzip reads the images produced by Mozilla.",
        "Zubzip is a clone of the classic DOS game.",
        "Zubzip is a wrapper for Debian Developers.",
        "Zubzip is a plugin to read MongoDB files.",
        "Git is used if Docker requires MongoDB.",
        "GitLab converts Markdown for Docker, which is something that uses MongoDB.",
        "It supports Linux only, as it uses Netlink.",
        "It does not support Linux and uses Netlink.",
        "The bindings needed to use MongoDB are there, and GitLab provides the files needed to use Docker.",
        "It reads the files of Docker in the format used by GitLab.",
        "Zubzip is a replacement for GNU zubtools.",
        "Easy GitLab is a fork of MongoDB.",
        "It is to be used with Docker, which uses MongoDB.",
        "The matching alphabet uses MongoDB.",
        "Ann Lee succeeded Alice Brown as lead of Django.",
    ],
)
def test_what_is_not_stated_is_not_read(text: str) -> None:
    assert facts(text) == []


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


def test_it_means_what_the_sentence_before_was_about() -> None:
    text = "Git is covered by the GPL (and compatible with SQLite). It was written by Sarah Chen. It uses Perl."
    assert facts(text) == [("Sarah Chen", "CREATED", "Git"), ("Git", "USES", "Perl")]


def test_headings_and_lines_of_lists_are_sentences_of_their_own() -> None:
    assert [name for name, _ in names("DejaVu Sans\nDejaVu Serif\nZub Mono\n")] == [
        "DejaVu Sans",
        "DejaVu Serif",
        "Zub Mono",
    ]
    assert facts("Sarah Chen is\nthe author of Git.") == [("Sarah Chen", "CREATED", "Git")]
    assert facts("LibreTLS is a port of libtls. zlib is used by GitLab.")[-1] == ("GitLab", "USES", "zlib")


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


def test_a_pronoun_means_the_last_person_and_costs_confidence() -> None:
    text = "Alice Baker met Bob Miller. He maintains Debian."
    assert facts(text) == [("Bob Miller", "WORKS_ON", "Debian")]
    assert read(text).relations[0].confidence < read("Bob Miller maintains Debian.").relations[0].confidence


def test_relations_speak_of_the_name_whichever_was_said() -> None:
    text = "Kubernetes, also known as Kube9, is a platform. Kube9 uses etcd."
    assert facts(text) == [("Kubernetes", "USES", "etcd")]
