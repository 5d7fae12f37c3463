"""Record the sessions of the contract suite anew, on the embedded profile.

python -m tests.support.recording
"""

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

import contracts
from contracts.sessions import Script, stage
from contracts.tools.knowledge.session import script as knowledge

SCRIPTS: Mapping[str, Script] = {"knowledge": knowledge}
SUITES = Path(contracts.__file__).parent / "tools"


async def record(toolset: str, script: Script, data: Path) -> str:
    """Return the record of a session, one step a line."""
    async with stage("embedded", toolset, data) as set_up:
        steps = await set_up.play(script)
    return "".join(f"{step.model_dump_json()}\n" for step in steps)


if __name__ == "__main__":
    for name, chosen in SCRIPTS.items():
        with tempfile.TemporaryDirectory() as folder:
            (SUITES / name / "session.jsonl").write_text(
                asyncio.run(record(name, chosen, Path(folder))), encoding="utf-8"
            )
