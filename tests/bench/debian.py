"""Debian's packages as a graph: packages, the sources they are built from, and who maintains them, as apt knows them."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

_FIELD = re.compile(r"^(Package|Source|Section|Maintainer|Depends|Description): (.*)$", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")


@dataclass(frozen=True, slots=True)
class Thing:
    """A node: a unique name, `package`, `source` or `maintainer`, a line of text, and (relation, name) of each edge."""

    name: str
    kind: str
    text: str
    links: tuple[tuple[str, str], ...] = ()


@cache
def things() -> tuple[Thing, ...]:
    """Return all packages, those that most others depend on first, then sources, then maintainers."""
    stanzas = tuple(_stanzas())
    packages = {stanza["Package"]: _package(stanza) for stanza in reversed(stanzas)}
    needed = Counter(name for thing in packages.values() for verb, name in thing.links if verb == "depends on")
    ordered = sorted(packages.values(), key=lambda thing: (-needed[thing.name], thing.name))
    sources = {_source(stanza): stanza for stanza in reversed(stanzas)}
    people = dict.fromkeys(stanza["Maintainer"] for stanza in stanzas)
    return (*ordered, *(_source_thing(name, stanza) for name, stanza in sorted(sources.items())), *_people(people))


def edges(among: Iterable[Thing]) -> list[tuple[str, str, str]]:
    """Return (from, relation, to) of the edges that have both ends among these."""
    chosen = tuple(among)
    names = {thing.name for thing in chosen}
    return [(thing.name, verb, other) for thing in chosen for verb, other in thing.links if other in names]


def _stanzas() -> Iterator[Mapping[str, str]]:
    said = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True, text=True).stdout
    for stanza in said.split("\n\n"):
        fields = dict(_FIELD.findall(stanza))
        if "Package" in fields:
            yield fields


def _package(stanza: Mapping[str, str]) -> Thing:
    """Return a package with an edge to everything that may meet one of its dependencies, and to its source."""
    alternatives = re.split(r"[,|]", stanza.get("Depends", ""))
    names = dict.fromkeys(found[0] for text in alternatives if (found := _NAME.search(text)) is not None)
    links = (*(("depends on", name) for name in names), ("is built from", _source(stanza)))
    text = f"{stanza.get('Description', '')} ({stanza.get('Section', 'unknown')})"
    return Thing(stanza["Package"], "package", text, links)


def _source(stanza: Mapping[str, str]) -> str:
    return f"src:{stanza.get('Source', stanza['Package']).split()[0]}"


def _source_thing(name: str, stanza: Mapping[str, str]) -> Thing:
    return Thing(name, "source", f"Source of {stanza['Package']}", (("is maintained by", stanza["Maintainer"]),))


def _people(names: Iterable[str]) -> Iterator[Thing]:
    for name in names:
        yield Thing(name, "maintainer", f"Maintains packages of Debian as {name}")
