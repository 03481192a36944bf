"""The command: sizes, violation files, the folder that is written, whole or not there; and the shape of histories, held
against a walk over the parents."""

import json
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.spark_checks.generate import writer
from lakeproof.spark_checks.generate.mistakes import PLANTED_MAX, numbers, parse
from lakeproof.spark_checks.generate.plan import BRANCHED, CHAIN, History
from lakeproof.spark_checks.generate.sizes import PROFILES, Sizes, share_out
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark.generate.reading import SMALL, listed, rows

TINY = ("--repositories=1", "--branches=1", "--tags=1", "--commits=4", "--objects=20", "--staged=5", "--stale=2")


class TestSizes:
    @given(st.integers(0, 1 << 40), st.lists(st.integers(0, 1 << 40), min_size=1, max_size=50), st.integers(0, 3))
    def test_a_total_is_shared_out_exactly_and_by_weight(self, total: int, shares: list[int], least: int) -> None:
        total += least * len(shares)
        if not any(shares):
            total = least * len(shares)
        parts = share_out(total, shares, least)
        assert sum(parts) == total
        rest = total - least * len(shares)
        for part, share in zip(parts, shares, strict=True):
            fair = rest * share / max(sum(shares), 1)
            assert abs(part - least - fair) <= 1 + fair * 1e-12
            assert share or part == least

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({"objects": 10}, "--objects: 10, expected at least 25000"),
            ({"repositories": 0}, "--repositories: 0, expected 1 or more"),
            ({"commits": 9}, "--commits: 9, expected at least 10"),
            ({"commits": 10}, "--commits: 10, expected more than one"),
            ({"branches": 1}, "--branches: 1, expected at least 10"),
            ({"tags": -1}, "--tags: -1, expected 0 or more"),
            ({"skew": 9.0}, "--skew: 9.0"),
            ({"skew": float("nan")}, "--skew: nan"),
            ({"now": 0}, "--now: 0"),
            ({"versions": 1 << 20}, "--versions: 1048576"),
        ],
    )
    def test_sizes_that_cannot_be_are_refused(self, wrong: dict[str, int], told: str) -> None:
        with pytest.raises(Unusable, match="^" + told):
            attrs.evolve(PROFILES["small"], **wrong)  # type: ignore[arg-type]


class TestViolationFiles:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{", "no JSON"),
            ("[1]", "expected an object"),
            ('{"heads-exist": 1}', "'heads-exist', expected one of"),
            ('{"head-exists": -1}', "head-exists: -1, expected a whole number"),
            ('{"head-exists": 1.5}', "head-exists: 1.5"),
            ('{"head-exists": true}', "head-exists: True"),
            (f'{{"head-exists": {PLANTED_MAX + 1}}}', "head-exists: 1000001"),
            ('{"head-exists": 1, "head-exists": 2}', "a name occurs twice"),
            pytest.param("[" * 100_000, "no JSON", id="nested too deeply"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, text: str, told: str) -> None:
        with pytest.raises(Unusable, match=f"^v.json: .*{told}") as raised:
            parse(text, "v.json")
        assert "\n" not in str(raised.value)

    @pytest.mark.parametrize("name", ["cleanup-spares-live", "committed-data-is-kept", "staged-data-is-kept"])
    def test_more_than_fit_are_refused_and_as_many_are_not(self, name: str) -> None:
        with pytest.raises(Unusable, match=f"^{name}: 100000, and at most .* fit") as raised:
            numbers(SMALL, {name: 100_000})
        most = int(str(raised.value).split("at most ")[1].split()[0])
        numbers(SMALL, {name: most})
        with pytest.raises(Unusable):
            numbers(SMALL, {name: most + 1})


class TestFolder:
    @pytest.mark.parametrize("error", [KeyboardInterrupt, Unusable("no"), OSError(28, "No space left on device")])
    def test_nothing_is_left_of_a_run_that_fails(self, tmp_path: Path, error: BaseException) -> None:
        def fail() -> None:
            with writer.whole(tmp_path / "out") as part:
                (part / "kv").mkdir()
                assert not (tmp_path / "out").exists()
                raise error

        with pytest.raises((KeyboardInterrupt, Unusable)):
            fail()
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_with_something_in_it_is_spared(self, tmp_path: Path) -> None:
        writer.check_target(tmp_path / "new")
        writer.check_target(tmp_path)
        (tmp_path / "thesis.tex").touch()
        with pytest.raises(Unusable, match="is not empty; name another"):
            writer.check_target(tmp_path)
        with pytest.raises(Unusable, match="is a file"):
            writer.check_target(tmp_path / "thesis.tex")
        with pytest.raises(Unusable, match="cannot be written"), writer.whole(tmp_path):  # since it was looked at
            pass
        assert (tmp_path / "thesis.tex").exists()


class TestCommand:
    @pytest.mark.usefixtures("spark")
    def test_it_writes_a_dataset_with_what_was_planted(self, tmp_path: Path) -> None:
        (tmp_path / "v.json").write_text('{"head-exists": 2}')
        args = (*TINY, "--violations", str(tmp_path / "v.json"), "--seed=7", "--partitions=1")
        done = lakeproof("spark", "generate", str(tmp_path / "out"), *args)
        assert done.exit_code == 0, done.output
        assert done.stdout.splitlines()[-1].endswith("20 objects; violations planted: 2")
        assert [line["id"] for line in listed(tmp_path / "out")] == ["head-exists", "head-exists"]
        assert len([row for row in rows(tmp_path / "out" / "objects") if str(row["address"]).startswith("data/")]) == 20
        told = json.loads((tmp_path / "out" / "generated.json").read_text())
        assert Sizes(**told).seed == 7

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            (["--objects=1"], "--objects: 1"),
            (["--now=soon"], "--now 'soon': expected a date"),
            (["--violations=none.json"], "none.json: cannot be read"),
        ],
    )
    def test_what_cannot_be_is_refused_before_spark_starts(self, tmp_path: Path, args: list[str], told: str) -> None:
        assert complaint(lakeproof("spark", "generate", str(tmp_path / "out"), *args)).startswith(told)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("history", [BRANCHED, CHAIN], ids=["branched", "chain"])
@pytest.mark.parametrize("commits", [1, 2, 10, 23, 32, 33, 150])
def test_generations_and_ancestors_are_those_of_a_walk(history: History, commits: int) -> None:
    for c in range(commits):
        parents = history.parents(c, commits)
        assert all(0 <= each < commits for each in parents)
        assert (c == 0) == (not parents)
        assert all(first < c for first in parents[:1])
        assert len({*parents}) == len(parents)
        walked = [c]
        while before := history.parents(walked[-1], commits):
            walked.append(before[0])
        assert [history.ancestor(c, steps) for steps in range(len(walked))] == walked
    order = sorted(range(commits), key=history.generation)
    found: dict[int, int] = {}
    for c in order:
        found[c] = 1 + max((found[each] for each in history.parents(c, commits)), default=0)
    assert found == {c: history.generation(c) for c in order}
    mains = [history.main(position) for position in range(history.mains_among(commits))]
    assert mains == sorted({c for c in range(commits) if c % history.size < history.mains})
