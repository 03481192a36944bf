"""The page of a history without a browser: nothing is lost in packing, no text is markup, the command writes it."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.histories.evidence import argument_in_words, value
from lakeproof.impl.printable import printable
from lakeproof.model.linearizability.history import NEVER, History, Operation, Settings
from lakeproof.model.linearizability.values import UNKNOWN
from lakeproof.model.snapshot import Status
from lakeproof.show.pages.columns import pack
from tests.commands import lakeproof
from tests.show.histories import STALE, Event, unpacked, write
from tests.show.hostile import ALL
from tests.show.test_page import Reading

STATUSES = (Status.OK, Status.FAIL, Status.INFO)
VALUES = st.one_of(st.none(), st.integers(-3, 3), st.text(max_size=50), st.tuples(st.integers(0, 2), st.integers(0, 2)))


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Any history of a few processes, ordered by line or by times."""
    by_time = draw(st.booleans())
    history = History(Settings(order="time" if by_time else "file"))
    busy: set[int] = set()
    for line in range(draw(st.integers(0, 20))):
        process = draw(st.integers(0, 3))
        time = draw(st.integers(0, 2)) + 3 * line if by_time else None
        if process in busy:
            history.end(process, draw(st.sampled_from(STATUSES)), draw(VALUES), time=time, line=line + 1)
            busy.remove(process)
        else:
            f = draw(st.sampled_from(["get", "set", "set_if"]))
            history.call(process, f, draw(VALUES), draw(VALUES), time=time, line=line + 1)
            busy.add(process)
    history.settle()
    return history


def in_words(op: Operation) -> dict[str, object]:
    result = None if op.result is UNKNOWN or op.status is Status.INFO else printable(value(op.result))
    return {
        "call": op.call,
        "returned": None if op.returned == NEVER else op.returned,
        "process": value(op.process),
        "f": op.f,
        "status": STATUSES.index(op.status),
        "key": printable(value(op.key)),
        "argument": "" if op.argument is None else printable(argument_in_words(op.f, op.argument)),
        "result": result,
        "line": op.lines[0],
    }


@settings(max_examples=25)
@given(histories())
def test_every_operation_comes_back_from_the_packed_columns(history: History) -> None:
    packed = pack(history)
    expected = [in_words(history.operation(i)) for i in range(len(history))]
    found = unpacked(packed)
    assert found == sorted(expected, key=lambda op: int(str(op["call"])))
    assert packed.order == {op["call"]: at for at, op in enumerate(found)}


class TestCommand:
    def test_it_writes_one_file_and_leaves_verdict_and_exit_code(self, tmp_path: Path) -> None:
        history, page = write(STALE, tmp_path / "h"), tmp_path / "h.html"
        plain, paged = lakeproof("check", str(history)), lakeproof("check", str(history), "--html", str(page))
        assert plain.exit_code == paged.exit_code == 1
        assert f"{page}: open it in a browser\n" in paged.stdout
        assert paged.stdout.splitlines()[-1].startswith("VIOLATED: ")
        assert len(page.read_bytes()) < 50_000
        shown = Reading(page.read_text("utf-8"))
        assert [tag for tag, found in shown.elements if found.keys() & {"src", "href"}] == []
        assert "get -> 1 (line 8)" in "".join(shown.texts["pre"])
        assert shown.texts["span"][0] == "violated"

    def test_the_page_of_a_history_that_holds_says_so(self, tmp_path: Path) -> None:
        history, page = write(STALE[:4], tmp_path / "h"), tmp_path / "h.html"
        assert lakeproof("check", str(history), "--html", str(page)).exit_code == 0
        assert Reading(page.read_text("utf-8")).texts["span"][0] == "holds"


def test_no_text_of_a_history_is_markup(tmp_path: Path) -> None:
    events: list[Event] = [
        (ALL, "invoke", "set", ALL, ALL), (ALL, "ok", "set", ALL, ALL),
        (ALL, "invoke", "get", ALL, None), (ALL, "ok", "get", ALL, "else"),
    ]  # fmt: skip
    page = tmp_path / "h.html"
    lakeproof("check", str(write(events, tmp_path / "h")), "--html", str(page))
    shown = Reading(page.read_text("utf-8"))
    assert [found.get("type") for found in shown.tags("script")] == ["application/json", "text/plain", None]
    assert shown.tags("img") == []
