"""Retention: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of committed-object-retention.md, "Algorithm"; pins and the log of heads are ours,
docs/hard-delete/retention.md. The history is that of `lakeproof.scenarios._retention`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from collections.abc import Hashable, Mapping
from typing import Final

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, RetentionFlows, bound
from lakeproof.impl.graveler import merging
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention import heads, pins, runs
from lakeproof.impl.retention.left import note_left
from lakeproof.impl.retention.runs import Reading
from lakeproof.model.committed import object_address
from lakeproof.model.identifiers import CommitID, TagID
from lakeproof.model.records import Repository
from lakeproof.model.retention import DAY, Rules
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._retention import FIRST, OTHER, RULES, A, B, D, write_history
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios.designs import built

ZERO: Final = Rules(0)


async def lose(env: Env, repository: Repository, lost: CommitID) -> None:
    """What nobody should do: the metarange of a commit is gone."""
    commit = {A.commit_id: A, B.commit_id: B}[lost]
    await env.objects.delete(object_address(repository.storage_namespace, commit.meta_range_id))


async def forget(env: Env, repository: Repository, lost: CommitID) -> None:
    """What nobody should do: the record of a commit is gone."""
    await env.store.delete(uid_partition(repository), f"commits/{lost}".encode())


async def pin(env: Env, repository: Repository, pinned: CommitID) -> None:
    """The pin of a client that does not come back."""
    key = pins.PINS + f"{pinned}/{env.ids.unique('pin')}".encode()
    await env.store.set(uid_partition(repository), key, str(await env.clock.now()).encode())


async def condemn(env: Env, repository: Repository, condemned: CommitID) -> None:
    """The sentence of another run."""
    await env.store.set(uid_partition(repository), pins.CONDEMNED + f"{condemned}/other".encode(), b"other")


async def leave(env: Env, repository: Repository) -> None:
    """A mover of b that stops after its first write."""
    await note_left(env, repository, await branches.get_branch(env, repository, BRANCH))


def _words(flows: RetentionFlows) -> Mapping[str, Call]:
    def on(flow: Flow, *args: Hashable, **options: Hashable) -> Call:
        return Call(flow, REPOSITORY, *args, **options)

    return {
        "mark": on(flows.mark, RULES, "n"),
        "mark_paged": on(flows.mark, RULES, "n", batch_size=1),
        "mark_zero": on(flows.mark, ZERO, "n"),
        "mark_again": on(flows.mark, RULES, "m"),
        "sweep": on(flows.sweep, "n"),
        "branch_a": on(flows.create_branch, "c", A.commit_id),
        "branch_main": on(flows.create_branch, "c", MAIN),
        "move_a": on(flows.update_branch, BRANCH, A.commit_id),
        "move_main": on(flows.update_branch, BRANCH, MAIN),
        "tag_a": on(flows.create_tag, "t", A.commit_id),
        "merge": on(flows.merge, BRANCH, D.commit_id, "M"),
        "revert": on(flows.revert, BRANCH, B.commit_id, "V"),
        "revert_first": on(flows.revert, BRANCH, FIRST.commit_id, "V"),
        "restore": on(flows.restore_object, BRANCH, X, A.commit_id),
        "restore_none": on(flows.restore_object, BRANCH, Y, A.commit_id),
    }


def words_of(flows: RetentionFlows, **readings: Hashable) -> Mapping[str, Call]:
    """By name; ``mark@twice`` marks by the reading of that name."""
    named = {"": flows} | {f"@{name}": bound(flows, reading=reading) for name, reading in readings.items()}
    plain = {
        "upload": Call(catalog.upload_object, REPOSITORY, BRANCH, Y, b"u"),
        "stage_a": Call(catalog.stage_object, REPOSITORY, BRANCH, X, "mem://r/data/a", b"a"),
        "stage_out": Call(catalog.stage_object, REPOSITORY, BRANCH, X, "ext://brought/o", b"o"),
        "no_x": Call(catalog.delete_object, REPOSITORY, BRANCH, b"z"),
        "commit": Call(catalog.commit, REPOSITORY, BRANCH, "N"),
        "drop_branch": Call(branches.delete_branch, REPOSITORY, BRANCH),
        "drop_z": Call(branches.delete_branch, REPOSITORY, OTHER),
        "bury_b": Call(heads.delete_branch, REPOSITORY, BRANCH),
        "plain_a": Call(branches.create_branch, REPOSITORY, "c", A.commit_id),
        "plain_tag": Call(tags.create_tag, REPOSITORY, TagID("t"), A.commit_id),
        "plain_merge": Call(merging.merge, REPOSITORY, BRANCH, D.commit_id, "M"),
        "lose_a": Call(lose, REPOSITORY, A.commit_id),
        "lose_b": Call(lose, REPOSITORY, B.commit_id),
        "forget_b": Call(forget, REPOSITORY, B.commit_id),
        "pin_a": Call(pin, REPOSITORY, A.commit_id),
        "condemn_a": Call(condemn, REPOSITORY, A.commit_id),
        "leave": Call(leave, REPOSITORY),
    }
    return plain | {f"{word}{name}": call for name, each in named.items() for word, call in _words(each).items()}


RUNS: Final = words_of(
    runs.FLOWS,
    last=Reading(order=("clock", "branches", "commits", "staged")),
    one=Reading(order=("clock", "branches", "staged", "commits")),
    late=Reading(order=("staged", "branches", "commits", "clock")),
    commits=runs.COMMITS_FIRST,
    lenient=Reading(order=runs.COMMITS_FIRST.order, strict=False),
    twice=runs.TWICE,
    tags=runs.WITH_TAGS,
    again=Reading(again=RULES),
    raised=Reading(again=Rules(40)),
    full=Reading(full=True),
)
RUNS_TABLE: Final = """\
: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark_paged
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan past branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/;
        scan u.s.0/; scan branch; scan past branch b; scan past branch main; scan past branch z; scan commit; scan
        past commit c5; scan past commit c4; scan past commit c2; scan past commit c1; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@last
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan commit; scan u.s.0/; scan u.s.0/; scan u.s.0/; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@one
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@late
    answers (mem://r/data/a, mem://r/data/d)
    by scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; now; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@commits
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@lenient
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@twice
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@tags
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
plain_tag: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
plain_tag: mark@tags
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark@last
    answers (mem://r/data/d)
    by now; scan branch; scan commit; scan u.s.0/; scan u.s.0/; scan u.s.0/; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark@one
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_out.upload: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
stage_a.no_x: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a.commit: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
upload.commit: mark, 691200 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
upload.commit: mark, 604799 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
upload.commit: mark@tags, 691200 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
drop_branch: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
drop_z: mark
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
drop_branch.drop_z: mark
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by now; scan branch; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
plain_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.b1.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
lose_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
lose_b: mark
    answers MissingObject
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
lose_b: mark_zero
    answers MissingObject
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
forget_b: mark
    answers HeadNotFound
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
forget_b: mark@lenient
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark@commits, met by upload.commit at 3
    answers HeadNotFound; a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u
: mark@lenient, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark@twice, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero@twice, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark, refused at 2
    answers Refused
    by now; scan branch; scan u.s.0/
: sweep
    answers MarkNotFound
    by get n/mark.json
mark: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.mark_again: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.sweep: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
mark.stage_a: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.stage_a: sweep@again
    answers (mem://r/data/d)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; delete d
    leaves -object d
mark: sweep@again
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; delete a;
        delete d
    leaves -object a; -object d
mark: sweep@raised
    answers ()
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
mark.plain_a: sweep@again
    answers (mem://r/data/d)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.b1.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        commit; delete d
    leaves -object d
mark.forget_b: sweep@again
    answers HeadNotFound
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
mark: sweep, refused at o2
    answers Refused
    by get n/mark.json; delete a
: branch_a
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; set_if branch c
    leaves +branch c = c2 u.b1.0
: move_a
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set_if branch b
    leaves ~branch b = c2 u.s.0
: tag_a
    answers t c2
    by get branch c2; get tag c2; get commit c2; set_if tag t
    leaves +tag t = c2
: merge
    answers c6 of c3, c4 'M'
    by get branch b; scan u.s.0/; get commit c3; get branch c4; get tag c4; get commit c4; get commit c4; get commit
        c2; get commit c1; now; set commit c6; set_if branch b
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3, c4 'M'
: revert
    answers c6 of c3 'V'
    by get branch b; scan u.s.0/; get commit c3; get branch c3; get tag c3; get commit c3; get commit c3; get commit
        c2; now; set commit c6; set_if branch b
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3 'V'
: revert_first
    answers NoParent
    by get branch b; scan u.s.0/; get commit c3; get branch c1; get tag c1; get commit c1; get commit c1
: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; get commit c2; get branch b; set u.s.0/x; get branch b
    leaves +u.s.0/x = a 1B
: restore_none
    answers PathNotFound
    by get branch c2; get tag c2; get commit c2; get commit c2
: restore@full
    answers a1 1B
    by get branch c2; get tag c2; get commit c2; get commit c2; copy a to a1; get branch b; set u.s.0/x; get branch
        b
    leaves +u.s.0/x = a1 1B; +object a1 = a
mark.sweep: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; get commit c2; get branch b; set u.s.0/x; get branch b
    leaves +u.s.0/x = a 1B
mark.sweep: restore@full
    answers DataGone
    by get branch c2; get tag c2; get commit c2; get commit c2; copy a to a1
"""
PINS: Final = words_of(
    pins.FLOWS,
    first=pins.Reading(condemns_first=False),
    blind=pins.Reading(looks=False),
    lease=pins.Reading(lease=DAY),
)
PINS_TABLE: Final = """\
: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_paged
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan past branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/;
        scan u.s.0/; scan branch; scan past branch b; scan past branch main; scan past branch z; scan tag; scan
        commit; scan past commit c5; scan past commit c4; scan past commit c2; scan past commit c1; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan past
        branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch;
        scan past branch b; scan past branch main; scan past branch z; scan tag; scan commit; scan past commit c5;
        scan past commit c4; scan past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
pin_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@first
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; scan
        retention/pins/; set retention/condemned/c4/n; set retention/condemned/c2/n; delete
        retention/condemned/c2/n; put n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease, 86399 s later
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease, 86400 s later
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease, 86401 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
condemn_a: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
plain_tag: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; scan retention/pins/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/;
        scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
forget_b: mark
    answers HeadNotFound
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit
: mark, met by pin_a at 6
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by pin_a at 8
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by pin_a at 9
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by plain_a at 9
    answers (mem://r/data/d); c c2 u.b1.0
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.b1.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n;
        put n/mark.json
    leaves +branch c = c2 u.b1.0; +retention/condemned/c4/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by plain_tag at 9
    answers (mem://r/data/d); t c2
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +tag t = c2; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
: mark@first, met by pin_a at 8
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; scan
        retention/pins/; set retention/condemned/c4/n; set retention/condemned/c2/n; delete
        retention/condemned/c2/n; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by stage_a at 9
    answers (mem://r/data/d); a 1B
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +u.s.0/x = a 1B; +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json =
        {"addresses": ["mem://r/data/d"]}
: mark, met by drop_z at 9
    answers (mem://r/data/a, mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves -branch z; +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json =
        {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark, met by upload.commit at 8, 691200 s later
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan
        u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +retention/condemned/c4/n = n; +retention/condemned/c2/n =
        n; +object a1 = u; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
mark: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
mark.sweep: mark_again
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/m; set retention/condemned/c2/m; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put m/mark.json
    leaves +retention/condemned/c4/m = m; +retention/condemned/c2/m = m; +object m/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: branch_a
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
condemn_a: branch_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
condemn_a: branch_a@blind
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; get branch c2; get tag c2; get
        commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
mark: branch_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: branch_a, met by condemn_a at 2
    answers CommitExpired; done
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
    leaves +retention/condemned/c2/other = other
: branch_a, met by condemn_a at 3
    answers CommitExpired; done
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
    leaves +retention/condemned/c2/other = other
: branch_a, met by plain_a at 3
    answers BranchExists; c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
: branch_a, lost at 3
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
: branch_a, missed at 3
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
: branch_a, refused at 3
    answers Refused
    by get branch c2; get tag c2; get commit c2
: branch_a, refused at 2
    answers Refused
    by get branch c2; get tag c2
: branch_a, broken at 2
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
: branch_a, refused at 1
    answers Refused
    by get branch c2
: branch_main
    answers c c3 u.b1.0
    by get branch main; now; set retention/pins/c3/p1; scan retention/condemned/c3/; get branch c3; get tag c3; get
        commit c3; set_if branch c; delete retention/pins/c3/p1
    leaves +branch c = c3 u.b1.0
: move_a
    answers b c2 u.s.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch b; get branch c2; get tag c2; get commit c2; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.s.0
condemn_a: move_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: tag_a
    answers t c2
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if tag t; delete retention/pins/c2/p1
    leaves +tag t = c2
condemn_a: tag_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: merge
    answers c6 of c3, c4 'M'
    by get branch c4; get tag c4; get commit c4; now; set retention/pins/c4/p1; scan retention/condemned/c4/; get
        branch b; scan u.s.0/; get commit c3; get branch c4; get tag c4; get commit c4; get commit c4; get commit
        c2; get commit c1; now; set commit c6; set_if branch b; delete retention/pins/c4/p1
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3, c4 'M'
: revert
    answers c6 of c3 'V'
    by get branch c3; get tag c3; get commit c3; get commit c3; now; set retention/pins/c2/p1; scan
        retention/condemned/c2/; get branch b; scan u.s.0/; get commit c3; get branch c3; get tag c3; get commit c3;
        get commit c3; get commit c2; now; set commit c6; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3 'V'
condemn_a: revert
    answers CommitExpired
    by get branch c3; get tag c3; get commit c3; get commit c3; now; set retention/pins/c2/p1; scan
        retention/condemned/c2/; delete retention/pins/c2/p1
: revert_first
    answers NoParent
    by get branch c1; get tag c1; get commit c1; get commit c1
: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; get commit c2; get branch b; set u.s.0/x; get branch b; delete
        retention/pins/c2/p1
    leaves +u.s.0/x = a 1B
: restore_none
    answers PathNotFound
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; get commit c2; delete retention/pins/c2/p1
condemn_a: restore
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
mark: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.plain_a: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
"""
HEADS: Final = words_of(heads.FLOWS, first=heads.LEFT_FIRST, afterwards=heads.AFTERWARDS)
HEADS_TABLE: Final = """\
: mark
    answers (mem://r/data/a)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a"]}
: move_a
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3
: move_a@afterwards
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set_if branch b; set retention/left/b/l1
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3
: move_a, met by upload.commit at 4
    answers RefChanged; a1 1B +0s; c4 of c3 'N'
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves ~branch b = c4 u.s.s1; +commit c4 = of c3 'N'; +retention/left/b/l1 = c3; +object a1 = u
: move_a@afterwards, met by upload.commit at 3
    answers RefChanged; a1 1B +0s; c4 of c3 'N'
    by get branch b; get branch c2; get tag c2; get commit c2; set_if branch b
    leaves ~branch b = c4 u.s.s1; +commit c4 = of c3 'N'; +object a1 = u
: move_a, refused at 3
    answers Refused
    by get branch b; get branch c2; get tag c2
: move_a, met by drop_branch at 3
    answers RefChanged; done
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves -branch b; +retention/left/b/l1 = c3
: move_a, false at 4
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3
: bury_b
    answers done
    by get branch b; set retention/left/b/l1; set_if branch b
    leaves ~branch b = none u.s.0; +retention/left/b/l1 = c3
: bury_b, met by upload.commit at 3
    answers RefChanged; a1 1B +0s; c4 of c3 'N'
    by get branch b; set retention/left/b/l1; set_if branch b; get branch b
    leaves ~branch b = c4 u.s.s1; +commit c4 = of c3 'N'; +retention/left/b/l1 = c3; +object a1 = u
: branch_a
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; set_if branch c
    leaves +branch c = c2 u.b1.0
bury_b: move_a
    answers BranchNotFound
    by get branch b
move_a: mark
    answers ()
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": []}
move_a: mark_paged
    answers ()
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan past branch b; scan
        past branch main; scan u.s.0/; scan u.s.0/; scan branch; scan past branch b; scan past branch main; scan
        retention/left/; scan commit; scan past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": []}
move_a.mark: mark_again
    answers ()
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": []}
move_a.mark: mark_again, 604799 s later
    answers ()
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": []}
move_a.mark: mark_again, 604800 s later
    answers ()
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": []}
move_a.mark: mark_again, 691200 s later
    answers ()
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": []}
move_a.move_main: mark
    answers ()
    by scan retention/left/; get branch b; get branch b; now; set retention/left/b/l2; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l2 = c2 +0s; +object n/mark.json = {"addresses": []}
leave: mark
    answers (mem://r/data/a)
    by scan retention/left/; get branch b; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a"]}
leave.drop_branch: mark
    answers (mem://r/data/a)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan u.s.0/; scan branch;
        scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a"]}
leave.bury_b: mark
    answers (mem://r/data/a)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; get branch b; now; set retention/left/b/l2;
        now; scan branch; scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; ~retention/left/b/l2 = c3 +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/a"]}
bury_b: mark
    answers (mem://r/data/a)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan u.s.0/; scan branch;
        scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a"]}
move_a.move_main.move_a: mark_paged
    answers ()
    by scan retention/left/; get branch b; now; set retention/left/b/l1; scan past retention/left/b/l1; get branch
        b; scan past retention/left/b/l2; get branch b; now; set retention/left/b/l3; now; scan branch; scan past
        branch b; scan past branch main; scan u.s.0/; scan u.s.0/; scan branch; scan past branch b; scan past branch
        main; scan retention/left/; scan past retention/left/b/l1; scan past retention/left/b/l2; scan commit; scan
        past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; ~retention/left/b/l3 = c3 +0s; +object n/mark.json = {"addresses": []}
move_a: mark@first
    answers ()
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan retention/left/; scan branch;
        scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": []}
: mark@first, met by move_a at 4
    answers (); b c2 u.s.0
    by scan retention/left/; now; scan retention/left/; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan
        commit; put n/mark.json
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3; +object n/mark.json = {"addresses": []}
: mark, met by move_a at 2
    answers (); b c2 u.s.0
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put n/mark.json
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3; +object n/mark.json = {"addresses": []}
: mark, met by move_a at 5
    answers (); b c2 u.s.0
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put n/mark.json
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3; +object n/mark.json = {"addresses": []}
bury_b.mark: mark_again, 691200 s later
    answers (mem://r/data/a)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan branch; scan retention/left/; scan commit; put
        m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/a"]}
"""
TEXT: Final = "committed-object-retention.md"
OURS: Final = "docs/hard-delete/retention.md"
LINE: Final = (Call(write_history, REPOSITORY, ("line",)),)
WHOLE: Final = (Call(write_history, REPOSITORY, ("line", "dangling", "branch")),)
ROWS = [
    stated("retention", RUNS, RUNS_TABLE, TEXT, first=WHOLE),
    stated("retention-pins", PINS, PINS_TABLE, OURS, first=WHOLE),
    stated("retention-heads", HEADS, HEADS_TABLE, OURS, first=LINE),
]

SCENARIOS = built(ROWS)
