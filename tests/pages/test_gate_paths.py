"""What the explorer of programs does without one: names of steps, what is known of earlier runs, words of a store."""

import pytest

from lakeproof.gate.aws import Store
from lakeproof.gate.classes import Choice, Diverged, Name, Pending
from lakeproof.gate.holding import COSTS, NORMAL
from lakeproof.gate.names import Names
from lakeproof.gate.s3 import State
from lakeproof.model.objects import StoredObject
from lakeproof.pages.gate.contents import SHOWN_MAX, differences, in_words, rows
from lakeproof.pages.gate.paths import SUFFIXES, chosen, digest, moves_of, path_of
from lakeproof.pages.gate.walk import Known
from lakeproof.pages.walking import NoSuchMove
from tests.gate.dynamodb_requests import ONE, after, create, n, s


class TestPaths:
    READ, WRITE = Name("c1", "GET a"), Name("c1", "PUT b", 2)
    WAIT = (Pending(READ), Pending(WRITE, tuple(COSTS)), Pending(Name("c2", "GET a")))

    @pytest.mark.parametrize("mode", list(SUFFIXES))
    def test_a_path_leads_to_the_choices_that_it_was_made_of(self, mode: str) -> None:
        choice = Choice(self.WRITE, mode)
        [move] = moves_of(path_of([choice]))
        assert chosen(move, self.WAIT, 1) == choice

    def test_a_client_alone_is_enough_where_one_of_its_requests_waits(self) -> None:
        [move] = moves_of("c2")
        assert chosen(move, self.WAIT, 1) == Choice(Name("c2", "GET a"), NORMAL)

    @pytest.mark.parametrize(
        ("path", "told"),
        [
            ("c1", f"it is not one request there; c1 waits with c1:{digest(READ)} GET a; c1:{digest(WRITE)} PUT b"),
            ("c1:00000000", "no such request waits there; c1 waits with"),
            ("c3", "no such request waits there; possible: c1, c2"),
            ("c2.crash", "it is not possible there; possible: c2:"),
        ],
    )
    def test_what_does_not_wait_is_refused_and_never_guessed(self, path: str, told: str) -> None:
        [move] = moves_of(path)
        with pytest.raises(NoSuchMove) as error:
            chosen(move, self.WAIT, 1)
        assert told in str(error.value)

    @pytest.mark.parametrize(
        "path", ["a", "c0", "c01", "c1:", "c1:xyz", "c1:1234", "c1.none", "c1,,c2", ",", "c1.", "c1:0123456789", "C1"]
    )
    def test_what_is_no_name_of_a_step_is_refused(self, path: str) -> None:
        with pytest.raises(NoSuchMove, match="is no move; expected a client"):
            moves_of(path)

    def test_a_path_without_end_is_refused_before_it_is_walked(self) -> None:
        with pytest.raises(NoSuchMove, match="at most 2,000 are walked"):
            moves_of(",".join(["c1"] * 2001))

    def test_requests_of_one_client_have_digests_of_their_own(self) -> None:
        assert len({digest(Name("c1", label, number)) for label in ("GET a", "PUT a") for number in (1, 2)}) == 4


class TestKnown:
    ONE, OTHER = Name("c1", "GET a"), Name("c1", "GET b")
    AFTER = (Choice(ONE, NORMAL),)

    def test_the_same_requests_after_the_same_steps_are_no_divergence(self) -> None:
        known = Known()
        for _ in range(2):
            known.compare((), frozenset({self.ONE}), 0)
            known.compare(self.AFTER, frozenset({self.OTHER}), 200)

    def test_other_requests_are(self) -> None:
        known = Known()
        known.compare(self.AFTER, frozenset({self.ONE}), 200)
        with pytest.raises(Diverged, match="no longer asks for c1 GET a; now asks for c1 GET b"):
            known.compare(self.AFTER, frozenset({self.OTHER}), 200)

    def test_an_end_where_there_was_a_request_is(self) -> None:
        known = Known()
        known.compare(self.AFTER, frozenset({self.ONE}), 200)
        with pytest.raises(Diverged, match="after 1 steps the program no longer asks for c1 GET a"):
            known.compare(self.AFTER, frozenset(), 200)

    def test_another_answer_is(self) -> None:
        known = Known()
        known.compare(self.AFTER, frozenset({self.OTHER}), 200)
        with pytest.raises(Diverged, match="step 1, c1 GET a: was answered by 200, and now by 412"):
            known.compare(self.AFTER, frozenset({self.OTHER}), 412)


class TestContents:
    def told(self, content: bytes, metadata: tuple[tuple[str, str], ...] = ()) -> str:
        store = Store(s3=State(objects={"b/k": StoredObject(content, metadata)}))
        return in_words(rows(store, Names()))["b/k"]

    def test_text_is_shown_and_anything_else_is_measured(self) -> None:
        assert self.told(b"12", (("by", "x"),)) == "12 by=x"
        assert self.told(b"") == "empty"
        assert self.told(b"\xff" * 5000) == "5,000 bytes"

    @pytest.mark.parametrize("length", [SHOWN_MAX + 1, 999, 1000, 1001, 5000])
    def test_a_long_text_says_how_much_is_missing(self, length: int) -> None:
        assert self.told(b"x" * length) == "x" * SHOWN_MAX + f"... ({length - SHOWN_MAX:,} more characters)"

    def test_what_is_minted_has_the_name_that_requests_have(self) -> None:
        minted, names = "0f5cde44-8a3e-4f1a-9d4e-111111111111", Names()
        names.renamed(minted, "c1")
        store = Store(s3=State(objects={f"b/{minted}": StoredObject(minted.encode())}))
        assert in_words(rows(store, names)) == {"b/<c1.1>": "<c1.1>"}

    def test_a_table_and_its_items_are_shown(self) -> None:
        held = after(create(ONE), ("PutItem", {"TableName": ONE, "Item": {"p": s("a"), "v": n(0), "x": {"L": []}}}))
        assert in_words(rows(Store(dynamodb=held), Names())) == {
            ONE: "table",
            f"{ONE}/a/": 'v = 0, x = {"L": []}',
        }

    def test_two_things_of_one_key_are_both_shown(self) -> None:
        held = after(create(ONE), ("PutItem", {"TableName": ONE, "Item": {"p": s("a")}}))
        store = Store(s3=State(objects={f"{ONE}/a/": StoredObject(b"1")}), dynamodb=held)
        shown = in_words(rows(store, Names()))
        assert (shown[f"{ONE}/a/"], shown[f"{ONE}/a/ (item)"]) == ("1", "item")

    def test_what_differs_is_told_though_its_beginning_is_the_same(self) -> None:
        one, other = (
            rows(Store(s3=State(objects={"b/k": StoredObject(b"x" * 200 + end)})), Names()) for end in (b"1", b"2")
        )
        assert differences(one, other).startswith("; b/k: xxx")
        assert differences(one, one) == ""
