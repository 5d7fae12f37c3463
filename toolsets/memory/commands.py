"""`entrepot databases`: list, create and delete from the command line."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import anyio

from backends.ports.errors import StoreError
from toolsets.memory.database import Database, UnknownDatabase
from toolsets.memory.purging import check_purgeable, left_behind, purge
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import NAME
from toolsets.spec import CommandSpec

Say: TypeAlias = Callable[[str], None]
Action: TypeAlias = Callable[[Memory, Sequence[str], frozenset[str], Say], Awaitable[int]]

USAGE = """\
Usage: entrepot databases list [--json]
       entrepot databases create NAME...
       entrepot databases delete NAME [--yes] [--purge]
A name that begins with a dash stands after --, behind all options.
A deleted database keeps its events, and creating it again brings it back; --purge removes them for ever."""
WRONG_USAGE = 2


def databases_command(memory: Memory) -> CommandSpec:
    """Return the command."""

    async def run(words: Sequence[str], say: Say) -> int:
        names, flags = _names_and_flags(words[1:])
        if flags & {"-h", "--help"} or (words and words[0] in ("-h", "--help")):
            say(USAGE)
            return 0
        action, known = _ACTIONS.get(words[0] if words else "", (None, frozenset[str]()))
        if action is None or not flags <= known:
            say(USAGE)
            return WRONG_USAGE
        return await action(memory, names, flags, say)

    return CommandSpec("databases", "List, create and delete the databases of memory.", run)


def _names_and_flags(words: Sequence[str]) -> tuple[Sequence[str], frozenset[str]]:
    """Return names and flags; after `--` there are only names, because a name may begin with a dash."""
    end = words.index("--") if "--" in words else len(words)
    names = [word for word in words[:end] if not word.startswith("-")]
    return (*names, *words[end + 1 :]), frozenset(word for word in words[:end] if word.startswith("-"))


async def _list(memory: Memory, names: Sequence[str], flags: frozenset[str], say: Say) -> int:
    if names:
        say(USAGE)
        return WRONG_USAGE
    live = await memory.catalogue.live()
    primary = memory.settings.primary
    if "--json" in flags:
        say(json.dumps([{"name": name, "is_primary": name == primary} for name in live]))
    else:
        for name in live:
            say(f"{name} (primary)" if name == primary else name)
    return 0


async def _create(memory: Memory, names: Sequence[str], flags: frozenset[str], say: Say) -> int:
    wrong = [name for name in names if re.fullmatch(NAME, name) is None]
    if wrong or not names:
        say(f"A name has 1 to 64 letters, digits, - and _: {wrong[0]!r} has not." if wrong else USAGE)
        return WRONG_USAGE
    told = {
        "created": "{} is created.",
        "restored": "{} is back as it was when it was deleted.",
        "exists": "{} exists already; it is as it was.",
    }
    await memory.catalogue.live()
    for name in names:
        say(told[await memory.catalogue.create(name)].format(name))
    return 0


async def _delete(memory: Memory, names: Sequence[str], flags: frozenset[str], say: Say) -> int:
    if len(names) != 1:
        say(USAGE)
        return WRONG_USAGE
    name = names[0]
    if name in memory.settings.wanted:
        say(f"{name} is named in the settings and would be made again at the next start; take it out there first.")
        return 1
    known = (await memory.catalogue.all()).get(name)
    finishing = known is not None and known.condition != "live"
    if known is None or (finishing and "--purge" not in flags):
        say(f"There is no database {name!r}.")
        return 1
    consequence = "Its events are removed for ever." if "--purge" in flags else "Its events are kept."
    if "--yes" not in flags and not await _agreed(f"Delete the database {name}? {consequence} [y/N] "):
        say("Nothing was deleted.")
        return 1
    try:
        if "--purge" in flags:
            return await _purge(memory, known, say)
        await memory.catalogue.delete(name, purge=False)
    except UnknownDatabase:
        say(f"There is no database {name!r}.")
        return 1
    say(f"{name} is deleted; its events are kept, and creating it again brings it back.")
    return 0


async def _purge(memory: Memory, known: Database, say: Say) -> int:
    """Delete a database with all that it and earlier ones of its name left behind. Raises `UnknownDatabase`."""
    stores = memory.services.stores
    try:
        await check_purgeable(stores, known)
    except StoreError as error:
        say(f"Nothing was deleted: {error}")
        return 1
    database = await memory.catalogue.delete(known.name, purge=True)
    try:
        for space in (database.space, *await left_behind(stores, database)):
            await purge(stores, space)
    except StoreError as error:
        say(
            f"{known.name} is deleted, but not all of its events are removed: {error}\n"
            "The same command again removes them, and so does the next server."
        )
        return 1
    say(f"{known.name} is deleted and its events are removed.")
    return 0


async def _agreed(question: str) -> bool:
    try:
        said = await anyio.to_thread.run_sync(input, question)
    except EOFError:
        return False
    return said.strip().lower() in ("y", "yes")


_ACTIONS: dict[str, tuple[Action, frozenset[str]]] = {
    "list": (_list, frozenset(("--json",))),
    "create": (_create, frozenset()),
    "delete": (_delete, frozenset(("--yes", "--purge"))),
}
