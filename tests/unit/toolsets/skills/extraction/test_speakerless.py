"""A text without speakers is a question and its answer, and its code stays code."""

import pytest

from toolsets.skills.extraction.offline import extract

_CODE = "services:\n  db:\n    image: a:15\n    shm_size: 1gb"


@pytest.mark.parametrize("fence", ["```yaml\n{}\n```", "~~~\n{}\n~~~"])
@pytest.mark.parametrize("heading", ["", "# The database: could not resize memory\n\n", "# The database stops\n\n"])
@pytest.mark.parametrize("reply", ["", "\n> Thanks a lot, it runs again. – *tom*\n"])
def test_a_block_keeps_its_lines_and_its_indentation(fence: str, heading: str, reply: str) -> None:
    told = (
        f"The report dies with an error.\n\nAdd this to the file:\n\n{fence.format(_CODE)}\n\nand restart it.\n{reply}"
    )
    learned = extract(f"{heading}{told}", metadata={}, resolution_confirmed=True)
    indented = _CODE.replace("\n", "\n   ")
    assert learned.resolution == f"1. Add this to the file:\n   {indented}\n2. Restart it."


def test_an_answer_begins_with_the_sentence_that_announces_its_code() -> None:
    code = f"The settings look like this then:\n\n```\n{_CODE}\n    enable: true\n```\n"
    told = f"# The database stops\n\nIt stops at night.\n\n{code}"
    learned = extract(f"{told}\nThen restart it.", metadata={}, resolution_confirmed=True)
    assert learned.resolution.startswith("1. The settings look like this then:\n   services:\n     db:")
