"""A visual in the making: what is drawn in one place of a page."""

from dataclasses import dataclass, field

from toolsets.concept_rag.ingestion.document import VisualType
from toolsets.concept_rag.ingestion.pdf.captions import Caption
from toolsets.concept_rag.ingestion.pdf.geometry import Box, around
from toolsets.concept_rag.ingestion.pdf.words import Word


@dataclass(slots=True)
class Region:
    """A visual: where it lies, what it is made of and what names it."""

    box: Box
    images: int = 0
    image_area: float = 0
    """Square points of its images."""
    curves: int = 0
    horizontal: list[Box] = field(default_factory=list[Box])
    vertical: list[Box] = field(default_factory=list[Box])
    caption: Caption | None = None
    words: list[Word] = field(default_factory=list[Word])
    """The words inside, captions left out."""
    sideways: list[Word] = field(default_factory=list[Word])
    visual_type: VisualType = "figure"
    core: Box | None = None
    """What is drawn, before labels beside it are taken in."""
    closed: bool = False
    """Whether rules run around it: what is beyond them belongs to something else."""

    @property
    def marks(self) -> int:
        """How many objects it consists of."""
        return self.images + self.curves + len(self.horizontal) + len(self.vertical)

    def absorb(self, other: "Region") -> None:
        """Take `other` in."""
        self.box = around((self.box, other.box))
        self.images += other.images
        self.image_area += other.image_area
        self.curves += other.curves
        self.horizontal += other.horizontal
        self.vertical += other.vertical
