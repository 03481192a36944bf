"""Runs of a garbage collection, in a folder each: what they marked, and the report that makes them whole.

The report is written last, and names each file of what was marked, with its size and SHA-256: a run that was cut
short has no report, and one whose files were changed does not agree with it. Both are refused by whoever sweeps.
"""

import hashlib
import json
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, cast

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.tasks import Unusable
from spark_checks import denominators, footers, staging
from spark_checks.dataset import Dataset
from spark_checks.ledger import MARKED, Account
from spark_checks.tables import OBJECTS

REPORT: Final = "report.json"
ADDRESSES: Final = "addresses"
COMMITS: Final = "commits"
KNOWN: Final = "known"

Kind = Literal["retention", "uncommitted"]

_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_BLOCK: Final = 1 << 20

Fields = dict[str, object]


@attrs.frozen
class File:
    """A file of what was marked: its name, bytes, and SHA-256."""

    name: str
    bytes: int
    sha256: str


@attrs.frozen(kw_only=True)
class Report:
    """What a run did. ``now``: microseconds since 1970. ``rows``: read, by table. ``findings``: what is odd in
    the dataset, by id: how many."""

    kind: Kind
    run: str
    dataset: str
    now: int
    asked: Fields
    listing: int
    accounts: tuple[Account, ...]
    files: tuple[File, ...]
    rows: Mapping[str, int] = attrs.field(factory=dict)
    findings: Fields = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def marked(self) -> Account:
        """What is to be deleted."""
        return next((each for each in self.accounts if each.reason == MARKED), Account(MARKED, 0, 0))

    def encode(self) -> str:
        fields = attrs.asdict(self)
        fields["now"] = {"microseconds": self.now, "date": shown_time(self.now)}
        return json.dumps(fields, indent=2) + "\n"


class Mismatch(Exception):
    """The counts of a run do not add up: a mistake of ours, or the dataset changed under the run."""


def new_id(now_seconds: float | None = None) -> str:
    """Sorts by time; nobody else has it."""
    began = datetime.fromtimestamp(time.time() if now_seconds is None else now_seconds, UTC)
    return f"{began:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def make_folder(out: Path, run: str) -> Path:
    """The folder of a new run. Raises Unusable."""
    folder = _folder(out.absolute(), run)
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


def new_folder(out: Path, run: str | None) -> Path:
    """`make_folder`, by default of a new id."""
    return make_folder(out, run or new_id())


@contextmanager
def discarded_if_unusable(folder: Path) -> Iterator[None]:
    """A run whose input was refused leaves no folder; one that broke leaves what it has, without a report."""
    try:
        yield
    except Unusable:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _folder(out: Path, run: str) -> Path:
    if not _RUN.fullmatch(run):
        raise Unusable(f"run {run!r}: expected letters, digits, '.', '_' and '-'; name it so")
    return out / run


def write_marked(rows: DataFrame, folder: Path) -> Account:
    """Write what is marked, rows of ``objects/``; returns what the files hold then."""
    target = str(folder / ADDRESSES)
    written = staging.write(rows, target)
    size = f.coalesce(f.sum("size_bytes"), f.lit(0))
    found = staging.read(written, OBJECTS, rows.sparkSession).agg(f.count(f.lit(1)), size).collect()[0]
    return Account(MARKED, found[0], found[1])


def files_of(folder: Path, name: str) -> tuple[File, ...]:
    """The Parquet files of a table of a run, by name."""
    return tuple(
        File(str(path.relative_to(folder)), path.stat().st_size, _sha256(path))
        for path in sorted((folder / name).rglob("*.parquet"))
    )


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def finish(folder: Path, report: Report, confirmed: Account) -> None:
    """Check that all adds up, and write the report. confirmed: what was written as marked.

    Raises Mismatch: the run has no report then.
    """
    total = sum(each.objects for each in report.accounts)
    if total != report.listing:
        raise Mismatch(f"{total} objects are accounted for, and the listing has {report.listing}: nothing was marked")
    if attrs.astuple(confirmed)[1:] != attrs.astuple(report.marked)[1:]:
        raise Mismatch(f"{confirmed} was written, and {report.marked} was marked: nothing is to be swept")
    part = folder / f"{REPORT}.part"
    part.write_text(report.encode(), encoding="utf-8")
    part.replace(folder / REPORT)


def read_report(out: Path, run: str) -> Fields:
    """The report of a run that is whole. Raises Unusable."""
    folder = _folder(out, run)
    path = folder / REPORT
    if not folder.is_dir():
        known = sorted(each.parent.name for each in out.glob(f"*/{REPORT}")) if out.is_dir() else []
        listed = f"those there are {', '.join(known[-5:])}" if known else "there is none"
        raise Unusable(f"{out}: has no run {run!r}; {listed}")
    if not path.exists():
        raise Unusable(f"{folder}: has no {REPORT}, so the run never came to its end; mark once more")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict) or not {"kind", "accounts", "files", "now"} <= found.keys():
            raise ValueError
    except ValueError:
        raise Unusable(f"{path}: is no report of a run; mark once more") from None
    return cast("Fields", found)


def demand_files(folder: Path, report: Fields) -> tuple[Path, ...]:
    """The files of what a run marked, each as the run left it. Raises Unusable."""
    found = []
    for each in cast("list[dict[str, object]]", report["files"]):
        path = folder / str(each["name"])
        if not path.exists():
            raise Unusable(f"{path}: is gone, and the run is not whole without it; mark once more")
        if path.stat().st_size != each["bytes"] or _sha256(path) != each["sha256"]:
            raise Unusable(f"{path}: is not what the run has written; mark once more")
        found.append(path)
    return tuple(found)


def demand_run(folder: Path, kind: Kind) -> Path:
    """The folder of a run of this kind that is whole, to go on from. Raises Unusable."""
    folder = folder.absolute()
    found = read_report(folder.parent, folder.name)
    if found["kind"] != kind:
        raise Unusable(f"{folder}: is a run of {found['kind']}; name one of {kind}")
    demand_files(folder, found)
    return folder


def time_of(text: str | None, dataset: Dataset) -> int:
    """Microseconds since 1970, of ``--now``. Without it: when the dataset was young, which is the time of its youngest
    object, and never later than this machine's clock. A later time would make a dump of yesterday a day older than
    anybody looked at it. Raises Unusable."""
    if text is not None:
        return parse_time(text)
    clock = time.time_ns() // 1000
    youngest = footers.youngest(dataset.objects, "last_modified")
    if youngest is None:
        youngest = dataset.objects.agg(f.max(f.unix_micros("last_modified"))).collect()[0][0]
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
    return footers.microseconds(found if found.tzinfo else found.replace(tzinfo=UTC))


def parse_age(text: str) -> int:
    """Microseconds: a number with s, m, h or d. Raises Unusable."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", text)
    if match is None:
        raise Unusable(f"--older-than {text!r}: expected a number with s, m, h or d, as 24h; write one")
    return int(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[match[2]] * 1_000_000


def shown_time(microseconds: int) -> str:
    """In ISO 8601, where the calendar has such a year."""
    try:
        return datetime.fromtimestamp(microseconds / 1_000_000, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return f"{microseconds} microseconds since 1970"


def summary(report: Report, folder: Path) -> Sequence[str]:
    """What a command prints: a line for each reason, and where the rest is."""
    width = max((len(each.reason) for each in report.accounts), default=0)
    lines = [f"{each.reason:<{width}}  {each.objects:>12,}  {each.bytes:>20,} bytes" for each in report.accounts]
    found = [f"finding: {name}: {count}" for name, count in report.findings.items() if count]
    return [
        denominators.told(report.rows),
        *lines,
        *found,
        *(f"note: {note}" for note in report.notes),
        f"run {report.run}: {folder}",
    ]
