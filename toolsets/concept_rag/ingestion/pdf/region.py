"""A region of a page with a visual, while it is being assembled."""

from dataclasses import dataclass, field

from toolsets.concept_rag.ingestion.document import VisualType
from toolsets.concept_rag.ingestion.pdf.captions import Caption
from toolsets.concept_rag.ingestion.pdf.geometry import Box, around
from toolsets.concept_rag.ingestion.pdf.words import PdfWord


@dataclass(slots=True)
class Region:
    """A visual: its box, its parts and its caption."""

    box: Box
    images: int = 0
    image_area: float = 0
    """Square points of its images."""
    curves: int = 0
    horizontal: list[Box] = field(default_factory=list[Box])
    vertical: list[Box] = field(default_factory=list[Box])
    caption: Caption | None = None
    words: list[PdfWord] = field(default_factory=list[PdfWord])
    """The words inside, without captions."""
    sideways: list[PdfWord] = field(default_factory=list[PdfWord])
    visual_type: VisualType = "figure"
    core: Box | None = None
    """The box of the drawn parts, without adjacent labels."""
    closed: bool = False
    """Whether rules enclose it, so that nothing outside belongs to it."""

    @property
    def marks(self) -> int:
        """The number of its objects."""
        return self.images + self.curves + len(self.horizontal) + len(self.vertical)

    def absorb(self, other: "Region") -> None:
        """Merge `other` into this region."""
        self.box = around((self.box, other.box))
        self.images += other.images
        self.image_area += other.image_area
        self.curves += other.curves
        self.horizontal += other.horizontal
        self.vertical += other.vertical
