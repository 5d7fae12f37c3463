"""Blocks of lines that are kept as they are: sessions, configurations, listings, and what a sentence announces."""

import pytest

from toolsets.skills.extraction.literal_blocks import announcing
from toolsets.skills.extraction.sentences import sentences
from toolsets.skills.extraction.steps import steps_in

OPEN = [
    "Set it to hold using\n\n{}",
    "Set it to hold with\n\n{}",
    "Set it to hold by running\n{}",
    "Set it to hold like this\n\n{}",
    "To set it to hold, execute the command\n\n{}",
    "Set it to hold as the following.\n\n{}",
    "Set it to hold as follows:\n\n{}",
]
COMMANDS = [
    "apt-mark hold package_name",
    "dpkg --get-selections \\* > selections.txt",
    "update-alternatives --install /usr/bin/x \\\n  x /usr/local/bin/y 50",
]
SETTINGS = [
    "Package: package-1\nPin: version *\nPin-Priority: -1",
    "Package: package-1\nPin: version *\nPin-Priority: -1\n\nPackage: package-2\nPin: version *\nPin-Priority: -1",
    "[main]\nkey = value\nother: 3",
    "services:\n  web:\n    image: nginx\n    ports:\n      - 80:80",
    "//server/share /mnt cifs credentials=/etc/cred 0 0",
    "UUID=0a1b  /srv  ext4  defaults,noatime  0 2",
    "deb http://deb.debian.org/debian/ sid main contrib non-free",
    '# Requests of each host\nLogFormat "%v %h %l" vhost\nCustomLog /var/log/access.log vhost',
    "<VirtualHost *:80>\nServerName   www.example.org\nDocumentRoot /srv/www\n</VirtualHost>",
    "iface enp7s0 inet6 static\n    address 2001:db8::1/64\n    # Without the router\n    # autoconf 0",
    'APT::Acquire::http::Dl-Limit "800";',
    "25  19   *   *   *    $HOME/bin/get.pl",
]


@pytest.mark.parametrize("code", COMMANDS)
@pytest.mark.parametrize("told", OPEN)
def test_the_sentence_that_announces_a_command_ends_with_a_colon(told: str, code: str) -> None:
    [step] = steps_in(told.format(code))
    announced, _, below = step.partition("\n")
    assert announced.endswith(":")
    assert below == code


@pytest.mark.parametrize("code", SETTINGS)
def test_settings_below_their_announcement_are_kept_letter_by_letter(code: str) -> None:
    told = f"Write the file as the following.\n\n{code}\n\nRestart the service."
    assert steps_in(told) == [
        f"Write the file as the following:\n{code.replace(chr(10) * 2, chr(10))}",
        "Restart the service.",
    ]


def test_a_value_before_and_a_value_after_belong_to_one_step() -> None:
    old, new = "libc6                install", "libc6                hold"
    told = f"Change the line of the package, from this:\n\n{old}\n\nto this:\n\n{new}\n\nSave it."
    assert steps_in(told) == [
        f"Change the line of the package, from this:\n{old}\nto this:\n{new}",
        "Save it.",
    ]


def test_the_caption_of_a_listing_announces_it() -> None:
    listing = "Example 11.16. .htaccess file for a password\n\nRequire valid-user\nAuthType Basic"
    assert steps_in(f"Start the server.\n\n{listing}\n\nRestart it.") == [
        "Start the server. .htaccess file for a password:\nRequire valid-user\nAuthType Basic",
        "Restart it.",
    ]


@pytest.mark.parametrize(
    "caption", ["Table 9.11. List of common signals", "Figure 2. Set the date", "Example 4.1. Change of it"]
)
def test_a_caption_alone_is_no_step(caption: str) -> None:
    assert steps_in(f"Stop the program.\n\n{caption}\n\nStart the program.") == [
        "Stop the program.",
        "Start the program.",
    ]


@pytest.mark.parametrize("prompt", ["$", "#", "root@web1:~#"])
def test_what_a_session_prints_is_no_step(prompt: str) -> None:
    session = (
        f"{prompt} dpkg --print-architecture\namd64\n{prompt} dpkg -i gcc-9_armhf.deb\n"
        "dpkg: error processing archive gcc-9_armhf.deb (--install):\n package architecture does not match the system\n\n"
        f"--- 3 packages ---\n\n{prompt} dpkg --add-architecture armhf\nfinished 0"
    )
    assert steps_in(f"Add the architecture like this:\n\n{session}") == [
        "Add the architecture like this:\ndpkg --print-architecture\ndpkg -i gcc-9_armhf.deb\ndpkg --add-architecture armhf"
    ]


def test_the_lines_of_a_command_in_a_session_are_no_output() -> None:
    told = "$ cat > /etc/foo <<EOF\na = 1\nUse it.\nEOF\n$ foo \\\n    --all\ndone 0"
    assert steps_in(told) == ["cat > /etc/foo <<EOF\na = 1\nUse it.\nEOF\nfoo \\\n    --all"]


def test_an_instruction_below_a_command_is_a_step() -> None:
    assert steps_in("$ sudo systemctl restart cups\nThen print again.") == [
        "sudo systemctl restart cups",
        "Print again.",
    ]


def test_what_a_session_printed_is_kept_where_it_is_the_problem() -> None:
    text = "The update fails.\n\n$ apt update\nE: Could not get lock"
    assert [(part.text, part.printed) for part in sentences(text)][1:] == [
        ("apt update", False),
        ("E: Could not get lock", True),
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "Edit the file with\nyour favourite editor and restart it.",
        "These are supported:\n\namd64: this covers systems with a CPU of AMD.",
        "Do the following:\n\nuncheck the box\nclick save",
    ],
)
def test_prose_below_an_announcement_stays_prose(prose: str) -> None:
    assert all(part.kind == "prose" for part in sentences(prose))


def test_a_statement_that_announces_a_command_is_kept_with_it() -> None:
    told = "It is common to add a rule as follows for its user.\n\n# usermod -aG sudo penguin\n\nIt lasts until you log out."
    assert steps_in(told) == [
        "It is common to add a rule as follows for its user:\nusermod -aG sudo penguin\nIt lasts until you log out."
    ]
    told = "For example, the following command adds a user:\n\n# htpasswd /etc/apache2/passwords user\nNew password:"
    assert steps_in(f"Stop the server.\n\n{told}") == [
        "Stop the server.",
        "For example, the following command adds a user:\nhtpasswd /etc/apache2/passwords user",
    ]


def test_the_lines_of_a_script_are_kept() -> None:
    script = '#!/bin/sh\nENCDN=iso-8859-1\nfor x in *;\n do\n mv "$x" "$y"\ndone'
    assert steps_in(f"Here is a script.\n\n{script}\n\nRun it.") == [script, "Run it."]


@pytest.mark.parametrize(
    ("before", "behind", "steps"),
    [
        (
            "Add",
            "to the http block of `nginx.conf` and then reload it with",
            ["Add to the http block of `nginx.conf`:\nworkers = 4", "Reload it with:\nmqctl reload"],
        ),
        (
            "If you are on 7.2, log in and set:",
            "in `/etc/mq.conf`, then run",
            ["If you are on 7.2, log in and set in `/etc/mq.conf`:\nworkers = 4", "Run:\nmqctl reload"],
        ),
        (
            "Put the line",
            "at the end of `/etc/mq.conf`. Then run",
            ["Put the line at the end of `/etc/mq.conf`:\nworkers = 4", "Run:\nmqctl reload"],
        ),
        ("Set this:", "In the console, run", ["Set this:\nworkers = 4", "In the console, run:\nmqctl reload"]),
        ("set this:", "to check it, run", ["Set this:\nworkers = 4", "To check it, run:\nmqctl reload"]),
    ],
)
def test_a_place_behind_a_block_belongs_to_the_sentence_before_it(before: str, behind: str, steps: list[str]) -> None:
    told = f"{before}\n\n```\nworkers = 4\n```\n\n{behind}\n\n```\nmqctl reload\n```"
    assert steps_in(told) == steps


@pytest.mark.parametrize(
    ("told", "steps"),
    [
        (
            "Add the line\n\n  MTU = 1412\n\nto the [Interface] section and restart it.",
            ["Add the line to the [Interface] section:\nMTU = 1412", "Restart it."],
        ),
        ("Put\n\n  UseDNS no\n\ninto the file.", ["Put into the file:\nUseDNS no"]),
        ("Set the option\n\n  UseDNS no\n\nand restart sshd.", ["Set the option:\nUseDNS no", "Restart sshd."]),
        ("Open the menu\n\nThen press Reset\n\nand wait.", ["Open the menu.", "Press Reset.", "Wait."]),
    ],
)
def test_lines_between_two_halves_of_a_sentence_stay(told: str, steps: list[str]) -> None:
    assert steps_in(told) == steps


@pytest.mark.parametrize(
    "records",
    [
        "h1._domainkey.a.example.  CNAME  h1.dkim.b.example.",
        '_acme.a.example. 300 IN TXT "abc-def"\nh1._domainkey.a.example.  CNAME  h1.dkim.b.example.',
        "@   3600  MX  10 mx1.b.example.\n@   3600  MX  20 mx2.b.example.",
        "www CNAME shops.b.example.",
    ],
)
def test_records_of_a_zone_are_kept_letter_by_letter(records: str) -> None:
    assert steps_in(f"Create this in the zone:\n\n{records}\n\nThen restart it.") == [
        f"Create this in the zone:\n{records}",
        "Restart it.",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "In config.php add",
        "In the registry set",
        "At the end of config.php add",
        "Under [mail] in config.ini put",
        "In the settings file, add the line",
        "In config.php you need",
        "You need this in config.php",
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_a_place_and_a_verb_announce_the_code_below(sentence: str, apart: bool) -> None:
    assert announcing(sentence, apart=apart) == f"{sentence}:"


@pytest.mark.parametrize(
    "sentence", ["In config.php there is", "Add it in the file.", "It is in the set of", "On Monday I saw", "Open it"]
)
def test_other_words_announce_no_code_directly_below(sentence: str) -> None:
    assert announcing(sentence, apart=False) == sentence
