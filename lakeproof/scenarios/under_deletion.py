"""A repository that is deleted while somebody works in it: branch, tag, write, read, commit or merge.

Every operation starts with "a fetch of the repository entry", and then takes many steps in the partition that it led
to.
"""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Final

from lakeproof.impl.graveler import lock_free, merging, reading, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened, kv3
from lakeproof.model.invariants import repositories as invariants
from lakeproof.scenario import Call, Faults, Scenario
from lakeproof.scenarios._branch_data import X

SOURCE: Final = "graveler-on-kv.md, Deleting a Repository"

REPOSITORY_ID: Final = "r"

OPERATIONS: Final[Mapping[str, Call]] = {
    "branch": Call(branches.create_branch, "b", "main"),
    "tag": Call(tags.create_tag, "t", "main"),
    "write": Call(writing.set_entry, "main", X, b"a0"),
    "read": Call(reading.get_entry, "main", X),
    "commit": Call(lock_free.commit, "main", "a0"),
    "merge": Call(merging.merge, "main", "main", "a0"),
}
"""The operation, with what follows the repository among its arguments."""


def _scenarios(name: str, flows: ModuleType) -> Iterator[Scenario]:
    for what, operation in OPERATIONS.items():
        flow = by_id(flows.get_repository, operation.flow)
        running = Call(flow, REPOSITORY_ID, *operation.args)
        for race, others in (("delete", ["delete"]), ("delete-create", ["delete", "create"])):
            calls = {
                "delete": Call(flows.delete_repository, REPOSITORY_ID),
                "create": Call(flows.create_repository, REPOSITORY_ID),
            }
            for suffix, faults in (("", Faults()), ("/crash", Faults(crashes=1))):
                yield Scenario(
                    name=f"under-deletion/{name}/{what}-{race}{suffix}",
                    setup=[calls["create"]],
                    clients=[[running], *([calls[other]] for other in others)],
                    invariants=[
                        invariants.no_reachable_zombie,
                        invariants.deleted_is_inaccessible,
                        invariants.delete_is_effective,
                    ],
                    faults=faults,
                    source=SOURCE,
                )


SCENARIOS = [*_scenarios("kv3", kv3), *_scenarios("hardened", hardened)]
