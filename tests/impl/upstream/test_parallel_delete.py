"""The repository delete of lakeFS as it is: goroutines for four kinds of entities, and one for each entity."""

from lakeproof import Call, Faults, Scenario, Status
from lakeproof.explore.faults import Mode
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import World
from lakeproof.impl.upstream.repositories import AT_ONCE, create_branch, create_repository, create_tag
from lakeproof.model.identifiers import RepositoryID

R = RepositoryID("r")


def world(*, batch_size: int = 0, faults: Faults | None = None) -> World:
    """A delete of a repository with two branches and a tag, which has read and marked the entry."""
    scenario = Scenario(
        name="delete",
        setup=[Call(create_repository, R), Call(create_branch, R, "dev"), Call(create_tag, R, "v1")],
        clients=[[Call(AT_ONCE.delete_repository, R, batch_size=batch_size)]],
        invariants=[],
        faults=faults or Faults(),
        expect={"no-unhandled-exception": "holds"},
    )
    found = World(prepare(scenario))
    for _ in range(2):
        found.step(found.moves()[0])
    return found


def left(found: World) -> list[bytes]:
    return sorted(cell[2] for cell in found.cells if len(cell) == 3)


def test_branches_tags_commits_and_metadata_are_open_at_once() -> None:
    found = world()
    assert [move.task for move in found.moves()] == ["1", "2", "3", "4"]
    for _ in range(3):
        found.step(found.moves()[0])  # the scan of branches, and one read of a branch, and its deletion
    assert [move.task for move in found.moves()] == ["1.2", "2", "3", "4"]
    found.close()


def test_all_of_it_is_deleted_whichever_goroutine_is_the_last() -> None:
    for last in (0, -1):
        found = world()
        while moves := found.moves():
            found.step(moves[last])
        assert left(found) == []
        assert found.clients[0].finished[0].status is Status.OK


def test_a_scan_that_breaks_after_its_first_batch_leaves_a_branch_and_the_delete_succeeds() -> None:
    found = world(batch_size=1, faults=Faults(scan_failures=1))
    found.step(found.moves()[0])
    while moves := found.moves():
        broken = [move for move in moves if move.mode is Mode.SCAN_FAILURE]
        found.step(broken[0] if broken else moves[0])
    assert found.clients[0].finished[0].status is Status.OK
    assert left(found) == [b"branches/main"]
