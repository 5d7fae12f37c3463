"""How wordnet.bin is laid out: a header that names its sections, then the sections one after the other.

The file starts with `MAGIC`, the length of the header (4 bytes) and the header, JSON: `sections` maps a name to its offset
behind the header and its length, `lemmas` is the number of lemmas, `synsets` gives for each of `PARTS` the first
synset that is not of that part of speech any more. All other numbers are little-endian, unsigned and of `WIDTH` bytes:
four would make the file a quarter larger.

A list of lists is two sections: `NAME.starts` (numbers, one more than there are lists) and `NAME.items`, in which list
`i` is what lies between two neighbouring starts, counted in items. A list of texts is the same with bytes for items.

| section | item | meaning |
|---|---|---|
| forms | byte | spellings in UTF-8; the first `lemmas` of them are the lemmas in order of their bytes, then those with capitals |
| senses | number | per lemma its synsets, most common first |
| members | number | per synset its forms |
| broader, narrower | number | per synset other synsets, most common first |
| glosses | byte | definitions of `GLOSS_BLOCK` synsets, joined by line feeds, compressed by zlib |
| usage | byte | per lemma: share of its noun senses in use, 0 to 15, times 16, plus the logarithm of its use, 0 to 15 |
| exceptions | byte | lines of form, part of speech and lemmas of irregular forms, compressed by zlib |
"""

from typing import Final

MAGIC: Final = b"WORDNET1"
WIDTH: Final = 3
PARTS: Final = "nvar"
"""Parts of speech in the order of their synsets: noun, verb, adjective, adverb."""
GLOSS_BLOCK: Final = 256
"""Synsets per compressed block, which decompresses in some 200 microseconds; blocks of 32 make the file 7 % larger."""
