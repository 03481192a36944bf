"""`lakeproof show` and `verify`, as pages and in the formats of other tools: files, exit codes, refusals."""

from pathlib import Path

import attrs
import pytest

from lakeproof.search.trace import write
from tests.commands import ROOT, complaint, lakeproof
from tests.show.traces import RACE

PICTURE = ROOT / "docs" / "pictures" / "delete-delete-create.svg"
TRACE = "traces/counters_lost-update.increments-count.json"


@pytest.fixture(autouse=True)
def _folder(in_tmp_path: Path) -> None:
    """Every test runs in a folder of its own, with one trace in it."""
    write(attrs.evolve(RACE, file="racing.py"), Path(TRACE))


class TestShow:
    @pytest.mark.parametrize(
        ("format_", "start"),
        [
            ("text", "increments-count is violated"),
            ("html", "<!doctype html>"),
            ("mermaid", "sequenceDiagram"),
            ("svg", "<svg "),
            ("json", '{\n "format": 1'),
        ],
    )
    def test_every_format_is_printed(self, format_: str, start: str) -> None:
        result = lakeproof("show", TRACE, "--format", format_)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith(start)
        assert result.stdout.endswith("\n")

    def test_a_page_is_written_beside_the_trace_or_where_it_is_wanted(self) -> None:
        page = TRACE.replace(".json", ".html")
        assert lakeproof("show", TRACE, "--html").stdout == f"{page}: open it in a browser\n"
        assert lakeproof("show", TRACE, "--html", "mine.html").exit_code == 0
        assert (
            Path(page).read_text()
            == Path("mine.html").read_text()
            == lakeproof("show", TRACE, "--format", "html").stdout
        )
        Path(page).unlink()
        assert lakeproof("show", "--html", TRACE).exit_code == 0
        assert Path(page).exists()

    def test_a_trace_is_never_overwritten(self) -> None:
        before = Path(TRACE).read_bytes()
        assert "name of a trace" in complaint(lakeproof("show", TRACE, "--html", TRACE))
        assert "name of a trace" in complaint(lakeproof("show", TRACE, "--html", "other.json"))
        assert Path(TRACE).read_bytes() == before
        assert not Path("other.json").exists()

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--html"], "Missing argument 'TRACE'"),
            ([TRACE, "--html", "--format", "svg"], "give one of them"),
            ([TRACE, "--lines", "--format", "svg"], "--lines is for text"),
            ([TRACE, "--needed", "--format", "svg"], "--needed is for text"),
            ([TRACE, "--html", "no/such/folder/x.html"], "No such file or directory"),
            (["none.json", "--format", "svg"], "none.json: cannot be read"),
        ],
    )
    def test_what_cannot_be_done_is_one_line(self, arguments: list[str], told: str) -> None:
        assert told in complaint(lakeproof("show", *arguments))


def test_options_that_contradict_each_other_are_refused() -> None:
    assert "give one of them" in complaint(lakeproof("verify", "--json", "--format", "junit"))
    assert "--propose prints Python" in complaint(lakeproof("verify", "--propose", "--format", "junit"))
    assert "--propose prints Python" in complaint(lakeproof("verify", "--propose", "--html", "x"))
    assert "give their folder: --html DIR" in complaint(lakeproof("verify", "--html-all"))


def test_the_picture_in_the_docs_is_what_the_command_draws() -> None:
    lakeproof("verify", "repositories/kv3/delete-delete-create", "--out", "traces")
    trace = "traces/repositories_kv3_delete-delete-create.delete-spares-successor.json"
    assert lakeproof("show", trace, "--format", "svg").stdout == PICTURE.read_text(encoding="utf-8")
