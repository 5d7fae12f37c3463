"""What the rules remember of a text while they go through it."""

from functools import _lru_cache_wrapper

from toolsets.skills.redaction import redact, replacement


def test_no_text_is_kept_after_its_secrets_were_removed() -> None:
    assert "Tr0ub4dor" not in redact("Hello, my password is Tr0ub4dor&3-and-more.")
    caches = [each for each in vars(replacement).values() if isinstance(each, _lru_cache_wrapper)]
    assert len(caches) >= 1
    assert [cache for cache in caches if cache.cache_info().currsize] == []
