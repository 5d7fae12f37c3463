"""Texts of messages that are HTML, or in which programs have escaped characters."""

import pytest

from toolsets.skills.transcript.json_texts import MessageText, plain_texts, text_in


def plain(*texts: str) -> list[str]:
    return plain_texts([MessageText(text) for text in texts])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<p>Hold it for 5&nbsp;seconds &amp; press <i>OK</i>.</p>", "Hold it for 5 seconds & press OK."),
        ("It prints nothing.<br>Model HP 4", "It prints nothing.\nModel HP 4"),
        ("Hold the <b>mode</b> button for 5&nbsp;seconds &amp; wait.", "Hold the mode button for 5 seconds & wait."),
        ("Run <code>a &gt; b</code>, please.", "Run a > b, please."),
        ("Run `make clean &amp;&amp; make install &gt; build.log`.", "Run `make clean && make install > build.log`."),
        ("<@U02AB> open <https://x.example/a?b&amp;c> &lt;now&gt;", "<@U02AB> open <https://x.example/a?b&c> <now>"),
        ("it works &#39;again&#39;", "it works 'again'"),
    ],
)
def test_tags_and_entities_are_resolved(text: str, read: str) -> None:
    assert plain(text) == [read]


@pytest.mark.parametrize(
    "text",
    [
        "Write &amp; instead of & in the file.",
        "If a < b, write &lt; there.",
        "Put `<b>text</b>` there.",
        "In the template, put <b>text</b> around it.",
        "The HTML has &nbsp; where the blank is.",
        "Use the array<int> type.",
        "a <- b, then c -> d",
        "Press <Enter> twice.",
    ],
)
def test_what_is_written_in_plain_text_stays(text: str) -> None:
    assert plain(text) == [text]


def test_one_text_that_is_not_escaped_shows_that_the_others_are_not() -> None:
    assert plain("Write &amp; there.", "Salt & pepper?") == ["Write &amp; there.", "Salt & pepper?"]


def test_a_text_is_html_if_its_source_says_so() -> None:
    assert plain_texts([MessageText("a <x>b</x>", is_html=True)]) == ["a b"]
    assert text_in({"htmlbody": "<x>a</x>"}).is_html
    assert text_in({"body": {"contentType": "html", "content": "a"}}).is_html
    assert text_in({"htmlbody": "<x>a</x>", "bodytext": "a"}) == MessageText("a")
