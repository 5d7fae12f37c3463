"""Web pages that were copied."""

import pytest

from toolsets.skills.transcript.web_pages import without_tags


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a</p><p>b</p>", "a\nb\n"),
        ("<div>a<br>b</div>", "a\nb\n"),
        ("<p>a<div>b</div>", "a\nb\n"),
        ("<b>ann</b><p>It fails.</p>", "ann:\nIt fails.\n"),
        ("<table><tr><td>Who:</td><td>a</td></tr></table>", "Who: a \n"),
        ("<p>a &lt;b&gt; &amp; c</p>", "a <b> & c\n"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb\n"),
    ],
)
def test_each_paragraph_of_a_page_is_a_line(page: str, text: str) -> None:
    assert without_tags(page) == text


@pytest.mark.parametrize("text", ["a <b>bold</b> word", "if a < b and c > d", "<ann> hello", "", "a\n<p>b</p>"])
def test_any_other_text_stays(text: str) -> None:
    assert without_tags(text) == text
