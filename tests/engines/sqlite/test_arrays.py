"""A large product is shared among threads, with the same result as a small one."""

import numpy as np

from backends.engines.sqlite.vectors.search import SHARED_ROWS, products


def test_a_shared_product_keeps_the_order_of_rows() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(SHARED_ROWS + 7, 8)).astype(np.float32)
    vector = rng.normal(size=8).astype(np.float32)
    assert np.allclose(products(matrix, vector), matrix @ vector, atol=1e-5)
    assert np.array_equal(products(matrix[:5], vector), matrix[:5] @ vector)
