"""What a revision may be."""

from backends.ports.errors import InvalidInput
from backends.ports.values import MAX_INTEGER


def check_revision(rev: int) -> None:
    """Raise `InvalidInput` unless a revision is 1 or more."""
    if not 1 <= rev <= MAX_INTEGER:
        raise InvalidInput(f"a revision is 1 or more: {rev}")
