"""Texts are read by rules: what they state, of whom and of what."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import MIGRATION, facts, names
from toolsets.agent_graph.extraction.extractors import RuleExtractor


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
