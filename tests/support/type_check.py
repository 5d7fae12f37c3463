"""Run basedpyright over the project, or over a part of it that does without some libraries.

python -m tests.support.type_check --without chromadb boto3     all files but those that import one of these
python -m tests.support.type_check --only chromadb boto3        those files

The drivers of servers are large. The default run checks what can be checked without them; another run checks the rest.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("gateway", "backends", "toolsets", "config", "contracts", "tests", "noxfile.py")


def imported(text: str) -> Iterator[str]:
    """Yield the top-level names of all modules that a source text imports, wherever in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def sources() -> Iterator[Path]:
    """Yield the files that are checked, sorted."""
    for place in PLACES:
        yield from sorted((ROOT / place).rglob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]


def main(words: list[str]) -> int:
    """Return the exit code of basedpyright."""
    choice, libraries = words[0], {*words[1:]}
    if choice not in ("--without", "--only"):
        raise SystemExit(__doc__)
    importing = {path for path in sources() if libraries & {*imported(path.read_text(encoding="utf-8"))}}
    chosen = [str(path) for path in sources() if (path in importing) == (choice == "--only")]
    print(f"{len(chosen)} files are checked, {len(importing)} import {' or '.join(sorted(libraries))}", flush=True)
    return subprocess.run([sys.executable, "-m", "basedpyright", *chosen], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
