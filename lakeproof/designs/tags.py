"""Tags: created, moved and deleted by several at once, against the sequential specification of one."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import MAIN, REPOSITORY
from lakeproof.designs.designs import HOLDS, Design, Word, rows
from lakeproof.designs.races import FALSE, FAULTS, NONE, Race, Refuted
from lakeproof.impl.graveler.initialisation import first_commit, init_repository
from lakeproof.impl.refs import commits, tags
from lakeproof.model.identifiers import MetaRangeID, TagID
from lakeproof.model.invariants import Invariant, refs
from lakeproof.model.invariants.alone import answers_in_its_terms
from lakeproof.model.linearizable import linearizable
from lakeproof.model.ref import ref
from lakeproof.scenario import Call

FIRST: Final = first_commit(REPOSITORY)
SECOND: Final = commits.new_commit([FIRST], MetaRangeID(""), committer="lakeproof", message="second", creation_date=0)
HEADS: Final = {MAIN: FIRST.commit_id, SECOND.commit_id: SECOND.commit_id}

WORDS: Final[Mapping[str, Word[None]]] = {
    "tag": Word(lambda _: tags.create_tag, MAIN),
    "update_tag": Word(lambda _: tags.update_tag, MAIN),
    "move_tag": Word(lambda _: tags.update_tag, SECOND.commit_id),
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
    founded: ClassVar = (Call(init_repository, REPOSITORY), Call(commits.add_commit, REPOSITORY, SECOND))

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [linearizable(ref(HEADS)), refs.head_exists, answers_in_its_terms]


UNSURE: Final = Refuted(
    "a `SetIf` that was applied and reported as failed answers `TagExists` or `RefChanged`: a definite no for what "
    "has happened",
    "tag-*/false-predicate tag.move_tag*/false-predicate",
)
BOTH: Final = Refuted(
    "both find the tag and delete it by its name: both say that it was they", "tag.delete_tag-delete_tag*"
)

TAGS: Final = TagDesign(name="tags/plain", refuted={"linearizable": UNSURE})

LOOKS: Final = TagDesign(
    name="tags/looks",
    source="graveler-on-kv.md, Tag (ours: a create looks first; a predicate that fails leaves the outcome open)",
    refuted=HOLDS,
    options={word: {"doubts": True} for word in ("tag", "update_tag", "move_tag")},
)

ROWS = [
    *rows(TAGS, "tag-tag tag-get_tag tag-delete_tag-get_tag tag-tag-delete_tag tag-update_tag-get_tag", FAULTS),
    *rows(TAGS, "tag.update_tag-delete_tag.get_tag", NONE),
    *rows(TAGS, "tag.move_tag.get_tag-get_tag", FAULTS),
    *rows(LOOKS, "tag-tag tag-get_tag tag-delete_tag-get_tag tag.update_tag-get_tag-update_tag", NONE | FALSE),
    *rows(LOOKS, "tag.move_tag-update_tag-get_tag tag-move_tag-get_tag", NONE | FALSE),
    *rows(attrs.evolve(TAGS, refuted={"linearizable": BOTH}), "tag.delete_tag-delete_tag", FAULTS),
]
