"""Claims: streams that give a unique key to one holder at a time."""

import hashlib
import json
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from backends.ports.events import StreamName
from toolsets.sourcing.aggregate import Change, Fact, History, UnreadableEvent, event_data


class _Holder(BaseModel):
    model_config = ConfigDict(frozen=True)

    holder: str


def digest_of(key: Sequence[str | None]) -> str:
    """Return the SHA-256 of a key's parts as canonical JSON, which is unambiguous."""
    # Part by part: `dumps` has a fast path for a text, but creates an encoder for a list with other separators.
    return hashlib.sha256(f"[{','.join(map(json.dumps, key))}]".encode()).hexdigest()


class Claims:
    """The claims of one toolset on one kind of key, such as names."""

    def __init__(self, toolset: str, scope: str) -> None:
        self._prefix = f"{toolset}/claim/{scope}/"
        self._taken = f"{toolset}.{scope}_claimed"
        self._given_up = f"{toolset}.{scope}_released"

    def stream(self, key: Sequence[str | None]) -> StreamName:
        """Return the stream of a key."""
        return StreamName(self._prefix + digest_of(key))

    def holder(self, history: History) -> str | None:
        """Return the holder of the key after `history`, None if it is free. Raises `UnreadableEvent`."""
        if not history:
            return None
        last = history[-1]
        if last.type not in (self._taken, self._given_up):
            raise UnreadableEvent(f"{last.type} is not a claim")
        return event_data(_Holder, last).holder if last.type == self._taken else None

    def take(self, key: Sequence[str | None], holder: str) -> Change:
        """Return the change that gives a key to `holder`, whoever held it before."""
        return Change(self.stream(key), (Fact(self._taken, {"holder": holder}),))

    def release(self, key: Sequence[str | None], holder: str) -> Change:
        """Return the change by which `holder` releases the key."""
        return Change(self.stream(key), (Fact(self._given_up, {"holder": holder}),))
