"""A repository to work in: its entry, its first commit and its default branch, written by a single client."""

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import birth_token
from lakeproof.impl.refs.commits import add_commit, new_commit
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import Branch, Commit, Repository


def first_commit(repository: Repository) -> Commit:
    """The commit that each repository begins with."""
    return new_commit(
        [],
        MetaRangeID(""),  # a metarange without entries has no object
        committer="lakeproof",
        message="Repository created",
        creation_date=repository.creation_date,
    )


async def init_repository(env: Env, repository: Repository) -> Branch:
    """Write a repository as it is after its creation: entry, empty first commit, default branch. 3 effects."""
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))
    first = first_commit(repository)
    await add_commit(env, repository, first)
    branch_id = repository.default_branch_id
    branch = Branch(
        branch_id=branch_id,
        commit_id=first.commit_id,
        staging_token=birth_token(env, repository, branch_id),
    )
    # In no order that matters: a single client writes, before any other begins.
    await env.store.set(uid_partition(repository), keys.branch_key(branch_id), encode(branch))
    return branch
