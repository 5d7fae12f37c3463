"""The versions of a skill as callers see them, as many as there is room for."""

from backends.ports.values import Micros
from toolsets.skills.documents import versions_document
from toolsets.skills.skill import Skill, SkillVersion


def version(number: int) -> SkillVersion:
    skill = Skill(
        "id", "title", number, "problem", "resolution " * 50, (), ("word",), "area", "bug", 0.5, 0, 0,
        Micros(0), Micros(number), number,
    )  # fmt: skip
    return SkillVersion(skill, (f"change {number}",))


def test_versions_come_newest_first_and_the_oldest_are_left_out_when_there_is_no_room() -> None:
    versions = [version(number) for number in range(1, 11)]
    all_of_them = versions_document(versions, 1_000_000)
    assert [each.version for each in all_of_them.versions] == list(range(10, 0, -1))
    assert all_of_them.skill.version == all_of_them.total_versions == 10
    some = versions_document(versions, 3_000)
    assert [each.version for each in some.versions] == list(range(10, 10 - len(some.versions), -1))
    assert 1 < len(some.versions) < 10
    assert some.total_versions == 10
