"""What was computed for a piece of text is kept, within bounds."""

from toolsets.piece_cache import PieceCache


def test_values_are_computed_once_and_only_for_short_pieces_kept() -> None:
    computed: list[str] = []

    def length(piece: str) -> int:
        computed.append(piece)
        return len(piece)

    cache = PieceCache(length, most=3, longest=4)
    assert list(map(cache.__getitem__, ["a", "bb", "a", "longer", "longer"])) == [1, 2, 1, 6, 6]
    assert computed == ["a", "bb", "longer", "longer"]
    for piece in ("c", "d", "e"):
        assert cache[piece] == 1
        assert len(cache) <= 3
