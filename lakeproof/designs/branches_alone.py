"""One client alone, without faults: each operation of a branch, one after the other, in each reading of the designs.

What a race cannot say clearly, because others may have caused it, is exact here: the value or the error of each answer,
and all that is in the store in the end.

Example: ``write.commit.write.seal.reset_entry.read``, all of x on b; the first word writes "a0", the third one "a2"::

                   alone/lock-free                        alone/lock-free-reset-open-only
    write          x is "a0"
    commit         "a0" is committed
    write          x is "a2"
    seal           as a committer leaves it that stopped: "a2" is under a sealed token
    reset_entry    "a0" hides it, under a new token       there is nothing under the open token
    read           "a0", as specified                     "a2": refuted

"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import BRANCH, FOUNDED, MAIN, REPOSITORY, X, Y
from lakeproof.designs.designs import HOLDS, Caller, Design, Row, Speaker, Word, rows
from lakeproof.designs.races import NONE, ArgumentSlot, Race, Refuted, branch_of, path_of
from lakeproof.impl.committed import Conflicts
from lakeproof.impl.flows import BranchFlows, bind_reading
from lakeproof.impl.graveler import commits, dropping, listing, lock_free, locked, optimistic, resets, writes
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.initialisation import first_commit
from lakeproof.impl.graveler.listing import CommonPrefix, Difference, DiffType, Page, Query
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.errors import BranchNotFound, DirtyBranch, NoParent, RefNotFound
from lakeproof.model.calls import Args
from lakeproof.model.committed import Entry
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.branches_alone import ALONE_AS_SPECIFIED, alone_as_specified
from lakeproof.model.sequential import Refs, Refusal, Refusals
from lakeproof.scenario import Aftermath

FIRST: Final = first_commit(REPOSITORY)
REFUSALS: Final = Refusals(ref_not_found=RefNotFound, dirty_branch=DirtyBranch, no_parent=NoParent, conflicts=Conflicts)
# Most words write an identity without data. This one has some: a flow that loses data on its way is found by it.
DATA: Final = {b"v": b"the data of v"}
INITIAL: Final = Refs.founded(FIRST.commit_id, MAIN, BRANCH, refusals=REFUSALS, data=DATA)
# ``_`` is the delimiter of the listings below: a path in a word has letters, digits and underscores alone.
FOLDER: Final = (b"d_x", b"d_y")
ON: Final = branch_of(BRANCH, MAIN, "c", "d", "nowhere")
FROM: Final = ArgumentSlot(":", (MAIN, BRANCH, "c", "d", "nowhere"))
AT: Final = path_of(X, Y, b"z", *FOLDER, b"_x")  # "_x" lies in the folder "_"
UNDER: Final = path_of(b"", b"d_", *FOLDER, X, Y)

QUERIES: Final[Mapping[str, Query]] = {
    "page": Query(),
    "page_of_one": Query(amount=1),
    "page_of_two": Query(amount=2),
    "page_after_x": Query(after=X),
    "page_of_one_after_x": Query(after=X, amount=1),
    "page_delimited": Query(delimiter=b"_"),
    "page_delimited_by_two": Query(delimiter=b"_x"),
    "page_delimited_one": Query(delimiter=b"_", amount=1),
    "page_after_folder": Query(delimiter=b"_", after=b"d_"),
    "page_of_folder": Query(prefix=b"d_", delimiter=b"_"),
    "page_of_folder_after": Query(prefix=b"d_", after=b"d_x"),
}

WORDS: Final[Mapping[str, Word[BranchFlows]]] = {
    "write": Word(lambda flows: flows.set_entry, ON, AT, Caller.BYTES),
    "write_same": Word(lambda flows: flows.set_entry, ON, AT, b"a0"),
    "write_several": Word(lambda flows: flows.set_entries, ON, ((X, Caller.BYTES), (Y, Caller.BYTES))),
    "write_data": Word(lambda flows: flows.set_entry, ON, AT, b"v", b"the data of v"),
    "write_twice": Word(lambda flows: flows.set_entries, ON, ((X, Caller.BYTES), (X, b"the last"))),
    "create_same": Word(lambda flows: flows.create_entry, ON, AT, b"a0"),
    "seal": Word(lambda _: commits.seal, ON),
    "delete": Word(lambda flows: flows.delete_entry, ON, AT),
    "create": Word(lambda flows: flows.create_entry, ON, AT, Caller.BYTES),
    "replace": Word(lambda flows: flows.replace_entry, ON, AT, Caller.BYTES, b"a0"),
    "read": Word(lambda flows: flows.get_entry, ON, AT),
    "list": Word(lambda flows: flows.list_entries, ON, UNDER),
    "diff": Word(lambda _: listing.diff_uncommitted, ON, UNDER),
    "reset": Word(lambda flows: flows.reset_branch, ON),
    "reset_entry": Word(lambda flows: flows.reset_entry, ON, AT),
    "reset_prefix": Word(lambda flows: flows.reset_prefix, ON, UNDER),
    "delete_branch": Word(lambda flows: flows.delete_branch, ON),
    "create_branch": Word(lambda flows: flows.create_branch, ON, FROM),
    "commit": Word(lambda flows: flows.commit, ON, Caller.TEXT),
    "merge": Word(lambda flows: flows.merge, ON, FROM, Caller.TEXT),
    "revert": Word(lambda flows: flows.revert, ON, FROM, Caller.TEXT),
    "revert_first": Word(lambda flows: flows.revert, ON, FIRST.commit_id, Caller.TEXT),
    "job": Word(lambda _: dropping.drop_committed),
    **{name: Word(lambda _: listing.list_page, ON, query) for name, query in QUERIES.items()},
}


def _page(refs: Refs, args: Args) -> Page | Refusal:
    _, name, query = args
    assert isinstance(query, Query)
    if name not in refs.branches:
        return Refusal(BranchNotFound, (name,))
    found: dict[bytes, Entry | CommonPrefix] = {}
    for path, identity in refs.shown(str(name)).items():
        if path.startswith(query.prefix):
            # No path here has the byte 0: without a delimiter nothing is cut off.
            head, delimiter, _ = path.removeprefix(query.prefix).partition(query.delimiter or b"\0")
            folder = query.prefix + head + delimiter
            found[folder] = CommonPrefix(folder) if delimiter else refs.entry(path, identity)
    # A folder comes at the place of its own name, and ``after`` may name it. `Refs.shown` has sorted the paths.
    left = [each for path, each in found.items() if path > query.after]
    return Page(tuple(left[: query.amount or None]), more=bool(query.amount) and len(left) > query.amount)


def _diff(refs: Refs, args: Args) -> tuple[Difference, ...] | Refusal:
    _, name, prefix = args
    assert isinstance(prefix, bytes)
    head = refs.branches.get(str(name))
    if head is None:
        return Refusal(BranchNotFound, (name,))
    shown, committed = refs.shown(str(name)), refs.contents(head.commit_id)

    def kind(path: bytes) -> DiffType:
        if path not in committed:
            return DiffType.ADDED
        return DiffType.CHANGED if path in shown else DiffType.REMOVED

    paths = sorted({*shown, *committed})
    changed = (path for path in paths if path.startswith(prefix) and shown.get(path) != committed.get(path))
    return tuple(Difference(path, kind(path)) for path in changed)


@attrs.frozen(kw_only=True)
class AloneDesign(Design[BranchFlows]):
    """The flows of a branch in one reading, for one client."""

    drops: bool = True
    """Whether staged entries are gone once they are committed."""

    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS
    founded: ClassVar = FOUNDED

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return []

    def program(self, words: str, paged: int) -> Aftermath:
        """These calls, one after the other, and what they are to answer and to leave."""
        made = [self.call(word, Speaker("a", position), paged) for position, word in enumerate(words.split("."))]
        check = alone_as_specified(
            [(call.name, call.args) for call in made],
            INITIAL,
            {"list_page": _page, "diff_uncommitted": _diff},
            seals={"seal": lambda args: str(args[1])},  # args[0] is the repository
            drops=self.drops,
        )
        return Aftermath(id=ALONE_AS_SPECIFIED.id, meaning=ALONE_AS_SPECIFIED.meaning, calls=made, check=check)


def _design(
    name: str,
    flows: BranchFlows = FLOWS,
    *,
    drops: bool = True,
    options: Mapping[str, Mapping[str, Hashable]] | None = None,
) -> AloneDesign:
    source = "graveler-on-kv.md, Update Commits, staging and lock-free"
    return AloneDesign(
        name=f"alone/{name}", flows=flows, source=source, refuted=HOLDS, drops=drops, options=options or {}
    )


ENTRIES: Final = (
    "read.list.write.read.write.read.create.create:y.replace.replace:y.replace:z.delete.read.delete.create.read."
    "list.commit.read.create.replace.write_several.list.read:y.commit.write_same.commit.replace.read.create:x."
    "delete.read.commit.read.create.read.list.commit.delete:z.commit.write:y.delete.read:y.commit.list."
    "write_twice.list.write_same.create_same.commit.create_same.list"
)
COMMITS: Final = (
    "commit.write.commit.commit.write:y.delete.commit.list.write.write:y.write:z.commit.delete:y.commit.list."
    "delete.delete:z.commit.list.write@main.commit@main.list@main.read@main"
)
RESETS: Final = (
    "reset.write.reset.read.reset_entry.write.reset_entry.read.write.write:y.reset_entry.list.reset_entry:y."
    "commit.list.write.write:y.commit.write.write:y.delete:z.reset_entry.read.read:y.commit.list.write.delete:y."
    "reset_prefix.list.commit.write:d_x.write:d_y.write.reset_prefix:d_.list.read:d_x.read.reset_entry.list."
    "commit.write:d_x.delete.reset.list.read"
)
RESETS_TWICE: Final = (
    "write.commit.write.reset_entry.write.reset_entry.read.delete.reset_entry.read.write.write:y.reset_entry."
    "read.read:y.reset.list.commit.read"
)
MERGES: Final = (
    "write@main.commit@main.merge.list.read.merge.write.merge.commit.merge@main:b.list@main.write:y.commit."
    "write@main:z.commit@main.merge.list.write.commit.write@main.commit@main.merge.write:y.reset.revert:b.list."
    "revert:b.list.merge:nowhere.revert:nowhere.revert_first.write.revert:b.commit.revert:b.list.delete.commit."
    "merge@main:b"
)
CROSSED: Final = (
    "write.commit.create_branch@c:b.create_branch@d:main.write@c:y.commit@c.write@main:z.commit@main.merge:c."
    "merge@d:main.merge@main:b.merge:d.merge@c:main.write@c.commit@c.delete@c:y.commit@c.merge@main:c.list@main."
    "merge:c.list.revert@main:c.list@main.revert@main:d.list@main"
)
REFS: Final = (
    "create_branch@c:b.create_branch@c:b.create_branch@d:nowhere.read@nowhere.list@nowhere.write@nowhere."
    "delete@nowhere.create@nowhere.replace@nowhere.commit@nowhere.merge@nowhere.revert@nowhere.reset@nowhere."
    "reset_entry@nowhere.reset_prefix@nowhere.delete_branch@nowhere.write_several@nowhere.write@c.commit@c."
    "delete_branch@c.read@c.create_branch@c:b.read@c.write@c.create_branch@d:c.read@d.list@c"
)
PAGES: Final = (
    "page.write.write:y.page_of_one.page_of_two.page_after_x.page.commit.page_of_one.page_of_two.write:d_x."
    "delete:x.write:z.page.page_of_two.page_delimited.page_after_folder.write:d_y.commit.write.delete:d_x."
    "write:d_x.delete:y.page_of_one.page_of_one_after_x.page_delimited.page_delimited_one.page_after_folder."
    "page_of_folder.page_of_folder_after.page_after_x.list.list:d_.reset_entry.page.page_of_two.list:x.list:d_y."
    "page@nowhere.diff@nowhere"
)
DIFFS: Final = (
    "diff.write.diff.write_same.write:d_x.diff.diff:d_.commit.diff.write_same.diff.write.diff.write:y.diff."
    "delete.diff.delete:z.diff.commit.write:x.write:z.commit.delete:y.write:z.diff.diff:y.diff:d_.write:d_y."
    "diff:d_.reset_entry:z.diff"
)

SEALED: Final = (
    "seal.read.list.write.seal.read.list.write.write:y.seal.delete:y.read.list.create.replace.create:y.read:y."
    "seal.list.commit.list.write.seal.reset.read.list.write.seal.delete.seal.read.list.commit.list.write.seal."
    "write:y.seal.write.list.write_data:z.read:z.seal.read:z.commit.read:z.list.delete:z.seal.create:z.commit."
    "list.write_several.seal.commit.commit"
)
SEALED_TWICE: Final = (
    "write.seal.write:y.seal.create.create:y.replace.read.list.delete.seal.write:z.seal.create.read.commit.list"
)
SEALED_RESETS: Final = (
    "write.seal.reset_entry.read.list.commit.list.write.commit.write.seal.reset_entry.read.list.commit.write."
    "seal.delete.seal.reset_entry.read.commit.list.write.seal.write:y.reset_prefix.list.commit.list.write:y.seal."
    "reset_prefix:d_.list.write:d_x.seal.reset_prefix:d_.list.reset_entry:z.commit.write_data.seal.reset_entry:y."
    "read.commit.write.reset_entry.read.list.commit.read.write:y.seal.write.reset_entry.list.reset_entry:y.list."
    "commit.list"
)
SEALED_LISTINGS: Final = (
    "write.seal.write:y.write.seal.page.page_of_one.diff.delete.write:z.diff.page_of_two.commit.write.seal."
    "delete.seal.write:y.seal.diff.page.page_after_x.write_data:d_x.seal.page.delete:y.page.diff.write:_x."
    "page_delimited.commit.page_delimited.diff"
)

OF_ENTRIES: Final = {"entries": ENTRIES, "commits": COMMITS, "sealed": SEALED}
OF_RESETS: Final = {"resets": RESETS, "resets-twice": RESETS_TWICE, "resets-sealed": SEALED_RESETS}
OF_REFS: Final = {"merges": MERGES, "crossed": CROSSED, "refs": REFS}
DELIMITERS: Final = "write:d_x.write:_x.write:d_y.write:y.page_delimited_by_two"
OF_LISTINGS: Final = {"pages": PAGES, "diffs": DIFFS, "listings-sealed": SEALED_LISTINGS}
EVERYTHING: Final = {**OF_ENTRIES, **OF_RESETS, **OF_REFS, **OF_LISTINGS}


def _reading(*words: str, **option: Hashable) -> dict[str, Mapping[str, Hashable]]:
    return dict.fromkeys(words, option)


CONDITIONAL: Final = ("create", "replace")
PATHS: Final = ("reset_entry", "reset_prefix")

PLAIN: Final = _design("lock-free")
TAKEN: Final = _design("lock-free-returns-head", options=_reading("commit", reading=lock_free.RETURNS_HEAD))
REPAIRED: Final = _design("lock-free-knows-its-own", options=_reading("commit", reading=lock_free.KNOWS_ITS_OWN))
KEEPING: Final = _design(
    "lock-free-keeps-staged", drops=False, options=_reading("commit", reading=lock_free.KEEPS_STAGED)
)
# Readings that matter in races: a client that is alone must see no difference, except in OPEN_ONLY.
FORGETFUL: Final = _design("lock-free-create-forgets", options=_reading(*CONDITIONAL, reading=writes.FORGETFUL))
SINGLE: Final = _design(
    "lock-free-single-read",
    options=_reading("write", "write_several", "delete", reading=writes.SINGLE_READ)
    | _reading("read", "list", rereads=False),
)
KEPT: Final = _design("lock-free-reset-keeps-token", options=_reading("reset", fresh_token=False))
IN_PLACE: Final = _design("lock-free-reset-in-place", options=_reading(*PATHS, forgets=resets.IN_PLACE))
OPEN_ONLY: Final = attrs.evolve(
    _design("lock-free-reset-open-only", options=_reading(*PATHS, forgets=resets.OPEN_ONLY)),
    refuted={
        "alone-as-specified": Refuted(
            "a committer stopped after it had sealed the token: this reset does not look there, and says that it has "
            "reset the path",
            "resets-sealed",
        )
    },
)
TOMBSTONES: Final = _design(
    "tombstones",
    attrs.evolve(FLOWS, delete_branch=branches.delete_branch_by_tombstone),
    options=_reading("create_branch", tombstones=True),
)
STREAMED: Final = _design("streamed", attrs.evolve(FLOWS, list_entries=listing.list_entries))
OPTIMISTIC: Final = _design("optimistic", optimistic.FLOWS)
UNSEALED: Final = _design(
    "optimistic-unsealed", optimistic.FLOWS, options=_reading("commit", reading=optimistic.Reading(seals=False))
)
LOCKED: Final = _design("locked", locked.FLOWS)
TABLE: Final = _design("locked-table", bind_reading(locked.FLOWS, reading=locked.TABLE))
LEASED: Final = _design("locked-leased", bind_reading(locked.FLOWS, reading=locked.Reading(lease=60_000_000)))
LATER: Final = _design("drops-later", dropping.FLOWS)
NOT_YET: Final = _design("drops-later-not-yet", dropping.FLOWS, drops=False)
OPTIMISTIC_KEEPING: Final = _design(
    "optimistic-keeps-staged",
    optimistic.FLOWS,
    drops=False,
    options=_reading("commit", reading=optimistic.Reading(drops=False)),
)


def _rows(design: AloneDesign, sequences: Mapping[str, str], *, paged: int = 0) -> Iterator[Row]:
    for name, words in sequences.items():
        # The race is one read, since a scenario has clients. The program is its aftermath: nothing runs
        # beside it there.
        called = f"{name}{f'-by-{paged}' if paged else ''}"
        yield from rows(design, "read", NONE, more=(design.program(words, paged),), name=called, paged=paged)


def _with_job(sequences: Mapping[str, str]) -> dict[str, str]:
    # One run after the first commit, and one for the tokens that later commits take.
    return {name: words.replace("commit.", "commit.job.", 1) + ".job" for name, words in sequences.items()}


ROWS = [
    *_rows(PLAIN, {**EVERYTHING, "sealed-twice": SEALED_TWICE, "delimiters": DELIMITERS}),
    *_rows(PLAIN, {**OF_ENTRIES, **OF_RESETS, **OF_LISTINGS}, paged=1),
    *_rows(TAKEN, OF_ENTRIES),
    *_rows(REPAIRED, OF_ENTRIES),
    *_rows(KEEPING, {**OF_ENTRIES, **OF_RESETS}),
    *_rows(FORGETFUL, {"entries": ENTRIES}),
    *_rows(SINGLE, OF_ENTRIES),
    *_rows(KEPT, OF_RESETS),
    *_rows(IN_PLACE, OF_RESETS),
    *_rows(OPEN_ONLY, OF_RESETS),
    *_rows(TOMBSTONES, {"refs": REFS}),
    *_rows(STREAMED, {**OF_ENTRIES, **OF_RESETS, "pages": PAGES}),
    *_rows(OPTIMISTIC, {**OF_ENTRIES, **OF_RESETS}),
    *_rows(OPTIMISTIC_KEEPING, OF_ENTRIES),
    *_rows(UNSEALED, {**OF_ENTRIES, **OF_RESETS}),
    *_rows(LOCKED, {**OF_ENTRIES, **OF_RESETS, "refs": REFS}),
    *_rows(TABLE, {**OF_ENTRIES, "refs": REFS}),
    *_rows(LEASED, OF_ENTRIES),
    *_rows(NOT_YET, {"commits": COMMITS}),
    *_rows(LATER, _with_job({**OF_ENTRIES, **OF_RESETS, "refs": REFS})),
]
