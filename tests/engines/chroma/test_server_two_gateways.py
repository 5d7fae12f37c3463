"""Two gateways on one Chroma server: only the leader writes to it, and nothing is lost."""

import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from backends.ports.adapter import Engine
from backends.ports.values import JsonObject
from tests.engines.chroma.conftest import opened
from tests.support.knowledge import ask, create, drained, part, result_of, rows, together
from tests.support.raw import HttpCaller
from tests.support.servers import Running, ours_http
from toolsets.knowledge.projections import EXPLANATIONS, PROJECTOR
from toolsets.sourcing.generations import generation_namespace

ROUNDS = 12
SETTINGS = """
[toolsets.knowledge]
graph = "sqlite"
vectors = "chroma"
events = "sqlite"
embedder = "minilm"

[stores.sqlite]
kind = "sqlite"

[stores.chroma]
kind = "chroma"
uri = "{uri}"
space = "{space}"

[stores.minilm]
kind = "minilm"
"""


def configure(data: Path, service: Mapping[str, str]) -> dict[str, str]:
    """Configure a data directory with its own space on the server; return that store's options."""
    options = {"uri": service["ENTREPOT_TEST_CHROMA_URI"], "space": f"t{secrets.token_hex(6)}"}
    (data / "entrepot.toml").write_text(SETTINGS.format(**options), encoding="utf-8")
    return options


def gateway(data: Path) -> AbstractAsyncContextManager[Running]:
    """Run a gateway with these settings."""
    return ours_http(data, "--config", str(data / "entrepot.toml"))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two gateways over one log and one Chroma server, and an engine that reads the server."""

    leader: Running
    other: Running
    engine: Engine


@pytest.fixture(scope="module")
async def pair(chroma_service: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Pair]:
    """Run both gateways for all tests of this module; the last test kills the leader."""
    data = tmp_path_factory.mktemp("pair")
    options = configure(data, chroma_service)
    async with gateway(data) as one, gateway(data) as other, opened(data, **options) as engine:
        leader, second = await leader_first((one, other))
        yield Pair(leader, second, engine)


async def pending(caller: HttpCaller, name: str) -> bool:
    """Create a concept; return whether its indexing is left to another gateway."""
    reply = await result_of(caller, "create_concept", {"name": name, "explanation": f"All about {name}."})
    meta = reply.get("_meta", {})
    assert isinstance(meta, Mapping)
    return meta.get("entrepot/indexing") == "pending"


async def leader_first(servers: Sequence[Running]) -> Sequence[Running]:
    """Return the leading gateway first, then the other."""
    left = [await pending(server.caller(), f"who leads {number}") for number, server in enumerate(servers)]
    assert sorted(left) == [False, True], "one projects itself, the other leaves it to that one"
    return servers[::-1] if left[0] else servers


async def found_by(caller: HttpCaller, text: str) -> JsonObject:
    """Return the concept nearest to a text."""
    return rows(await ask(caller, "search_concepts_semantic", {"query": text, "limit": 1}))[0]


async def stored_texts(engine: Engine) -> dict[str, str]:
    """Return the texts on the server by id."""
    vectors = await engine.vectors(generation_namespace(PROJECTOR, 1))
    return {str(item.id): item.text for item in (await vectors.scan(EXPLANATIONS)).items}


async def test_interleaved_edits_and_deletes_converge_on_the_last_state(pair: Pair) -> None:
    servers = (pair.leader, pair.other)
    callers = [server.caller() for server in servers]
    ids = [str((await create(callers[0], f"concept {number}"))["concept_id"]) for number in range(6)]

    async def edit(number: int, side: int) -> None:
        caller = servers[side].caller()
        for turn in range(ROUNDS):
            text = f"Concept {number} in the words of side {side}, turn {turn}."
            reply = await ask(caller, "update_concept", {"concept_id": ids[number], "explanation": text})
            assert reply["success"] or (number >= 4 and reply["error"] == "concept_not_found"), reply

    async def delete(number: int) -> None:
        caller = servers[number % 2].caller()
        while (await ask(caller, "get_concept", {"concept_id": ids[number]}))["success"]:
            assert (await ask(caller, "delete_concept", {"concept_id": ids[number]}))["success"]

    await together([*(edit(number, side) for number in range(6) for side in (0, 1)), delete(4), delete(5)])
    for caller in callers:
        await drained(caller)
    held = await stored_texts(pair.engine)
    assert not {*ids[4:]} & {*held}
    for concept in ids[:4]:
        latest = part(await ask(callers[1], "get_concept", {"concept_id": concept}), "concept")["explanation"]
        assert str(latest) in held[concept]
        for caller in callers:
            assert (await found_by(caller, str(latest)))["concept_id"] == concept


async def test_the_other_gateway_takes_over_from_a_killed_leader(pair: Pair) -> None:
    """The survivor finishes the leader's work and projects new writes itself."""
    following = pair.other.caller()
    pair.leader.process.kill()
    names = [f"orphan {number}" for number in range(5)]
    ids = [str((await create(following, name))["concept_id"]) for name in names]
    await drained(following)
    held = await stored_texts(pair.engine)
    assert {*ids} <= {*held}
    assert not await pending(following, "by the survivor")
