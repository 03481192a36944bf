"""Tags: created, moved and deleted by several at once, against the sequential specification of one."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import MAIN, REPOSITORY
from lakeproof.designs.designs import HOLDS, Design, Word, rows
from lakeproof.designs.races import FALSE, FAULTS, NONE, Race, Refuted
from lakeproof.impl.graveler import initialisation
from lakeproof.impl.refs import tags
from lakeproof.model.identifiers import TagID
from lakeproof.model.invariants import Invariant, refs
from lakeproof.model.invariants.alone import answers_in_its_terms
from lakeproof.model.linearizable import linearizable
from lakeproof.model.tag import TAG
from lakeproof.scenario import Call

WORDS: Final[Mapping[str, Word[None]]] = {
    "tag": Word(lambda _: tags.create_tag, MAIN),
    "update_tag": Word(lambda _: tags.update_tag, MAIN),
    "delete_tag": Word(lambda _: tags.delete_tag),
    "get_tag": Word(lambda _: tags.get_tag),
}


@attrs.frozen(kw_only=True)
class TagDesign(Design[None]):
    """The flows of tags."""

    flows: None = None
    source: str = "graveler-on-kv.md, Tag"
    subject: ClassVar = (REPOSITORY, TagID("t"))
    vocabulary: ClassVar = WORDS
    founded: ClassVar = (Call(initialisation.init_repository, REPOSITORY),)

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [linearizable(TAG), refs.head_exists, answers_in_its_terms]


UNSURE: Final = Refuted(
    "a `SetIf` that was applied and reported as failed answers `TagExists` or `RefChanged`: a definite no for what "
    "has happened",
    "tag-*/false-predicate",
)
BOTH: Final = Refuted(
    "both find the tag and delete it by its name: both say that it was they", "tag.delete_tag-delete_tag*"
)

TAGS: Final = TagDesign(name="tags/plain", refuted={"linearizable": UNSURE})

LOOKS: Final = TagDesign(
    name="tags/looks",
    source="graveler-on-kv.md, Tag (ours: who is refused looks whether the record may be its own)",
    refuted=HOLDS,
    options={"tag": {"looks": True}, "update_tag": {"looks": True}},
)

ROWS = [
    *rows(TAGS, "tag-tag tag-get_tag tag-delete_tag-get_tag tag-tag-delete_tag tag-update_tag-get_tag", FAULTS),
    *rows(TAGS, "tag.update_tag-delete_tag.get_tag", NONE),
    *rows(LOOKS, "tag-tag tag-get_tag tag-delete_tag-get_tag tag.update_tag-get_tag-update_tag", NONE | FALSE),
    *rows(attrs.evolve(TAGS, refuted={"linearizable": BOTH}), "tag.delete_tag-delete_tag", FAULTS),
]
