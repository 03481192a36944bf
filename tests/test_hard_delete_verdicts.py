"""The tables in docs/hard-delete: made from a run, and still what the catalogue expects of one."""

from lakeproof.commands.table import Row, tables
from lakeproof.scenarios import catalogue
from tests.commands import ROOT

PAGE = (ROOT / "docs" / "hard-delete" / "verdicts.md").read_text()
DESIGNS = ("hard-delete", "retention")


def test_the_page_has_the_verdicts_that_every_run_must_find() -> None:
    expected = [
        Row(scenario.name, invariant_id, scenario.expected(invariant_id))
        for scenario in catalogue()
        if scenario.name.split("/")[0] in DESIGNS and not scenario.deep
        for invariant_id in scenario.named_ids
    ]
    found = PAGE[PAGE.index("## ") :].rstrip("\n")
    assert found == "\n\n".join(tables(expected, families=True)), "run `make findings`"


def test_every_proposal_has_its_table() -> None:
    for name in (
        "today",
        "object_path",
        "reference_counter",
        "reference_tracking",
        "token_states",
        "no_copies",
        "offline",
        "online",
    ):
        assert f"## hard-delete/{name}\n" in PAGE
