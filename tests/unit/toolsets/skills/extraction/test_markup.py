"""Markup: emphasis and links become plain text; commands, paths and inline code stay as they were written."""

import pytest

from toolsets.skills.extraction.markup import HeldCode, code_spans, outside_code, single_blanks, without_markup


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("Open **Save** now.", "Open Save now."),
        ("Open *Save*, then __Save__ and _Save_.", "Open Save, then Save and Save."),
        ("**Settings > General** and __Advanced settings__", "Settings > General and Advanced settings"),
        ("Do *not* delete the _other_ one.", "Do not delete the other one."),
        ("**Open *Save***", "Open Save"),
        ("***Save***", "Save"),
        ("*the second option*", "the second option"),
        ("Run **`rm *`** now.", "Run `rm *` now."),
        ("**Open the menu.", "Open the menu."),
        ("Run git pull and open **Settings**.", "Run git pull and open Settings."),
        ("[label](http://x.example/a)", "label (http://x.example/a)"),
        ("![a plug](images/plug.png)", "a plug (images/plug.png)"),
        ("[http://x.example/a](http://x.example/a)", "http://x.example/a"),
    ],
)
def test_emphasis_and_links_become_plain(marked: str, plain: str) -> None:
    assert without_markup(marked) == plain


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf /var/cache/foo/* /tmp/foo/*",
        "rm *cache* *log*",
        "`rm *.tmp *.bak`",
        "*/5 * * * * /usr/bin/backup",
        "SELECT * FROM a WHERE b = '*'",
        "SELECT a.*, b.* FROM a, b",
        "__init__, __all__, __FILE__ and __main__.py",
        "foo(**kwargs) and *args",
        "def f(*args, **kwargs)",
        "/* eslint-disable */",
        "*.acme.example and *.cdn.example",
        r"C:\Users\*\AppData\*.tmp",
        "_private_",
        "foo_* and bar_*",
        "2 * 3 * 4 and 5*3*2",
        "2 ** 3 ** 4",
        "**/*.py and **/*.pyc",
        "*foo, *bar, baz*",
        "char *a, char *b",
        "handlers[i](x.y)",
        "`__init__` and `[a](b.c)`",
        "find . -name '*.o' -o -name '*.a'",
    ],
)
def test_commands_paths_and_names_stay_as_they_are(text: str) -> None:
    assert without_markup(text) == text


def test_inline_code_keeps_its_blanks() -> None:
    assert single_blanks('Run  `echo "a  b"`\n now') == 'Run `echo "a  b"` now'


def test_inline_code_ends_at_as_many_backticks_as_it_began_with() -> None:
    text = "don`t ``a ` b`` and `c` but `d"
    assert [text[start:stop] for start, stop in code_spans(text)] == ["``a ` b``", "`c`"]


def test_a_change_of_prose_does_not_reach_code() -> None:
    assert outside_code(str.upper, "set `a` and `b`, \ue123") == "SET `A` AND `B`, \ue123"
    assert outside_code(str.upper, "set `a` and `b`") == "SET `a` AND `b`"


def test_a_part_of_a_text_gets_its_code_back() -> None:
    held = HeldCode()
    texts = [held.hold(text) for text in ("run `a, b`; `c`", "run `d`")]
    assert [held.restore(text.rpartition("run ")[2]) for text in texts] == ["`a, b`; `c`", "`d`"]
