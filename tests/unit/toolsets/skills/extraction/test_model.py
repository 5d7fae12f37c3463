"""The text of a resolution and its steps."""

from toolsets.skills.extraction import numbered, steps_of


def test_steps_survive_being_written_as_text() -> None:
    steps = ("Open it.", "Run:\nls -l\n  more", "Close it.")
    assert steps_of(numbered(steps)) == steps
    assert steps_of(numbered(("Only one.",))) == ("Only one.",)
    assert steps_of("1. One\n3. Not two") == ("One\n3. Not two",)
    assert steps_of("Just text\n1. with a list") == ("Just text\n1. with a list",)
