"""Aggregates: what a decision records, and how recorded events are folded into a state."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from typing import Final, Generic, Protocol, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ValidationError

from backends.ports.errors import Undecodable
from backends.ports.events import Checkpoint, Expectation, RecordedEvent, StreamName
from backends.ports.rules import rule_of
from backends.ports.values import Json, JsonObject
from toolsets.concurrency import THREAD_FROM

ValueT = TypeVar("ValueT")
StateT = TypeVar("StateT")
ModelT = TypeVar("ModelT", bound=BaseModel)

History: TypeAlias = tuple[RecordedEvent, ...]
"""All events of one stream, oldest first."""

Evolve: TypeAlias = Callable[[StateT | None, RecordedEvent], StateT]
"""Returns the state after an event; None is the state before the first one. Pure, with states that nothing changes."""

_BYTES_OF_EVENT: Final = 1_000
"""Memory of an event without its texts, approximately."""
_BYTES_OF_CHARACTER: Final = 2
"""Texts are held by the event, and often by a state too; most have one byte for each character."""

_CHARACTERS: Final = 250
"""Characters of an event that take as long as another event: the worst ones for normal forms take 0.05 ms."""

_MAX_RULES: Final = 3
"""The most rules that the error for stored data names."""

Upcasts: TypeAlias = Mapping[tuple[str, int], Callable[[JsonObject], JsonObject]]
"""By (event type, schema): the function that converts the data to the next schema."""


Combiners: TypeAlias = Mapping[str, Callable[[Sequence[RecordedEvent]], JsonObject]]
"""By event type: the function that combines the data of several events. The types must change different parts of the state."""

_NO_COMBINERS: Final[Combiners] = {}


@dataclass(frozen=True, slots=True)
class Fact:
    """An event before it has an id, a time and a cause."""

    type: str
    data: JsonObject
    schema: int = 1


@dataclass(frozen=True, slots=True)
class Change:
    """Facts to append to one stream; without facts only its version is asserted."""

    stream: StreamName
    facts: tuple[Fact, ...] = ()
    expected: Expectation | None = None
    """None: exactly the version that the decision was made on."""


@dataclass(frozen=True, slots=True)
class Decision(Generic[ValueT]):
    """The changes that a command makes, and the value returned to the caller."""

    value: ValueT
    changes: tuple[Change, ...] = ()


def size_of(histories: Iterable[Sequence[RecordedEvent]]) -> int:
    """Return how much work it is to fold the streams: one for each, one for each event, and one for every 250 characters.

    Counting stops once a thread is worth its cost. Events that were folded before are not counted.
    """
    size = 0
    for history in histories:
        unfolded = history.unfolded if isinstance(history, GrowingHistory) else history
        size += 1 + len(unfolded)
        for event in unfolded:
            if size >= THREAD_FROM:
                return size
            size += _characters(event.data) // _CHARACTERS
    return size


def _characters(value: Json) -> int:
    """Return the characters of all texts in a value, plus one for each item."""
    if isinstance(value, str):
        return len(value)
    # Checked by abstract classes, thousands of numbers would take most of the time.
    if value is None or isinstance(value, int | float):
        return 0
    if isinstance(value, Mapping):
        return sum(map(_characters, value.values())) + len(value)
    return sum(map(_characters, value)) + len(value)


class GrowingHistory(tuple[RecordedEvent, ...]):
    """A history that keeps the states folded from it; one that extends it continues from these states. Thread-safe."""

    def __init__(self, _events: Iterable[RecordedEvent] = (), /) -> None:
        """Begin without states."""
        self._states: dict[object, tuple[object, int]] = {}
        self.bytes = sum(map(_bytes_of, self))
        """The memory that it takes, approximately."""

    @property
    def unfolded(self) -> History:
        """The events that no state contains yet."""
        return self[max((folded for _, folded in tuple(self._states.values())), default=0) :]

    def extended(self, events: Sequence[RecordedEvent]) -> "GrowingHistory":
        """Return the history after further events, with the states so far."""
        after = GrowingHistory.__new__(GrowingHistory, (*self, *events))
        after._states = dict(self._states)
        after.bytes = self.bytes + sum(map(_bytes_of, events))
        return after

    def folded(self, evolve: Evolve[StateT], upcasts: Upcasts, combiners: Combiners) -> StateT | None:
        """Return the state after all events, as `fold` does."""
        state, folded = cast("tuple[StateT | None, int]", self._states.get(evolve, (None, 0)))
        if folded < len(self):
            state = _fold(state, self[folded:], evolve, upcasts, combiners)
            self._states[evolve] = state, len(self)
        return state


def _bytes_of(event: RecordedEvent) -> int:
    return _BYTES_OF_EVENT + _BYTES_OF_CHARACTER * _characters(event.data)


class UnreadableEvent(Exception):
    """An event has a type or a form that this version does not know."""


class NotLoaded(Exception):
    """A decision needs streams that have not been read yet."""

    def __init__(self, streams: tuple[StreamName, ...]) -> None:
        super().__init__(*streams)
        self.streams = streams


@dataclass(frozen=True, slots=True)
class Histories(Mapping[StreamName, History]):
    """The streams of a decision; access to one that was not read makes the committer read it and decide again."""

    loaded: Mapping[StreamName, History] = field(default_factory=dict[StreamName, History])

    def __getitem__(self, stream: StreamName) -> History:
        """Return the events of a stream, none if it does not exist. Raises `NotLoaded`."""
        if stream not in self.loaded:
            raise NotLoaded((stream,))
        return self.loaded[stream]

    def need(self, streams: Iterable[StreamName]) -> None:
        """Request several streams, so that they are read together. Raises `NotLoaded` if any was not read."""
        if missing := tuple(dict.fromkeys(stream for stream in streams if stream not in self.loaded)):
            raise NotLoaded(missing)

    def __iter__(self) -> Iterator[StreamName]:
        """Iterate over the names of the streams that were read."""
        return iter(self.loaded)

    def __len__(self) -> int:
        """Return the number of streams that were read."""
        return len(self.loaded)


class Decide(Protocol[ValueT]):
    """A pure function from streams to a decision; it refuses by raising a `ToolError`."""

    def __call__(self, histories: Histories, /) -> Decision[ValueT]:
        """Return the decision; may be called several times."""
        ...


def fold(
    history: History, evolve: Evolve[StateT], upcasts: Upcasts, combiners: Combiners = _NO_COMBINERS
) -> StateT | None:
    """Return the state after a history, None for none. Raises `UnreadableEvent`.

    Consecutive events whose types are in `combiners` are combined first. One `evolve` always goes with the same `upcasts` and
    `combiners`: a `GrowingHistory` keeps its states by `evolve`.
    """
    if isinstance(history, GrowingHistory):
        return history.folded(evolve, upcasts, combiners)
    return _fold(None, history, evolve, upcasts, combiners)


def _fold(
    state: StateT | None, events: History, evolve: Evolve[StateT], upcasts: Upcasts, combiners: Combiners
) -> StateT | None:
    for event in combined(events, combiners) if combiners else events:
        state = evolve(state, upcast(event, upcasts))
    return state


def combined(history: History, combiners: Combiners) -> Iterator[RecordedEvent]:
    """Yield the events; in each run of events whose types are in `combiners`, the events of one type are combined.

    A busy entity has thousands of them, and folding each one copies what all earlier ones added.
    """
    for has_combiner, run in groupby(history, key=lambda event: event.type in combiners):
        if not has_combiner:
            yield from run
            continue
        by_type: dict[str, list[RecordedEvent]] = {}
        for event in run:
            by_type.setdefault(event.type, []).append(event)
        # The order affects only the version and the time of the last change.
        for events in sorted(by_type.values(), key=lambda events: events[-1].version):
            yield replace(events[-1], data=combiners[events[-1].type](events))


def upcast(event: RecordedEvent, upcasts: Upcasts) -> RecordedEvent:
    """Return the event in the newest schema that `upcasts` leads to."""
    while (step := upcasts.get((event.type, event.schema))) is not None:
        event = replace(event, data=step(event.data), schema=event.schema + 1)
    return event


def event_data(model: type[ModelT], event: RecordedEvent, *, schema: int = 1) -> ModelT:
    """Return an event's data as `model`. Raises `UnreadableEvent` for another schema or invalid data."""
    if event.schema != schema:
        raise UnreadableEvent(f"{event.type} of {event.stream} has schema {event.schema}; this version reads {schema}")
    try:
        return model.model_validate(event.data)
    except ValidationError as error:
        raise UnreadableEvent(
            f"{event.type} of {event.stream}, version {event.version}: {_rule_sentences(error)}"
        ) from None


def checkpoint_data(model: type[ModelT], name: str, checkpoint: Checkpoint) -> ModelT:
    """Return the value of the checkpoint `name` as `model`. Raises `Undecodable` for an invalid one."""
    try:
        return model.model_validate(checkpoint.value)
    except ValidationError as error:
        raise Undecodable(f"the checkpoint {name} cannot be read: {_rule_sentences(error)}") from None


def _rule_sentences(error: ValidationError) -> str:
    """Return the first rules that stored data break; pydantic's own message quotes the data."""
    problems = ((".".join(map(str, each["loc"])), rule_of(each)) for each in error.errors(include_url=False))
    return "; ".join(f"{place or 'the data'} {rule}" for place, rule in islice(problems, _MAX_RULES))
