"""The manifest of promises, and the mark that names the promises a test proves."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, StringConstraints

_ID = re.compile(r"[a-z]+(?:_[a-z]+)*(?::[a-z0-9]+(?:[-_][a-z0-9]+)*){1,2}")

PROMISE = "contracts.promise"
"""The property of a test's report that names a promise; a report has one per promise."""

Sentence = Annotated[str, StringConstraints(min_length=10, max_length=400, pattern=r"^[A-Z`].*\.$")]


class Promise(BaseModel):
    """A promise: the behaviour, its source, and what proves it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    behaviour: Sentence
    source: Annotated[str, StringConstraints(min_length=2)]
    """A port's method, a section of the tools reference, or the id of a reading."""
    proved_by: Literal["suite", "e2e"] = "suite"
    """`e2e`: proved by the project's own end-to-end tests, because it takes a broken store to see it."""


def area_of(promise_id: str) -> str:
    """Return the first part of `area:feature[:variant]`."""
    return promise_id.partition(":")[0]


def group_of(promise_id: str) -> str:
    """Return `area:feature`, the row of the report that the promise belongs to."""
    return ":".join(promise_id.split(":")[:2])


def is_under(promise_id: str, wanted: str) -> bool:
    """Return whether a promise is `wanted`, or belongs to the area or group `wanted`."""
    return promise_id == wanted or promise_id.startswith(f"{wanted}:")


@cache
def manifest() -> Mapping[str, Promise]:
    """Return every promise by its id, as the manifest files list them.

    Raises `ValueError` for an id that is malformed or filed under another area, and pydantic's
    `ValidationError` for an entry with a missing, unknown or empty part.
    """
    promises: dict[str, Promise] = {}
    folder = files("contracts") / "manifest"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".toml"):
            continue
        area = file.name.removesuffix(".toml")
        for promise_id, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            if _ID.fullmatch(promise_id) is None or area_of(promise_id) != area:
                raise ValueError(f"{file.name}: {promise_id!r} is not '{area}:feature[:variant]'")
            promises[promise_id] = Promise.model_validate(entry)
    return promises


def promise(*promise_ids: str) -> pytest.MarkDecorator:
    """Mark a test as the proof of promises. Raises `ValueError` for one that the manifest does not list."""
    unknown = [promise_id for promise_id in promise_ids if promise_id not in manifest()]
    if unknown or not promise_ids:
        raise ValueError(f"no such promise in the manifest: {', '.join(unknown) or '(none named)'}")
    return pytest.mark.promise(*promise_ids)
