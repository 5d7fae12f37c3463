"""The options of every command, before or after its name: profile, configuration file and data directory."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import click

from backends.ports.validation_errors import rule_of
from config.errors import ConfigError, WrongValue
from config.settings import Settings
from config.sources import LoadedSettings, Sources, Table, flag_table, load, profiles, read
from config.suggestion import did_you_mean
from gateway import logs

Flags: TypeAlias = Mapping[str, str | int | Path | None]
CommandT = TypeVar("CommandT", bound=Callable[..., object])


class _NamedPath(click.Path):
    """A path that is not empty: an unset variable of a script would stand for the current directory."""

    def convert(
        self, value: "str | os.PathLike[str]", param: click.Parameter | None, ctx: click.Context | None
    ) -> "str | bytes | os.PathLike[str]":
        """Return the path. Fails for an empty one."""
        if value == "":
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


NAMED_PATH = _NamedPath(path_type=Path)


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """The options of every command, as given on the command line."""

    profile: str | None
    config: Path | None
    data_dir: Path | None

    @classmethod
    def current(cls) -> "CommonOptions":
        """Return the options of the running command line; an option nearer to the command takes precedence."""
        meta = click.get_current_context().meta
        return cls(meta.get(_key("profile")), meta.get(_key("config")), meta.get(_key("data_dir")))

    def load(self, flags: Flags | None = None) -> LoadedSettings:
        """Return the effective settings, with a command's own flags on top.

        Raises `ConfigError`, and `click.BadParameter` for an option whose profile or file does not exist.

        If the level of the log is set, the process logs from it to stderr; else a command prints only what it says itself.
        """
        self._check()
        try:
            loaded = load(self._table(flags), self.config)
        except WrongValue as error:
            raise ConfigError(f"{error.place} {rule_of(error.detail)}.") from None
        if sets_log_level(loaded):
            _configure_logs(loaded.settings)
        return loaded

    def read(self) -> Sources:
        """Return what the sources say, right or wrong. Raises `click.BadParameter` as `load` does."""
        self._check()
        return read(self._table(), self.config)

    def arguments(self) -> list[str]:
        """Return the options as words of a command line."""
        return [word for flag, value in self._given().items() for word in (flag, value)]

    def check_unused(self, *flags: str, reason: str) -> None:
        """Raise `click.UsageError` if an option was given that the command does not use; `reason` ends the sentence."""
        if unused := [flag for flag in flags if flag in self._given()]:
            raise click.UsageError(f"{' and '.join(unused)} would have no effect: {reason}.")

    def _check(self) -> None:
        check_known("--profile", "profile", self.profile, profiles())
        # Another kind of file, such as a pipe, can be read as well.
        if self.config is not None and (self.config.is_dir() or not self.config.exists()):
            raise click.BadParameter(f"there is no file {self.config}", param_hint="--config")

    def _table(self, flags: Flags | None = None) -> Table:
        return flag_table({"profile": self.profile, "data_dir": self.data_dir, **(flags or {})})

    def _given(self) -> dict[str, str]:
        options = {"--profile": self.profile, "--config": self.config, "--data-dir": self.data_dir}
        return {flag: str(value) for flag, value in options.items() if value is not None}


def check_known(option: str, noun: str, name: str | None, known: Sequence[str]) -> None:
    """Raise `click.BadParameter` for an option's name that is not a known one; `noun` says what it names."""
    if name is not None and name not in known:
        hint = did_you_mean(name, known) or "."
        raise click.BadParameter(
            f"no {noun} is called {name!r}{hint} There are: {', '.join(known)}.", param_hint=option
        )


def sets_log_level(loaded: LoadedSettings) -> bool:
    """Return whether a source sets the level of the log."""
    return loaded.origin(("log", "level")) != "default"


def _configure_logs(settings: Settings) -> None:
    from gateway.plugins import packages  # imported only here: few commands are given a level

    kinds = (str(table.get("kind")) for table in settings.stores.values())
    logs.configure(settings.log.level, settings.log.format, packages(kinds))


def common_options(command: CommandT) -> CommandT:
    """Add the three options to a command; `CommonOptions.current()` returns their values."""
    for flag, kind, metavar, text in (
        ("--data-dir", NAMED_PATH, "DIR", "Where embedded stores keep their files."),
        ("--config", NAMED_PATH, "FILE", "The configuration file [default: ./entrepot.toml]."),
        ("--profile", click.STRING, "NAME", "The deployment profile [default: embedded]."),
    ):
        click.option(flag, type=kind, metavar=metavar, help=text, expose_value=False, callback=_remember)(command)
    return command


def _remember(ctx: click.Context, parameter: click.Parameter, value: str | Path | None) -> None:
    # The contexts of all groups and commands of one command line share `meta`.
    if value is not None:
        ctx.meta[_key(str(parameter.name))] = value


def _key(name: str) -> str:
    return f"entrepot.{name}"
