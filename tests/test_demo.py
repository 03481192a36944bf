"""``lakeproof demo``: hundreds of clients, judged as the search judges, and found out where they are wrong."""

import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

import lakeproof.demo
from lakeproof.demo.clients import REPOSITORY, VARIANTS, Calls, Settings
from lakeproof.demo.measuring import Kind, Measured, percentile
from lakeproof.demo.running import Demo, Gate
from lakeproof.demo.view import line, show
from lakeproof.demo.watching import Jitter, Watched, World
from lakeproof.impl.graveler.founding import found
from lakeproof.impl.live import run
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.conformance import check_store
from lakeproof.model.snapshot import Invoked, Returned, Status
from tests.commands import complaint, spawned
from tests.commands import lakeproof as command
from tests.demo_runs import BUSY, LOSING, LOST, SMALL, done, small, verdicts, virtual


class TestSoundVariants:
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_nothing_is_violated_but_what_is_known_of_the_design(self, variant: str) -> None:
        demo = done(attrs.evolve(SMALL, variant=variant))
        expected = dict.fromkeys(demo.judge.tallies, "holds")
        if variant == "optimistic":
            expected.pop("commit-makes-progress")
        assert expected.items() <= verdicts(demo).items()
        assert not any(tally.unexpected for tally in demo.judge.tallies.values())
        assert demo.judge.rounds > 2
        assert demo.measured.kinds["commit"].ok > 1
        assert demo.world.heads.moves == demo.measured.kinds["commit"].ok

    def test_writers_meet_a_change_of_the_token_and_committers_are_beaten(self) -> None:
        measured = done(BUSY).measured
        assert measured.kinds["write"].retries
        assert measured.kinds["commit"].retries

    def test_rates_are_known_while_the_first_round_is_under_way(self) -> None:
        demo, told = Demo(SMALL), list[float]()
        trio.run(demo.run, lambda demo: told.append(demo.measured.seconds), 0.1, clock=virtual())
        assert told == sorted(told)
        assert 0 < told[1] < told[-1] < 2 * SMALL.seconds

    def test_every_call_is_counted_once_and_every_end_has_its_latency(self) -> None:
        demo = small()
        kinds = demo.measured.kinds.values()
        assert all(len(kind.seconds) == kind.ok + kind.refused + kind.unknown for kind in kinds)
        bulk = SMALL.bulk_folders
        assert demo.judge.judged == 2 * (sum(len(kind.seconds) for kind in kinds) + bulk)

    @pytest.mark.parametrize(
        ("settings", "absent"),
        [
            (attrs.evolve(SMALL, readers=0, seconds=0.5), {"read-is-legal"}),
            (attrs.evolve(SMALL, committers=1, seconds=0.5), {"commit-makes-progress"}),
            (
                attrs.evolve(SMALL, committers=0, seconds=0.5),
                {"commit-makes-progress", "commit-is-causal", "commits-form-one-line"},
            ),
        ],
        ids=["no readers", "one committer", "no committers"],
    )
    def test_what_cannot_arise_is_not_asked(self, settings: Settings, absent: set[str]) -> None:
        whole = small()
        part = done(settings)
        assert whole.judge.tallies.keys() - part.judge.tallies.keys() == absent
        assert "violated" not in verdicts(part).values()


class TestNegativeControls:
    def test_without_the_second_read_entries_get_lost_and_that_is_found(self) -> None:
        """In each run a handful: the scheduler is not seeded, and so it is given three."""
        found: set[str] = set()
        for seed in range(3):
            if not found & LOST:
                demo = done(attrs.evolve(LOSING, seed=seed))
                found = {name for name, verdict in verdicts(demo).items() if verdict == "violated"}
        assert found & LOST
        assert found <= {*LOST, "read-is-legal"}


class TestWatching:
    """What clients go through keeps the contract of a store, and records at the right moments."""

    def test_the_store_that_clients_see_conforms(self) -> None:
        @asynccontextmanager
        async def opened() -> AsyncIterator[Store]:
            yield Watched(MemoryStore(), Jitter(Random(0), 0.001), lambda: None, None)

        trio.run(check_store, opened, clock=virtual())

    def test_a_call_begins_with_its_first_operation_and_ends_with_its_last(self) -> None:
        world = World(Random(0), 1.0, 1.0)
        write = Calls(SMALL, Random(0)).write(b"f000/00", b"w")
        told: list[tuple[bool, int]] = []

        async def main() -> None:
            await run(found(world.env, REPOSITORY), world.store)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(world.call, 0, write)
                for _ in range(400):
                    await trio.sleep(0.01)
                    told.append((any(b"f000" in key for _, key in world.store.contents()), len(world.events)))

        trio.run(main, clock=virtual())
        assert told[0] == (False, 0)  # it waits for the store, and has not begun
        assert sorted(set(told), key=told.index) == [(False, 0), (False, 1), (True, 1), (True, 2)]

    def test_a_call_that_is_cancelled_has_begun_and_never_ends(self) -> None:
        world = World(Random(0), 1.0, 1.0)

        async def main() -> None:
            await run(found(world.env, REPOSITORY), world.store)
            with trio.move_on_after(1.0):
                await world.call(0, Calls(SMALL, Random(0)).write(b"f000/00", b"w"))

        trio.run(main, clock=virtual())
        [event] = world.events
        assert isinstance(event, Invoked)
        assert not world.measured.kinds["write"].seconds

    def test_an_error_of_the_flow_is_an_answer(self) -> None:
        world = World(Random(0), 0.001, 0.001)
        calls = Calls(SMALL, Random(0))

        async def main() -> list[Status]:
            before = await world.call(0, calls.read(b"f000/00"))
            await run(found(world.env, REPOSITORY), world.store)
            return [
                before,
                await world.call(0, calls.read(b"f000/00")),
                await world.call(0, calls.write(b"f000/00", b"w")),
                await world.call(0, calls.commit("m")),
                await world.call(0, calls.read(b"f000/00")),
                await damaged(),
            ]

        async def damaged() -> Status:
            for address in world.objects.contents():
                await world.objects.delete(address)
            return await world.call(0, calls.read(b"f000/00"))

        ok, refused = Status.OK, Status.FAIL
        # No branch; no entry, which is an answer like any other; three that succeed; its objects are gone.
        assert trio.run(main, clock=virtual()) == [refused, ok, ok, ok, ok, refused]
        assert [each.index for each in world.events if isinstance(each, Returned)] == [0, 1, 2, 3, 4, 5]


class TestMeasuring:
    @given(st.lists(st.floats(0, 1e6), min_size=1), st.integers(1, 100))
    def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(self, values: list[float], p: int) -> None:
        ascending = sorted(values)
        enough = [value for value in ascending if 100 * sum(v <= value for v in values) >= p * len(values)]
        assert percentile(ascending, p) == min(enough)

    def test_of_nothing_it_is_nothing(self) -> None:
        assert percentile([], 99) == 0
        assert Kind().latencies() == (0, 0, 0, 0)
        assert Measured().rate("write") == 0

    @pytest.mark.parametrize("percent", [0, -1, 101])
    def test_other_percents_are_refused(self, percent: float) -> None:
        with pytest.raises(ValueError, match=f"percentile {percent}: expected more than 0 and at most 100"):
            percentile([1.0], percent)


class TestGate:
    def test_closing_waits_until_nobody_is_inside_and_nobody_gets_in_until_it_opens(self) -> None:
        told: list[str] = []

        async def client(gate: Gate, name: str, inside: float) -> None:
            await gate.pause(1)
            async with gate:
                told.append(f"{name} in")
                await trio.sleep(inside)
                told.append(f"{name} out")

        async def main() -> None:
            gate = Gate()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(client, gate, "first", 5)
                await trio.sleep(2)
                nursery.start_soon(client, gate, "second", 1)
                await gate.close()
                told.append("closed")
                await trio.sleep(10)
                told.append("opened")
                gate.open()

        trio.run(main, clock=virtual())
        assert told == ["first in", "first out", "closed", "opened", "second in", "second out"]

    def test_who_is_cancelled_inside_does_not_keep_it_from_closing(self) -> None:
        async def inside(gate: Gate) -> None:
            async with gate:
                await trio.sleep_forever()

        async def main() -> None:
            gate = Gate()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(inside, gate)
                await wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()
            await gate.close()

        trio.run(main, clock=virtual())


class TestCommand:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lakeproof.demo, "show", lambda settings: show(settings, clock=virtual()))
        monkeypatch.setattr(lakeproof.demo, "Settings", partial(attrs.evolve, BUSY))

    def test_what_holds_is_0_and_is_told_on_stdout_with_progress_on_stderr(self) -> None:
        result = command("demo", "--writers", "40", "--readers", "10", "--seconds", "2.1")
        assert result.exit_code == 0
        head, *_, last = result.stdout.splitlines()
        assert head.startswith("lock-free: 40 writers, 10 readers, 2 committers; 2.")
        assert last.endswith("; all as expected")
        assert all(line.startswith("demo: ") for line in result.stderr.splitlines())
        assert len(result.stderr.splitlines()) >= 2

    def test_what_is_violated_is_1_and_is_named_with_its_evidence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lakeproof.demo, "Settings", partial(attrs.evolve, LOSING))
        result = command("demo", "--seconds", "3", "--single-read")
        if not result.exit_code:
            result = command("demo", "--seconds", "3", "--single-read", "--seed", "1")
        assert result.exit_code == 1
        last = result.stdout.splitlines()[-1]
        assert "; VIOLATED: " in last
        for name in last.partition("VIOLATED: ")[2].split(", "):
            assert f"\n{name}: " in result.stdout
        assert "VIOLATED" in result.stderr

    def test_what_is_known_of_a_design_is_told_and_is_0(self) -> None:
        args = ("--writers", "20", "--readers", "5", "--committers", "4", "--seconds", "1")
        result = command("demo", *args, "--variant", "optimistic")
        assert result.exit_code in (0, 3)  # 3: in a second, not every situation arises
        assert "commit-makes-progress: known of this design: who is beaten seals anew" in result.stdout

    def test_what_never_arose_is_3(self) -> None:
        result = command("demo", "--writers", "1", "--readers", "1", "--seconds", "0.001")
        assert result.exit_code == 3
        assert "; INCONCLUSIVE, for the situation did not arise: " in result.stdout

    def test_json_is_a_line_for_each_kind_of_call_and_each_invariant(self) -> None:
        args = ("--writers", "30", "--readers", "10", "--seconds", "1", "--seed", "7")
        result = command("demo", *args, "--json")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        calls = {line["calls"]: line for line in lines if "calls" in line}
        assert list(calls) == ["write", "delete", "read", "list", "commit"]
        assert calls["write"]["p50_seconds"] <= calls["write"]["p99_seconds"] <= calls["write"]["max_seconds"]
        judged = {line["invariant"]: line for line in lines if "invariant" in line}
        assert {line["verdict"] for line in judged.values()} <= {"holds", "inconclusive"}
        assert judged["head-exists"]["bounds"]["seed"] == 7
        assert {line["scenario"] for line in lines} == {"demo/lock-free"}

    @pytest.mark.parametrize(
        ("args", "why"),
        [
            (["--writers", "0"], "0 is not in the range x>=1"),
            (["--committers", "-1"], "-1 is not in the range x>=0"),
            (["--seconds", "0"], "'0': expected seconds"),
            (["--variant", "sql"], "'sql' is not one of 'lock-free', 'optimistic', 'locked'"),
            (["--variant", "locked", "--single-read"], "a locked writer reads once anyway; leave one out"),
        ],
    )
    def test_unusable_options_are_refused_in_a_line(self, args: list[str], why: str) -> None:
        assert why in complaint(command("demo", *args))

    def test_a_terminal_gets_a_live_view(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm")
        show(SMALL, clock=virtual())
        told = capsys.readouterr()
        assert "commits again and again" in told.err
        assert "acknowledged-write-is-kept" in told.err
        assert told.out == ""

    def test_a_line_of_progress_says_how_far_it_is(self) -> None:
        demo = small()
        told = line(demo)
        assert told.startswith(f"commits again and again: {demo.measured.kinds['write'].ok:,} writes, ")
        assert f" in {demo.judge.rounds} rounds, " in told
        assert told.endswith(" checks")


def test_an_interrupt_ends_it_with_what_is_known() -> None:
    process = spawned("demo", "--seconds", "60", "--writers", "50", "--readers", "20")
    assert process.stderr is not None
    for told in process.stderr:
        if "commits again and again" in told:
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert out.partition("\n")[0].endswith("; interrupted")
    assert "Traceback" not in err
    assert "acknowledged-write-is-kept" in out
