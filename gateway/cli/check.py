"""`entrepot check`: print what is wrong with the stores and the toolsets."""

import dataclasses
import json
from collections.abc import Sequence
from typing import cast

import anyio
import click

from gateway.check import Report, check
from gateway.cli.options import CommonOptions, common_options
from gateway.logs import escaped
from toolsets.replies import counted


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@common_options
def command(*, as_json: bool) -> None:
    """Open every store and read its files; show versions, capabilities, lag and problems.

    The exit code is 1 if there is a problem.
    """
    report = anyio.run(check, CommonOptions.current().load().settings)
    click.echo(json.dumps({"ok": report.ok, **_plain(report)}) if as_json else "\n".join(map(escaped, _lines(report))))
    click.get_current_context().exit(0 if report.ok else 1)


def _plain(report: Report) -> dict[str, object]:
    plain = dataclasses.asdict(report)
    for health in plain["toolsets"].values():
        if not health["notes"]:
            del health["notes"]
    return json.loads(json.dumps(plain, default=list))


def _lines(report: Report) -> list[str]:
    lines = [f"entrepot {report.version}, data in {report.data_dir}", *report.shadowing]
    for name, store in report.stores.items():
        versions = ", ".join(f"{what} {version}" for what, version in store.versions.items())
        line = f"{_mark(ok=store.ok)} store {name} ({report.kinds[name]}): {store.detail}"
        lines.append(f"{line} ({versions})" if versions else line)
        can = "; ".join(f"{_words(what)}: {_words(value)}" for what, value in report.capabilities[name].items())
        lines.extend([f"     can: {can}"] if can else [])
    for name, toolset in report.toolsets.items():
        lines.append(f"{_mark(ok=toolset.ok)} toolset {name}: {_lag(toolset.lag)}")
        lines.extend(f"     {sentence}" for sentence in (*toolset.problems, *toolset.notes))
    return lines


def _words(value: object) -> str:
    """Return the name or the value of a capability as text."""
    match value:
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(str, cast("Sequence[object]", value)))
        case _:
            return str(value).replace("_", " ")


def _lag(lag: int | None) -> str:
    if lag is None:
        return "the number of pending projections is unknown"
    return f"{counted(lag, 'projection', 'projections')} pending"


def _mark(*, ok: bool) -> str:
    return "ok  " if ok else "BAD "
