"""Checkpoints and leases let several workers share the log."""

import anyio
import pytest

from backends.ports.errors import Conflict, InvalidInput
from backends.ports.events import Checkpoint, EventLog, Lease
from backends.ports.values import Json
from contracts.corpus import HOSTILE_TEXTS
from contracts.fixtures import EngineFactory
from contracts.promises import promise


@promise("events:checkpoint:unknown", "events:checkpoint:save")
async def test_a_checkpoint_is_none_until_saved_and_grows_by_one(events: EventLog, prefix: str) -> None:
    """The revision counts how often the checkpoint was saved."""
    assert await events.load_checkpoint(prefix) is None
    first = await events.save_checkpoint(prefix, {"position": 7, "parked": []}, expected=0)
    assert first == Checkpoint({"position": 7, "parked": []}, 1)
    assert await events.save_checkpoint(prefix, {"position": 9}, expected=1) == Checkpoint({"position": 9}, 2)
    assert await events.load_checkpoint(prefix) == Checkpoint({"position": 9}, 2)


@promise("events:checkpoint:compare-and-set")
@pytest.mark.parametrize("expected", [0, 2, 7])
async def test_a_checkpoint_saved_at_another_revision_conflicts(events: EventLog, prefix: str, expected: int) -> None:
    """The error names the checkpoint, and nothing changes."""
    await events.save_checkpoint(prefix, "mine", expected=0)
    with pytest.raises(Conflict) as caught:
        await events.save_checkpoint(prefix, "theirs", expected=expected)
    assert caught.value.key == prefix
    assert await events.load_checkpoint(prefix) == Checkpoint("mine", 1)


@promise("events:checkpoint:compare-and-set")
async def test_a_checkpoint_never_saved_has_no_later_revision(events: EventLog, prefix: str) -> None:
    """Expecting a revision of an unknown checkpoint conflicts."""
    with pytest.raises(Conflict):
        await events.save_checkpoint(prefix, 1, expected=1)
    assert await events.load_checkpoint(prefix) is None


@promise("events:checkpoint:race")
async def test_one_of_many_concurrent_saves_wins(events: EventLog, prefix: str) -> None:
    """Compare-and-set is atomic."""
    winners: list[int] = []

    async def save(number: int) -> None:
        try:
            await events.save_checkpoint(prefix, number, expected=0)
        except Conflict:
            return
        winners.append(number)

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(save, number)
    assert len(winners) == 1
    assert await events.load_checkpoint(prefix) == Checkpoint(winners[0], 1)


@promise("events:checkpoint:value")
@pytest.mark.parametrize("value", [None, True, 0, 0.5, "", [1, [None]], {"a": {"b": []}}, list(HOSTILE_TEXTS)])
async def test_a_checkpoint_holds_any_json(events: EventLog, prefix: str, value: Json) -> None:
    """The value is returned unchanged."""
    await events.save_checkpoint(prefix, value, expected=0)
    assert await events.load_checkpoint(prefix) == Checkpoint(value, 1)


@promise("events:checkpoint:durable")
@pytest.mark.needs("events")
async def test_a_checkpoint_outlives_the_engine(engine_factory: EngineFactory, prefix: str) -> None:
    """A restarted worker continues at its checkpoint."""
    log = await (await engine_factory.open()).events()
    await log.save_checkpoint(prefix, 42, expected=0)
    log = await (await engine_factory.reopen()).events()
    assert await log.load_checkpoint(prefix) == Checkpoint(42, 1)


@promise("events:lease:exclusive")
async def test_a_lease_is_held_by_one_owner(events: EventLog, prefix: str) -> None:
    """Others get None while the lease is held; its owner may acquire it again, and every caller may ask for the owner."""
    assert await events.lease_owner(prefix) is None
    mine = await events.acquire_lease(prefix, "me", ttl_s=60)
    assert mine is not None
    assert (mine.name, mine.owner) == (prefix, "me")
    assert await events.acquire_lease(prefix, "you", ttl_s=60) is None
    assert await events.lease_owner(prefix) == "me"
    assert await events.acquire_lease(prefix, "me", ttl_s=60) is not None
    assert await events.lease_owner(f"{prefix}other") is None
    assert await events.acquire_lease(f"{prefix}other", "you", ttl_s=60) is not None


@promise("events:lease:exclusive")
async def test_one_of_many_concurrent_owners_gets_the_lease(events: EventLog, prefix: str) -> None:
    """Acquiring a lease is atomic."""
    held: list[Lease] = []

    async def take(number: int) -> None:
        lease = await events.acquire_lease(prefix, f"owner-{number}", ttl_s=60)
        if lease is not None:
            held.append(lease)

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(take, number)
    assert len(held) == 1


@promise("events:lease:release", "events:lease:token")
async def test_a_lease_given_back_is_free_and_the_next_has_a_higher_token(events: EventLog, prefix: str) -> None:
    """The token distinguishes successive holders."""
    mine = await events.acquire_lease(prefix, "me", ttl_s=60)
    assert mine is not None
    await events.release_lease(mine)
    assert await events.lease_owner(prefix) is None
    yours = await events.acquire_lease(prefix, "you", ttl_s=60)
    assert yours is not None
    assert yours.token > mine.token


async def _outlast(events: EventLog, name: str, owner: str) -> Lease:
    """Try to acquire a lease that is about to expire until it succeeds."""
    with anyio.fail_after(5):
        while True:
            lease = await events.acquire_lease(name, owner, ttl_s=60)
            if lease is not None:
                return lease
            await events.wait(await events.head() + 1_000_000, timeout_s=0.01)


@promise("events:lease:runs-out", "events:lease:token", "events:lease:renew")
async def test_a_lease_that_ran_out_goes_to_the_next_and_cannot_be_renewed(events: EventLog, prefix: str) -> None:
    """A worker that slept too long learns that it lost the lease."""
    mine = await events.acquire_lease(prefix, "me", ttl_s=0.02)
    assert mine is not None
    with anyio.fail_after(5):
        while await events.lease_owner(prefix) is not None:
            await events.wait(await events.head() + 1_000_000, timeout_s=0.01)
    yours = await _outlast(events, prefix, "you")
    assert yours.token > mine.token
    assert not await events.renew_lease(mine, ttl_s=60)
    assert await events.renew_lease(yours, ttl_s=60)


@promise("events:lease:release")
async def test_giving_back_a_lost_lease_does_not_take_it_from_its_new_holder(events: EventLog, prefix: str) -> None:
    """Only the holder can release a lease."""
    mine = await events.acquire_lease(prefix, "me", ttl_s=0.02)
    assert mine is not None
    yours = await _outlast(events, prefix, "you")
    await events.release_lease(mine)
    assert await events.acquire_lease(prefix, "me", ttl_s=60) is None
    assert await events.renew_lease(yours, ttl_s=60)


@promise("events:lease:renew")
async def test_a_renewed_lease_holds_on(events: EventLog, prefix: str) -> None:
    """A short lease that was renewed for a long time cannot be acquired."""
    mine = await events.acquire_lease(prefix, "me", ttl_s=5)
    assert mine is not None
    assert await events.renew_lease(mine, ttl_s=60)
    assert await events.acquire_lease(prefix, "you", ttl_s=60) is None
    await events.release_lease(mine)
    assert not await events.renew_lease(mine, ttl_s=60)


@promise("events:lease:names")
@pytest.mark.parametrize(
    ("name", "owner"), [("", "me"), ("a\x00b", "me"), ("a", ""), ("a", "nul\x00"), ("a", "x" * 2_001)]
)
async def test_a_lease_with_an_invalid_name_or_owner_is_refused(events: EventLog, name: str, owner: str) -> None:
    """The rules of ids hold for both, also in a lease that the log did not give."""
    lease = Lease(name, owner, 1)
    for call in (
        lambda: events.acquire_lease(name, owner, ttl_s=60),
        lambda: events.renew_lease(lease, ttl_s=60),
        lambda: events.release_lease(lease),
    ):
        with pytest.raises(InvalidInput):
            await call()


@promise("events:lease:names")
async def test_a_lease_with_an_invalid_token_or_duration_is_refused(events: EventLog, prefix: str) -> None:
    """A lease that is held stays as it is."""
    mine = await events.acquire_lease(prefix, "me", ttl_s=60)
    assert mine is not None
    for token in (0, -1, 2**63, 2**70):
        with pytest.raises(InvalidInput):
            await events.renew_lease(Lease(prefix, "me", token), ttl_s=60)
        with pytest.raises(InvalidInput):
            await events.release_lease(Lease(prefix, "me", token))
    for ttl_s in (0.0, -1.0, 1e9, float("nan"), float("inf")):
        with pytest.raises(InvalidInput):
            await events.acquire_lease(prefix, "you", ttl_s=ttl_s)
        with pytest.raises(InvalidInput):
            await events.renew_lease(mine, ttl_s=ttl_s)
    assert await events.lease_owner(prefix) == "me"


@promise("events:wait:duration")
@pytest.mark.parametrize("timeout_s", [-1.0, 1e9, float("nan"), float("inf")])
async def test_waiting_for_an_invalid_duration_is_refused(events: EventLog, timeout_s: float) -> None:
    """It neither returns at once nor waits for ever."""
    with anyio.fail_after(5), pytest.raises(InvalidInput):
        await events.wait(0, timeout_s=timeout_s)
