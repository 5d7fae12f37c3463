"""One session of questions to the library, recorded on the embedded profile, gives the same replies on every other."""

from pathlib import Path

from contracts.promises import promise
from contracts.sessions import changes
from contracts.tools.concept_rag.session import CALLS, SESSION


@promise("concept_rag:session:replies")
async def test_a_recorded_session_gets_the_recorded_replies(empty_stage: tuple[str, Path]) -> None:
    """Clock and library are the same; scores may be 0.005 apart, and rows as near as that may change places."""
    before = SESSION.recorded()
    assert len(before) == CALLS
    assert not changes(before, await SESSION.played(*empty_stage))
