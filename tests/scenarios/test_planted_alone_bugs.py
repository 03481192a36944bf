"""One client alone: bugs planted in flows of branches are found; the flows as they are hold."""

from collections.abc import AsyncIterator
from types import ModuleType

import pytest

from lakeproof.explore.search import search
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import dropping, listing, lock_free, locked, merging, resetting, writing
from lakeproof.model.committed import Entry
from lakeproof.model.errors import EntryChanged
from lakeproof.model.records import Repository, StagedEntry
from lakeproof.scenario import Scenario
from lakeproof.scenarios import branches_alone, locks

MODULES = (branches_alone, locks)
BY_NAME = {scenario.name: scenario for module in MODULES for scenario in module.SCENARIOS}


def verdict(scenario: Scenario) -> str:
    checked = scenario.aftermath[-1]
    return next(finding.verdict for finding in search(scenario).findings if finding.id == checked.id)


async def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


async def none_at_all(*_: object, **__: object) -> AsyncIterator[StagedEntry]:
    none: tuple[StagedEntry, ...] = ()
    for each in none:
        yield each


async def no_changes(*_: object, **__: object) -> dict[bytes, StagedEntry]:
    return {}


async def destination_alone(*_: object, destination: str, **__: object) -> str:
    return destination


async def newest_parent(env: Env, repository: Repository, one: object, other: object) -> object:
    return one


async def taken(*_: object) -> bool:
    return True


async def not_taken(*_: object) -> bool:
    return False


def one_lock(*_: object) -> bytes:
    return b"locks"


PLANTED: list[tuple[str, ModuleType | type, str, object]] = [
    ("alone/lock-free/commits", lock_free, "drop_all", nothing),
    ("alone/lock-free/resets", resetting, "drop_all", nothing),
    ("alone/lock-free/merges", merging, "changes", none_at_all),
    ("alone/lock-free/merges", merging, "merge_committed", destination_alone),
    ("alone/lock-free/crossed", merging, "merge_base", newest_parent),
    ("alone/lock-free/entries", writing, "PathExists", EntryChanged),
    ("alone/lock-free/resets", resetting, "as_in_head", no_changes),
    ("alone/locked/entries", locked, "_unlock", nothing),
    ("locks/leased/before-its-end", locked, "_take_over", taken),
    ("locks/leased/at-its-end", locked, "_take_over", not_taken),
    ("locks/one-each/commit/crash", locked, "lock_key", one_lock),
    ("locks/drops-later/commit.job/crash", dropping, "drop", nothing),
    ("alone/lock-free/pages", listing, "CommonPrefix", lambda path: Entry(path=path, identity=b"", data=b"")),
]
SOUND = sorted({name for name, *_ in PLANTED})


@pytest.mark.parametrize("name", SOUND)
def test_the_flows_as_they_are_answer_as_specified(name: str) -> None:
    assert verdict(BY_NAME[name]) == "holds"


@pytest.mark.parametrize(("name", "module", "what", "instead"), PLANTED)
def test_a_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, module: ModuleType | type, what: str, instead: object
) -> None:
    monkeypatch.setattr(module, what, instead)
    assert verdict(BY_NAME[name]) == "violated"
