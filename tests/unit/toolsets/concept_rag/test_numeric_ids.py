"""Ids are functions of names and hashes; they never change, so their values stand here."""

from toolsets.concept_rag.numeric_ids import MAX_NUMBER, category_id_of, concept_id_of, document_id_of, visual_id_of


def test_ids_never_change() -> None:
    assert concept_id_of("Neural Networks") == concept_id_of("neural-network") == 4_073_051_992_355_467
    assert category_id_of("Software  packaging") == category_id_of("Software Packaging") == 2_339_127_475_775_374
    assert document_id_of("00ff") == 3_895_049_284_598_847
    assert visual_id_of("00ff", "aa", 1) == 5_301_334_718_633_412


def test_kinds_keys_and_occurrences_have_ids_of_their_own() -> None:
    ids = [
        concept_id_of("x"), category_id_of("x"), document_id_of("x"), visual_id_of("x", "y"), visual_id_of("x", "y", 1),
        visual_id_of("y", "x"), concept_id_of("y"),
    ]  # fmt: skip
    assert len(set(ids)) == len(ids)


def test_ids_are_exact_in_json() -> None:
    ids = [concept_id_of(f"concept {number}") for number in range(2_000)]
    assert len(set(ids)) == 2_000
    assert all(1 <= each <= MAX_NUMBER == 2**53 - 1 and int(float(each)) == each for each in ids)
