"""The language of races: what parses, what it says, and that every mistake in it is named."""

from collections.abc import Callable

import attrs
import pytest

from lakeproof.designs._hard_delete import ObjectDesign
from lakeproof.designs.designs import HOLDS, Speaker, build_scenarios, rows
from lakeproof.designs.races import (
    CRASH,
    FAULTS,
    LOST,
    NONE,
    Before,
    FaultSet,
    RaceError,
    Refuted,
    after,
    branch_of,
    op,
    parse,
    path_of,
    races,
)
from lakeproof.impl.catalog import objects
from lakeproof.impl.flows import bind_reading
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.hard_delete import no_copies
from lakeproof.scenario import Faults

ON, AT = branch_of("b", "main"), path_of(b"x", b"y")
KNOWN = {"write": (ON, AT), "commit": (ON,), "read": (), "stage@outside": ()}
STAGED = "staged-data-is-kept"
DESIGN = ObjectDesign(name="area/variant", flows=objects.FLOWS, source="tests", refuted=HOLDS)


def test_a_word_names_a_branch_and_a_path() -> None:
    assert parse("write@main:y.write:y-commit@main-stage@outside", KNOWN) == (
        ("write@main:y", "write:y"), ("commit@main",), ("stage@outside",),
    )  # fmt: skip
    assert [op(word) for word in ("write@main:y", "write:y", "delete_branch", "stage@outside")] == [
        "write", "write", "delete_branch", "stage",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "call"),
    [
        ("upload", "upload_object('r', 'b', b'x', b'a0')"),
        ("upload:y", "upload_object('r', 'b', b'y', b'a0')"),
        ("upload@main", "upload_object('r', 'main', b'x', b'a0')"),
        ("upload@main:y", "upload_object('r', 'main', b'y', b'a0')"),
        ("copy", "copy_object('r', 'b', b'y', 'b', b'x')"),
        ("copy@main:x", "copy_object('r', 'main', b'x', 'b', b'x')"),
        ("move:z", "move_object('r', 'b', b'x', b'z')"),
        ("stage@outside", "stage_object('r', 'b', b'x', 'ext://brought/o', b'o')"),
    ],
)
def test_what_a_word_names_replaces_the_argument_that_its_op_has_there(word: str, call: str) -> None:
    assert str(DESIGN.call(word, Speaker("a", 0))) == call


def test_options_of_an_op_are_those_of_all_its_words() -> None:
    design = attrs.evolve(DESIGN, flows=no_copies.FLOWS, options={"upload": {"reading": no_copies.CAREFUL}})
    assert dict(design.call("upload@main:y", Speaker("a", 0)).options) == {"reading": no_copies.CAREFUL}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "write-comit",
            "'comit' at column 7 (client 2, call 1): no such word; did you mean 'commit'? known are commit,",
        ),
        (
            "write.zebra",
            "'zebra' at column 7 (client 1, call 2): no such word; known are commit, read, stage@outside, write",
        ),
        ("write--read", "'-' at column 7 (client 2, call 1); expected a word"),
        ("write-", "the end at column 7 (client 2, call 1); expected a word"),
        (".write", "'.' at column 1 (client 1, call 1); expected a word"),
        ("write/read", "'/' at column 6; expected '-', '.' or the end"),
        ("", "the end at column 1 (client 1, call 1); expected a word"),
        (
            "read-write@mian",
            "'write@mian' at column 6 (client 2, call 1): 'mian': no such branch here; did you mean 'main'? known",
        ),
        ("write:z", "'write:z' at column 1 (client 1, call 1): 'z': no such path here; known are x, y"),
        ("read@main", "'read@main' at column 1 (client 1, call 1): 'read' names no branch; leave out '@main'"),
        ("commit@main:y", "'commit@main:y' at column 1 (client 1, call 1): 'commit' names no path; leave out ':y'"),
        ("wriet@main", "'wriet@main' at column 1 (client 1, call 1): no such word; did you mean 'write'?"),
        ("write:y@main", "'write:y@main' at column 1 (client 1, call 1): expected the form op@branch:path"),
        ("write@", "'write@' at column 1 (client 1, call 1): expected the form op@branch:path"),
        ("stage", "'stage' at column 1 (client 1, call 1): no such word; known are commit, read, stage@outside, write"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_is_known(text: str, message: str) -> None:
    with pytest.raises(RaceError) as caught:
        parse(text, KNOWN)
    assert f"race {text!r}: " in str(caught.value)
    assert message in str(caught.value)


def test_a_race_is_named_after_what_was_before_and_its_fault() -> None:
    found = list(races("write-read commit", KNOWN, NONE | CRASH, Before("staged/", "write.commit"), paged=1))
    assert [each.name for each in found] == [
        "staged/write-read", "staged/write-read/crash", "staged/commit", "staged/commit/crash",
    ]  # fmt: skip
    assert found[1].faults == Faults(crashes=1)
    assert found[1].before == ("write", "commit")
    assert found[1].words == ("write", "read")
    assert found[1].paged == 1


def test_words_that_were_said_before_are_checked_too() -> None:
    with pytest.raises(RaceError, match=r"before 'write.comit': 'comit': no such word; did you mean 'commit'\?"):
        list(races("read", KNOWN, NONE, Before("", "write.comit")))
    with pytest.raises(RaceError, match=r"before 'write@mian': 'write@mian': 'mian': no such branch here"):
        list(races("read", KNOWN, NONE, after("write@mian")))


def test_a_race_is_named_after_the_words_that_were_said_before() -> None:
    (found,) = races("read", KNOWN, NONE, after("write.write@main:y"))
    assert (found.name, found.before) == ("after_write.write@main:y/read", ("write", "write@main:y"))


def test_ops_are_the_words_without_what_they_name() -> None:
    (found,) = races("write@main:y.read-commit@main", KNOWN)
    assert found.words == ("write@main:y", "read", "commit@main")
    assert found.ops == ("write", "read", "commit")


def test_a_fault_is_in_a_set_once() -> None:
    assert [name for name, _ in CRASH | LOST] == ["/crash", "/lost-answer"]
    with pytest.raises(RaceError, match="a name is there twice"):
        FAULTS | CRASH
    with pytest.raises(RaceError, match="a name is there twice"):
        FaultSet((("/crash", Faults()), ("/crash", Faults())))


def test_what_is_kept_must_have_been_refuted() -> None:
    refuted = Refuted("why", "a-b c-*")
    assert refuted.but(kept="a-b", also="d", reason="and so") == Refuted("why; and so", "c-* d")
    with pytest.raises(RaceError, match=r"kept \['a-c'\]: not among"):
        refuted.but(kept="a-c")


@pytest.mark.parametrize(("reason", "globs"), [("", "a"), ("why", "")])
def test_a_refutation_has_a_reason_and_a_race(reason: str, globs: str) -> None:
    with pytest.raises(RaceError, match="expected a reason and at least one glob"):
        Refuted(reason, globs)


def test_a_row_becomes_a_scenario_with_what_is_refuted_in_it() -> None:
    design = attrs.evolve(DESIGN, refuted={STAGED: Refuted("why", "*-reset/crash")})
    plain, crash = build_scenarios(list(rows(design, "upload-reset", NONE | CRASH)))
    assert (plain.name, plain.expect, plain.reason) == ("area/variant/upload-reset", {}, "")
    assert (crash.name, crash.expect) == ("area/variant/upload-reset/crash", {STAGED: "violated"})
    assert crash.reason == f"{STAGED}: why"
    assert [str(call) for client in crash.clients for call in client] == [
        "upload_object('r', 'b', b'x', b'a0')", "reset_branch('r', 'b')",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("invariant", "glob"),
    [
        (STAGED, "upload-rest"),  # no such race
        ("staged-data-is-keptt", "upload-reset"),  # no such invariant
        ("committed-data-is-kept", "upload-reset"),  # nothing is committed there
    ],
)
def test_an_expectation_that_concerns_no_race_is_an_error(invariant: str, glob: str) -> None:
    design = attrs.evolve(DESIGN, refuted={invariant: Refuted("why", glob)})
    with pytest.raises(RaceError, match=f"area/variant: refuted '{invariant}': '{glob}' matches no race"):
        build_scenarios(list(rows(design, "upload-reset")))


def test_readings_share_expectations_and_one_is_alive_where_any_of_them_meets_it() -> None:
    one = attrs.evolve(DESIGN, refuted={STAGED: Refuted("why", "upload-reset upload-delete_branch")})
    other = attrs.evolve(one, name="area/other")
    assert len(build_scenarios([*rows(one, "upload-reset"), *rows(other, "upload-delete_branch")])) == 2


def scenario(words: str, **fields: object) -> None:
    (row,) = rows(attrs.evolve(DESIGN, **fields), words)  # type: ignore[arg-type]
    row.scenario()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: list(races("read write", KNOWN, name="slow")), "expected one race, to be called slow"),
        (lambda: list(races(" ", KNOWN)), "expected some"),
        (
            lambda: build_scenarios(list(rows(DESIGN, "upload-reset", only=f"{STAGED} zebra"))),
            "only 'zebra': no race checks it",
        ),
        (lambda: scenario("upload-job"), "area/variant: 'job' calls a flow that the design does not have"),
        (lambda: list(rows(DESIGN, "uplaod")), r"area/variant: race 'uplaod': .* did you mean 'upload'"),
        (lambda: scenario("upload", options={"comit": {}}), r"options of 'comit': no such word; did you mean 'commit'"),
        (lambda: scenario("upload-reset", options={"reset": {"drops": False}}), "of 'reset': its flow takes"),
    ],
)
def test_a_mistake_of_a_design_or_its_rows_is_an_error(make: Callable[[], object], says: str) -> None:
    with pytest.raises(RaceError, match=says):
        make()


def test_options_are_bound_to_the_flows_that_have_them_and_to_some_at_least() -> None:
    found = bind_reading(no_copies.FLOWS, reading=no_copies.CAREFUL)
    assert found.upload_object is not no_copies.FLOWS.upload_object
    assert found.commit is no_copies.FLOWS.commit
    with pytest.raises(ValueError, match=r"\['zebra'\]: no flow of ObjectFlows has them"):
        bind_reading(no_copies.FLOWS, reading=no_copies.CAREFUL, zebra=1)


def test_a_reading_is_bound_only_to_the_flows_whose_reading_is_of_its_class() -> None:
    lock_freely = bind_reading(no_copies.FLOWS, reading=lock_free.KEEPS_STAGED)
    assert lock_freely.upload_object is no_copies.FLOWS.upload_object
    assert lock_freely.commit is not no_copies.FLOWS.commit
    (row,) = rows(attrs.evolve(DESIGN, options={"commit": {"reading": no_copies.CAREFUL}}), "upload-commit")
    with pytest.raises(RaceError, match=r"options \['reading'\] of 'commit': .* of the class of its default"):
        row.scenario()
