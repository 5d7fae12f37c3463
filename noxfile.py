"""Chores that are no tests: benchmarks, generated docs, services, releases."""

from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["docs"]

REPORTS = Path(".tox/reports")
"""What the contract runs of tox write; without them the support matrix keeps its figures."""


@nox.session
def bench(session: nox.Session) -> None:
    """Print the tables of speed; needs WordNet (Debian: apt-get install wordnet-base)."""
    session.install(".[contracts]")
    session.run("python", "-m", "tests.bench", *session.posargs)


@nox.session
def bench_engines(session: nox.Session) -> None:
    """Compare ports with bare drivers: nox -s bench_engines -- sqlite kuzu; of servers, those that the environment names."""
    session.install(".[chroma,contracts,kuzu,ladybug,lancedb,postgres]")
    session.run("python", "-m", "tests.bench.engines", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Write the generated pages anew; a test fails while they are stale."""
    session.install(".")
    listing = Path(session.create_tmp()) / "tools.json"
    with listing.open("w", encoding="utf-8") as output:
        session.run("entrepot", "tools", "--json", stdout=output)
    session.run("python", "docs/generate.py", str(listing))
    session.run("python", "docs/support.py", *map(str, sorted(REPORTS.glob("*.json"))))


@nox.session
def services(session: nox.Session) -> None:
    """Run a command beside real servers: nox -s services -- neo4j postgres -- entrepot serve --profile scale."""
    session.install(".[chroma,kuzu,lancedb,neo4j,postgres]", "moto[server]")
    session.run("python", "-m", "tests.services", *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """Build the wheel and the source archive, and look at what is in them."""
    session.install("build", "twine", "check-wheel-contents")
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *map(str, Path("dist").iterdir()))
