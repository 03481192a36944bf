"""Retention: the issue's worked examples, the edges of the definition, and laws over random histories."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Commit
from lakeproof.model.retention import (
    DAY,
    Commits,
    Heads,
    Rules,
    active,
    dangling,
    objects_to_delete,
)
from tests.impl import records

NOW = 1_700_000_000_000_000
MAIN, FEATURE = BranchID("main"), BranchID("feature1")


def commit(name: str, age_days: float, *parents: str) -> Commit:
    return attrs.evolve(records.commit(name, *parents), creation_date=NOW - int(age_days * DAY))


def history(*commits: Commit) -> dict[CommitID, Commit]:
    return {each.commit_id: each for each in commits}


def active_by_definition(
    commits: Commits, heads: Heads, rules: Rules, now: int, *, tagged: Iterable[CommitID] = ()
) -> frozenset[CommitID]:
    """What `active` must be, in the words of the text, and by nothing of the module: each line of first parents by
    itself, and of it each commit below which all are younger than the days."""

    def line(at: CommitID) -> list[CommitID]:
        found: list[CommitID] = []
        while at in commits and at not in found:
            found.append(at)
            at = next(iter(commits[at].parents), CommitID("none"))
        return found

    def active_of(ids: list[CommitID], days: int, above: int) -> set[CommitID]:
        """above: how many of the ids are no commits."""
        young = [commits[each].creation_date > now - days * DAY for each in ids]
        return {each for position, each in enumerate(ids) if position >= above and all(young[:position])}

    days = dict(rules.branches)
    lines = {branch: line(head) for branch, head in heads.items()}
    found = {each for each in tagged if each in commits}
    for branch, ids in lines.items():
        found |= active_of(ids, days.get(branch, rules.default_days), 0)
    for each in commits.keys() - {each for ids in lines.values() for each in ids}:
        # A dummy child of the same date is the head: as if the commit came twice.
        found |= active_of([each, *line(each)], rules.default_days, 1)
    return frozenset(found)


def kept(commits: Commits, heads: Mapping[str, str], rules: Rules, **options: object) -> str:
    """The active commits as one word, by both implementations."""
    named = {BranchID(branch): CommitID(head) for branch, head in heads.items()}
    walked = active(commits, named, rules, NOW, **options)  # type: ignore[arg-type]
    assert walked == active_by_definition(commits, named, rules, NOW, **options)  # type: ignore[arg-type]
    return "".join(sorted(walked))


class TestComplexExample:
    """feature1 leaves main at A. example1 is in A, and main deletes it in B; example2 comes with B and goes with E.
    On the branch, example3 comes with C and goes with D."""

    commits = history(
        commit("A", 14),
        commit("B", 10, "A"),
        commit("C", 9, "A"),
        commit("D", 5, "C"),
        commit("E", 2, "B"),
        commit("F", 1, "D"),
    )
    heads = {"main": "E", "feature1": "F"}
    rules = Rules(21, ((MAIN, 7), (FEATURE, 3)))

    def test_each_branch_keeps_by_its_own_days(self) -> None:
        assert kept(self.commits, self.heads, self.rules) == "BDEF"

    def test_an_object_that_both_branches_deleted_long_ago_is_kept_if_the_branch_point_of_one_has_it(self) -> None:
        references = {
            CommitID(name): addresses
            for name, addresses in {"A": "1", "B": "2", "C": "13", "D": "1", "E": "", "F": "1"}.items()
        }
        heads = {BranchID(branch): CommitID(head) for branch, head in self.heads.items()}
        active_ones = active(self.commits, heads, self.rules, NOW)
        assert objects_to_delete(references, active_ones) == {"3"}

    def test_a_longer_retention_of_the_branch_brings_its_older_commits_back(self) -> None:
        assert kept(self.commits, self.heads, Rules(21, ((MAIN, 7), (FEATURE, 10)))) == "ABCDEF"


class TestDanglingExample:
    """The feature branch was deleted, and left D dangling on C."""

    commits = history(
        commit("A", 14), commit("B", 10, "A"), commit("C", 9, "A"), commit("D", 5, "C"), commit("E", 2, "B")
    )

    @pytest.mark.parametrize(("days", "active_ones"), [(7, "BCDE"), (3, "BE")])
    def test_the_default_retention_decides(self, days: int, active_ones: str) -> None:
        assert kept(self.commits, {"main": "E"}, Rules(days, ((MAIN, 7),))) == active_ones

    def test_a_head_that_is_as_old_stays_where_a_dangling_commit_goes(self) -> None:
        assert kept(self.commits, {"main": "E", "feature1": "D"}, Rules(3, ((MAIN, 7),))) == "BDE"


class TestEdges:
    def test_a_commit_dated_at_the_threshold_keeps_no_parent_and_one_a_microsecond_later_does(self) -> None:
        at, after = commit("B", 7, "A"), commit("B", 7 - 1 / DAY, "A")
        assert after.creation_date == at.creation_date + 1
        assert kept(history(commit("A", 9), at), {"main": "B"}, Rules(7)) == "B"
        assert kept(history(commit("A", 9), after), {"main": "B"}, Rules(7)) == "AB"

    def test_a_commit_from_the_future_is_after_every_threshold(self) -> None:
        assert kept(history(commit("A", 9), commit("B", -5, "A")), {}, Rules(0)) == "AB"

    def test_a_tagged_commit_is_kept_and_its_parent_is_not(self) -> None:
        commits = history(commit("A", 30), commit("B", 20, "A"), commit("C", 9, "B"), commit("D", 8, "C"))
        assert kept(commits, {"main": "D"}, Rules(7)) == "D"
        assert kept(commits, {"main": "D"}, Rules(7), tagged=[CommitID("B"), CommitID("gone")]) == "BD"

    def test_a_long_line_of_commits(self) -> None:
        size = 20_000
        names = [CommitID(str(number)) for number in range(size)]
        line = {names[0]: Brief(NOW - 1000 * DAY, ())}
        for number in range(1, size):  # 100 commits a day
            line[names[number]] = Brief(NOW - (size - number) * DAY // 100, (names[number - 1],))
        commits = cast("dict[CommitID, Commit]", line)
        heads = {BranchID(f"b{each}"): names[-1 - each] for each in range(50)}
        # Those after the threshold, and the one before.
        assert len(active(commits, heads, Rules(150), NOW)) == 15_000
        assert dangling(commits, heads) == frozenset()


class Brief(NamedTuple):
    """What the definition asks of a commit."""

    creation_date: int
    parents: tuple[CommitID, ...]


class TestObjects:
    def test_what_an_active_commit_or_a_staged_entry_refers_to_is_not_deleted(self) -> None:
        one, two = CommitID("1"), CommitID("2")
        references = {one: ["a", "b", "c"], two: ["b"]}
        assert objects_to_delete(references, frozenset([two]), ["c", "elsewhere"]) == {"a"}


Case = tuple[dict[CommitID, Commit], dict[BranchID, CommitID], Rules]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Histories of a few commits and branches, with dates, parents and heads as damaged data has them."""
    names = [CommitID(name) for name in "ABCDEFGH"[: draw(st.integers(1, 8))]]
    commits: dict[CommitID, Commit] = {}
    for name in names:
        parents = draw(st.lists(st.sampled_from([*names, CommitID("?")]), max_size=2, unique=True))
        commits[name] = commit(name, draw(st.integers(-1, 9)), *parents)
    targets = st.sampled_from([*names, CommitID("!")])
    heads = draw(st.dictionaries(st.sampled_from([MAIN, FEATURE, BranchID("c")]), targets, max_size=3))
    # Mostly the ages of commits, so that some are dated exactly at a threshold.
    ages = [(NOW - each.creation_date) // DAY for each in commits.values()]
    days = draw(st.lists(st.sampled_from([each for each in ages if each >= 0] or [0]), min_size=3, max_size=3))
    return commits, heads, Rules(days[0], ((MAIN, days[1]), (FEATURE, days[2])))


class TestLaws:
    @given(cases())
    def test_the_walk_finds_what_the_definition_says(self, case: Case) -> None:
        assert active(*case, NOW) == active_by_definition(*case, NOW)

    @given(cases(), st.integers(0, 9))
    def test_what_is_expired_stays_expired_while_only_time_passes(self, case: Case, days: int) -> None:
        assert active(*case, NOW + days * DAY) <= active(*case, NOW)

    @given(cases(), st.integers(0, 9))
    def test_more_days_never_expire_a_commit(self, case: Case, days: int) -> None:
        commits, heads, rules = case
        longer = Rules(rules.default_days + days, tuple((name, each + days) for name, each in rules.branches))
        assert active(*case, NOW) <= active(commits, heads, longer, NOW)

    @given(cases(), st.sampled_from([MAIN, FEATURE, BranchID("c")]))
    def test_another_branch_at_an_active_commit_expires_nothing_that_branches_keep(
        self, case: Case, branch: BranchID
    ) -> None:
        commits, heads, rules = case
        without = {name: head for name, head in heads.items() if name != branch}
        of_branches = active(commits, without, rules, NOW) - dangling(commits, without)
        assert of_branches <= active(commits, heads, rules, NOW)
