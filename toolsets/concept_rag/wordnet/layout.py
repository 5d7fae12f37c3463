"""The layout of wordnet.bin; kept separate because the chore that builds the file writes it, too.

The file starts with `MAGIC`, the length of the header (4 bytes) and the header as JSON: `sections` maps a name to its
offset after the header and its length, `lemmas` is the number of lemmas, and `synsets` has for each of `PARTS` the number
of the first synset after that part of speech. All other numbers are little-endian, unsigned and `WIDTH` bytes wide; four
bytes would make the file a quarter larger.

A list of lists has two sections: `NAME.starts` (one number more than lists) and `NAME.items`, where list `i` is between
two consecutive starts, counted in items. A list of texts is the same with bytes as items.

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
"""Synsets per compressed block, which takes about 200 microseconds to decompress; blocks of 32 make the file 7 % larger."""
