"""The page of a run of `retention` or `uncommitted`: of how much it speaks, why each object stays, what is odd.

All that it says is in ``report.json``, too; links lead into the run's own folder.
"""

import json
from collections.abc import Iterator
from typing import Final

from lakeproof.spark_checks import manifest, pages
from lakeproof.spark_checks.folders import Folder
from lakeproof.spark_checks.ledger import MARKED, Account, Example
from lakeproof.spark_checks.pages import code, text
from lakeproof.spark_checks.runs import ADDRESSES, COMMITS, REPORT, Report, shown_time

PAGE: Final = "report.html"

TITLES: Final = {"retention": "Retention", "uncommitted": "Uncommitted garbage"}
MEANINGS: Final = {
    "active-commit": "an active commit of any repository refers to it",
    "committed": "a commit of any repository, reachable or not, refers to it",
    "expired-elsewhere": "only expired commits of other repositories refer to it",
    "internal": "lies under _lakefs/: lakeFS' own",
    "issued": "its address was issued, and may be linked",
    "no-repository": "lies in a namespace of no repository, or has no address",
    "outside-data": "does not lie under data/: no user's",
    "staged": "a staged entry refers to it, under any token of a branch",
    "too-young": "was modified after the cutoff, or at an unknown time",
    "tracked-copy": "is being copied",
    "unreferenced": "nothing refers to it: a case for uncommitted garbage",
}
MARKED_MEANS: Final = {
    "retention": "only expired commits refer to it: to be deleted",
    "uncommitted": "none of the other reasons applies: to be deleted",
}
FINDINGS: Final = {
    "child-is-not-older": "commits that are dated before their first parent",
    "commit-is-not-from-the-future": "commits that are dated after now",
    "commit-is-unique": "commits whose id another record of the repository has",
    "commits": "commits that were walked",
    "commits-have-no-cycle": "commits that are their own ancestors",
    "expired-commit-cannot-be-read": "metaranges and ranges of expired commits that are missing",
    "expired-commits": "commits that have expired",
    "head-exists": "heads of branches, and tags, that name a commit without a record",
    "parents-exist": "parents without a record",
}
_COUNTS: Final = frozenset({"commits", "expired-commits"})


def page(report: Report) -> str:
    """HTML. What comes from the data is escaped."""
    notes = [f"note: {each}" for each in report.notes]
    parts = (
        pages.read(report.rows.items(), [*map(manifest.note, report.unsealed), *notes]),
        _asked(report),
        _reasons(report),
        *_examples(report),
        _findings(report),
        _files(report),
    )
    return pages.document(f"{TITLES[report.kind]}: run {report.run}", parts)


def write_page(folder: Folder, report: Report) -> None:
    """The page of a run that is whole, to its folder. Raises Unusable."""
    folder.write(PAGE, page(report).encode(errors="backslashreplace"))


def _asked(report: Report) -> str:
    asked = {"dataset": report.dataset, "now": shown_time(report.now), **report.asked}
    if isinstance(age := report.asked.get("older_than"), int):
        asked["older_than"] = f"{age / 3_600_000_000:g} h"
    return pages.heading(2, "What was asked") + pages.facts(
        (name, code(value if isinstance(value, str) else json.dumps(value))) for name, value in asked.items()
    )


def _reasons(report: Report) -> str:
    told, size = (sum(getattr(each, name) for each in report.accounts) for name in ("objects", "bytes"))
    ordered = sorted(report.accounts, key=lambda each: (each.reason != MARKED, -each.objects))
    return (
        pages.heading(2, "Reasons")
        + pages.paragraph(
            f"{told:,} of {report.listing:,} objects of the listing are accounted for, {size:,} bytes; "
            f"{report.marked.objects:,} of them, {report.marked.bytes:,} bytes, are marked."
        )
        + pages.table(
            "Every object of the listing has one reason, the first that applies",
            ("reason", "objects", "bytes", "share"),
            (_reason(report, each) for each in ordered),
        )
    )


def _reason(report: Report, account: Account) -> list[str]:
    name = pages.styled(code(account.reason), MARKED if account.reason == MARKED else "")
    if any(each.reason == account.reason for each in report.examples):
        name = pages.link(name, f"#{account.reason}")
    share = f"{100 * account.objects / report.listing:.1f} %" if report.listing else ""
    meaning = f"<small>{text(_meaning(report, account.reason))}</small>"
    return [name + meaning, f"{account.objects:,}", f"{account.bytes:,}", share]


def _meaning(report: Report, reason: str) -> str:
    return MARKED_MEANS[report.kind] if reason == MARKED else MEANINGS.get(reason, "")


def _examples(report: Report) -> Iterator[str]:
    by_reason: dict[str, list[Example]] = {}
    for each in report.examples:
        by_reason.setdefault(each.reason, []).append(each)
    if by_reason:
        yield pages.heading(2, "Examples")
    counts = {each.reason: each.objects for each in report.accounts}
    for reason in sorted(by_reason, key=lambda each: (each != MARKED, -counts.get(each, 0))):
        some = by_reason[reason]
        caption = f"{len(some):,} of {counts.get(reason, 0):,}: {_meaning(report, reason)}"
        yield pages.heading(3, text(reason), reason)
        yield pages.table(caption, ("object", "bytes"), map(_example, some))


def _example(example: Example) -> list[str]:
    when = "at an unknown time" if example.modified is None else shown_time(example.modified)
    where = "/".join(each for each in (example.storage_namespace, example.address) if each is not None)
    size = "?" if example.bytes is None else f"{example.bytes:,}"
    return [f"{code(where)}<small>modified {text(when)}</small>", size]


def _findings(report: Report) -> str:
    if not report.findings:
        return ""
    rows = []
    for name, count in report.findings.items():
        style = "note" if count and name not in _COUNTS else ""
        rows.append([f"{code(name)}<small>{text(FINDINGS.get(name, ''))}</small>", pages.styled(f"{count:,}", style)])
    ask = f"The records that are odd: {code(f'lakeproof spark check {report.dataset}')}."
    return (
        pages.heading(2, "What is odd")
        + pages.table("Counts of the commits", ("finding", "how many"), rows)
        + pages.paragraph(ask)
    )


def _files(report: Report) -> str:
    rows = (
        [f"{pages.link(code(each.name), each.name)}<small>SHA-256 {text(each.sha256)}</small>", f"{each.bytes:,}"]
        for each in report.files
    )
    folders = (f"{ADDRESSES}/", *([f"{COMMITS}/"] if report.kind == "retention" else []), REPORT)
    links = ", ".join(pages.link(code(each), each) for each in folders)
    return (
        pages.heading(2, "Files")
        + pages.paragraph(f"What is marked, and all of this page as JSON: {links}.")
        + pages.table(
            "Files that a sweep, or a later run with --since, compares with their hashes", ("file", "bytes"), rows
        )
    )
