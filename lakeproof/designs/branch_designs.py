"""Writers, readers, committers, resetters and deleters of one branch: what is common to all variants."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import ClassVar, Final

import attrs

from lakeproof.designs.designs import Caller, Design, Speaker, Word
from lakeproof.designs.races import Before, Race, Refuted, branch_of, op, path_of
from lakeproof.impl.flows import BranchFlows
from lakeproof.impl.graveler import commits, initialisation, lock_free
from lakeproof.impl.graveler import writes as writing
from lakeproof.impl.refs import branches
from lakeproof.model.branch import EMPTY, branch
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.invariants import Invariant, entries, merges, outcomes, progress, refs, resets
from lakeproof.model.invariants.conditional import conditional_write_saw_absence
from lakeproof.model.linearizable import Specification, linearizable
from lakeproof.model.records import Repository
from lakeproof.scenario import Aftermath, Call, Faults

REPOSITORY: Final = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=StorageNamespace("mem://r"),
    default_branch_id=BranchID("main"),
    creation_date=1_700_000_000_000_000,  # the time when a scenario begins
    instance_uid=InstanceUID("u"),
)
MAIN: Final = REPOSITORY.default_branch_id
BRANCH: Final = BranchID("b")
X, Y, Z = b"x", b"y", b"z"

ON: Final = branch_of(BRANCH, MAIN)
AT: Final = path_of(X, Y, Z)
TO: Final = path_of(Y, X, Z)
"""The other end of what copies, moves or stages an object again; it comes from x."""

FOUNDED: Final = (
    Call(initialisation.init_repository, REPOSITORY),
    Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
)
"""A repository with a branch."""

WORDS: Final[Mapping[str, Word[BranchFlows]]] = {
    "write": Word(lambda flows: flows.set_entry, BRANCH, path_of(X, Y), Caller.BYTES),
    "write_several": Word(lambda flows: flows.set_entries, BRANCH, ((X, Caller.BYTES), (Y, Caller.BYTES))),
    "delete": Word(lambda flows: flows.delete_entry, BRANCH, X),
    "create": Word(lambda flows: flows.create_entry, BRANCH, X, Caller.BYTES),
    # The expected identity is what the first word of the setup has written: see `Caller`.
    "replace": Word(lambda flows: flows.replace_entry, BRANCH, X, Caller.BYTES, b"s0"),
    "read": Word(lambda flows: flows.get_entry, BRANCH, X),
    "list": Word(lambda flows: flows.list_entries, BRANCH),
    "reset": Word(lambda flows: flows.reset_branch, BRANCH),
    "reset_entry": Word(lambda flows: flows.reset_entry, BRANCH, X),
    "reset_prefix": Word(lambda flows: flows.reset_prefix, BRANCH, b""),
    "delete_branch": Word(lambda flows: flows.delete_branch, BRANCH),
    "create_branch": Word(lambda flows: flows.create_branch, BRANCH, MAIN),
    "copy_branch": Word(lambda flows: flows.create_branch, "c", BRANCH),
    "update_branch": Word(lambda _: branches.update_branch, BRANCH, MAIN),
    "commit": Word(lambda flows: flows.commit, BRANCH, Caller.TEXT),
    "merge": Word(lambda flows: flows.merge, BRANCH, MAIN, Caller.TEXT),
    "revert": Word(lambda flows: flows.revert, BRANCH, BRANCH, Caller.TEXT),
    # Main gets a commit that the branch does not have, of a path that no client writes.
    "write_ahead": Word(lambda _: writing.set_entry, MAIN, b"m", b"m0"),
    "seal": Word(lambda _: commits.seal, BRANCH),
    "commit_ahead": Word(lambda _: lock_free.commit, MAIN, "ahead"),  # the same in every variant: main is not judged
}

WRITTEN: Final = Before("", "write")
AHEAD: Final = Before("", "write_ahead.commit_ahead")

IDENTIFIED: Final = ("write", "write_several", "create", "replace")
RESETS: Final = ("reset", "reset_entry", "reset_prefix")
CONDITIONAL: Final = ("create", "replace")

_OVER: Final = EMPTY.with_changes((X, b"s0")).after_commit()
NEW: Final = branch()
STAGED: Final[Mapping[tuple[str, ...], Specification]] = {
    (): NEW,
    ("delete_branch",): branch(None),
    ("write",): branch(EMPTY.with_changes((X, b"s0"))),
    ("write", "commit", "write"): branch(_OVER.with_changes((X, b"s2"))),
}
"""The specification of the branch in races with resets or conditional writes, by the words of what was before."""


NOBODYS_PROGRESS: Final = Refuted(
    "a `SetIf` that is applied and reported as failed is a defeat without rival: the committer starts over, finds its "
    "tokens committed, by itself, and makes an empty commit on its own",
    "*commit*/false-predicate",
)


@attrs.frozen(kw_only=True)
class BranchDesign(Design[BranchFlows]):
    """A variant of the flows of a branch."""

    beatable: bool = True
    """Whether a committer can be beaten by another: not where it holds a lock."""

    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS
    founded: ClassVar[Sequence[Call]] = FOUNDED

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        words, before = race.ops, race.before
        heads = [word for word in words if word in ("commit", "merge", "revert")]
        initial, staged = _initial_paths(race.before)
        writes = any(word in IDENTIFIED for word in words)
        changes = writes or "delete" in words
        resetting = any(word in RESETS for word in words)
        rereads = any(client.count("read") > 1 for client in race.clients)
        # Beside a write that is under way a read may be taken back: there, only clients that read twice are judged.
        alone = resetting and "read" in words and not writes
        # Nothing but creations and deletions: then the branch itself, there or not, is the object of the specification.
        comes_and_goes = {"create_branch", "delete_branch"}.issuperset(words)
        # Of two such writes at once one is refused: of each alone, the other one could have come just before its end.
        contends = set(CONDITIONAL).issuperset(words) and len(words) > 1
        # All other races are judged where x begins with nothing, also where main is ahead of the branch.
        sequential = STAGED.get(race.before) if resetting or contends or comes_and_goes else None if initial else NEW
        in_one_order = sequential is not None and (alone or rereads or comes_and_goes or contends)
        arises: list[tuple[Invariant, object]] = [
            (refs.head_exists, True),
            (refs.token_has_one_owner, True),
            (entries.write_is_kept_beside("merge"), _survives(words) and _later(race, IDENTIFIED, without="delete")),
            (entries.acknowledged_delete_is_kept, "delete" in words),
            (entries.commit_is_causal, _later(race, (*IDENTIFIED, "delete"), then="commit")),
            (refs.commits_form_one_line, heads),
            (entries.read_is_legal(initial, BRANCH), any(map(_reads_first, race.clients))),
            (linearizable(sequential or NEW), in_one_order),
            (refs.commit_makes_progress, words.count("commit") > 1 and self.beatable),
            (refs.branch_delete_spares_successor, "create_branch" in words and words.count("delete_branch") > 1),
            (entries.refused_write_is_absent, _may_refuse(race)),
            (entries.branch_starts_clean, "create_branch" in words and writes),
            (resets.reset_is_kept(staged, BRANCH), resetting and (staged or writes)),
            (outcomes.commit_is_effective, heads and "delete_branch" not in words),
            (merges.merge_is_effective, "merge" in words),
            (merges.revert_is_effective, "revert" in words),
            (merges.merge_refuses_changes, "seal" in before and {"merge", "revert"} & set(words) and not changes),
            (conditional_write_saw_absence(initial, BRANCH), any(word in CONDITIONAL for word in words)),
            (progress.call_makes_progress, race.faults == Faults() and not race.paged),
            # A commit under a lock hands a failed predicate on as its own error.
            (outcomes.failed_call_changed_nothing, _may_fail(race) or (heads and not self.beatable)),
            (outcomes.branch_create_is_effective, "create_branch" in words),
            (outcomes.branch_delete_is_effective, "delete_branch" in words),
            (outcomes.branch_update_is_effective, "update_branch" in words and "delete_branch" not in words),
        ]
        return [invariant for invariant, does in arises if does or invariant.id in refuted]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        if "commit" not in race.words or "delete_branch" in (*race.before, *race.words):
            return []
        stays = refs.BRANCH_STAYS_COMMITTABLE
        calls = [self.call("commit", Speaker("s", 9))]
        return [Aftermath(id=stays.id, meaning=stays.meaning, calls=calls, check=refs.branch_stays_committable)]


def _may_fail(race: Race) -> bool:
    """Whether a call that changes more than entries may answer with a definite error."""
    moves = "update_branch" in race.words and len(race.clients) > 1 and "write" not in race.words
    # A commit drops what it has committed at the end: a scan that breaks there denies what has happened.
    breaks = race.faults.scan_failures and "commit" in race.words
    return (
        bool(race.faults.refusals or breaks)
        or moves
        or any(word in ("merge", "revert", "delete_branch", "create_branch") for word in race.words)
    )


def _may_refuse(race: Race) -> bool:
    """Whether a write may be refused, by itself or for a fault."""
    if any(race.words.count(word) > 1 for word in CONDITIONAL):
        return True
    ends = bool(race.faults.refusals) or "delete_branch" in race.words
    return ends and any(word in IDENTIFIED for word in race.ops)


def _initial_paths(before: Sequence[str]) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """What the branch shows when the race begins, and what of it is not committed."""
    written = [position for position, word in enumerate(before) if word == "write"]
    initial = {X: b"s%d" % written[-1]} if written else {}  # the value of a word is its place in the setup
    return initial, initial if written and "commit" not in before[written[-1] :] else {}


def _survives(words: Sequence[str]) -> bool:
    return "delete_branch" not in words or "create_branch" in words


def _later(race: Race, words: Collection[str], *, then: str = "", without: str = "") -> bool:
    """Whether a client says one of these words, and later another one, or never again another one."""
    return any(
        op(word) in words
        and (not then or then in client[position:])
        and (not without or without not in client[position:])
        for client in race.clients
        for position, word in enumerate(client)
    )


def _reads_first(client: Sequence[str]) -> bool:
    """Whether a client reads before it resets: after a reset, single reads are not judged."""
    before: Iterator[str] = takewhile(lambda word: word not in RESETS, client)
    return any(word in ("read", "list") for word in before)
