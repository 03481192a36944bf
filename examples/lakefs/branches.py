"""A running lakeFS on DynamoDB: branches that are created and deleted at once, beside repositories; an upload beside a
commit.

LAKEPROOF_LAKEFS=$(which lakefs) lakeproof gate run examples/lakefs/branches.py lakefs/create-branch-delete-branch

A server keeps what it has read of a branch, and cleans up after it has answered. So each schedule begins with fresh
servers, one for each client.
"""

from functools import partial
from itertools import permutations

import lakefs_profile as lakefs  # type: ignore[import-not-found]  # it lies beside this file
from lakefs_store import judged  # type: ignore[import-not-found]  # it lies beside this file

from lakeproof.gate import GateCall, GateScenario, Outcome, call

NAME, WORK, NEW = "example", "work", "new"
OK, CREATED, DELETED, NOT_FOUND, CONFLICT, IN_DELETION = 200, 201, 204, 404, 409, 410
HEAD = f"{WORK}@"
"""What is committed of the branch, without what is staged."""
PLACES = (NAME, f"{NAME}/{WORK}", f"{NAME}/{NEW}")
set_up, wait_a_second = lakefs.set_up, lakefs.wait_a_second
create_repository, delete_repository = lakefs.create_repository, lakefs.delete_repository
create_branch, delete_branch = lakefs.create_branch, lakefs.delete_branch
get_repository, get_branch = lakefs.get_repository, lakefs.get_branch
upload, commit, get_object = lakefs.upload, lakefs.commit, lakefs.get_object


def answered(there: set[str], each: GateCall) -> int:
    """What a server would answer that is asked one thing at a time. there: its repositories and branches; changed."""
    repository = str(each.args[0])
    what = f"{repository}/{each.args[1]}" if each.name.endswith("branch") else repository
    if what != repository and repository not in there:
        return NOT_FOUND
    if each.name.startswith("create"):
        found = CONFLICT if what in there else CREATED
        there.add(what)
        return found
    found = DELETED if what in there else NOT_FOUND
    there -= {one for one in there if one == what or one.startswith(f"{what}/")}
    return found


def an_order_explains_the_answers(outcome: Outcome) -> str | None:
    """Calls that ran at once are answered as if they had run one after the other, and leave what they would have. A
    repository in deletion is none for a call; but afterwards none may be left in deletion."""
    made = [(each, returned.value) for calls in outcome.results.values() for each, returned in calls]
    left = [returned.value for returned in outcome.after]
    for order in permutations(made):
        there = {NAME, f"{NAME}/{WORK}"}
        answers = [answered(there, each) == (NOT_FOUND if status == IN_DELETION else status) for each, status in order]
        if all(answers) and left == [OK if each in there else NOT_FOUND for each in PLACES]:
            return None
    ended = ", ".join(f"{each} was answered {status}" for each, status in made)
    return f"no order explains this: {ended}; then {', '.join(f'{a} {b}' for a, b in zip(PLACES, left, strict=True))}"


def told(outcome: Outcome, name: str) -> list[object]:
    """What the calls of a function were answered."""
    return [returned.value for calls in outcome.results.values() for call, returned in calls if call.name == name]


def an_upload_stays(outcome: Outcome) -> str | None:
    """An upload is answered so, and what it has brought is read from the branch afterwards, beside a commit, too."""
    answers, found = told(outcome, "upload"), outcome.after[0].value
    kept = answers == [CREATED] and found == "second"
    return None if kept else f"the upload was answered {answers}, and reading it {found}"


def a_commit_has_what_was_staged(outcome: Outcome) -> str | None:
    """A commit is answered so, and what was staged before it began is in the head of the branch afterwards."""
    answers, found = told(outcome, "commit"), outcome.after[1].value
    kept = answers == [CREATED] and found == "first"
    return None if kept else f"the commit was answered {answers}, and reading what was staged from the head {found}"


SETUP = [call(set_up), call(create_repository, NAME, "first"), call(create_branch, NAME, WORK), call(wait_a_second)]
on_fresh_servers = partial(GateScenario, service=lakefs.SERVICE, through=lakefs.THROUGH, parallel="threads", fresh=True)
scenario = partial(
    on_fresh_servers,
    setup=SETUP,
    invariants=[an_order_explains_the_answers],
    always=[judged("active-is-complete")],
    after=[call(get_repository, NAME), call(get_branch, NAME, WORK), call(get_branch, NAME, NEW)],
)
CREATE, DELETE = call(create_branch, NAME, NEW), call(delete_branch, NAME, WORK)
REPOSITORY, DELETE_REPOSITORY = call(create_repository, NAME, "second"), call(delete_repository, NAME)
VIOLATED = {"an_order_explains_the_answers": "violated"}

SCENARIOS = [
    scenario(name="lakefs/create-branch-create-branch", clients=[[CREATE], [CREATE]]),
    scenario(name="lakefs/create-branch-delete-branch", clients=[[CREATE], [call(delete_branch, NAME, NEW)]]),
    scenario(name="lakefs/delete-branch-create-branch", clients=[[DELETE], [call(create_branch, NAME, WORK)]]),
    scenario(name="lakefs/delete-branch-delete-branch", clients=[[DELETE], [DELETE]], expect=VIOLATED),
    scenario(name="lakefs/create-branch-create", clients=[[CREATE], [REPOSITORY]]),
    scenario(name="lakefs/create-branch-delete", clients=[[CREATE], [DELETE_REPOSITORY]], parallel=False),
    scenario(name="lakefs/delete-branch-create", clients=[[DELETE], [REPOSITORY]]),
    scenario(
        name="lakefs/delete-branch-delete", clients=[[DELETE], [DELETE_REPOSITORY]], expect=VIOLATED, parallel=False
    ),
    on_fresh_servers(
        name="lakefs/upload-commit",
        setup=[*SETUP, call(upload, NAME, WORK, "staged", "first")],
        clients=[[call(upload, NAME, WORK, "uploaded", "second")], [call(commit, NAME, WORK, "a message")]],
        invariants=[an_upload_stays, a_commit_has_what_was_staged],
        after=[call(get_object, NAME, WORK, "uploaded"), call(get_object, NAME, HEAD, "staged")],
    ),
]
