"""Branches of today's lakeFS: what its scenarios have in common."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakefs_today import entries, promises, staging
from lakeproof.designs.branch_designs import BRANCH, FOUNDED, REPOSITORY, STAGED, WORDS, BranchDesign, X
from lakeproof.designs.designs import Caller, Design, Speaker, Word
from lakeproof.designs.races import Race
from lakeproof.impl.flows import BranchFlows
from lakeproof.model.invariants import Invariant, refs
from lakeproof.model.invariants import entries as entry_invariants
from lakeproof.model.linearizable import linearizable
from lakeproof.scenario import Aftermath

MORE_WORDS: Final[Mapping[str, Word[BranchFlows]]] = {
    "sweep": Word(lambda _: staging.sweep),
    "erase": Word(lambda flows: flows.delete_entry, BRANCH, X),
    "touch": Word(lambda _: entries.update_metadata, BRANCH, X, Caller.BYTES),
    "touch_by_id": Word(lambda _: entries.update_metadata_by_id, BRANCH, X, Caller.BYTES),
    "touch_in_two": Word(lambda _: entries.update_metadata_in_two, BRANCH, X, Caller.BYTES),
    "touch_safely": Word(lambda _: entries.update_metadata, BRANCH, X, Caller.BYTES),
    "amend": Word(lambda _: entries.update_user_metadata, BRANCH, X, Caller.BYTES),
    "amend_rereading": Word(lambda _: entries.update_user_metadata, BRANCH, X, Caller.BYTES),
    "amend_safely": Word(lambda _: entries.update_user_metadata, BRANCH, X, Caller.BYTES),
}
"""``sweep`` is the loop that empties dropped tokens; ``erase`` a delete that leaves no tombstone if it can; ``touch``
changes the metadata of an entry, ``touch_safely`` in the repaired way, ``touch_by_id`` after a look at the repository,
``touch_in_two`` as before #8264. ``amend`` is ``touch``, but the entry keeps its identity: what it brings back is told
from what it writes; ``amend_rereading`` and ``amend_safely`` are two repairs."""

RAW: Final[Mapping[str, Mapping[str, bool]]] = {
    "erase": {"no_tombstone": True},
    "touch_safely": {"knows_its_own": True},
    "amend_rereading": {"rereads": True},
    "amend_safely": {"knows_its_own": True},
}


UPDATES: Final = ("touch", "touch_by_id", "touch_in_two", "touch_safely", "amend", "amend_rereading", "amend_safely")
GONE: Final = ("write", "delete")
"""What leaves no entry behind."""


ALONE: Final = (("delete_branch",), ("reset",), ("sweep",))
"""Of what these leave of a token, nothing is lost."""


@attrs.frozen(kw_only=True)
class OutsideDesign(Design[None]):
    """What works beside the flows of a branch: a word calls the same flow in every reading."""

    flows: None = None
    subject: ClassVar = (REPOSITORY,)
    founded: ClassVar = FOUNDED


@attrs.frozen(kw_only=True)
class UpstreamDesign(BranchDesign):
    """The flows of today, or a repair of them."""

    options: Mapping[str, Mapping[str, bool]] = attrs.field(default=RAW)

    vocabulary: ClassVar = {**WORDS, **MORE_WORDS}

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        words = race.words
        asked = list(super().invariants(race, refuted))
        if refs.commits_form_one_line not in asked and any(word in ("commit", "merge", "revert") for word in words):
            asked.append(refs.commits_form_one_line)
        commits = sum(word in ("commit", "merge", "revert") for word in words)
        if promises.refused_commit_is_absent.id in refuted or commits > 1:
            asked.append(promises.refused_commit_is_absent)
        if "replace" in words and "read" in words:
            exact = linearizable(STAGED[race.before])
            asked = [*(each for each in asked if each.id != exact.id), exact]
        if "touch_by_id" in words or words == ("amend",):
            asked.append(promises.update_is_effective)
        if all(word in UPDATES for word in words) and race.before in ((), GONE):
            asked.append(promises.update_needs_an_entry)
        if promises.staged_garbage_can_be_found.id in refuted or words in ALONE:
            asked.append(promises.staged_garbage_can_be_found)
        if "erase" in words:
            asked.append(entry_invariants.acknowledged_delete_is_kept)
        return list(dict.fromkeys(asked))

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """As that of the designs; but a commit of today needs a change."""
        if "commit" not in race.words or "delete_branch" in race.words:
            return []
        return [
            Aftermath(
                id=refs.BRANCH_STAYS_COMMITTABLE.id,
                meaning=refs.BRANCH_STAYS_COMMITTABLE.meaning,
                calls=[self.call("write:y", Speaker("s", 8)), self.call("commit", Speaker("s", 9))],
                check=refs.branch_stays_committable,
            )
        ]
