"""Single families of redaction's rules, as they are tested beside their modules."""

from collections.abc import Sequence

from toolsets.skills.redaction.replacement import Rule


def applied(rules: Sequence[Rule], text: str) -> str:
    """Return a text after some rules, in their order."""
    for rule in rules:
        text = rule(text)
    return text
