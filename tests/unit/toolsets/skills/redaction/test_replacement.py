"""What the rules remember of a text while they go through it."""

from typing import Protocol, runtime_checkable

from toolsets.skills.redaction import redact, replacement


@runtime_checkable
class Cached(Protocol):
    def cache_info(self) -> tuple[int, int, int | None, int]: ...


def test_no_text_is_kept_after_its_secrets_were_removed() -> None:
    assert "Tr0ub4dor" not in redact("Hello, my password is Tr0ub4dor&3-and-more.")
    sizes = [each.cache_info()[-1] for each in vars(replacement).values() if isinstance(each, Cached)]
    assert set(sizes) == {0}
