"""The embedder returns a row of unit norm for each text, in order, and the same row for the same text."""

import math

import numpy
import pytest

from backends.ports.embedder import Embedder
from contracts.corpus import HOSTILE_TEXTS, LONG
from contracts.fixtures import EngineFactory
from contracts.promises import promise

TEXTS = ("For loops iterate over sequences.", "A tree is a connected graph without cycles.", "x", "日本語のテキスト")


@promise("embedder:embed:shape", "embedder:identity")
async def test_each_text_gives_a_row_of_unit_norm(embedder: Embedder) -> None:
    """There are as many rows as texts, each as wide as the identity says, in single precision."""
    rows = await embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.identity.dim)
    assert rows.dtype == numpy.float32
    assert all(math.isclose(float(numpy.linalg.norm(row)), 1, abs_tol=1e-5) for row in rows)
    assert embedder.identity.model
    assert embedder.identity.revision


@promise("embedder:embed:none")
async def test_no_text_gives_no_row(embedder: Embedder) -> None:
    """No texts give no rows, of the width of the model."""
    assert (await embedder.embed([])).shape == (0, embedder.identity.dim)


@promise("embedder:embed:order", "embedder:embed:same-row")
async def test_a_text_gives_the_same_row_in_any_batch(embedder: Embedder) -> None:
    """The row is the same to the last bit alone, in batches of any length and order, and when repeated."""
    alone = [(await embedder.embed([text]))[0] for text in TEXTS]
    together = await embedder.embed([*TEXTS, LONG[:900], *reversed(TEXTS), *TEXTS])
    expected = [*alone, None, *reversed(alone), *alone]
    for row, wanted in zip(together, expected, strict=True):
        assert wanted is None or numpy.array_equal(row, wanted)


@promise("embedder:embed:same-row")
@pytest.mark.needs("embedder")
async def test_a_text_gives_the_same_row_after_a_restart(engine_factory: EngineFactory) -> None:
    """Embedders with equal identities return interchangeable vectors."""
    first = await (await engine_factory.open()).embedder()
    identity, rows = first.identity, await first.embed(TEXTS)
    again = await (await engine_factory.reopen()).embedder()
    assert again.identity == identity
    assert numpy.array_equal(await again.embed(TEXTS), rows)


@promise("embedder:embed:long")
async def test_text_beyond_the_models_limit_is_cut(embedder: Embedder) -> None:
    """Text beyond the limit changes nothing and raises no error."""
    [one, two] = await embedder.embed([f"{LONG} alpha", f"{LONG} omega"])
    assert numpy.array_equal(one, two)


@promise("embedder:embed:any-text")
@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\x07", *HOSTILE_TEXTS])
async def test_any_text_that_can_be_stored_can_be_embedded(embedder: Embedder, text: str) -> None:
    """Empty and unusual texts also get a finite row of unit norm."""
    [row] = await embedder.embed([text])
    assert math.isclose(float(numpy.linalg.norm(row)), 1, abs_tol=1e-5)


@promise("embedder:embed:meaning")
async def test_texts_of_one_meaning_are_closer_than_others(embedder: Embedder) -> None:
    """An embedder without this property is a hash."""
    rows = await embedder.embed(
        ["How do I loop through items in Python?", "For loops iterate over lists.", "The cat sleeps on the sofa."]
    )
    assert float(rows[0] @ rows[1]) > float(rows[0] @ rows[2]) + 0.1
