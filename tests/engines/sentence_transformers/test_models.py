"""Models that exist, are missing, or differ from the configuration."""

import asyncio
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable
from backends.ports.values import Json
from tests.services import st
from tests.services.needed import Missing

needs_library = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="needs the extra st")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        with st.running(tmp_path_factory.mktemp("st")) as variables:
            return Path(variables["ENTREPOT_TEST_SENTENCE_TRANSFORMERS_MODEL"])
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse every connection and record the host names looked up."""
    asked: list[str] = []

    def refuse(host: str, *args: object, **options: object) -> list[object]:
        asked.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "there is no network here")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return asked


async def refused(kind: type[StoreError], directory: Path, **options: Json) -> str:
    from backends.engines.sentence_transformers.adapter import ADAPTER

    with pytest.raises(StoreError) as caught:
        await ADAPTER.open(options, directory)
    assert type(caught.value) is kind, caught.value
    return str(caught.value)


@needs_library
async def test_the_identity_of_a_model_depends_on_its_files_only(
    folder: Path, tmp_path: Path, no_network: list[str]
) -> None:
    """Its path may be relative to the data directory, its revision is checked, and the network is not used."""
    from backends.engines.sentence_transformers.adapter import ADAPTER

    shutil.copytree(folder, tmp_path / "models" / "model")
    one = await ADAPTER.open({"model": str(folder)}, tmp_path)
    two = await ADAPTER.open({"model": "models/model", "revision": (await one.embedder()).identity.revision}, tmp_path)
    first, second = await one.embedder(), await two.embedder()
    assert first.identity == second.identity
    assert first.identity.dim == 384
    tries = await asyncio.gather(first.embed(["a cat", "a dog"]), second.embed(["a cat", "a dog"]))
    assert (tries[0] == tries[1]).all()
    assert no_network == []
    await one.close()
    await two.close()
    with pytest.raises(Unavailable):
        await first.embed(["a cat"])


@needs_library
async def test_a_folder_with_another_model_than_configured_is_refused(folder: Path, tmp_path: Path) -> None:
    message = await refused(Unusable, tmp_path, model=str(folder), revision="000000000000")
    assert "but the configuration says 000000000000" in message


@needs_library
async def test_a_changed_file_is_another_model(folder: Path, tmp_path: Path) -> None:
    from backends.engines.sentence_transformers.identity import digest_of

    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    before = digest_of(copy)
    assert before == digest_of(folder)
    (copy / "README.md").write_text("Another text.", encoding="utf-8")
    assert digest_of(copy) == before
    (copy / "1_Pooling" / "config.json").write_text("{}", encoding="utf-8")
    assert digest_of(copy) != before


@needs_library
async def test_damaged_weights_are_reported(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    (copy / "model.safetensors").write_bytes(b"\x00" * 1_000)
    assert "can be loaded" in await refused(Unusable, tmp_path, model="model")


@needs_library
async def test_an_empty_folder_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert "holds no sentence-transformers model" in await refused(Unusable, tmp_path, model="model")


@needs_library
@pytest.mark.parametrize("model", ["./missing", "/missing/model", "~/missing", "a/b/c"])
async def test_a_folder_that_is_not_there_is_named(tmp_path: Path, model: str) -> None:
    assert "missing" in await refused(InvalidInput, tmp_path, model=model) or model == "a/b/c"


@needs_library
async def test_offline_makes_no_request(tmp_path: Path, no_network: list[str]) -> None:
    message = await refused(Unavailable, tmp_path, model="nobody/no-such-model-at-all", offline=True)
    assert "offline = true" in message
    assert no_network == []


@needs_library
async def test_offline_finds_a_model_in_the_cache(
    folder: Path, tmp_path: Path, no_network: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache has the layout of the hub: a reference names a commit, and the commit has the files."""
    from backends.engines.sentence_transformers.adapter import ADAPTER

    commit = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
    cached = tmp_path / "models--someone--small"
    shutil.copytree(folder, cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit, encoding="ascii")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    engine = await ADAPTER.open({"model": "someone/small", "offline": True}, tmp_path)
    identity = (await engine.embedder()).identity
    assert (identity.model, identity.dim, identity.revision) == ("someone/small", 384, commit)
    assert no_network == []
    await engine.close()


@needs_library
async def test_loading_times_out(folder: Path, tmp_path: Path) -> None:
    message = await refused(Timeout, tmp_path, model=str(folder), load_timeout_s=0.001)
    assert "within 0.001 seconds" in message


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra st is installed")
def test_a_missing_library_is_named_with_the_line_that_installs_it() -> None:
    code = (
        "from backends.registry import load_adapter\n"
        "try:\n    load_adapter('sentence_transformers')\nexcept Exception as error:\n"
        "    print(type(error).__name__, error)"
    )
    message = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert message.startswith("InvalidInput")
    assert 'pip install "entrepot[st]"' in message
