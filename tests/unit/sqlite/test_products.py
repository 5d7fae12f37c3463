"""A large product is shared out among threads and is the same as a small one."""

import numpy as np

from backends.sqlite.vectors.products import SHARED_ROWS, products


def test_a_shared_product_has_each_row_in_its_place() -> None:
    chance = np.random.default_rng(5)
    matrix = chance.normal(size=(SHARED_ROWS + 7, 8)).astype(np.float32)
    vector = chance.normal(size=8).astype(np.float32)
    assert np.allclose(products(matrix, vector), matrix @ vector, atol=1e-5)
    assert np.array_equal(products(matrix[:5], vector), matrix[:5] @ vector)
