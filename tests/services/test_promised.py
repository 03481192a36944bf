"""A service is asked for what the table of promises says of the operations that its clients call."""

from random import Random

from lakeproof.live.lakefs.calls import KIND_OF
from lakeproof.live.lakefs.promises import ALONE, ALONE_CALLS, IDS, KINDS, UNASKED
from lakeproof.live.lakefs.workload import Names, entry_wish, follow_ups, repository_wish
from lakeproof.model.promises import promised


def test_clients_call_just_these_operations() -> None:
    rng, names, called = Random(1), Names("p", "mem://n", ("mem://outside/",)), set[str]()
    for _ in range(3_000):
        for wish in (entry_wish(rng, names), repository_wish(rng, names)):
            called.add(wish[0])
            called.update(name for name, _ in follow_ups(rng, wish, names))
            if wish[0] == "set_entry":
                names.learn("commit", (*wish[1][:2], "m"), "c1")
                names.learn("create_pull", wish[1], "p1")
    assert called >= KIND_OF.keys()
    assert {KIND_OF.get(name, name) for name in called} == {kind.name for kind in KINDS} | ALONE_CALLS


def test_each_promise_is_asked_or_has_a_reason_why_not() -> None:
    promises = set(promised(*KINDS))
    assert set(IDS) - set(ALONE) == promises - UNASKED.keys()
    assert UNASKED.keys() - promises == set()
