"""`entrepot ingest`: adds documents to the catalog from the command line; safe to repeat and to interrupt."""

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import anyio
import click
import orjson

from backends.ports.errors import AlreadyOpen, StoreError
from backends.ports.values import JsonObject
from toolsets.concept_rag.pipeline.report import FileReport
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.spec import ReadOnlyFlag

_LET_INGEST: Final = ", or let its server ingest: name the folders in toolsets.concept_rag.folders"


def _check_paths(_ctx: click.Context, _parameter: click.Parameter, paths: tuple[str, ...]) -> Sequence[Path]:
    if "" in paths:
        # An unset variable of a script would stand for the current directory.
        raise click.BadParameter("a path is empty")
    return tuple(map(Path, paths))


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), callback=_check_paths, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line: each file, then the totals.")
@click.option("--prune", is_flag=True, help="Remove documents whose files are gone from these paths.")
@click.option("--dry-run", is_flag=True, cls=ReadOnlyFlag, help="Report what would be done, and do nothing.")
@click.pass_obj
async def ingest(rag: ConceptRag, paths: Sequence[Path], *, as_json: bool, prune: bool, dry_run: bool) -> int:
    """Add documents to the catalog: files, and folders with everything in them.

    Unchanged documents are skipped, so the command may be interrupted and repeated.
    """
    # Importing the ingestion modules takes 0.1 s, and servers import this command as well.
    from toolsets.concept_rag.ingestion.pool import ParserPool

    async with ParserPool() as pool:
        if not dry_run:
            await pool.start()
        from toolsets.concept_rag.commands.progress import observer_for_people
        from toolsets.concept_rag.pipeline.run import Ingestion, RunOptions

        _check_taxonomy(rag)
        options = RunOptions(prune=prune, dry_run=dry_run)
        async with _planning(rag) if dry_run else projecting(rag, _LET_INGEST):
            if as_json:
                summary = await Ingestion(rag, pool=pool).run(paths, options, _JsonObserver())
                click.echo(_line(summary.as_json()))
            else:
                with observer_for_people() as observer:
                    summary = await Ingestion(rag, pool=pool).run(paths, options, observer)
                click.echo(f"{'Would be: ' if dry_run else ''}{summary.line()}")
    return 1 if summary.failed else 0


def _check_taxonomy(rag: ConceptRag) -> None:
    from toolsets.concept_rag.taxonomy.model import TaxonomyError

    try:
        _ = rag.taxonomy
    except TaxonomyError as error:
        raise click.ClickException(f"The categories of toolsets.concept_rag.taxonomy cannot be used: {error}") from None


@contextmanager
def explaining(otherwise: str = "") -> Generator[None]:
    """If an engine that admits one process is open in another one, say in the error to stop that one, and what else helps."""
    try:
        yield
    except AlreadyOpen as error:
        raise AlreadyOpen(f"{error}. Stop that process for the time of this command{otherwise}.") from error


@asynccontextmanager
async def _planning(rag: ConceptRag) -> AsyncGenerator[None]:
    """Open the stores, which are read-only. Raises `StoreError`."""
    with explaining(_LET_INGEST):
        await rag.live_stores.open()
    yield


@asynccontextmanager
async def projecting(rag: ConceptRag, otherwise: str = "") -> AsyncGenerator[None]:
    """Open the stores and run the relay inside the block, then complete the pending projections.

    Raises `StoreError`, also if an engine that admits one process is open in another process; `otherwise` ends that
    sentence.
    """
    with explaining(otherwise):
        await rag.sourced.ready()
    failure: StoreError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(rag.sourced.relay.run)
        try:
            yield
        except StoreError as error:
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    with suppress(StoreError):  # the next process that opens the stores completes pending projections
        await rag.sourced.relay.catch_up()


class _JsonObserver:
    """Prints a compact JSON object for each file."""

    def started(self, files: int, size: int) -> None:
        """Do nothing."""

    def finished(self, report: FileReport, size: int) -> None:
        """Print the result of a file."""
        click.echo(_line(report.as_json()))

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Do nothing."""


def _line(value: JsonObject) -> str:
    return orjson.dumps(value).decode()
