"""The table of promises: its ids are those of the catalogue."""

from lakeproof.model import calls
from lakeproof.model.promises import PROMISES
from tools.catalogues import everything

UNPROMISED = {
    "checked in every scenario": "no-unhandled-exception",
    "a promise of one proposal, not of the operation": "address-has-one-entry address-ends-with-one-entry "
    "committed-is-dropped-in-the-end crash-spares-other-branches lease-is-respected",
    "refuted of lakeFS' own code, and promised by none": "staged-garbage-can-be-found",
    "of sequences of calls, each of which is specified whole": "alone-as-specified met-as-specified",
    "of operations that the table does not have": "canceled-import-is-absent running-task-is-alive "
    "released-branch-is-free version-means-complete migration-is-restartable "
    "revival-is-whole",
}
"""What the catalogue checks beside, by the reason why it is in no row."""


def test_each_operation_has_its_promise() -> None:
    without = {kind.name for kind in calls.KINDS.values() if kind not in PROMISES}
    assert without == set()


def test_each_promise_is_asked_in_a_race_of_its_operation() -> None:
    asked: dict[str, set[str]] = {}
    for scenario in everything():
        ids = set(scenario.ids)
        for call in (call for client in scenario.clients for call in client):
            asked.setdefault(call.name, set()).update(ids)
    missing = {
        (kind.name, name)
        for kind, promise in PROMISES.items()
        if kind.name in asked
        for name in promise.ids - asked[kind.name]
    }
    assert missing == set()
    assert {kind.name for kind in PROMISES} - asked.keys() == set()


def test_each_id_of_the_catalogue_is_a_promise_or_has_a_reason_why_not() -> None:
    promised = {name for promise in PROMISES.values() for name in promise.ids}
    asked = {name for scenario in everything() for name in scenario.ids}
    assert asked - promised == {each for ids in UNPROMISED.values() for each in ids.split()}
    assert promised <= asked
