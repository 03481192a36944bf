"""The page of a run of `retention` or `uncommitted`: of how much it speaks, why each object stays, what is odd.

All that it says is in ``report.json``, too; links lead into the run's own folder.
"""

from collections.abc import Iterator
from typing import Final

from lakeproof.spark_checks import manifest, pages
from lakeproof.spark_checks.folders import Folder
from lakeproof.spark_checks.ledger import MARKED, Account, Example
from lakeproof.spark_checks.pages import Cell, Head, code, text
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
    parts = (_denominators(report), _asked(report), _reasons(report), _examples(report), _findings(report))
    return pages.document(f"{TITLES[report.kind]}: run {report.run}", (*parts, _notes(report), _files(report)))


def write_page(folder: Folder, report: Report) -> None:
    """The page of a run that is whole, to its folder. Raises Unusable."""
    folder.write(PAGE, page(report).encode(errors="backslashreplace"))


def _denominators(report: Report) -> str:
    told = sum(each.objects for each in report.accounts)
    size = sum(each.bytes for each in report.accounts)
    lines = [
        pages.heading(2, "What was read"),
        pages.paragraph(
            f"{told:,} of {report.listing:,} objects of the listing are accounted for, {size:,} bytes; "
            f"{report.marked.objects:,} of them, {report.marked.bytes:,} bytes, are marked."
        ),
        *(pages.paragraph(f'<span class="garbage">{text(manifest.note(each))}</span>') for each in report.unsealed),
        pages.rows_read(report.rows.items()),
    ]
    return "".join(lines)


def _asked(report: Report) -> str:
    pairs = [("dataset", code(report.dataset)), ("now", text(shown_time(report.now)))]
    for name, value in report.asked.items():
        pairs += _told(name, value)
    return pages.heading(2, "What was asked") + pages.facts(pairs)


def _told(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for book, rules in value.items():
            yield f"{name}, {book}", code(rules)
    elif name == "older_than" and isinstance(value, int):
        yield "older than", text(_age(value))
    elif isinstance(value, bool):
        yield name, "yes" if value else "no"
    else:
        yield name, "no run" if value is None else code(value)


def _age(microseconds: int) -> str:
    for unit, name in ((3_600_000_000, "h"), (60_000_000, "min")):
        if microseconds % unit == 0:
            return f"{microseconds // unit:,} {name}"
    return f"{microseconds / 1_000_000:,} s"


def _reasons(report: Report) -> str:
    heads = (Head("reason", "wide"), Head("objects", "n"), Head("bytes", "n"), Head("share", "n"))
    ordered = sorted(report.accounts, key=lambda each: (each.reason != MARKED, -each.objects))
    return pages.heading(2, "Reasons") + pages.table(
        "Every object of the listing has one reason, the first that applies",
        heads,
        (_reason(report, each) for each in ordered),
        "stack",
    )


def _reason(report: Report, account: Account) -> list[Cell]:
    style = MARKED if account.reason == MARKED else ""
    name = code(account.reason)
    if any(each.reason == account.reason for each in report.examples):
        name = pages.link(name, f"#{account.reason}")
    share = f"{100 * account.objects / report.listing:.1f} %" if report.listing else ""
    meaning = f"<small>{text(_meaning(report, account.reason))}</small>"
    return [
        Cell(name + meaning, style, head=True),
        Cell(f"{account.objects:,}", style),
        Cell(f"{account.bytes:,}"),
        Cell(share),
    ]


def _meaning(report: Report, reason: str) -> str:
    return MARKED_MEANS[report.kind] if reason == MARKED else MEANINGS.get(reason, "")


def _examples(report: Report) -> str:
    by_reason: dict[str, list[Example]] = {}
    for each in report.examples:
        by_reason.setdefault(each.reason, []).append(each)
    if not by_reason:
        return ""
    heads = (Head("object", "wide"), Head("bytes", "n"))
    parts = [pages.heading(2, "Examples")]
    counts = {each.reason: each.objects for each in report.accounts}
    for reason in sorted(by_reason, key=lambda each: (each != MARKED, -counts.get(each, 0))):
        some = by_reason[reason]
        caption = f"{len(some):,} of {counts.get(reason, 0):,}: {_meaning(report, reason)}"
        parts += [pages.heading(3, text(reason), reason), pages.table(caption, heads, map(_example, some))]
    return "".join(parts)


def _example(example: Example) -> list[Cell]:
    when = "at an unknown time" if example.modified is None else shown_time(example.modified)
    if example.address is None or example.storage_namespace is None:
        name, when = code(example.address or ""), f"has no address, or no namespace; modified {when}"
    else:
        name, when = code(f"{example.storage_namespace}/{example.address}"), f"modified {when}"
    size = "?" if example.bytes is None else f"{example.bytes:,}"
    return [Cell(f"{name}<small>{text(when)}</small>", head=True), Cell(size)]


def _findings(report: Report) -> str:
    if not report.findings:
        return ""
    heads = (Head("finding", "wide"), Head("how many", "n"))
    rows = []
    for name, count in report.findings.items():
        is_odd = bool(count) and name not in _COUNTS
        meaning = f"<small>{text(FINDINGS.get(name, ''))}</small>"
        rows.append([Cell(code(name) + meaning, head=True), Cell(f"{count:,}", "note" if is_odd else "none")])
    where = ""
    if report.kind == "retention":
        where = f"Every commit, and whether it has expired, is in {pages.link(code(f'{COMMITS}/'), f'{COMMITS}/')}. "
    ask = f"The records that are odd: {code(f'lakeproof spark check {report.dataset}')}."
    return (
        pages.heading(2, "What is odd")
        + pages.table("Counts of the commits", heads, rows)
        + pages.paragraph(where + ask)
    )


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    return pages.heading(2, "Notes") + "".join(pages.paragraph(text(each)) for each in report.notes)


def _files(report: Report) -> str:
    heads = (Head("file", "wide"), Head("bytes", "n"))
    rows = (
        [
            Cell(f"{pages.link(code(each.name), each.name)}<small>SHA-256 {text(each.sha256)}</small>", head=True),
            Cell(f"{each.bytes:,}"),
        ]
        for each in report.files
    )
    what = f"What is marked is in {pages.link(code(f'{ADDRESSES}/'), f'{ADDRESSES}/')}; all of this page, as JSON, in "
    return (
        pages.heading(2, "Files")
        + pages.paragraph(f"{what}{pages.link(code(REPORT), REPORT)}.")
        + pages.table("Files that a sweep, or a later run with --since, compares with their hashes", heads, rows)
    )
