"""Ids are functions of names and hashes; they never change, so their values stand here."""

from toolsets.concept_rag.numbers import MAX_NUMBER, category_number, concept_number, document_number, visual_number


def test_ids_never_change() -> None:
    assert concept_number("Neural Networks") == concept_number("neural-network") == 4_073_051_992_355_467
    assert category_number("Software  packaging") == category_number("Software Packaging") == 2_339_127_475_775_374
    assert document_number("00ff") == 3_895_049_284_598_847
    assert visual_number("00ff", "aa", 1) == 5_301_334_718_633_412


def test_kinds_keys_and_occurrences_have_ids_of_their_own() -> None:
    ids = [
        concept_number("x"), category_number("x"), document_number("x"), visual_number("x", "y"), visual_number("x", "y", 1),
        visual_number("y", "x"), concept_number("y"),
    ]  # fmt: skip
    assert len(set(ids)) == len(ids)


def test_ids_are_exact_in_json() -> None:
    ids = [concept_number(f"concept {number}") for number in range(2_000)]
    assert len(set(ids)) == 2_000
    assert all(1 <= each <= MAX_NUMBER == 2**53 - 1 and int(float(each)) == each for each in ids)
