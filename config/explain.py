"""Every effective value with its source; secrets are masked."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from config.secrets import MASK, is_secret_key, masked, secret_fields
from config.settings import TABLE, ServerSettings
from config.sources import KeyPath, LoadedSettings, Sources
from config.suggestion import closest

NOT_SET = "not set"
"""The source of a value that nobody set and that has no default."""
_USUAL_SECRETS = ("password", "token", "secret", "api_key", "access_key", "secret_key")
"""Names of secrets in settings that are not known, such as those of an engine whose driver is not installed."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One value: its dotted key, the value (masked if it is secret), and the source that decided it."""

    key: str
    value: JsonValue
    source: str


@dataclass(frozen=True, slots=True)
class Default:
    """The value that an engine or a toolset uses if no source sets one, if any, and where it comes from."""

    key: KeyPath
    value: JsonValue
    source: str = "default"


def explain(
    loaded: LoadedSettings, defaults: Sequence[Default] = (), secrets: Collection[KeyPath] = ()
) -> tuple[Explained, ...]:
    """Return every setting, sorted by key; the value of one that is unset and has no default is None, its source `NOT_SET`.

    `defaults` are added if no source has their key. `secrets` are keys to mask besides those with the name of a secret.
    """
    tree = TABLE.validate_python(loaded.settings.model_dump(mode="json", exclude_none=True))
    found = {key: (value, loaded.origin(key)) for key, value in _leaves((), tree)}
    # The tables of toolsets and stores have the keys that their models know: those are among `defaults`.
    ours = TABLE.validate_python(loaded.settings.model_dump(mode="json", exclude={"toolsets", "stores"}))
    known = {
        key: (value, NOT_SET if value is None else default.source)
        for default in (Default((), ours), *reversed(defaults))
        for key, value in _leaves(default.key, default.value)
    }
    misspelt = _misspelt(found.keys() - known.keys(), secrets)
    return _explained({**known, **found}, {*secrets, *misspelt})


def explain_given(sources: Sources, secrets: Collection[KeyPath] = ()) -> tuple[Explained, ...]:
    """Return every value that a source sets, sorted by key and without defaults, where `load` refuses one of them."""
    found = {key: (value, sources.origin(key)) for key, value in _leaves((), sources.merged())}
    known = {*secrets, *(("server", name) for name in secret_fields(ServerSettings))}
    return _explained(found, {*known, *_misspelt(found, known)})


def _misspelt(keys: Iterable[KeyPath], secrets: Collection[KeyPath]) -> Iterator[KeyPath]:
    """Yield the keys that are spelt nearly as one that holds a secret, and so may hold that secret."""
    for key in keys:
        beside = (each[-1] for each in secrets if each[:-1] == key[:-1])
        if closest(key[-1], (*beside, *_USUAL_SECRETS)) is not None:
            yield key


def _explained(found: Mapping[KeyPath, tuple[JsonValue, str]], secrets: Collection[KeyPath]) -> tuple[Explained, ...]:
    explained = (
        Explained(".".join(key), _shown(key, value, secrets), source) for key, (value, source) in found.items()
    )
    return tuple(sorted(explained, key=lambda each: each.key))


def _leaves(key: KeyPath, value: JsonValue) -> Iterator[tuple[KeyPath, JsonValue]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves((*key, name), inner)
    else:
        yield key, value


def _shown(key: KeyPath, value: JsonValue, secrets: Collection[KeyPath]) -> JsonValue:
    secret = is_secret_key(key[-1]) or any(key[: len(each)] == each for each in secrets)
    return MASK if secret and value is not None and not isinstance(value, bool) else masked(value)
