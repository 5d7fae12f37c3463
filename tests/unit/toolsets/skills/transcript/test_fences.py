"""Code between fences belongs to the turn that opens it, wherever the fence begins."""

import pytest

from toolsets.skills.transcript.reader import read_transcript


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("The gizmo does not work.", "```yaml\na: 1\n```"),
        ("It fails with ```\nError 1\n```", "Restart it."),
        ("It fails with ```\nAgent: x\n```", "Restart it."),
        ("It fails:\n~~~\nAgent: x\n~~~", "Restart it."),
        ("It fails:\n```\nError 1", "Restart it."),
        ("It fails:\n```\nError 1", "Use ```yaml\na: 1\n```"),
        ("It fails:\n```\nError 1\n```", "Run ```sudo reboot\nls```\nThen wait."),
        ("It fails with ```Error 1```", "Run ```reboot``` now."),
        ("It is gone ~~~ why?", "Wait ~~~"),
    ],
)
def test_a_fence_after_a_label_contains_only_its_code(asked: str, answered: str) -> None:
    turns = read_transcript(f"Customer: {asked}\nAgent: {answered}\nCustomer: Works, thanks!").turns
    assert [(turn.role, turn.text) for turn in turns] == [
        ("customer", asked),
        ("agent", answered),
        ("customer", "Works, thanks!"),
    ]
