"""Searching: by meaning and by words, best first, within bounds."""

from contracts.client import McpConnection
from contracts.promises import promise
from contracts.tools.skills.client import SkillsClient, word

DISH = "The dishwasher leaves white spots on all glasses."
SALT = "Fill up the salt in the softener. Then set the hardness of the water in the menu."


@promise("skills:search:empty", "skills:search:reply")
async def test_an_empty_store_finds_nothing_and_says_so(fresh_connection: McpConnection) -> None:
    """The list is empty, and the query is returned as it was sent."""
    reply = await SkillsClient(fresh_connection).search("  anything at all ")
    assert reply.matches == []


@promise("skills:search:meaning", "skills:search:reply")
async def test_a_question_in_other_words_finds_the_skill(client: SkillsClient) -> None:
    """Question and skill have no word in common."""
    mine = await client.learned(DISH, SALT)
    [first, *_] = (await client.search("tumblers come out cloudy after washing up")).matches
    assert (first.skill_id, first.title) == (mine.skill_id, mine.title)
    assert (first.resolution, first.conditions) == (mine.skill.resolution, mine.skill.conditions)


@promise("skills:search:words")
async def test_a_rare_word_of_the_resolution_finds_the_skill(client: SkillsClient) -> None:
    """The word is the name of a program, among skills with similar meanings."""
    mine = await client.learned(
        "The nightly backup of our database stops half-way.", "Restart it with `barman --resume`."
    )
    for number, program in enumerate(("restic", "duplicity", "rsnapshot", "bacula", "amanda")):
        await client.learned(
            f"The nightly backup of server {number} stops early.", f"Restart it with `{program} --again`."
        )
    assert (await client.ids("What is barman good for?"))[0] == mine.skill_id


@promise("skills:search:order", "skills:search:limit", "skills:search:min-score")
async def test_matches_come_by_score_within_the_bounds(client: SkillsClient) -> None:
    """The default is five; a bound equal to a score keeps that match."""
    for number in range(8):
        await client.learned(
            f"The {word()} scanner number {number} is not found in the network.", f"Plug {word()} in again."
        )
    query = "My scanner cannot be found in the network"
    assert len((await client.search(query)).matches) == 5
    eight = (await client.search(query, top_k=8)).matches
    scores = [match.score for match in eight]
    assert len(scores) == 8
    assert scores == sorted(scores, reverse=True)
    assert len((await client.search(query, top_k=1)).matches) == 1
    for bound in scores:
        kept = [match.score for match in (await client.search(query, top_k=8, min_score=bound)).matches]
        assert bound in kept
        assert min(kept) >= bound
    assert (await client.search(query, top_k=100, min_score=1)).matches == []


@promise("skills:search:syntax")
async def test_a_query_is_plain_text(client: SkillsClient) -> None:
    """Operators of query languages have no effect."""
    rare = word()
    mine = await client.learned(f"The {rare} lamp flickers.", f"Tighten the {rare} screw.")
    for query in (
        f'{rare}"',
        f"{rare} AND (",
        f"{rare}*) OR NEAR(",
        f"-{rare} +{rare}^2",
        f"'{rare}'; --",
        f"{rare}:~1",
    ):
        assert mine.skill_id in await client.ids(query), query
    assert (await client.search("*")).query == "*"
    assert (await client.search("x" * 8_000)).query == "x" * 8_000
