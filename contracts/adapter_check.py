"""Checks the shape of an adapter before the run: its attributes, its capabilities and its known gaps."""

import sys
from collections.abc import Mapping
from difflib import get_close_matches
from inspect import iscoroutinefunction
from typing import Literal, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from backends.ports.adapter import Adapter, capabilities_with
from backends.ports.capabilities import Capabilities, PortName
from backends.ports.errors import InvalidInput
from backends.ports.gaps import GapKind, KnownGap
from backends.ports.values import Json
from contracts.promises import area_of, manifest

PORTS: tuple[PortName, ...] = get_args(PortName)


MISUSED = 4
"""The exit code of a run that cannot start."""


class Misuse(Exception):
    """The run cannot start; the message is one sentence for the user."""


def known_gaps(adapter: Adapter) -> tuple[KnownGap, ...]:
    """Return the gaps that the adapter's module declares in `KNOWN_GAPS`."""
    module = sys.modules[type(adapter).__module__]
    declared: tuple[KnownGap, ...] = getattr(module, "KNOWN_GAPS", ())
    return declared


def check_adapter(adapter: Adapter, options: Mapping[str, Json], *, chosen_as: str | None = None) -> None:
    """Check an adapter that is opened with these options, `chosen_as` by its entry point. Raises `Misuse`."""
    name: object = getattr(adapter, "name", None)
    if not isinstance(name, str) or not name:
        raise Misuse(f"{type(adapter).__name__} is not an adapter: its `name` is {name!r} instead of a text")
    if chosen_as is not None and name != chosen_as:
        raise Misuse(f"the entry point {chosen_as!r} leads to an adapter that is called {name!r}")
    settings: object = getattr(adapter, "settings", None)
    if not (isinstance(settings, type) and issubclass(settings, BaseModel)):
        raise Misuse(f"the adapter {name!r} has no pydantic model in `settings`")
    if settings.model_config.get("extra") != "forbid":
        raise Misuse(f'the settings of the adapter {name!r} need extra="forbid", which refuses misspelt options')
    if not iscoroutinefunction(getattr(adapter, "open", None)):
        raise Misuse(f"the adapter {name!r} has no `async def open(self, options, directory)`")
    _check_capabilities(name, getattr(adapter, "capabilities", None))
    try:
        _check_capabilities(name, capabilities_with(adapter, options))
    except InvalidInput as error:
        raise Misuse(f"the adapter {name!r} refuses its options: {error}") from error
    for gap in known_gaps(adapter):
        _check_gap(name, gap, adapter.capabilities)


def _check_capabilities(name: str, capabilities: object) -> None:
    if not isinstance(capabilities, Capabilities):
        raise Misuse(f"the `capabilities` of the adapter {name!r} are not `Capabilities`")
    ports = cast("object", capabilities.ports)
    if not isinstance(ports, frozenset) or not ports or not cast("frozenset[object]", ports) <= {*PORTS}:
        raise Misuse(f"the adapter {name!r} offers {ports!r}; ports are a frozenset of {', '.join(PORTS)}")
    for field, wanted in get_type_hints(Capabilities).items():
        value: object = getattr(capabilities, field)
        allowed: tuple[object, ...] = get_args(wanted) if get_origin(wanted) is Literal else ()
        if (allowed and value not in allowed) or (wanted is bool and not isinstance(value, bool)):
            choice = " or ".join(map(repr, allowed or (True, False)))
            raise Misuse(f"the adapter {name!r} says {field} = {value!r}, which is not {choice}")


def _check_gap(name: str, gap: object, capabilities: Capabilities) -> None:
    if not isinstance(gap, KnownGap):
        raise Misuse(f"KNOWN_GAPS of the adapter {name!r} holds {gap!r}, which is not a `KnownGap`")
    where = f"KNOWN_GAPS of the adapter {name!r}: {gap.promise!r}"
    known = manifest().get(gap.promise)
    if known is None:
        similar = get_close_matches(gap.promise, manifest(), n=1)
        raise Misuse(f"{where} is not a promise of the manifest{f'; is it {similar[0]!r}?' if similar else ''}")
    if known.proved_by != "suite":
        raise Misuse(f"{where} is not tried by this suite")
    area = area_of(gap.promise)
    if area in PORTS and area not in capabilities.ports:
        raise Misuse(f"{where} is about a port that the adapter does not offer")
    if gap.kind not in get_args(GapKind):
        raise Misuse(f"{where} is of the kind {gap.kind!r}, which is not {' or '.join(map(repr, get_args(GapKind)))}")
    error = cast("object", gap.error)
    if not (isinstance(error, type) and issubclass(error, Exception)) or error is Exception:
        raise Misuse(f"{where} needs the exception with which it fails, not {error!r}")
