"""Record the sessions of the contract suite anew, on the embedded profile.

python -m tests.support.recorder
"""

import asyncio
import tempfile
from pathlib import Path

import contracts
from contracts.sessions import Session
from contracts.tools.agent_graph.session import SESSION as AGENT_GRAPH
from contracts.tools.concept_rag.session import SESSION as CONCEPT_RAG
from contracts.tools.knowledge.session import SESSION as KNOWLEDGE
from contracts.tools.memory.session import SESSION as MEMORY
from contracts.tools.skills.session import SESSION as SKILLS

SUITES = Path(contracts.__file__).parent / "tools"


async def record(session: Session, data: Path) -> str:
    """Return the record of a session, one step a line."""
    steps = await session.played("embedded", data)
    return "".join(f"{step.model_dump_json(exclude_defaults=True)}\n" for step in steps)


if __name__ == "__main__":
    for chosen in (KNOWLEDGE, CONCEPT_RAG, MEMORY, SKILLS, AGENT_GRAPH):
        with tempfile.TemporaryDirectory() as folder:
            text = asyncio.run(record(chosen, Path(folder)))
        (SUITES / chosen.toolset / "session.jsonl").write_text(text, encoding="utf-8")
