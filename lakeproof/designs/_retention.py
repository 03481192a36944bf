"""Runs that mark and sweep, and users who commit, branch, merge, revert and copy: what is common to all variants.

The history is given: on main ``A`` (30 days old, has x) <- ``B`` (20 days, has z and no x), with a branch b at its
head; and, where a race asks for them, a dangling ``D`` (30 days, has y), and a branch z at ``E`` (30 days, has w). By
rules of seven days A and D are expired; B and E are not, for they are heads. A dangling ``F`` (30 days) has v, whose
object is not lakeFS' own.
"""

import enum
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs._circumstances import damage
from lakeproof.designs._hard_delete import OUTSIDE
from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.designs.designs import Design, Speaker, Word
from lakeproof.designs.races import Race, branch_of
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RetentionFlows
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import add_commit, new_commit
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention import runs as retention
from lakeproof.impl.retention.pins import PINS
from lakeproof.model import keys
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, encode_object_entry, identity_of
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken
from lakeproof.model.invariants import Invariant, outcomes
from lakeproof.model.invariants import retention as invariants
from lakeproof.model.invariants.jobs import (
    deletion_spares_foreign_data,
    job_tells_what_it_deleted,
    unreadable_stops_the_job,
)
from lakeproof.model.objects import etag
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.model.retention import DAY, Rules
from lakeproof.scenario import Aftermath, Call

OTHER: Final = BranchID("z")
ON: Final = branch_of(BRANCH, OTHER)
NOW: Final = REPOSITORY.creation_date
RULES: Final = Rules(7)


def _entry(path: bytes, name: str) -> Entry:
    data = encode_object_entry(ObjectEntry(address=f"data/{name}", e_tag=etag(name.encode()), size_bytes=len(name)))
    return Entry(path=path, identity=identity_of(data), data=data)


def _foreign(path: bytes, address: str) -> Entry:
    data = encode_object_entry(catalog.entry_at(REPOSITORY, address, b"o"))
    return Entry(path=path, identity=identity_of(data), data=data)


def _commit(name: str, parent: Commit, age_days: int, *entries: Entry) -> Commit:
    return new_commit(
        [parent], write(entries).meta_range_id, committer="lakeproof", message=name, creation_date=NOW - age_days * DAY
    )


# Without a metarange: it holds no object, and can expire without any loss.
FIRST: Final = new_commit([], MetaRangeID(""), committer="lakeproof", message="R", creation_date=NOW - 40 * DAY)
OLD, KEPT, DEAD, SIDE = _entry(X, "a"), _entry(b"z", "c"), _entry(Y, "d"), _entry(b"w", "e")
# The entries are all that a commit holds, and not what it changes: B lacks OLD, so x was deleted in it.
A: Final = _commit("A", FIRST, 30, OLD)
B: Final = _commit("B", A, 20, KEPT)
D: Final = _commit("D", FIRST, 30, DEAD)
E: Final = _commit("E", FIRST, 30, SIDE)
FOREIGN: Final = _foreign(b"v", OUTSIDE)
F: Final = _commit("F", FIRST, 30, FOREIGN)

HISTORY: Final[Mapping[str, tuple[tuple[Commit, ...], tuple[tuple[Entry, ...], ...], tuple[BranchID, ...]]]] = {
    "line": ((A, B), ((OLD,), (KEPT,)), (MAIN, BRANCH)),
    "dangling": ((D,), ((DEAD,),), ()),
    "branch": ((E,), ((SIDE,),), (OTHER,)),
    "foreign": ((F,), ((FOREIGN,),), ()),
}
"""By part: commits, sets of entries, and the branches that stand at the last of the commits."""


async def write_history(env: Env, repository: Repository, parts: tuple[str, ...]) -> None:
    """Write a repository with some parts of the history, objects and all, as if it had happened in its time."""
    # By records: the flows would give each commit the date of today.
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))
    await add_commit(env, repository, FIRST)
    for part in parts:
        commits, contents, heads = HISTORY[part]
        for entries in contents:
            for name, content in write(entries).objects.items():
                await env.objects.put(object_address(repository.storage_namespace, name), content)
            for entry in entries:
                found = decode_object_entry(entry.data)
                await env.objects.put(catalog.at(repository, found), found.address.removeprefix("data/").encode())
        for commit in commits:
            await add_commit(env, repository, commit)
        for branch_id in heads:
            branch = Branch(
                # ``<repository>-<branch>:<instance>.<birth>.<unique>``: the birth tells branches of one name apart.
                branch_id=branch_id, commit_id=commits[-1].commit_id, staging_token=StagingToken(f"r-{branch_id}:u.s.0")
            )
            await env.store.set(uid_partition(repository), keys.branch_key(branch_id), encode(branch))


async def pin(env: Env, repository: Repository, commit_id: CommitID) -> None:
    """How every use of a commit begins, see `pins.holding`. ``use`` is what comes of it, at last."""
    now = await env.clock.now()
    await env.store.set(uid_partition(repository), PINS + f"{commit_id}/slow".encode(), str(now).encode())


class RunArguments(enum.Enum):
    """Arguments of a run that are not the same for all."""

    RULES = enum.auto()
    ID = enum.auto()


WORDS: Final[Mapping[str, Word[RetentionFlows]]] = {
    "mark": Word(lambda flows: flows.mark, RunArguments.RULES, RunArguments.ID),
    "sweep": Word(lambda flows: flows.sweep, RunArguments.ID),
    "create_branch": Word(lambda flows: flows.create_branch, "c", A.commit_id),
    "create_branch_from": Word(lambda flows: flows.create_branch, "a", ON),
    "create_at_left": Word(lambda flows: flows.create_branch, "c", E.commit_id),
    "update_branch": Word(lambda flows: flows.update_branch, BRANCH, A.commit_id),
    "tag": Word(lambda flows: flows.create_tag, "t", A.commit_id),
    "merge": Word(lambda flows: flows.merge, BRANCH, D.commit_id, "M"),
    "revert": Word(lambda flows: flows.revert, BRANCH, B.commit_id, "V"),
    "restore": Word(lambda flows: flows.restore_object, BRANCH, X, A.commit_id),
    "stage": Word(lambda _: catalog.stage_object, BRANCH, X, f"{REPOSITORY.storage_namespace}/data/a", b"a"),
    "upload": Word(lambda _: catalog.upload_object, BRANCH, Y, b"u"),
    "delete": Word(lambda _: catalog.delete_object, BRANCH, X),
    "commit": Word(lambda _: catalog.commit, ON, "N"),
    "reset": Word(lambda _: catalog.reset_branch, BRANCH),
    "delete_branch": Word(lambda _: branches.delete_branch, ON),
    "damage": Word(lambda _: damage, BRANCH),
    "pin": Word(lambda _: pin, A.commit_id),
    "use": Word(lambda _: branches.create_branch, "c", A.commit_id),
}


@attrs.frozen(kw_only=True)
class RetentionDesign(Design[RetentionFlows]):
    """A way to mark and to sweep."""

    flows: RetentionFlows = retention.FLOWS
    source: str = "committed-object-retention.md"
    parts: tuple[str, ...] = ("line",)
    """What there is of the history."""
    rules: Rules = RULES
    now_rules: Rules | None = None
    """The rules that hold when all is over; None: the same."""
    tags: bool = False
    runs_apart: bool = True
    """Whether each run has an id of its own."""
    condemned: bytes = b""
    """How the keys begin that condemn a commit; empty: a run condemns none."""
    grace: int = 0
    """Microseconds that pass before the last run."""
    hypothetical: bool = True
    """Whether commits count that only a dummy child keeps."""

    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS

    def founding(self, race: Race) -> Sequence[Call]:
        return (Call(write_history, REPOSITORY, self.parts),)

    def argument(self, given: Hashable, speaker: Speaker) -> Hashable:
        if given is RunArguments.RULES:
            return self.last_rules if speaker.client == "z" else self.rules  # z: the run in the aftermath
        if given is RunArguments.ID:
            # A client's later run must not have the id of its first one: it would pardon what that has swept.
            number = str(speaker.position) if speaker.position > 0 else ""
            return f"n{speaker.client}{number}" if self.runs_apart else "n"
        return super().argument(given, speaker)

    def call(self, word: str, speaker: Speaker, paged: int = 0) -> Call:
        """As of all designs; but only the look of a run is made in pages. A sweep has the id of the mark before it."""
        begun = attrs.evolve(speaker, position=speaker.position - 1) if word == "sweep" else speaker
        return super().call(word, begun, paged if word == "mark" else 0)

    @property
    def last_rules(self) -> Rules:
        """The rules that hold when all is over."""
        return self.now_rules or self.rules

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        # What was lost before the race would violate any promise of data.
        if "damage" in race.before:
            return [unreadable_stops_the_job]
        # By the rules that hold in the end, also where the run had others: a raised rule protects what was
        # marked before.
        kept = invariants.active_data_is_kept(self.last_rules, tags=self.tags, hypothetical=self.hypothetical)
        if "foreign" in self.parts:
            return [kept, deletion_spares_foreign_data(REPOSITORY.storage_namespace)]
        staged = {"restore", "stage", "upload"} & {*race.before, *race.words}
        runs = race.words == ("mark", "sweep")
        return [
            kept,
            *([invariants.uncommitted_data_is_kept] if staged else []),
            *([self._usable()] if self.condemned and "mark" in race.words and not runs else []),
            *([job_tells_what_it_deleted] if runs else []),
            *([outcomes.failed_call_changed_nothing] if race.faults.refusals else []),
        ]

    def _usable(self) -> Invariant:
        return invariants.active_is_not_condemned(self.last_rules, self.condemned, tags=self.tags)

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        if "damage" in race.before:
            return []
        check = invariants.expired_data_is_reclaimed(self.last_rules, tags=self.tags)
        return [self.after(invariants.EXPIRED_DATA_IS_RECLAIMED, ("mark", "sweep"), check, clock_advance=self.grace)]
