"""Chores that are no tests: benchmarks, generated docs, services, releases."""

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["docs"]


@nox.session
def bench(session: nox.Session) -> None:
    """Print the tables of speed; needs WordNet (Debian: apt-get install wordnet-base)."""
    session.install(".[contracts]")
    session.run("python", "-m", "tests.bench", *session.posargs)
