"""The running toolset: what its handlers, its commands and its background work share."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from toolsets.concept_rag.projections import PROJECTOR
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.sourcing.sourced import Sourced
from toolsets.spec import Services

if TYPE_CHECKING:
    from toolsets.concept_rag.taxonomy.model import Taxonomy


class ConceptRag:
    """The concept_rag toolset joined to its stores; opens nothing by itself."""

    def __init__(self, services: Services) -> None:
        self.settings = services.settings_as(ConceptRagSettings)
        self.now = services.now
        self.rng = services.random
        self.directory = services.directory
        self.sourced = Sourced(services, PROJECTOR)
        self.live_stores = self.sourced.live_stores

    @cached_property
    def taxonomy(self) -> "Taxonomy":
        """The shipped categories with the operator's. Raises `TaxonomyError`."""
        from toolsets.concept_rag.taxonomy.model import load_taxonomy

        return load_taxonomy(self.settings.taxonomy)

    def picture(self, digest: str) -> Path | None:
        """Return where the PNG file with a SHA-256 is kept; None where the toolset has no directory."""
        return None if self.directory is None else picture_path(self.directory, digest)


def picture_path(directory: Path, digest: str) -> Path:
    """Return the place of a PNG file below the toolset's directory, by its SHA-256."""
    return directory / "pictures" / digest[:2] / f"{digest}.png"
