"""Logs of effects held against flows: what flows have done is accepted under any names, and nothing else is."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs
import pytest
from click.testing import Result

from lakeproof.gate import acceptance, effect_log
from lakeproof.gate.acceptance import MARK, NameMap, Refuted, accept
from lakeproof.gate.effect_log import Logged, Op
from lakeproof.impl.codec import decode_at, encode
from lakeproof.impl.effects import Now
from lakeproof.impl.repositories import step1
from lakeproof.model import kv
from lakeproof.model.identifiers import CommitID, InstanceUID, MetaRangeID
from lakeproof.model.records import Commit, Repository
from lakeproof.scenario import Call, Scenario
from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from lakeproof.verify.loader import scenario_named
from lakeproof.words import Unusable
from tests.commands import lakeproof
from tools.catalogues import everything

FLOWS = "repositories/step1/delete-delete-create"
TWO_CREATES = "repositories/step1/absent/create-create"
Effects = list[tuple[str, Op, object]]


@cache
def scenario(name: str) -> Scenario:
    return scenario_named(everything(), name, "test")


def walked(name: str, seed: int) -> Effects:
    """What the clients of a scenario ask for in a random schedule, and are answered."""
    world = World(prepare(scenario(name)))
    chance = random.Random(seed)
    found: Effects = []
    while moves := world.moves():
        step = world.step(chance.choice(moves))
        if not isinstance(step.op, Now):
            found.append((f"client-{step.client}", step.op, step.reply))  # type: ignore[arg-type]  # of a store only
    world.close()
    return found


def refuted(effects: Effects, flows: str = FLOWS, window: int = 1) -> str:
    """Where a log is refuted, and why, as ``LINE: ...``; empty: it is accepted."""
    told = scenario(flows)
    logged = [Logged(number, *each) for number, each in enumerate(effects, start=1)]
    try:
        list(accept(logged, told.clients, told.start_time, window))
    except Refuted as error:
        return f"{error.line}: {error}"
    return ""


def follows(tmp_path: Path, effects: Effects, *words: str, flows: str = FLOWS) -> Result:
    log = tmp_path / "log.jsonl"
    effect_log.write(log, effects)
    return lakeproof("follows", str(log), "--flows", flows, *words)


COMMITS = "commits/lock-free/commit-commit"


@pytest.mark.parametrize("flows", [FLOWS, "repositories/upstream/delete-delete-create", TWO_CREATES, COMMITS])
def test_whatever_the_flows_do_is_accepted(flows: str) -> None:
    for seed in range(10):
        assert refuted(walked(flows, seed), flows) == ""


def test_a_flow_that_asks_for_more_than_a_key_value_store_can_do_refutes_no_log() -> None:
    flows = "commits/upstream/commit-commit"
    with pytest.raises(Unusable, match=r"commit\(.*\) asks for put object .*, which no log has"):
        refuted(walked(flows, 0), flows)


def test_the_command_says_what_each_client_has_done(tmp_path: Path) -> None:
    result = follows(tmp_path, walked(FLOWS, 0))
    assert result.exit_code == 0
    assert result.stdout.endswith(f"1 call done\nfollowed: the flows of {FLOWS} could have requested this\n")
    result = follows(tmp_path, walked(FLOWS, 0)[1:])
    assert result.exit_code == 1
    assert "log.jsonl:" in result.stdout
    assert "; expected: " in result.stdout


def test_a_log_survives_being_written_and_read(tmp_path: Path) -> None:
    effects = walked(FLOWS, 3)
    odd = kv.SetIf(b"p\xff", b"k", b"\x00\xff", kv.EXISTS), kv.PredicateFailed()
    effects += [("z", *odd), ("z", kv.ScanBatch(b"p", b"s", 2), kv.Batch((kv.Entry(b"\xff", b"1"),), True))]
    effect_log.write(tmp_path / "log", effects)
    assert [(each.client, each.op, each.reply) for each in effect_log.read(tmp_path / "log")] == effects


def test_one_effect_that_is_left_out_is_missed_at_the_next_one_of_its_client() -> None:
    for seed in range(5):
        effects = walked(FLOWS, seed)
        for at, (client, op, _) in enumerate(effects):
            later = [number for number, each in enumerate(effects) if number > at and each[0] == client]
            if later and effects[later[0]][1] != op:
                told = refuted(effects[:at] + effects[at + 1 :])
                assert told.startswith(f"{later[0]}: {client} requested "), told


def others(op: Op) -> Iterator[Op]:
    """What a flow asks for instead of this only if it is another one."""
    if isinstance(op, kv.SetIf):
        yield kv.Set(op.partition, op.key, op.value)
        yield attrs.evolve(op, predicate=None if op.predicate is kv.EXISTS else kv.EXISTS)
    if isinstance(op, kv.Set | kv.SetIf):
        record = decode_at(op.partition, op.key, op.value)
        if isinstance(record, Repository):
            yield attrs.evolve(op, value=encode(attrs.evolve(record, instance_uid=InstanceUID("another"))))
    if not isinstance(op, kv.ScanBatch):
        yield attrs.evolve(op, key=op.key + b"x")


@pytest.mark.parametrize("flows", [FLOWS, TWO_CREATES])
def test_another_condition_or_instance_or_another_key_is_refused(flows: str) -> None:
    effects = walked(flows, 0)
    changed = [(at, other) for at, (_, op, _) in enumerate(effects) for other in others(op)]
    for at, other in changed:
        client, op, reply = effects[at]
        assert refuted([*effects[:at], (client, other, reply), *effects[at + 1 :]], flows), (at, op, other)
    assert len(changed) > len(effects) / 2


UUID = "6ea4efaa-72d3-4ab6-8ebb-f2fb8675f8d2"


@pytest.mark.parametrize(
    ("pairs", "same"),
    [
        ("r-§1 r-dc23, c/c.§1 c/4ceca4", True),  # c.§1 is another name
        ("r-§1 r-dc23, r-§1 r-other", False),
        ("r-§1 r-dc23, r-§2 r-dc23", False),
        ("§1/§1 a/a", True),
        ("§1/§1 a/b", False),
        ("§1/§2 a/a", False),
        (f"r-§1 r-{UUID}, §1 {UUID}", True),
    ],
)
def test_a_name_of_the_flow_stands_for_one_text_and_a_text_for_one_name(pairs: str, same: bool) -> None:
    names = NameMap()
    *before, last = ([*each.split()] for each in pairs.replace("§", MARK).split(", "))
    assert all(names.same(*each) for each in before)
    assert names.same(*last) is same


@pytest.mark.parametrize(("parents", "accepted"), [(("p1",), True), (("p2",), False), (("p1", "p2"), False)])
def test_a_commit_with_other_parents_is_another_commit(parents: tuple[str, ...], accepted: bool) -> None:
    def written(*of: str) -> kv.Set:
        ids = tuple(map(CommitID, of))
        record = Commit(commit_id=CommitID("c"), committer="", message="", creation_date=0,
                        meta_range_id=MetaRangeID("m"), parents=ids)  # fmt: skip
        return kv.Set(b"r-1", b"commits/c", encode(record))

    assert acceptance._same(written("p1"), written(*parents), NameMap()) is accepted


def test_a_name_that_the_flow_receives_may_have_hyphens_and_stands_at_the_end() -> None:
    names = NameMap()
    assert names.same(f"r-{MARK}1", f"r-{UUID}")
    assert names.received(f"r-{UUID}/x {UUID} r-{UUID}-x") == f"r-{MARK}1/x {MARK}1 r-{UUID}-x"


def test_what_a_comparison_that_fails_has_learnt_is_forgotten() -> None:
    names = NameMap()
    assert not names.try_(lambda: names.same(f"{MARK}1", "a") and names.same(f"x-{MARK}2", "y"))
    assert names.try_(lambda: names.same(f"{MARK}1", "b"))


def test_what_a_program_asks_for_at_once_needs_the_option() -> None:
    flows = "repositories/upstream/delete-delete-create"
    effects = next(each for each in (walked(flows, seed) for seed in range(50)) if len(_scans(each)) > 2)
    one, other = _scans(effects)[-2:]
    swapped = list(effects)
    swapped[one], swapped[other] = effects[other], effects[one]
    assert refuted(swapped, flows)
    assert refuted(swapped, flows, window=32) == ""
    assert refuted([*effects, ("client-0", kv.Delete(b"elsewhere", b"x"), None)], flows, window=32)


def _scans(effects: Effects) -> list[int]:
    return [n for n, (client, op, _) in enumerate(effects) if client == "client-0" and isinstance(op, kv.ScanBatch)]


def test_a_name_of_the_scenario_is_renamed(tmp_path: Path) -> None:
    effects: Effects = [("a", kv.Get(b"graveler", b"repos/theirs"), kv.NotFound())]
    effects += [("b", *effects[0][1:]), ("c", *effects[0][1:])]
    first = follows(tmp_path, effects)
    assert first.exit_code == 1, first.output
    result = follows(tmp_path, effects, "--name", "r=theirs")
    assert result.exit_code == 0
    assert "c: 1 effect, 0 calls done, and ends within create_repository('theirs')" in result.stdout


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "the log is empty"),
        (['{"client": "a", "effect": "get", "partition": "g", "key": "k", "reply": "not found"}'], "has 1 clients (a)"),
        (["no"], "log.jsonl:1: Expecting value"),
        (["[]"], "log.jsonl:1: expected an object"),
        (['{"client": "a", "effect": "scam"}'], "effect: expected one of get, set, set_if, delete, scan"),
        (['{"client": "a", "effect": "get", "partition": "g", "key": "k"}'], "the field 'reply' is missing"),
        (['{"client": "a", "effect": "get", "partition": "g", "key": "k", "reply": null}'], "reply: expected {"),
        (['{"client": "a", "effect": "delete", "partition": 1, "key": "k", "reply": null}'], "partition: expected a"),
        (
            ['{"client": "a", "effect": "set", "partition": "g", "key": "k", "value": {"base64": "!"}, "reply": null}'],
            ":1: ",
        ),
    ],
)
def test_a_log_that_is_none_or_shows_nothing_is_refused_in_one_line(
    tmp_path: Path, lines: list[str], told: str
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines))
    result = lakeproof("follows", str(log), "--flows", FLOWS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def created(client: str) -> Effects:
    """What client-0 would ask for if it created as this one does, under identifiers of its own."""
    walks = (walked(TWO_CREATES, seed) for seed in range(50))
    mine = ([("client-0", op, reply) for name, op, reply in walk if name == client] for walk in walks)
    return next(found for found in mine if kv.PredicateFailed() not in [reply for *_, reply in found])


def test_calls_are_made_over_and_over_and_each_mints_names_of_its_own() -> None:
    other = [("client-1", kv.Get(b"graveler", b"repos/r"), kv.NotFound())]
    assert refuted([*created("client-0"), *created("client-1"), *other], TWO_CREATES) == ""
    assert refuted([*created("client-0"), *created("client-0"), *other], TWO_CREATES), "two creations, one identifier"


def test_the_cost_of_a_long_log_is_a_step_of_a_flow_for_each_effect() -> None:
    effects = [("abc"[number % 3], kv.Get(b"graveler", b"repos/r"), kv.NotFound()) for number in range(3_000)]
    calls = [Call(step1.get_repository, "r")]
    logged = [Logged(number, *each) for number, each in enumerate(effects)]
    assert [(each.effects, each.calls) for each in accept(logged, [calls] * 3, 0)] == [(1_000, 1_000)] * 3
