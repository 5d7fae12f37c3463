"""A service that is lent is one for all that are started below, and is seen by nobody who does not ask for it."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
SERVICES = (sys.executable, "-m", "tests.services")
SHOWN = (sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))")
URL = "ENTREPOT_TEST_OPENAI_COMPATIBLE_BASE_URL"


def shown(*words: str, **variables: str) -> dict[str, str]:
    """Return the environment that a command sees which the services were started for."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ENTREPOT_")}
    done = subprocess.run(
        [*SERVICES, *words], env={**environment, **variables}, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_what_is_lent_is_started_once_and_seen_by_those_who_ask() -> None:
    seen = shown("--lend", "chat", "--", *SHOWN)
    assert URL not in seen
    assert shown("--lend", "chat", "--", *SERVICES, "chat", "--", *SHOWN)[URL] != shown("chat", "--", *SHOWN)[URL]
    lent = {name: value for name, value in seen.items() if name.startswith("ENTREPOT_TEST_LENT_")}
    assert {shown("chat", "--", *SHOWN, **lent)[URL] for _ in range(2)} == {json.loads(*lent.values())[URL]}


def test_what_cannot_be_started_is_not_lent_and_the_command_runs() -> None:
    without_packages = [sys.executable, "-S", "-m", "tests.services", "--lend", "st", "--", "echo", "the command"]
    done = subprocess.run(without_packages, cwd=ROOT, capture_output=True, text=True, check=True)
    said, last = done.stdout.splitlines()
    assert said.startswith("not lent: the model package is not installed")
    assert last == "the command"
