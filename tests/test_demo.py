"""``lakeproof demo``: hundreds of clients, judged as the search judges, and found out where they are wrong.

Time is virtual but for one test: it passes when everybody waits, so that nothing here depends on the machine.
"""

import json
import signal
from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import ClassVar

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

import lakeproof.demo
from impl.codec import encode
from lakeproof.demo.clients import BRANCH, REPOSITORY, VARIANTS, Settings, folder_of
from lakeproof.demo.judging import Folder, Judge, Projector, Running, folders_of, just_written
from lakeproof.demo.measuring import Kind, Measured, percentile
from lakeproof.demo.running import Demo, Gate
from lakeproof.demo.view import line, show
from lakeproof.demo.watching import BRANCH_KEY, PARTITION
from model import keys, kv
from model.contents import branch_named, content_of_branch, content_of_commit
from model.identifiers import CommitID
from model.invariants import Finding, Monitor, Violation, entries
from model.records import Branch, Commit
from model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status
from tests.commands import complaint, spawned
from tests.commands import lakeproof as command

SMALL = Settings(
    writers=30, readers=10, folders=4, paths=4, bulk_folders=3, seconds=1.0, round_seconds=0.3, jitter_seconds=0.003
)
BUSY = attrs.evolve(SMALL, writers=60, seconds=1.5, jitter_seconds=0.006, commit_pause_seconds=0.01)
# Slow operations and many paths: most writes that get lost are not written over before anybody looks.
LOSING = Settings(
    writers=40,
    readers=10,
    folders=80,
    bulk_folders=2,
    seconds=4.0,
    jitter_seconds=0.01,
    objects_jitter_seconds=0.01,
    commit_pause_seconds=0.02,
    calls_per_second=600.0,
    single_read=True,
)
LOST = {"acknowledged-write-is-kept", "acknowledged-delete-is-kept", "commit-is-causal"}
"""What a lost entry violates."""


def virtual() -> MockClock:
    return MockClock(autojump_threshold=0)


def done(settings: Settings, demo: Demo | None = None) -> Demo:
    demo = Demo(settings) if demo is None else demo
    trio.run(demo.run, lambda _: None, 1.0, clock=virtual())
    return demo


def verdicts(demo: Demo) -> dict[str, str]:
    return {tally.id: tally.verdict for tally in demo.judge.tallies.values()}


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
        assert demo.measured.kinds["commit"].ok > 2
        assert demo.world.heads.moves == demo.measured.kinds["commit"].ok

    def test_writers_meet_a_change_of_the_token_and_committers_are_beaten(self) -> None:
        measured = done(BUSY).measured
        assert measured.kinds["write"].retries
        assert measured.kinds["commit"].retries

    def test_every_call_is_counted_once_and_every_end_has_its_latency(self) -> None:
        demo = done(SMALL)
        kinds = demo.measured.kinds.values()
        assert all(len(kind.seconds) == kind.ok + kind.refused + kind.unknown for kind in kinds)
        bulk = SMALL.bulk_folders
        assert demo.judge.judged == 2 * (sum(len(kind.seconds) for kind in kinds) + bulk)

    @pytest.mark.parametrize(
        ("settings", "absent"),
        [
            (attrs.evolve(SMALL, readers=0), {"read-is-legal"}),
            (attrs.evolve(SMALL, committers=1), {"commit-makes-progress"}),
            (
                attrs.evolve(SMALL, committers=0),
                {"commit-makes-progress", "commit-is-causal", "commits-form-one-line"},
            ),
        ],
        ids=["no readers", "one committer", "no committers"],
    )
    def test_what_cannot_arise_is_not_asked(self, settings: Settings, absent: set[str]) -> None:
        whole = done(SMALL)
        part = done(settings)
        assert whole.judge.tallies.keys() - part.judge.tallies.keys() == absent
        assert set(verdicts(part).values()) == {"holds"}


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

    def judged_after(self, damage: kv.Op, demo: Demo) -> dict[str, str]:
        """The verdicts after somebody else did this to the store, and one more round without any calls."""

        async def spoil() -> None:
            await demo.world.store.apply(damage)

        trio.run(spoil)
        demo.judge.end_round(last=True)
        return {name: verdict for name, verdict in verdicts(demo).items() if verdict == "violated"}

    def test_a_staged_entry_that_vanishes_is_missed(self) -> None:
        demo = done(attrs.evolve(SMALL, committers=0, seconds=0.5))
        [token] = {branch.staging_token for branch in [branch_of(demo)]}
        partition = keys.staging_partition(token)
        key = next(
            at[1]
            for at, record in demo.world.snapshot().store.items()
            if at[0] == partition and getattr(record, "data", None) is not None and not at[1].startswith(b"key/bulk")
        )
        assert self.judged_after(kv.Delete(partition, key), demo) == {"acknowledged-write-is-kept": "violated"}

    def test_so_is_one_of_the_bulk_which_nobody_touches(self) -> None:
        demo = done(attrs.evolve(SMALL, committers=0, seconds=0.5))
        partition = keys.staging_partition(branch_of(demo).staging_token)
        damage = kv.Delete(partition, keys.staged_key(b"bulk001/02"))
        assert self.judged_after(damage, demo) == {"acknowledged-write-is-kept": "violated"}

    def test_a_head_that_leads_nowhere_is_found(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        astray = encode(attrs.evolve(branch_of(demo), commit_id=CommitID("nowhere")))
        found = self.judged_after(kv.Set(PARTITION, BRANCH_KEY, astray), demo)
        assert {"head-exists", "acknowledged-write-is-kept"} <= found.keys()

    def test_a_branch_that_is_gone_is_found(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        assert self.judged_after(kv.Delete(PARTITION, BRANCH_KEY), demo) == {"head-exists": "violated"}

    def test_a_commit_that_overrides_another_is_found(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        before = branch_of(demo)
        first = next(
            record
            for record in demo.world.snapshot().store.values()
            if isinstance(record, Commit) and not record.parents
        )

        async def move() -> None:
            op = kv.Set(PARTITION, BRANCH_KEY, b"")
            after = attrs.evolve(before, commit_id=first.commit_id)
            await demo.world.heads.moved(op, before, after, demo.world.store)

        trio.run(move)
        demo.judge.end_round(last=True)
        assert verdicts(demo)["commits-form-one-line"] == "violated"


def branch_of(demo: Demo) -> Branch:
    branch = branch_named(demo.world.snapshot(), BRANCH)
    assert branch is not None
    return branch


class Whole(Judge):
    """Judges each round a second time, with all paths in one."""

    agreed: ClassVar[int] = 0
    paths: tuple[bytes, ...] = ()
    content: Mapping[bytes, bytes] = MappingProxyType({})

    def end_round(self, *, last: bool = False) -> None:
        events, before = list(self.world.events), {name: len(t.evidence) for name, t in self.tallies.items()}
        paths, content = self.paths, self.content
        super().end_round(last=last)
        snapshot = self.world.snapshot()
        for monitor in MONITORS:
            found = whole(monitor, paths, content, events, snapshot)
            mine = self.tallies[monitor.id].evidence[before[monitor.id] :]
            if monitor.id == "read-is-legal":  # it stops at the first one
                assert bool(found) == bool(mine), monitor.id
                assert set(found) <= set(mine)
            else:
                assert sorted(found) == sorted(mine), monitor.id
            Whole.agreed += len(found)
        branch = branch_named(snapshot, BRANCH)
        assert branch is not None
        self.content = content_of_branch(snapshot, branch) or {}
        hot = [path for folder in self.settings.folder_names for path in self.settings.names_in(folder)]
        self.paths = tuple(sorted({*hot, *self.content}))


MONITORS = (
    entries.acknowledged_write_is_kept,
    entries.acknowledged_delete_is_kept,
    entries.commit_is_causal,
    entries.read_is_legal({}, BRANCH),
)


def whole(
    monitor: Monitor, paths: Iterable[bytes], content: Mapping[bytes, bytes], events: list[Event], snapshot: Snapshot
) -> list[str]:
    """The evidence that a monitor has of a round, if it sees everything at once."""
    running = Running(monitor)
    findings: list[Finding] = []
    for event in (*just_written(tuple(paths), content), *events):
        findings += running.feed(event)
    findings += running.end(snapshot)
    return [finding.evidence for finding in findings if isinstance(finding, Violation)]


class TestFolders:
    """Folder by folder is as strict as all at once."""

    def test_both_ways_find_the_same_where_entries_get_lost(self) -> None:
        Whole.agreed = 0
        for seed in range(4):
            if not Whole.agreed:
                settings = attrs.evolve(LOSING, seed=seed, folders=25, calls_per_second=200.0, jitter_seconds=0.02)
                demo = Demo(settings)
                demo.judge = Whole(settings, demo.world)
                done(settings, demo)
        assert Whole.agreed

    def test_both_ways_find_nothing_where_all_is_well(self) -> None:
        Whole.agreed = 0
        settings = attrs.evolve(SMALL, folders=3, paths=3, bulk_folders=2, seconds=0.6, writers=20)
        demo = Demo(settings)
        demo.judge = Whole(settings, demo.world)
        done(settings, demo)
        assert not Whole.agreed

    def test_a_projection_shows_just_what_the_whole_has_in_the_folder(self) -> None:
        demo = done(SMALL)
        snapshot, branch = demo.world.snapshot(), branch_of(demo)
        commits = {record.commit_id: record for record in snapshot.store.values() if isinstance(record, Commit)}
        projector = Projector(snapshot, branch, commits)
        seen: dict[bytes, bytes] = {}
        committed: dict[CommitID, dict[bytes, bytes]] = {commit_id: {} for commit_id in commits}
        for folder in (*SMALL.folder_names, *SMALL.bulk_names):
            part = projector.on(folder)
            content = content_of_branch(part, branch)
            assert content is not None
            assert {folder_of(path) for path in content} <= {folder}
            seen |= content
            for commit_id in commits:
                committed[commit_id] |= content_of_commit(part, commit_id) or {}
        assert seen == content_of_branch(snapshot, branch)
        assert committed == {commit_id: content_of_commit(snapshot, commit_id) for commit_id in commits}

    def test_a_commit_that_cannot_be_read_cannot_be_read_in_a_projection(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        snapshot, branch = demo.world.snapshot(), branch_of(demo)
        head = snapshot.store[PARTITION, keys.commit_key(branch.commit_id)]
        assert isinstance(head, Commit)
        projector = Projector(attrs.evolve(snapshot, objects={}), branch, {head.commit_id: head})
        assert content_of_commit(projector.on(b"f000"), head.commit_id) is None

    @pytest.mark.parametrize(
        ("name", "args", "folders"),
        [
            ("set_entry", (REPOSITORY, "main", b"a/x", b"1"), [b"a"]),
            ("delete_entry", (REPOSITORY, "main", b"a/x"), [b"a"]),
            ("get_entry", (REPOSITORY, "main", b"b/x"), [b"b"]),
            ("list_entries", (REPOSITORY, "main", b"b/"), [b"b"]),
            ("set_entries", (REPOSITORY, "main", ((b"b/x", b"1"), (b"a/x", b"2"))), [b"a", b"b"]),
            ("commit", (REPOSITORY, "main", "message"), []),
        ],
    )
    def test_a_call_is_about_its_folders(self, name: str, args: tuple[object, ...], folders: list[bytes]) -> None:
        invoked = Invoked(0, 0, name, args)
        returned = Returned(0, 0, CallView(name, args, Status.OK))
        assert list(folders_of(invoked)) == list(folders_of(returned)) == folders

    def test_after_a_violation_a_monitor_says_no_more(self) -> None:
        folder = Folder(b"a", (entries.read_is_legal({}, BRANCH),))
        folder.start([b"a/x"], {b"a/x": b"1"})
        [(_, finding)] = [each for index in range(2) for event in stale_read(index) for each in folder.feed(event)]
        assert isinstance(finding, Violation)


def stale_read(index: int) -> list[Event]:
    """A read that finds nothing at a/x."""
    from impl.refs.errors import PathNotFound

    args = (REPOSITORY, str(BRANCH), b"a/x")
    view = CallView("get_entry", args, Status.FAIL, error=PathNotFound(b"a/x"))
    return [Invoked(0, index, "get_entry", args), Returned(0, index, view)]


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
        result = command("demo", "--writers", "40", "--readers", "10", "--seconds", "2.5")
        assert result.exit_code == 0
        head, *_, last = result.stdout.splitlines()
        assert head.startswith("lock-free: 40 writers, 10 readers, 2 committers; 2.")
        assert last.endswith("; all as expected")
        assert all(line.startswith("demo: ") for line in result.stderr.splitlines())
        assert len(result.stderr.splitlines()) >= 3

    def test_what_is_violated_is_1_and_is_named_with_its_evidence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lakeproof.demo, "Settings", partial(attrs.evolve, LOSING))
        result = command("demo", "--seconds", "4", "--single-read")
        if not result.exit_code:
            result = command("demo", "--seconds", "4", "--single-read", "--seed", "1")
        assert result.exit_code == 1
        last = result.stdout.splitlines()[-1]
        assert "; VIOLATED: " in last
        for name in last.partition("VIOLATED: ")[2].split(", "):
            assert f"\n{name}: " in result.stdout
        assert "VIOLATED" in result.stderr

    def test_what_is_known_of_a_design_is_told_and_is_0(self) -> None:
        args = ("--writers", "20", "--readers", "5", "--committers", "4", "--seconds", "2")
        result = command("demo", *args, "--variant", "optimistic")
        assert result.exit_code == 0
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
            (["--seconds", "0"], "0.0 is not in the range x>0"),
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
        demo = done(SMALL)
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
