"""`entrepot databases`: list, create and delete databases from the command line."""

import json
import re
from collections.abc import Sequence

import anyio.to_thread
import click

from backends.ports.errors import StoreError
from toolsets.memory.database import Database, UnknownDatabase
from toolsets.memory.purge import check_purgeable, left_behind, purge
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import NAME

_CREATED = {
    "created": "{} is created.",
    "restored": "{} is restored as it was when it was deleted.",
    "exists": "{} already exists and is unchanged.",
}


@click.group("databases", epilog="Put a name that begins with a dash after --, behind all options.")
def databases() -> None:
    """List, create and delete the databases of memory."""


@databases.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
async def list_databases(memory: Memory, *, as_json: bool) -> None:
    """List the databases."""
    live = await memory.databases.live()
    primary = memory.settings.primary
    if as_json:
        click.echo(json.dumps([{"name": name, "is_primary": name == primary} for name in live]))
        return
    for name in live:
        click.echo(f"{name} (primary)" if name == primary else name)


def _check_names(_ctx: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> Sequence[str]:
    wrong = next((name for name in names if re.fullmatch(NAME, name) is None), None)
    if wrong is not None:
        raise click.BadParameter(
            f"{wrong!r} is not a valid name: a name has 1 to 64 letters, digits, hyphens and underscores."
        )
    return names


@databases.command("create")
@click.argument("names", nargs=-1, required=True, callback=_check_names, metavar="NAME...")
@click.pass_obj
async def create_databases(memory: Memory, names: Sequence[str]) -> None:
    """Create databases; a deleted one comes back as it was."""
    await memory.databases.live()
    for name in names:
        outcome = await memory.databases.create(name)
        await memory.databases.note_change()
        click.echo(_CREATED[outcome].format(name))


@databases.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--purge", "purging", is_flag=True, help="Remove its events for ever.")
@click.pass_obj
async def delete_database(memory: Memory, name: str, *, yes: bool, purging: bool) -> int:
    """Delete a database. Its events are kept, and creating it again brings it back, unless they are purged."""
    if name in memory.settings.wanted:
        click.echo(_required(memory, name), err=True)
        return 1
    known = (await memory.databases.all()).get(name)
    finishing = known is not None and known.condition != "live"
    if known is None or (finishing and not purging):
        click.echo(f"There is no database {name!r}.", err=True)
        return 1
    consequence = "Its events are removed for ever." if purging else "Its events are kept."
    if not yes and not await _confirmed(f"Delete the database {name}? {consequence}"):
        click.echo("Nothing was deleted.", err=True)
        return 1
    try:
        if purging:
            return await _purge(memory, known)
        await memory.databases.delete(name, purge=False)
        await memory.databases.note_change()
    except UnknownDatabase:
        click.echo(f"There is no database {name!r}.", err=True)
        return 1
    click.echo(f"{name} is deleted; its events are kept, and creating it again brings it back.")
    return 0


def _required(memory: Memory, name: str) -> str:
    """Return why a database that must exist is not deleted."""
    if name == memory.settings.primary:
        return f"{name} is the primary database; it can be deleted when toolsets.memory.primary names another one."
    return f"{name} is named in the settings and would be created again at the next start; remove it there first."


async def _purge(memory: Memory, known: Database) -> int:
    """Delete a database and everything that it and earlier ones of its name left behind. Raises `UnknownDatabase`."""
    stores = memory.services.stores
    try:
        await check_purgeable(stores, known)
    except StoreError as error:
        click.echo(f"Nothing was deleted: {error}", err=True)
        return 1
    database = await memory.databases.delete(known.name, purge=True)
    await memory.databases.note_change()
    try:
        for keyspace in (database.keyspace, *await left_behind(stores, database)):
            await purge(stores, keyspace)
    except StoreError as error:
        click.echo(
            f"{known.name} is deleted, but not all of its events are removed: {error}\n"
            "The same command again removes them, and so does the next server.",
            err=True,
        )
        return 1
    click.echo(f"{known.name} is deleted and its events are removed.")
    return 0


async def _confirmed(question: str) -> bool:
    try:
        # In a thread, so that the stores' background work continues while the question waits.
        return await anyio.to_thread.run_sync(click.confirm, question)
    except click.Abort:
        return False
