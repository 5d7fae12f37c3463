"""What feedback says of a skill, by its words."""

import pytest

from toolsets.skills.confidence import Judgement, changed_by, judge


@pytest.mark.parametrize(
    ("feedback", "judgement"),
    [
        ("Worked like a charm", "positive"),
        ("Very helpful and accurate", "positive"),
        ("No problems, everything is correct.", "positive"),
        ("not bad", "positive"),
        ("10/10", "positive"),
        ("5/5", "positive"),
        ("4 stars", "positive"),
        ("👍", "positive"),
        ("It didn't work", "negative"),
        ("not helpful", "negative"),
        ("The second step is wrong", "negative"),
        ("This is outdated, the menu no longer exists", "negative"),
        ("Step 2 is missing and the path is incorrect, thanks", "negative"),
        ("1/5", "negative"),
        ("2 out of 10", "negative"),
        ("👎", "negative"),
        ("I would not recommend this", "negative"),
        ("helpful? no.", "negative"),
        ("Did it work? No", "negative"),
        ("Recommended!", "positive"),
        ("worked great except step 2 is outdated", "neutral"),
        ("Helpful, but the path in it is wrong.", "neutral"),
        ("This did not work at first but then it did", "positive"),
        ("First it failed, then it worked.", "positive"),
        ("five stars", "positive"),
        ("★★★★★", "positive"),
        ("+1", "positive"),
        ("Worked at once, thank you.", "positive"),
        ("It solved it for a customer, thanks.", "positive"),
        ("LGTM", "positive"),
        ("5", "positive"),
        ("100%", "positive"),
        ("👍🏽", "positive"),
        ("funktioniert", "positive"),
        ("Ya funciona", "positive"),
        ("Помогло", "positive"),
        ("Rating: 5", "positive"),
        ("It worked at first but then it stopped", "negative"),
        ("one star", "negative"),
        ("★☆☆☆☆", "negative"),
        ("-1", "negative"),
        ("1", "negative"),
        ("10%", "negative"),
        ("thumbs down", "negative"),
        ("😡", "negative"),
        ("nicht geholfen", "negative"),
        ("ne marche pas", "negative"),
        ("Werkt niet", "negative"),
        ("没有用", "negative"),
        ("Step 5 of 5 is wrong", "negative"),
        ("50%", "neutral"),
        ("★★★☆☆", "neutral"),
        ("", "neutral"),
        ("3/5", "neutral"),
        ("Customer uses the enterprise plan", "neutral"),
    ],
)
def test_words_and_ratings_decide(feedback: str, judgement: Judgement) -> None:
    assert judge(feedback) == judgement


def test_figures_are_round_and_bounded() -> None:
    assert [changed_by(0.5, judgement) for judgement in ("positive", "negative", "neutral")] == [0.6, 0.3, 0.5]
    assert changed_by(0.7, "positive") == 0.8
    assert (changed_by(1.0, "positive"), changed_by(0.1, "negative")) == (1.0, 0.0)
