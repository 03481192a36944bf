"""A running lakeFS on DynamoDB: repositories that are deleted and created at once.

LAKEPROOF_LAKEFS=$(which lakefs) lakeproof gate run examples/lakefs/repositories.py lakefs/delete-create

Each client has a server of its own; all of them share the table and the bucket at the gate. Invariants of the search
are asked of the records of lakeFS in every state.
"""

from functools import partial

import lakefs_profile as lakefs  # type: ignore[import-not-found]  # it lies beside this file
from lakefs_store import judged, states  # type: ignore[import-not-found]  # it lies beside this file

from lakeproof.gate import GateScenario, Outcome, call

NAME = "example"
set_up, wait_a_second = lakefs.set_up, lakefs.wait_a_second
create_repository, delete_repository = lakefs.create_repository, lakefs.delete_repository
create_branch = lakefs.create_branch


def a_deletion_ends(outcome: Outcome) -> str | None:
    """Deletions that all answer *not found* leave no repository in deletion: there was one when they began, and none of
    them says that it goes on."""
    calls = [each for made in outcome.results.values() for each in made]
    told = [returned.value for call, returned in calls if call.name == "delete_repository"]
    if told and all(status == 404 for status in told) and "deleting" in states(outcome.store).values():
        return f"the deletions were answered {told}, and the repository is in deletion"
    return None


SETUP = [call(set_up), call(create_repository, NAME, "first"), call(wait_a_second)]
scenario = partial(
    GateScenario,
    setup=SETUP,
    service=lakefs.SERVICE,
    invariants=[a_deletion_ends],
    always=[judged("active-is-complete")],
    parallel=False,
    through=lakefs.THROUGH,
)
CREATE, DELETE = call(create_repository, NAME, "second"), call(delete_repository, NAME)
NEW = call(create_repository, "new", "third")

SCENARIOS = [
    scenario(
        name="lakefs/create-delete",
        clients=[[call(create_repository, "other", "second")], [DELETE]],
        always=[judged("delete-spares-successor"), judged("active-is-complete")],
        parallel="threads",
    ),
    scenario(name="lakefs/delete-create", clients=[[DELETE], [CREATE]], parallel="threads"),
    scenario(name="lakefs/delete-delete", clients=[[DELETE], [DELETE]]),
    scenario(name="lakefs/create-create", clients=[[NEW], [NEW]], parallel="threads"),
    scenario(
        name="lakefs/delete-delete/two-branches",
        clients=[[DELETE], [DELETE]],
        setup=[*SETUP, call(create_branch, NAME, "second")],
        expect={"a_deletion_ends": "violated"},
    ),
    scenario(
        name="lakefs/delete-delete-create",
        clients=[[DELETE], [DELETE], [CREATE]],
        always=[judged("delete-spares-successor"), judged("active-is-complete")],
        expect={"delete-spares-successor": "violated"},
    ),
]
