"""More candidates are asked for until the answer is final."""

from backends.kit.overfetch import overfetch


async def test_four_times_as_many_candidates_are_asked_for_each_time() -> None:
    asked: list[int] = []

    async def ask(wanted: int) -> tuple[str, bool]:
        asked.append(wanted)
        return f"of {wanted}", wanted >= 100

    assert await overfetch(ask, first=12) == "of 192"
    assert asked == [12, 48, 192]
