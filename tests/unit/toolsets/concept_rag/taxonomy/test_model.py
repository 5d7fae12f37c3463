"""The shipped categories fit together, and what an operator adds is checked and explained."""

from pathlib import Path

import pytest

from toolsets.concept_rag.taxonomy.model import GENERAL, TaxonomyError, load_taxonomy


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def problem(folder: Path, text: str) -> str:
    with pytest.raises(TaxonomyError) as caught:
        load_taxonomy(written(folder, text))
    return str(caught.value).replace(str(folder), "")


def test_the_shipped_categories_cover_the_fields() -> None:
    taxonomy = load_taxonomy()
    assert 200 <= len(taxonomy.categories) <= 250
    roots = {category.name for category in taxonomy.categories if category.parent is None}
    assert {
        "Computing",
        "Mathematics",
        "Science",
        "Engineering",
        "Medicine",
        "Business",
        "Law",
        "Arts",
        "Crafts",
    } <= roots
    assert all(category.description for category in taxonomy.categories)
    assert len({category.id for category in taxonomy.categories}) == len(taxonomy.categories)
    assert taxonomy.find(GENERAL) is not None


@pytest.mark.parametrize("text", ["Machine Learning", "machine  learning", "ML"])
def test_names_and_aliases_lead_to_a_category_in_any_case(text: str) -> None:
    found = load_taxonomy().find(text)
    assert found is not None
    assert found.name == "Machine Learning"


def test_ids_lead_to_a_category_and_other_texts_nowhere() -> None:
    taxonomy = load_taxonomy()
    found = taxonomy.find("ml")
    assert found is not None
    assert taxonomy.find(str(found.id)) is taxonomy.get(found.id) is found
    for text in ("", "no such thing", "1", "9" * 400, "\u0663"):
        assert taxonomy.find(text) is None


def test_paths_and_descendants_follow_the_parents() -> None:
    taxonomy = load_taxonomy()
    deep, top = taxonomy.find("Deep Learning"), taxonomy.find("Artificial Intelligence")
    assert deep is not None
    assert top is not None
    assert taxonomy.path(deep) == ("Computing", "Artificial Intelligence", "Machine Learning", "Deep Learning")
    below = taxonomy.below(top)
    assert deep in below
    assert top not in below
    assert [category.name for category in below].index("Machine Learning") < below.index(deep)


def test_a_category_is_added_below_a_shipped_one(tmp_path: Path) -> None:
    file = written(tmp_path, '[[category]]\nname = "Beekeeping"\nparent = "agriculture"\naliases = ["Apiculture"]\n')
    taxonomy = load_taxonomy(file)
    found = taxonomy.find("apiculture")
    assert found is not None
    assert found.parent == "Agriculture"
    assert found.id == load_taxonomy(file).categories[taxonomy.categories.index(found)].id


def test_a_shipped_category_is_refined(tmp_path: Path) -> None:
    text = '[[category]]\nname = "machine learning"\ndescription = "Ours."\nparent = ""\nkeywords = ["boosting"]\n'
    before, after = load_taxonomy().find("ML"), load_taxonomy(written(tmp_path, text)).find("ML")
    assert before is not None
    assert after is not None
    assert (after.id, after.name, after.description, after.parent) == (before.id, before.name, "Ours.", None)
    assert after.keywords == (*before.keywords, "boosting")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[[category]]\nname = "A"\nparent = "Nowhere"\n',
            '/mine.toml, line 1 (entry 1): the category "A" has the parent "Nowhere"',
        ),
        (
            '[[category]]\nname = "A"\nparent = "B"\n\n[[category]]\nname = "B"\nparent = "A"\n',
            "/mine.toml, line 1 (entry 1): these categories are each other's parents: A, B.",
        ),
        ('[[category]]\nname = "A"\nparent = "a"\n', "each other's parents: A."),
        (
            '[[category]]\nname = "A"\n[[category]]\nname = "a"\n',
            'line 3 (entry 2): the category "a" is already defined in /mine.toml, line 1',
        ),
        ('[[category]]\nname = "A"\naliases = ["ML"]\n', 'which already means "Machine Learning"'),
        ('[[category]]\nname = "A"\nrelated = ["Nowhere"]\n', 'is related to "Nowhere", which does not exist'),
        ('[[category]]\nname = ""\n', "line 1 (entry 1): name should have at least 1 character."),
        ('[[category]]\nname = "A"\ncolour = "red"\n', "line 1 (entry 1): colour is not known."),
        ("[[category]]\nname = 3\n", "name should be a text."),
        ("[[category]\n", "/mine.toml cannot be read: "),
        ('title = "x"\n', "must hold [[category]] tables and nothing else"),
        ("category = 3\n", "must hold [[category]] tables and nothing else"),
        ('[[category]]\nname = "x"\ndescription = "' + "y" * 1_000_001 + '"\n', "is larger than"),
        ('[[category]]\nname = "x"\n' * 2_001, "at most 2,000 are allowed"),
    ],
)  # fmt: skip
def test_an_invalid_entry_is_reported_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    assert told in problem(tmp_path, text)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError) as caught:
        load_taxonomy(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path}/none.toml cannot be read: No such file or directory."


def test_at_most_ten_problems_are_reported(tmp_path: Path) -> None:
    text = "".join(f'[[category]]\nname = "A{number}"\nparent = "No{number}"\n' for number in range(50))
    assert len(problem(tmp_path, text).splitlines()) == 10
