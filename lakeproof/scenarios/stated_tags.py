"""Tags, what refs lead to, and the line of commits behind one: each call's answer, its effects, and what it leaves.

The steps are those of graveler-on-kv.md, "Tag" and "Commit"; a ref is a branch, a tag or a commit, in this order, as in
lakeFS. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.refs import branches, commits, resolving, tags
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built


async def log(env: Env, repository: Repository, *, amount: int = 0) -> tuple[str, ...]:
    """The messages of the line of commits that b leads to. Raises as `commits.log`."""
    return tuple(each.message for each in await commits.log(env, repository, BRANCH, amount=amount))


async def metadata_of_a_commit(env: Env) -> object:
    """The metadata of a commit that are given in another order than that of their names."""
    made = commits.new_commit(
        [], MetaRangeID(""), committer="c", message="m", creation_date=0, metadata=(("b", "1"), ("a", "2"))
    )
    return made.metadata


TAGS: Final = words_of(
    FLOWS,
    tag=Call(tags.create_tag, REPOSITORY, "t", BRANCH),
    tag_nowhere=Call(tags.create_tag, REPOSITORY, "t", "nowhere"),
    get_tag=Call(tags.get_tag, REPOSITORY, "t"),
    move_tag=Call(tags.update_tag, REPOSITORY, "t", MAIN),
    delete_tag=Call(tags.delete_tag, REPOSITORY, "t"),
    resolve_b=Call(resolving.resolve, REPOSITORY, BRANCH),
    resolve_t=Call(resolving.resolve, REPOSITORY, "t"),
    resolve_nowhere=Call(resolving.resolve, REPOSITORY, "nowhere"),
    resolve_odd=Call(resolving.resolve, REPOSITORY, "no name~^"),
    resolve_dotted=Call(resolving.resolve, REPOSITORY, "t.1"),
    tag_dotted=Call(tags.create_tag, REPOSITORY, "t.1", BRANCH),
    bury=Call(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH),
    log=Call(log, REPOSITORY),
    log_one=Call(log, REPOSITORY, amount=1),
    log_two=Call(log, REPOSITORY, amount=2),
    metadata=Call(metadata_of_a_commit),
    history=Call(commits.log, REPOSITORY, BRANCH),
)
TAGS_TABLE: Final = """\
: tag
    answers t c1
    by get branch b; set_if tag t
    leaves +tag t = c1
: tag_nowhere
    answers RefNotFound
    by get branch nowhere; get tag nowhere; get commit nowhere
tag: tag
    answers TagExists
    by get branch b; set_if tag t
: tag, met by tag at 3
    answers t c1; TagExists
    by get branch b; set_if tag t
    leaves +tag t = c1
: tag, met by tag at 2
    answers TagExists; t c1
    by get branch b; set_if tag t
    leaves +tag t = c1
: get_tag
    answers TagNotFound
    by get tag t
tag: get_tag
    answers t c1
    by get tag t
tag.main1.commit_main: move_tag
    answers t c2
    by get tag t; get branch main; set_if tag t
    leaves ~tag t = c2
: move_tag
    answers TagNotFound
    by get tag t
tag: delete_tag
    answers done
    by get tag t; delete tag t
    leaves -tag t
: delete_tag
    answers TagNotFound
    by get tag t
tag: delete_tag, met by delete_tag at 2
    answers done; done
    by get tag t; delete tag t
    leaves -tag t
: resolve_b
    answers c1
    by get branch b
tag: resolve_t
    answers c1
    by get branch t; get tag t
: resolve_nowhere
    answers RefNotFound
    by get branch nowhere; get tag nowhere; get commit nowhere
: resolve_odd
    answers RefNotFound
    by get branch no name~^; get tag no name~^; get commit no name~^
tag_dotted: resolve_dotted
    answers c1
    by get branch t.1; get tag t.1
: resolve_dotted
    answers RefNotFound
    by get branch t.1; get tag t.1; get commit t.1
bury: resolve_b
    answers RefNotFound
    by get branch b; get tag b; get commit b
: log
    answers (Repository created)
    by get branch b; get commit c1
x1.commit.x2.commit_again: log
    answers (two, one, Repository created)
    by get branch b; get commit c3; get commit c2; get commit c1
x1.commit.x2.commit_again: log_one
    answers (two)
    by get branch b; get commit c3
x1.commit.x2.commit_again: log_two
    answers (two, one)
    by get branch b; get commit c3; get commit c2
main1.commit_main.x1.commit.merge: history
    answers (c4 of c3, c2 'merged', c3 of c1 'one', c1 of none 'Repository created')
    by get branch b; get commit c4; get commit c3; get commit c1
bury: log
    answers RefNotFound
    by get branch b; get tag b; get commit b
: resolve_b, refused at 1
    answers Refused
    by get branch b
: resolve_nowhere, refused at 2
    answers Refused
    by get branch nowhere; get tag nowhere
: resolve_nowhere, refused at 3
    answers Refused
    by get branch nowhere; get tag nowhere; get commit nowhere
: metadata
    answers ((a, 2), (b, 1))
"""
FIRST: Final = (FOUND,)

ROWS = [stated("tags", TAGS, TAGS_TABLE, "graveler-on-kv.md, Tag and Commit", FIRST)]

SCENARIOS = built(ROWS)
