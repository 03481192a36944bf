"""Wherever a sweep ends, its journal says of each object what became of it, and the next sweep goes on."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.sweep import marks
from lakeproof.spark_checks.sweep.journal import DELETED, GONE, PUT_AGAIN, End, Entry, Journal
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.spark_checks.sweep.sweep import sweep
from lakeproof.spark_checks.sweep.targets import Look
from lakeproof.words import Unusable
from tests.commands import lakeproof
from tests.spark.sweep.marking import NAMESPACE, OLD, accounts, journal, marked, row, run_at

EVERY = [f"data/{number}" for number in range(7)]
AS_MARKED = Found(1, OLD)


class Killed(BaseException):
    """The process ends here."""


@attrs.define
class Memory:
    """objects: what there is, by address. refused: what may not be deleted. lives: calls until it is killed: a call is
    a look at, or the deletion of, one object. deleted: what it has deleted, in order."""

    objects: dict[str, Found]
    refused: frozenset[str] = frozenset()
    lives: int | None = None
    deleted: list[tuple[str, Found]] = attrs.Factory(list)
    calls: int = 0
    unit: int = 1

    def name(self, address: str) -> str:
        return address

    def look(self, names: Sequence[str]) -> list[Look]:
        return [self._look(name) for name in names]

    def delete(self, there: Sequence[tuple[str, Found]]) -> list[Entry]:
        return [self._delete(name, found) for name, found in there]

    def _call(self) -> None:
        self.calls += 1
        if self.lives is not None:
            if self.lives == 0:
                raise Killed
            self.lives -= 1

    def _look(self, name: str) -> Look:
        self._call()
        return self.objects.get(name)

    def _delete(self, name: str, found: Found) -> Entry:
        self._call()
        if name in self.refused:
            return Entry(End.FAILED, "refused")
        now = self.objects.get(name)
        if now != found:
            return GONE if now is None else PUT_AGAIN
        self.deleted.append((name, self.objects.pop(name)))
        return DELETED


def full(name: str) -> str:
    return f"{NAMESPACE}/{name}"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "BATCH", 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return marked(tmp_path / "out", map(row, EVERY))


def whole(**more: object) -> Memory:
    store = Memory({full(name): AS_MARKED for name in EVERY})
    return attrs.evolve(store, **more)  # type: ignore[arg-type]


def dying(lives: int) -> Callable[[Folder, bytes, str], None]:
    """Writes files, and after so many half of one: that kills the process."""
    left = iter(range(lives))

    def sent(to: Folder, data: bytes, target: str) -> None:
        dies = next(left, None) is None
        with to.system.open_output_stream(target) as stream:
            stream.write(data[: len(data) // 2] if dies else data)
        if dies:
            raise Killed

    return sent


def test_a_kill_while_the_journal_is_written_loses_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lives in range(8):  # of the files: a report, an intent, an outcome, ...
        store = whole()
        for path in (folder / "swept").glob("*"):
            path.unlink()
        with monkeypatch.context() as patch:
            patch.setattr(Folder, "_send", dying(lives))
            with pytest.raises(Killed):
                sweep(run_at(folder.parent), store, delete=True)
        said = journal(folder)
        assert {full(name) for name in EVERY} - store.objects.keys() <= said.keys()
        sweep(run_at(folder.parent), store, delete=True)
        assert store.objects == {}
        assert sum(accounts(folder).values()) == 7


def test_it_stops_where_nothing_works_and_accounts_for_the_rest(folder: Path) -> None:
    store = whole(refused=frozenset(map(full, EVERY)))
    done = sweep(run_at(folder.parent), store, delete=True)
    assert (done.stopped, done.done) == ("refused", False)
    assert store.calls == 6
    assert accounts(folder) == {("failed", ""): 3, ("not-looked-at", ""): 4}


def test_a_dry_run_leaves_the_journal_as_it_is(folder: Path) -> None:
    store = whole(lives=5)
    with pytest.raises(Killed):
        sweep(run_at(folder.parent), store, delete=True)
    store.lives = None
    before = {path: path.read_bytes() for path in (folder / "swept").iterdir()}
    done = sweep(run_at(folder.parent), store, delete=False)
    assert {path: path.read_bytes() for path in (folder / "swept").iterdir()} == before
    assert done.account.of(End.WOULD).objects == len(store.objects)


class TestADamagedJournal:
    def test_a_file_that_cannot_be_read_is_named(self, folder: Path) -> None:
        sweep(run_at(folder.parent), whole(), delete=True)
        outcome = min((folder / "swept").glob("*.outcome.parquet"))
        outcome.write_bytes(outcome.read_bytes()[:-9])
        with pytest.raises(Unusable, match=r"outcome.parquet: cannot be read as a journal .* move it away"):
            sweep(run_at(folder.parent), whole(), delete=True)

    def test_no_byte_of_it_can_be_another_one_that_is_read_as_another_outcome(self, folder: Path) -> None:
        made, batch = folder_at(folder), [marks.Mark(full(name), 1, OLD) for name in EVERY]
        ends = (End.DELETED, End.KEPT, End.GONE, End.FAILED, End.PERHAPS, End.KEPT, End.DELETED)
        entries = [Entry(end) for end in ends]
        Journal(made).settle(0, batch, entries)
        (path,) = (folder / "swept").iterdir()
        whole, refused = path.read_bytes(), 0
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
            try:
                found = Journal(made).state(0, batch)
            except Unusable:
                refused += 1
            else:
                assert [each.end for each in found] == [*ends], at
        assert refused > len(whole) / 3

    @pytest.mark.parametrize("kind", ["intent", "outcome"])
    def test_a_file_of_another_run_is_refused(self, folder: Path, kind: str) -> None:
        sweep(run_at(folder.parent), whole(), delete=True)
        first, second, *_ = sorted((folder / "swept").glob(f"*.{kind}.parquet"))
        first.write_bytes(second.read_bytes())
        with pytest.raises(Unusable, match="is of other objects than the run"):
            sweep(run_at(folder.parent), whole(), delete=True)


def test_an_outcome_that_says_nothing_of_a_deletion_does_not_take_it_back(folder: Path) -> None:
    """Two sweeps at once: the one finds gone what the other has deleted."""
    run = run_at(folder.parent)
    sweep(run, whole(), delete=True)
    outcome = min((folder / "swept").glob("*.outcome.parquet"))
    table = pq.read_table(outcome)
    gone = table.set_column(1, "outcome", [["gone"] * table.num_rows])
    pq.write_table(gone, outcome.with_name(outcome.name.replace("-0001-", "-0002-")))
    assert sweep(run, whole(), delete=False).account.of(End.DELETED).objects == 7
    intent = min((folder / "swept").glob("*.intent.parquet"))
    intent.rename(intent.with_name(intent.name.replace("-0001-", "-0003-")))
    assert sweep(run, whole(), delete=False).account.of(End.DELETED).objects == 7


def test_ctrl_c_is_one_line_and_130(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    where = tmp_path / "objects"
    where.mkdir()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lakeproof.spark_checks.sweep.targets.FileTree.look", interrupted)
    done = lakeproof("spark", "sweep", str(folder.parent), "--run", "run", "--objects", str(where), "--delete")
    assert done.exit_code == 130
    assert done.stderr == "lakeproof: interrupted; what is in doubt is in the journal: sweep the run again\n"


MARK = st.sampled_from([OLD, OLD + 1])
SIZE = st.sampled_from([1, 2])
LISTED = st.lists(st.tuples(st.integers(0, 11), SIZE, MARK), max_size=14)
STORED = st.dictionaries(st.integers(0, 11), st.builds(Found, SIZE, MARK), max_size=12)


LIVES = st.lists(st.integers(0, 12), max_size=4)


@settings(max_examples=60)
@given(listed=LISTED, stored=STORED, lives=LIVES, refused=st.sets(st.integers(0, 11), max_size=2), seed=st.integers())
def test_whatever_is_listed_and_changed_and_wherever_it_is_killed(
    tmp_path_factory: pytest.TempPathFactory,
    listed: list[tuple[int, int, int]],
    stored: dict[int, Found],
    lives: list[int],
    refused: set[int],
    seed: int,
) -> None:
    """It never deletes an object that differs from a mark, never loses the account, and a last sweep ends it. Objects
    change between the sweeps."""
    folder = marked(tmp_path_factory.mktemp("run"), [row(f"data/{n}", size, when) for n, size, when in listed])
    run, chance = run_at(folder.parent), random.Random(seed)
    says = {full(f"data/{n}"): {Found(s, t) for m, s, t in listed if m == n} for n, _, _ in listed}
    store = Memory({full(f"data/{n}"): found for n, found in stored.items()})
    store.refused = frozenset(full(f"data/{n}") for n in refused)
    touched: set[str] = set()
    stopped: list[str | None] = []
    for each in [*lives, None]:
        store.lives = each
        try:
            done = sweep(run, store, delete=True)
        except Killed:
            for address in [*store.objects]:
                if chance.random() < 0.2:
                    touched.add(address)
                    store.objects[address] = Found(1, OLD + 2)
        else:
            assert sum(accounts(folder).values()) == len(listed)
            assert done.account.total.objects == len(listed)
            stopped.append(done.stopped)
    for address, found in store.deleted:
        assert says[address] == {found}
    gone = {address for address, _ in store.deleted}
    for n, before in stored.items():
        address = full(f"data/{n}")
        goes = says.get(address) == {before} and address not in touched and address not in store.refused
        if goes and stopped[-1] is None:
            assert address in gone
    said = journal(folder)
    for address in gone:
        assert said[address][0] in {"deleted", "perhaps-deleted", "listed-before"}
    for address, (end, _) in said.items():
        assert end != "deleted" or address in gone
    assert sum(accounts(folder).values()) == len(listed)
