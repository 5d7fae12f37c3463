"""The durability and process capabilities of an adapter hold between real processes, one of which is killed."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import pytest

from backends.ports.capabilities import PortName
from backends.ports.values import Json
from contracts.adapter_check import PORTS
from contracts.fixtures import UnderTest, fresh_namespace
from contracts.promises import promise
from contracts.report import CLAIMED
from contracts.second_process import AdapterNotImportable, TrialSpec, reference_to, second_process

STORED: tuple[PortName, ...] = ("graph", "vectors", "events")
"""The ports that store records."""
ANSWERING: tuple[PortName, ...] = ("embedder", "language")

TrialResult: TypeAlias = Mapping[str, list[Json]]
"""By port, the names of the stored records, or the answer of a port that stores nothing."""


async def kill(place: TrialSpec) -> TrialResult:
    """Have a second process store a record, kill it, and return what this process finds afterwards."""
    async with second_process(place) as other:
        await other.ask("open")
        await other.ask("write", name="acknowledged")
        await other.kill()
    engine = await place.open()
    try:
        return await place.read(engine)
    finally:
        await engine.close()


async def share(place: TrialSpec) -> TrialResult:
    """Write here and in a second process while both are open; return what each reads at the end, by port."""
    engine = await place.open()
    try:
        await place.write(engine, "ours")
        async with second_process(place) as other:
            if refused := (await other.ask("open")).get("refused"):
                return {port: [f"a second process is refused: {refused}"] for port in place.ports}
            await other.ask("write", name="theirs")
            there, here = await other.ask("read"), await place.read(engine)
            return {port: [here[port], there[port]] for port in place.ports}
    finally:
        await engine.close()


async def exclude(place: TrialSpec) -> TrialResult:
    """Have a second process open the store while it is open here and after it is closed; return both outcomes."""
    engine = await place.open()
    try:
        await place.write(engine, "ours")
        async with second_process(place) as other:
            while_open = "refused" if (await other.ask("open")).get("refused") else "admitted"
            await engine.close()
            await other.ask("open")
            found = await other.ask("read")
            return {port: [while_open, found[port]] for port in place.ports}
    finally:
        await engine.close()


class Trials:
    """The trials of the adapter under test; each runs once for all its ports."""

    def __init__(self, under_test: UnderTest, folders: pytest.TempPathFactory) -> None:
        self._under_test = under_test
        self._folders = folders
        self._made: dict[str, TrialResult | Exception] = {}

    async def found(self, trial: Callable[[TrialSpec], Awaitable[TrialResult]]) -> TrialResult:
        """Return the result of a trial. Raises the error that ended it; an impossible trial skips the test."""
        name = trial.__name__
        if name not in self._made:
            try:
                self._made[name] = await trial(self._place())
            except Exception as error:  # it is raised again for every port  # noqa: BLE001
                self._made[name] = error
        match self._made[name]:
            case AdapterNotImportable() as reason:
                pytest.skip(f"{CLAIMED}: {reason}")
            case Exception() as error:
                raise error
            case found:
                return found

    def _place(self) -> TrialSpec:
        adapter, options = self._under_test
        name = fresh_namespace()
        directory = str(self._folders.mktemp("processes"))
        ports: tuple[PortName, ...] = tuple(port for port in PORTS if port in adapter.capabilities.ports)
        return TrialSpec(*reference_to(adapter), options, directory, name, f"{name}/", ports)


@pytest.fixture(scope="session")
def trials(adapter_under_test: UnderTest, tmp_path_factory: pytest.TempPathFactory) -> Trials:
    """Return the trials of the adapter."""
    return Trials(adapter_under_test, tmp_path_factory)


def each(*ports: PortName) -> pytest.MarkDecorator:
    """Run a test for each of these ports that the adapter offers."""
    return pytest.mark.parametrize("port", [pytest.param(port, marks=pytest.mark.needs(port)) for port in ports])


@promise("engine:durable:process")
@pytest.mark.claims("durable", "fsync", "process")
@each(*STORED)
async def test_what_was_acknowledged_survives_a_kill(
    port: PortName, trials: Trials, declared_gaps_applied: None
) -> None:
    """An acknowledged write is never only in the memory of the process."""
    assert (await trials.found(kill))[port] == ["acknowledged"]


@promise("engine:durable:fsync")
@pytest.mark.claims("durable", "fsync")
@each(*STORED)
async def test_what_was_acknowledged_survives_a_loss_of_power(
    port: PortName, trials: Trials, declared_gaps_applied: None
) -> None:
    """Killing a process stands in for a power failure, which a program cannot cause."""
    assert (await trials.found(kill))[port] == ["acknowledged"]
    pytest.skip(f"{CLAIMED}: a power failure cannot be tested")


@promise("engine:processes:many")
@pytest.mark.claims("processes", "many")
@each(*STORED)
async def test_each_of_two_processes_reads_what_the_other_wrote(
    port: PortName, trials: Trials, declared_gaps_applied: None
) -> None:
    """Both processes have the store open, and neither waits for the other to close it."""
    assert (await trials.found(share))[port] == [["ours", "theirs"], ["ours", "theirs"]]


@promise("engine:processes:many")
@pytest.mark.claims("processes", "many")
@each(*ANSWERING)
async def test_two_processes_get_the_same_answer(port: PortName, trials: Trials, declared_gaps_applied: None) -> None:
    """Vectors of one process can be compared with vectors of another."""
    here, there = (await trials.found(share))[port]
    assert here == there


@promise("engine:processes:one")
@pytest.mark.claims("processes", "one")
@pytest.mark.claims("durable", "fsync", "process")
@each(*STORED)
async def test_a_second_process_is_refused_until_the_first_has_closed(
    port: PortName, trials: Trials, declared_gaps_applied: None
) -> None:
    """Two uncoordinated writers would damage the store. A store in memory is not shared at all."""
    assert (await trials.found(exclude))[port] == ["refused", ["ours"]]
