"""Compares a reply with a documented one, in which words starting with `$` stand for values that vary."""

import re
from collections.abc import Mapping

from backends.ports.values import Json

PLACEHOLDERS: Mapping[str, re.Pattern[str]] = {
    "$uuid": re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
    "$time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z?"),
    "$rel": re.compile(r"rel-[0-9a-f]{12}"),
    "$count": re.compile(r"[1-9]\d*"),
    "$date": re.compile(r"\d{4}-\d\d-\d\d"),
    "$similarity": re.compile(r"0\.\d{1,4}"),
    "$cosine": re.compile(r"0\.\d+"),
}


def differences(wanted: Json, got: Json, place: str = "reply") -> list[str]:
    """Return where `got` differs from `wanted`; empty if it does not."""
    match wanted, got:
        case dict(), dict():
            if set(wanted) != set(got):
                return [f"{place}: fields {sorted(set(wanted) ^ set(got))}"]
            return [line for name in wanted for line in differences(wanted[name], got[name], f"{place}.{name}")]
        case list(), list():
            if len(wanted) != len(got):
                return [f"{place}: {len(got)} items instead of {len(wanted)}"]
            pairs = enumerate(zip(wanted, got, strict=True))
            return [line for at, (one, two) in pairs for line in differences(one, two, f"{place}[{at}]")]
        case str(), _ if wanted in PLACEHOLDERS:
            return [] if PLACEHOLDERS[wanted].fullmatch(str(got)) else [f"{place}: {got!r} does not match {wanted}"]
        case _:
            return [] if wanted == got else [f"{place}: {got!r} instead of {wanted!r}"]
