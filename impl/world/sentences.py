"""What retention has condemned, for clients that restore the commits later: objects in the storage namespace.

    <namespace>/_lakefs/retention/condemned/<commit>      empty

`pins` keeps its sentences in the partition of the repository, which goes with it. Its commits may come back: from a
dump, into a bare repository of the same namespace. So a run publishes its sentences before it sweeps, and a restore
takes them over before it writes a commit. A run sweeps only while its repository lives; a restore begins after that,
so the restore finds the sentence of each commit that the run has swept.
"""

from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.refs.dump import RefsDump, read_dump
from lakeproof.impl.refs.errors import GravelerError
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention.pins import CONDEMNED
from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Repository

FOLDER: Final = "_lakefs/retention/condemned/"
RESTORED: Final = "restored"
"""In the place of the run in a sentence that a restore has taken over."""


class Condemned(GravelerError):
    """The dump has a branch or tag at a commit that was swept since it was made. Restore a later one."""


async def publish(env: Env, repository: Repository, run_id: str, batch_size: int = 0) -> None:
    """Publish what a run has condemned. A scan of the sentences, and 1 effect for each."""
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=CONDEMNED):
        commit_id, _, run = entry.key.removeprefix(CONDEMNED).decode().partition("/")
        if run == run_id:  # another run publishes its own before it sweeps
            await env.objects.put(f"{repository.storage_namespace}/{FOLDER}{commit_id}", b"")


async def take_over(env: Env, repository: Repository, given: RefsDump) -> None:
    """Condemn in this repository what is published in its namespace. A listing, and 1 effect for each sentence; where
    there are any, 4 gets of objects. Raises Condemned."""
    root = f"{repository.storage_namespace}/{FOLDER}"
    published = [CommitID(head.address.removeprefix(root)) async for head in env.objects.list(root)]
    if not published:
        return
    # Only now: a repository without sentences needs no look into the dump.
    refs = await read_dump(env, repository.storage_namespace, given)
    named = [*(branch.commit_id for branch in refs.branches), *(tag.commit_id for tag in refs.tags)]
    for commit_id in named:
        if commit_id in published:
            raise Condemned(commit_id)
    # Ancestors, too: no ref names them, so they are restored, but must not be used.
    for commit_id in published:
        sentence = CONDEMNED + f"{commit_id}/{RESTORED}".encode()
        await env.store.set(uid_partition(repository), sentence, RESTORED.encode())
