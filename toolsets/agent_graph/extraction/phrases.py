"""A sentence with its references: the grammatical place of each name, and the lists that names form."""

from collections.abc import Mapping, Sequence

from toolsets.agent_graph.extraction.coreference import Reference
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.sentence import MAX_WALK, Mention, Sentence
from toolsets.agent_graph.extraction.tokens import Token

MAX_LISTED = 32
"""The most names of a list in one statement, which holds between each of its sources and each of its targets."""


class Phrases(Sentence):
    """A sentence with the reference of each token."""

    def __init__(self, text: str, tokens: Sequence[Token], references: Mapping[int, Reference]) -> None:
        super().__init__(text, tokens)
        self.references = references
        for place, at in references.items():
            self.owner[place] = Mention(at.first, at.last, at.referent.name, at.referent.type, at.referent.confidence)

    def says(self, cue: str, reference: Reference) -> bool:
        """Return whether one of the cues of a name matches a reference."""
        return self.fits(cue, reference.first, reference.last)

    def past_nouns(self, place: int, step: int) -> int:
        """Return the first place from `place` on that has no noun giving the type of a name, and is not part of one."""
        end = self.past(place, step, "noun", "kin_noun")
        return next((at for at in range(place, end, step) if at in self.references), end)

    def headed(self, place: int) -> Reference | None:
        """Return the reference that ends at `place`, or before the nouns there that give its type: the *X* plugin."""
        reference = self.references.get(self.past_nouns(place, -1))
        return None if reference is None or (reference.last <= place and self.says("kind", reference)) else reference

    def preposition_of(self, reference: Reference) -> str:
        """Return the preposition that governs a reference, "" when none does: he and she are subjects, before *she* left."""
        before = self.past(reference.first - 1, -1, "article", "tracker", "quote")
        governed = self.is_a(before, "preposition") and self.lower(reference.first) not in {"he", "she"}
        return self.lower(before) if governed else ""

    def is_one_of_many(self, reference: Reference) -> bool:
        """Return whether the noun behind a name is the subject, not the name: *Java* applications use, *a* Python parser."""
        generic = self.says("generic", reference) and not self.preposition_of(reference)
        return self.says("of_a_kind", reference) or (generic and not self.says("predicate_name", reference))

    def is_attribute(self, reference: Reference, relation: RelationType) -> bool:
        """Return whether a name only modifies the noun after it, which is the end of the relation: Debian packages."""
        # Who uses a part of a thing uses the thing: uses Debian packages.
        cue = "attribute_of_part" if relation in {"USES", "DEPENDS_ON"} else "attribute_of_whole"
        return self.says("attribute", reference) or self.says(cue, reference)

    def apposed(self, place: int) -> Reference | None:
        """Return the reference that the noun phrase around `place` explains: with *X*, a parser for Y."""
        commas = (before for _, before, _ in self.fitting("apposition", place + 1))
        return next((self.headed(self.past(comma, -1, "quote")) for comma in commas), None)

    def verb_start(self, place: int) -> int:
        """Return the beginning of the verb group at `place`: its auxiliaries and adverbs before it."""
        at = place - 1
        while at > place - MAX_WALK and (self.is_a(at, "auxiliary", "negation", "hedge") or self.is_adverb(at)):
            at -= 1
        return at + 1

    def denies(self, place: int) -> bool:
        """Return whether a word of a verb group cancels the verb: never, almost, allegedly."""
        return self.is_a(place, "negation") or (self.is_a(place, "hedge") and not self.is_adverb(place + 1))

    def behind(self, reference: Reference) -> int:
        """Return the place after a reference, the noun that gives its type, and a parenthesis."""
        at = self.past_nouns(reference.last, 1)
        return self.past_aside(at) if self.lower(at) == "(" else at

    def acts(self, reference: Reference) -> bool:
        """Return whether a reference begins a clause of its own."""
        at = self.behind(reference)
        opens = reference.first == 0 and self.fits("predicate_of_opener", at)
        return opens or reference.certainty < 1 or self.fits("finite_verb", at)

    def named_by(self, reference: Reference) -> Reference:
        """Return the later of two names of which the first is only a modifier: the LaTeX package Xy-pic."""
        return self.references.get(self.past_nouns(reference.last, 1), reference)

    def list_before(self, reference: Reference) -> list[Reference]:
        """Return `reference` with those before it in the same list, `MAX_LISTED` at most."""
        found = [reference]
        while len(found) < MAX_LISTED and (len(found) == 1 or not self.preposition_of(found[0])):
            at = self.past(found[0].first - 1, -1, "article", "tracker")
            if not self.is_a(at, "joiner") or (len(found) == 1 and self.lower(at) == ","):
                break
            at -= 2 if self.lower(at) != "," and self.lower(at - 1) == "," else 1
            earlier = self.references.get(self.past_nouns(at, -1))
            # No list names a thing twice: in "on X, and X is" a clause begins.
            if earlier is None or any(earlier.referent is item.referent for item in found):
                break
            found.insert(0, earlier)
        # A list of two has no comma: in "uses X, and Y is" a clause begins.
        set_off = (
            len(found) == 2 and self.lower(reference.first - 2) == "," and self.lower(reference.first - 1) == "and"
        )
        is_object = self.preposition_of(found[0]) or self.is_a(found[0].first - 1, "verb", "subject_verb", "auxiliary")
        return [reference] if set_off and is_object else found

    def list_after(self, reference: Reference, joiners: str = "joiner", *, acting: bool = False) -> list[Reference]:
        """Return `reference` with those after it in the same list, `MAX_LISTED` at most.

        One that begins a clause of its own is no item, unless the items are `acting`.
        """
        found = [reference]
        while len(found) < MAX_LISTED:
            at = behind = self.behind(found[-1])
            while self.is_a(at, joiners) and at < behind + 3:
                at += 1
            explained = self.lower(at - 1) == "," and self.is_a(at, "article")
            item = self.past(at, 1, "article", "tracker")
            # An ordinary word among the items is passed over: Perl, *time* and Redis.
            item = next((further for _, _, further in self.fitting("plain_item", item)), item)
            later = self.references.get(item)
            if at == behind or later is None or (self.acts(self.named_by(later)) and not acting):
                break
            # In "X, the Y service" the one explains the other, unless the list goes on.
            if explained and not self.is_a(self.behind(later), "joiner"):
                break
            found.append(self.named_by(later))
        return found
