"""How fast a library is ingested: python -m tests.bench.library.speed [--keep DIRECTORY] [--books NAME,NAME] [--files 1000].

Each figure stands beside its yardstick from the same run: the embedder alone on the very chunks that were ingested.
"""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final, cast

import orjson
import psutil

from backends.ports.embedder import Embedder
from backends.ports.values import MAX_PAGE
from backends.registry import load_adapter
from tests.bench.library.__main__ import DEFAULT
from tests.bench.library.books import fetch
from tests.bench.library.quality import opened
from tests.support.raw import StdioCaller
from tests.support.servers import ours_on_stdio
from toolsets.concept_rag.pipeline.run import BATCH
from toolsets.concept_rag.projections import CHUNKS
from toolsets.concept_rag.streams import TOOLSET

_SAMPLE_S: Final = 0.05
_ROUNDS: Final = 5
_QUESTION: Final = "How is a configuration file kept when a package is removed?"


@dataclass(frozen=True, slots=True)
class Ingested:
    """A run of the command: its time, what all its processes used, and what it made."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    """Resident memory of all its processes together, the most of samples taken 20 times a second."""
    chunks: int
    summary: dict[str, float]


async def ingest(folder: Path, data: Path) -> Ingested:
    """Run `entrepot ingest` in a process."""
    words = ("-P", "-m", "gateway.cli.main", "ingest", str(folder), "--data-dir", str(data), "--json")
    before, began = os.times(), time.perf_counter()
    run = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    sampling = asyncio.create_task(_peak_mb(run.pid))
    output, _ = await run.communicate()
    wall, after = time.perf_counter() - began, os.times()
    sampling.cancel()
    lines = [orjson.loads(line) for line in output.splitlines()]
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    chunks = sum(int(line.get("chunks", 0)) for line in lines)
    return Ingested(wall, cpu, PEAK.pop(run.pid, 0.0), chunks, cast("dict[str, float]", lines[-1]["summary"]))


PEAK: Final[dict[int, float]] = {}


async def _peak_mb(pid: int) -> None:
    while True:
        PEAK[pid] = max(PEAK.get(pid, 0.0), _resident_mb(pid))
        await asyncio.sleep(_SAMPLE_S)


def _resident_mb(pid: int) -> float:
    """Return the memory of a process and those that it started, as far as they have not ended meanwhile."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        main = psutil.Process(pid)
        for process in (main, *main.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
    return total / 2**20


async def chunk_texts(data: Path) -> Sequence[str]:
    """Return the texts of all chunks in a data directory."""
    texts: list[str] = []
    async with opened(data) as library:
        vectors = (await library.vectors()).vectors
        after: str | None = None
        while True:
            page = await vectors.scan(CHUNKS, after=after, limit=MAX_PAGE)
            texts += [record.text for record in page.items]
            if (after := page.after) is None:
                return texts


async def embedder() -> Embedder:
    """Return the embedder of the default profile, loaded, without a cache."""
    model = await (await load_adapter("minilm").open({"remembered": 0}, Path())).embedder()
    await model.embed(["load the model"])
    return model


async def embedded(texts: Sequence[str]) -> tuple[float, float]:
    """Return the seconds, and those of processor time, that the embedder alone takes, in batches as in a run."""
    model = await embedder()
    began, spent = time.perf_counter(), time.process_time()
    for start in range(0, len(texts), BATCH):
        await model.embed(texts[start : start + BATCH])
    return time.perf_counter() - began, time.process_time() - spent


async def measure_ingestion(keep: Path, names: Sequence[str]) -> Path:
    """Ingest books from nothing, and print how that compares with embedding their chunks; return the data directory."""
    files = fetch(keep)
    folder, data = (Path(tempfile.mkdtemp(prefix="entrepot-bench-")) for _ in range(2))
    for name in names:
        shutil.copy(files[name], folder / f"{name}{files[name].suffix}")
    run = await ingest(folder, data)
    alone, alone_cpu = await embedded(await chunk_texts(data))
    shutil.rmtree(folder)
    print(f"{', '.join(names)}: {run.chunks} chunks, start of the process included")
    print(f"  ingested {run.wall_s:.1f} s, {run.chunks / run.wall_s:.1f} chunks/s, {run.cpu_s:.1f} s of processor time")
    print(f"  embedded {alone:.1f} s, {run.chunks / alone:.1f} chunks/s, {alone_cpu:.1f} s of processor time")
    print(f"  the run itself, without the start of the process: {run.summary['seconds'] / alone:.2f}x")
    print(f"  time {run.wall_s / alone:.2f}x, processor time {run.cpu_s / alone_cpu:.2f}x", end="")
    print(f", rate {alone / run.wall_s:.0%}, peak memory {run.peak_mb:.0f} MB")
    return data


async def measure_second_run(keep: Path, files: int) -> None:
    """Print how long a run takes over files that did not change, start of the process included."""
    folder, data = keep / f"small-{files}", keep / f"data-small-{files}"
    if not data.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(files):
            text = f"# Note {number}\n\nThe register {number} keeps the address of device {files - number}.\n"
            (folder / f"{number}.md").write_text(text, encoding="utf-8")
        first = await ingest(folder, data)
        print(f"{files} files added in {first.wall_s:.0f} s")
    runs = [await ingest(folder, data) for _ in range(_ROUNDS)]
    walls, cpus = [run.wall_s for run in runs], [run.cpu_s for run in runs]
    inner = median(run.summary["seconds"] for run in runs)
    print(
        f"{files} unchanged files: {median(walls):.2f} s, of it {inner:.2f} s the run itself; {median(cpus):.2f} s of",
        end="",
    )
    print(f" processor time, peak memory {max(run.peak_mb for run in runs):.0f} MB, {runs[-1].summary}")


async def measure_first_search(data: Path) -> None:
    """Print the time from starting a server to the first passages, and that of the second search."""
    # An installation has its bytecode, and the first round leaves it behind.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    firsts: list[float] = []
    seconds: list[float] = []
    for _ in range(_ROUNDS + 1):
        began = time.perf_counter()
        caller = await StdioCaller.start(ours_on_stdio(data, TOOLSET))
        await caller.call("broad_chunks_search", {"text": _QUESTION})
        firsts.append(time.perf_counter() - began)
        began = time.perf_counter()
        await caller.call("broad_chunks_search", {"text": f"{_QUESTION} And why?"})
        seconds.append(time.perf_counter() - began)
        await caller.close()
    print(
        f"first search, start of the server included: {median(firsts[1:]):.2f} s; the next {median(seconds[1:]):.3f} s"
    )


async def main(keep: Path, names: Sequence[str], files: int) -> None:
    """Print all tables."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    data = await measure_ingestion(keep, names)
    await measure_first_search(data)
    shutil.rmtree(data)
    if files:
        await measure_second_run(keep, files)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.library.speed", description=__doc__)
    parser.add_argument("--keep", type=Path, default=DEFAULT, help="where packages and libraries are kept")
    parser.add_argument("--books", default="developers-reference", help="names of books, between commas")
    parser.add_argument("--files", type=int, default=1_000, help="files of a second run; 0 leaves it out")
    chosen = parser.parse_args()
    asyncio.run(main(chosen.keep, chosen.books.split(","), chosen.files))
