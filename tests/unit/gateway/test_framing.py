"""Lines out of chunks."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.transports.framing import Framer, TooLong


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), max_size=8), st.integers(1, 20))
def test_lines_do_not_depend_on_how_they_were_cut(lines: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    framer = Framer(8)
    found = [line for at in range(0, len(stream), size) for line in framer.feed(stream[at : at + size])]
    assert [None if isinstance(line, TooLong) else line for line in found] == [
        line if len(line) <= 8 else None for line in lines
    ]
    assert framer.finish() == b""


def test_what_follows_the_last_newline_is_kept_for_the_end() -> None:
    framer = Framer(8)
    assert list(framer.feed(b"a\nbc")) == [b"a"]
    assert framer.finish() == b"bc"
