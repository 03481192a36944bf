"""Variant ``optimistic``: `SetIf` on the branch, and all over again when beaten.

"In case a commit fails to finish due to another commit "beating" it to the finish line - a retry should be attempted.
This implementation will require to support multiple staging tokens". Source: graveler-on-kv.md, "Update Commits,
staging and lock-free", Step 3 of the plan.
"""

from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import flows
from lakeproof.impl.graveler.commits import TRIES, drop_all, seal, write_commit
from lakeproof.impl.graveler.tokens import countdown
from lakeproof.impl.refs.branches import next_token, read_branch, replace_branch
from lakeproof.impl.refs.errors import BranchBusy
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Commit, Repository


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open of a commit, and how it is read."""

    seals: bool = True
    """Seal the staging token before it is read. Without it, what is written between the scan and the end is lost."""
    drops: bool = True
    """Delete the staged entries once they are committed. The text drops none."""
    tries: int | None = TRIES
    """How often to start over; None: without a bound, as in the text."""


AS_WRITTEN: Final = Reading()


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    reading: Reading = AS_WRITTEN,
    batch_size: int = 0,
) -> Commit:
    """Commit what is staged on a branch; when beaten, start over.

    Cost: 2 effects to seal, those of `write_commit`, 1 to finish; all of it again for every time it was beaten.

    Raises:
        BranchNotFound; BranchBusy: beaten ``tries`` times, nothing was committed by this call.
    """
    for _ in countdown(reading.tries):
        if reading.seals:
            branch, predicate = await seal(env, repository, branch_id, reading.tries)
            tokens = branch.sealed_tokens
            # All sealed tokens are combined: another client that sealed one fails by its predicate, and starts over.
            finished = attrs.evolve(branch, sealed_tokens=())
        else:
            branch, predicate = await read_branch(env, repository, branch_id)
            tokens = branch.tokens
            finished = attrs.evolve(branch, staging_token=next_token(env, branch), sealed_tokens=())
        made = await write_commit(env, repository, branch.commit_id, tokens, message, batch_size=batch_size)
        try:
            await replace_branch(env, repository, attrs.evolve(finished, commit_id=made.commit_id), predicate)
        # Starting over seals again. That changes the record, and beats another committer that was about to finish.
        except kv.PredicateFailed:
            continue
        if reading.drops:
            await drop_all(env, tokens, batch_size)
        return made
    raise BranchBusy(branch_id)


FLOWS = attrs.evolve(flows.FLOWS, commit=commit)
