"""Runs of a garbage collection, in a folder each: what they marked, and the report that makes them whole.

The report is written last, and names each file of what was marked, with its size and SHA-256: a run that was cut
short has no report, and one whose files were changed does not agree with it. A sweep refuses both.

Example: a listing of three objects, of which one is committed, one marked, and one too young. The run goes on only as
long as two sums agree::

    accounts     committed 1, marked 1, too-young 1        3, as in the listing           else Mismatch: no report
    addresses    one row of 20 bytes, when read again      as the account of marked       else Mismatch: no report
    report       files: addresses/a.parquet, its bytes and SHA-256

    then in the folder                  what a sweep says
    report.json is not there            the run never came to its end
    a.parquet has another byte          is not what the run has written
    there is a b.parquet beside it      is not of the run

"""

import json
import re
import secrets
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, cast

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.data import denominators, manifest
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.engine import layout, staging
from lakeproof.spark_checks.engine.counts import halves, sums, total
from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.spark_checks.engine.tables import OBJECTS
from lakeproof.spark_checks.ledger import MARKED, Account, Example
from lakeproof.words import Unusable, plural, show_time

REPORT: Final = "report.json"
ADDRESSES: Final = "addresses"
COMMITS: Final = "commits"
KNOWN: Final = "known"

Kind = Literal["retention", "uncommitted"]

# A name is a folder below --out: no slash leads elsewhere, and no dot at its beginning hides it.
_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_AT_ONCE: Final = 8
"""Files that are read."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Fields = dict[str, object]
_SECOND: Final[Mapping[Kind, Mapping[str, type]]] = {
    "retention": {"tags": bool, "rules": dict, "lenient": bool, "keys": str},
    "uncommitted": {"older_than": int, "lenient": bool, "keys": str},
}
"""The options of a run that a second look takes over from its report."""


@attrs.frozen
class File:
    """A file of what was marked: its name, bytes, and SHA-256."""

    name: str
    bytes: int
    sha256: str


@attrs.frozen(kw_only=True)
class Report:
    """What a run did. ``now``: microseconds since 1970. ``rows``: read, by table. ``findings``: what is odd in
    the dataset, by id: how many. ``unsealed``: folders without a manifest. ``engine``: what has run it."""

    kind: Kind
    run: str
    dataset: str
    now: int
    options: Fields
    listing: int
    accounts: tuple[Account, ...]
    files: tuple[File, ...]
    rows: Mapping[str, int] = attrs.field(factory=dict)
    findings: Fields = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()
    unsealed: tuple[str, ...] = ()
    engine: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def marked(self) -> Account:
        """What is to be deleted."""
        return next((each for each in self.accounts if each.reason == MARKED), Account(MARKED, 0, 0))

    @property
    def lacks(self) -> str | None:
        """What there was none of, so that the run has judged nothing; None: it has judged something."""
        if not self.rows.get("repositories"):
            return "no repository"
        if self.kind == "retention":
            return None if self.rows.get("commits") else "no commit"
        return None if self.listing else "no object in the listing"

    def encode(self, indent: int | None = 2) -> str:
        """As JSON; without an indent on one line."""
        fields = attrs.asdict(self)
        # Readers of reports know the options of a run by this name.
        fields["asked"] = fields.pop("options")
        fields["now"] = {"microseconds": self.now, "date": show_time(self.now)}
        return json.dumps(fields, indent=indent) + "\n"


COUNTED: Final = ("expired-commits", "commits")
"""Counts among a report's findings that are no findings."""
ODD: Final[Mapping[str, tuple[str, str]]] = {
    "child-is-not-older": ("commit is dated before its first parent", "commits are dated before their first parents"),
    "parents-exist": ("parent of a commit has no record", "parents of commits have no record"),
    "commits-have-no-cycle": ("commit is its own ancestor", "commits are their own ancestors"),
    "commit-is-not-from-the-future": ("commit is dated after the time above", "commits are dated after the time above"),
    "commit-is-unique": ("commit has the id of another record", "commits have the id of another record"),
    "head-exists": ("branch or tag names a commit without a record", "branches or tags name a commit without a record"),
    "expired-commit-cannot-be-read": (
        "metarange or range of expired commits is missing",
        "metaranges or ranges of expired commits are missing",
    ),
}
"""What a finding counts, by id: one, and several."""
MEANING: Final[Mapping[str, str]] = {
    "uncommitted": "no commit and no staging area refers to",
    "retention": "only expired commits refer to",
}
"""Of the marks, by kind of run."""


class Mismatch(Exception):
    """The counts of a run do not add up: a mistake of ours, or the dataset changed under the run."""


def new_id() -> str:
    """Sorts by time; unique."""
    return f"{datetime.fromtimestamp(time.time(), UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def make_folder(out: Path, run: str) -> Path:
    """The folder of a new run. Raises Unusable."""
    demand_name(run)
    folder = out.absolute() / run
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        where = folder if folder.exists() else out
        raise Unusable(
            f"{where}: is there already; name another run with --run, or leave that to the command"
        ) from None
    except OSError as error:
        raise Unusable(f"{out}: cannot be written ({error.strerror}); name another folder with --out") from None
    return folder


def demand_name(run: str) -> None:
    """Raises Unusable."""
    if not _RUN.fullmatch(run):
        raise Unusable(f"run {run!r}: expected letters, digits, '.', '_' and '-'; name it so")


def write_marked(rows: DataFrame, folder: Folder) -> Account:
    """Write what is marked, rows of ``objects/``; returns what the files hold then."""
    # The account is made of the files, read again by tasks: what a sweep will read must be what was marked.
    written = staging.write(rows, f"{folder.where}/{ADDRESSES}")
    there = staging.read(written, OBJECTS, rows.sparkSession).select(*halves("size_bytes"))
    found = there.agg(f.count(f.lit(1)).alias("rows"), *sums("size_bytes")).collect()[0]
    return Account(MARKED, found["rows"], total(found, "size_bytes"))


def files_of(folder: Folder, name: str) -> tuple[File, ...]:
    """The Parquet files of a table of a run, by name. All of them are read, a few at once."""
    found = [(each, size) for each, size in folder.files(name) if each.endswith(".parquet")]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        sums = pool.map(folder.sha256, (each for each, _ in found))
        return tuple(File(each, size, digest) for (each, size), digest in zip(found, sums, strict=True))


def finish(folder: Folder, report: Report, confirmed: Account) -> None:
    """Check that all adds up, and write the report. confirmed: what was written as marked.

    Raises Mismatch: the run has no report then.
    """
    total = sum(each.objects for each in report.accounts)
    # A row without a reason, or with two, shows here.
    if total != report.listing:
        raise Mismatch(f"{total} objects are accounted for, and the listing has {report.listing}: nothing was marked")
    if attrs.astuple(confirmed)[1:] != attrs.astuple(report.marked)[1:]:
        raise Mismatch(f"{confirmed} was written, and {report.marked} was marked: nothing is to be swept")
    # Last of all, and whole or not at all: a folder with a report is a run that has ended.
    folder.write(REPORT, report.encode().encode("utf-8"))


def read_report(out: Folder, run: str) -> Fields:
    """The report of a run that is whole. Raises Unusable."""
    demand_name(run)
    folder = out.child(run)
    if not folder.exists():
        # Only runs that have ended are worth naming.
        known = [each for each in out.folders() if out.exists(f"{each}/{REPORT}")]
        listed = f"those there are {', '.join(known[-5:])}" if known else "there is none"
        raise Unusable(f"{out.where}: has no run {run!r}; {listed}")
    if not folder.exists(REPORT):
        raise Unusable(f"{folder.where}: has no {REPORT}, so the run never came to its end; mark once more")
    try:
        found = json.loads(folder.read(REPORT))
        # Made for their errors: a field that is missing, or has another name.
        _ = [File(**each) for each in found["files"]], [Account(**each) for each in found["accounts"]]
        values = [(found["asked"][name], kind) for name, kind in _SECOND[found["kind"]].items()]
        values += [(found["now"]["microseconds"], int), (found["engine"], str)]
        # A text is no number, and "false" no false. Times have 64 bits.
        if any(type(value) is not kind or (isinstance(value, int) and abs(value) >> 63) for value, kind in values):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unusable(f"{folder.where}/{REPORT}: is no report of a run; mark once more") from None
    return cast("Fields", found)


def demand_whole(folder: Folder, report: Fields) -> tuple[str, ...]:
    """The files of what a run marked, by name, each as the run left it. All of them are read. Raises Unusable."""
    expected = {str(each["name"]): each for each in cast("list[dict[str, object]]", report["files"])}
    sizes = dict(folder.files())
    for name in sizes:  # a run that goes on from it reads all of a folder, whatever the names of files end in
        table, _, relative = name.partition("/")
        if table in (ADDRESSES, KNOWN) and name not in expected and not layout.is_beside(relative):
            raise Unusable(f"{folder.where}/{name}: is not of the run; take it away")
    for name in expected:
        if name not in sizes:
            raise Unusable(f"{folder.where}/{name}: is gone, and the run is not whole without it; mark once more")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for (name, each), found in zip(expected.items(), pool.map(folder.sha256, expected), strict=True):
            if (sizes[name], found) != (each["bytes"], each["sha256"]):
                raise Unusable(f"{folder.where}/{name}: is not what the run has written; mark once more")
    return tuple(expected)


def demand_run(folder: Folder, kind: Kind) -> Folder:
    """The folder of a run of this kind that is whole, to go on from. Raises Unusable."""
    found = read_report(folder.parent(), folder.name)
    if found["kind"] != kind:
        raise Unusable(f"{folder.where}: is a run of {found['kind']}; name one of {kind}")
    demand_whole(folder, found)
    return folder


def demand_engine(last: Folder, engine: str) -> None:
    """Raises Unusable: Sail has made the run that another engine goes on from, and its answer would pass for both."""
    made = str(read_report(last.parent(), last.name).get("engine"))
    if made.startswith("embedded") and engine != "embedded":
        raise Unusable(
            f"{last.where}: was made by {made}, and what it knows is no evidence for {engine}; begin a new chain "
            "without --since, or go on with --engine embedded"
        )


def time_of(text: str | None, dataset: Dataset) -> int:
    """Microseconds since 1970, of ``--now``. Without it: when the dataset was young, which is the time of its youngest
    object, and never later than this machine's clock. A later time would make a dump of yesterday a day older than
    anybody looked at it. Raises Unusable."""
    if text is not None:
        return parse_time(text)
    clock = time.time_ns() // 1000
    youngest = dataset.objects.agg(f.max(f.unix_micros("last_modified"))).collect()[0][0]
    # One object with a date in the future would make everything else old.
    return clock if youngest is None else min(clock, int(youngest))


def parse_time(text: str) -> int:
    """Microseconds since 1970: a number of them, or a date in ISO 8601, in UTC if it names no zone. Raises Unusable."""
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Unusable(
            f"--now {text!r}: expected a date as 2026-01-31T12:00:00Z, or microseconds since 1970; write one"
        ) from None
    # A date without a zone must mean the same on every machine.
    since = (found if found.tzinfo else found.replace(tzinfo=UTC)) - _EPOCH
    return since // timedelta(microseconds=1)  # whole numbers: `timestamp()` is a float, and rounds


def parse_age(text: str) -> int:
    """Microseconds: a number with s, m, h or d. Raises Unusable."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", text)
    if match is None:
        raise Unusable(f"--older-than {text!r}: expected a number with s, m, h or d, as 24h; write one")
    return int(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[match[2]] * 1_000_000


def summary(report: Report, folder: Folder, given: str | None, again: Sequence[str]) -> Sequence[str]:
    """What a command prints: what was read, as of when, a line for each reason, where the rest is, the next command.
    given: ``--now``, if it was. again: `options.DatasetSource.words`."""
    width = max((len(each.reason) for each in report.accounts), default=0)
    lines = [f"{each.reason:<{width}}  {each.objects:>12,}  {each.bytes:>20,} bytes" for each in report.accounts]
    odd = {name: cast("int", count) for name, count in report.findings.items() if count and name not in COUNTED}
    expired, commits = (report.findings.get(name) for name in COUNTED)
    nothing = [f"inconclusive: {report.lacks}, so that there was nothing to judge"] if report.lacks else []
    return [
        denominators.describe_rows(report.rows),
        *map(manifest.note, report.unsealed),
        f"as of {show_time(report.now)}, {'as --now says' if given else 'the time of the youngest object'}",
        *([] if commits is None else [f"commits: {commits:,}, {expired:,} of them expired"]),
        *lines,
        *(f"finding: {describe_odd(name, count)}" for name, count in odd.items()),
        *(f"note: {note}" for note in report.notes),
        *nothing,
        *_next(report, folder.where, again),
        f"run {report.run}: {folder.where}; {report.engine}",
    ]


def describe_odd(name: str, count: int) -> str:
    """In words, with the id: "2 parents of commits have no record (parents-exist)"."""
    return f"{plural(count, *ODD[name])} ({name})"


def _next(report: Report, where: str, again: Sequence[str]) -> Iterator[str]:
    """What the marks are, where they are, and the command that looks at each once more."""
    if report.lacks:
        return
    yield f"marked: {plural(report.marked.objects, 'object')} that {MEANING[report.kind]}; nothing is deleted"
    if report.marked.objects:
        # The printed command must run as it stands: `shlex.join` quotes what a shell would take apart.
        out, _, run = where.rstrip("/").rpartition("/")
        objects = again[again.index("--blockstore") + 1] if "--blockstore" in again else "://"
        objects = "STORE" if objects.endswith("://") else objects  # a sweep needs a bucket
        words = ["lakeproof", "spark", "sweep", out or "/", "--run", run, "--objects", objects, "--dataset", *again]
        yield f"addresses: {where.rstrip('/')}/{ADDRESSES} (Parquet), with report.json beside it"
        yield f"next, a dry run: {shlex.join(words)}"
