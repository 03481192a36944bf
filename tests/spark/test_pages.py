"""Pages of reports: their structure, as a screen reader meets it; nothing is loaded, everything is escaped."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks import run_page
from lakeproof.spark_checks.checks.catalogue import CHECKS
from lakeproof.spark_checks.checks.reporting import page
from lakeproof.spark_checks.checks.running import Example as Found
from lakeproof.spark_checks.checks.running import Outcome, Summary
from lakeproof.spark_checks.ledger import EXAMPLES_MAX, MARKED, Account, Example
from lakeproof.spark_checks.retention import marking as retention
from lakeproof.spark_checks.retention.walking import NOTES
from lakeproof.spark_checks.runs import File, Report
from lakeproof.spark_checks.uncommitted import marking as uncommitted
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.retention.worlds import NOW, world

NASTY = '<script>alert("&\'")</script>'
VOID = {"meta"}


class Reader(HTMLParser):
    """What a page consists of. Fails where an element is closed that is not open."""

    def __init__(self, told: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.headings: list[str] = []
        self.words: list[str] = []
        self.feed(told)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attributes}))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch(r"h\d", tag):
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)
        if self.open and re.fullmatch(r"h\d", self.open[-1]):
            self.headings[-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def demand_good(told: str) -> Reader:
    found = Reader(told)
    assert told.startswith('<!doctype html>\n<html lang="en">')
    levels = [int(tag[1]) for tag, _ in found.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(found.all("caption")) == len(found.all("table")) > 0
    assert all(each.get("scope") in {"col", "row"} for each in found.all("th"))
    regions = [each for each in found.all("div") if each.get("class") == "scroll"]
    assert len(regions) == len(found.all("table"))
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in regions)
    assert "width=device-width" in told
    assert "prefers-color-scheme: dark" in told
    assert not found.all("script")
    assert not [word for word in ("http://", "https://", "src=", "@import", "url(", "onload=") if word in told]
    ids = [each["id"] for _, each in found.elements if "id" in each]
    assert len(ids) == len(set(ids))
    targets = {each["href"] for each in found.all("a")}
    assert {each[1:] for each in targets if each.startswith("#")} <= set(ids)
    return found


ACCOUNTS = (Account("committed", 3, 30), Account(MARKED, 1, 5))
PLAIN = Report(kind="uncommitted", run="r", dataset="d", now=NOW, asked={}, listing=4, accounts=ACCOUNTS, files=())


def test_the_page_of_a_run_escapes_what_comes_from_the_data() -> None:
    one = Example("committed", NASTY, NASTY, 1, None)
    told = run_page.page(
        attrs.evolve(
            PLAIN,
            run=NASTY,
            dataset=NASTY,
            asked={"rules": {NASTY: NASTY}, "since": NASTY},
            rows={NASTY: 1},
            findings={NASTY: 1},
            notes=(NASTY,),
            unsealed=(NASTY,),
            files=(File(NASTY, 1, NASTY),),
            examples=(one, attrs.evolve(one, address=None)),
        )
    )
    found = demand_good(told)
    assert found.text.count("<script>alert") > 10
    assert "<script" not in told


def test_the_page_of_the_checks_has_the_same_parts() -> None:
    outcome = Outcome(
        check=CHECKS[0], judged=True, things=1, counts={"violation": 1}, examples=(Found("violation", NASTY, NASTY),)
    )
    summary = Summary(where=NASTY, rows={"kv": 7}, outcomes=(outcome,), seconds={CHECKS[0].part: 1.0}, unsealed=("d",))
    found = demand_good(page(summary))
    assert found.headings[1:] == ["What was read", "What was found", "Examples", CHECKS[0].id, "Files"]
    assert "d has no manifest" in found.text


def test_every_reason_and_every_finding_has_its_meaning() -> None:
    reasons = {*retention.ORDER, *uncommitted.ORDER}
    assert run_page.MEANINGS.keys() == reasons - {MARKED}
    counts = {*NOTES, "commits", "expired-commits", "expired-commit-cannot-be-read"}
    assert run_page.FINDINGS.keys() == counts


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["retention", "uncommitted"])
def test_a_run_leaves_a_page_whose_links_lead_to_what_is_there(spark: SparkSession, kind: str, tmp_path: Path) -> None:
    snapshots.write(snapshots.tables(world(7, 12)), tmp_path / "dataset")
    rules = tmp_path / "rules.json"
    rules.write_text('{"default_retention_days": 5}')
    more = ("--rules", str(rules)) if kind == "retention" else ()
    arguments = ("--now", str(NOW), "--lenient", "--out", str(tmp_path), "--run", "run", "--json")
    done = lakeproof("spark", kind, str(tmp_path / "dataset"), *more, *arguments)
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said == json.loads((tmp_path / "run" / "report.json").read_text())

    found = demand_good((tmp_path / "run" / "report.html").read_text())
    assert found.headings[:4] == [
        f"{run_page.TITLES[kind]}: run run",
        "What was read",
        "What was asked",
        "Reasons",
    ]
    assert f"{said['listing']:,} of {said['listing']:,} objects of the listing are accounted for" in found.text
    links = {each["href"] for each in found.all("a") if not each["href"].startswith("#")}
    assert {"addresses/", "report.json"} <= links
    assert ("commits/" in links) == (kind == "retention")
    assert all((tmp_path / "run" / unquote(each)).exists() for each in links)
    examples_are_of_their_reasons(said)


def examples_are_of_their_reasons(said: dict[str, list[dict[str, object]]]) -> None:
    counts = {each["reason"]: each["objects"] for each in said["accounts"]}
    shown: dict[object, list[dict[str, object]]] = {}
    for each in said["examples"]:
        shown.setdefault(each["reason"], []).append(each)
    assert shown.keys() == counts.keys()  # of a small listing all are drawn
    for reason, some in shown.items():
        assert len(some) == min(EXAMPLES_MAX, int(str(counts[reason])))
        assert len({(each["storage_namespace"], each["address"]) for each in some}) == len(some)
        assert len({each["storage_namespace"] for each in some}) >= min(len(some), 2)
        if reason == "internal":
            assert all(str(each["address"]).startswith("_lakefs/") for each in some)
