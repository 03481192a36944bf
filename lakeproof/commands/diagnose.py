"""The command ``diagnose``: what a store holds, and what is wrong with it, in a zip."""

import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.sources import DYNAMODB, POSTGRESQL, Keys, Source, database, is_rows, of_rows
from lakeproof.impl.diagnostics import (
    NOTES,
    UNJUDGED,
    Collected,
    Diagnosis,
    NotWritten,
    collect,
    escape_bytes,
    write_zip,
)
from lakeproof.impl.diagnostics.archive import refuse_existing
from lakeproof.impl.diagnostics.layouts import LakeFSLayout
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores.sqlite import NotAStore, SQLiteStore, no_store
from lakeproof.impl.stores.sqlite_health import is_damage, open_to_read, remedy, troubles, words
from lakeproof.model import kv
from lakeproof.stores.redaction import hide_secrets
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable, plural, show_time

FINDINGS_SHOWN_MAX: Final = 20
_REPAIR: Final = "name an SQLite file with lakeFS' table kv(partition_key, key, value)"


class ReadOnlySQLiteStore(SQLiteStore):
    """The same store, opened so that SQLite refuses every write. Raises NotAStore.

    SQLite may leave an empty log beside the file, as any reader of its does. A damaged file may be opened: what is
    read of it is checked, and `damage` says what is wrong.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        # The constructor of SQLiteStore is not called: it sets the mode of the journal and creates the table, and so
        # writes.
        self._one_at_a_time = trio.CapacityLimiter(1)
        try:
            self._connection = open_to_read(self.path)
        except sqlite3.Error as error:
            raise NotAStore(f"{self.path}: cannot be opened: {error}; {_REPAIR}") from error
        self.partitions: list[bytes] = []
        """In order; known when `damage` was looked for."""
        try:
            # No row is read; it fails if there is no such table or column.
            self._connection.execute("SELECT partition_key, key, value FROM kv LIMIT 0")
            self._refuse_text()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self._connection.close()
            raise self._no_store(error) from error
        except NotAStore:
            self._connection.close()
            raise

    def damage(self) -> tuple[str, ...]:
        """What is wrong with the file itself. Reads all of it. Raises NotAStore if it cannot be checked."""
        found: list[str] = []
        try:
            found += troubles(self._connection)
            rows = self._connection.execute("SELECT DISTINCT partition_key FROM kv ORDER BY partition_key")
            partitions = [partition for (partition,) in rows]
            self.partitions = [each for each in partitions if isinstance(each, bytes)]
            # Multiplied by a bool: once, or not at all.
            found += ["a partition key is no blob; expected blob everywhere"] * (self.partitions != partitions)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise self._no_store(error) from error
            found.append(f"the partitions cannot be read: {words(error)}")
        return tuple(dict.fromkeys(found))

    def _no_store(self, error: Exception) -> NotAStore:
        code = getattr(error, "sqlite_errorcode", 0)
        # An extended code has the primary one in its low byte. A hot journal has to be rolled back, which a reader may
        # not do.
        if code == sqlite3.SQLITE_READONLY_ROLLBACK or code & 0xFF == sqlite3.SQLITE_BUSY:
            return NotAStore(f"{self.path}: cannot be read: {words(error)}; {remedy(self.path, error)}")
        return no_store(self.path, error, _REPAIR)

    def _refuse_text(self) -> None:
        """SQLite takes any type in any column; what is no BLOB would not be found."""
        for column in ("partition_key", "key", "value"):
            # Comparison in SQLite depends on the type: 'a' <> x'61', so a key of type text is never found by its bytes.
            sql = f"SELECT typeof({column}) FROM kv WHERE typeof({column}) <> 'blob' LIMIT 1"  # noqa: S608  # ours
            try:
                found = self._connection.execute(sql).fetchone()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                return  # a damaged page: `damage` will say where
            if found is not None:
                raise NotAStore(f"{self.path}: column {column} holds {found[0]}; expected blob everywhere: {_REPAIR}")

    def _scan(self, partition: bytes, start: bytes, batch_size: int) -> kv.Batch:
        """Raises kv.Refused if the rows are out of order."""
        batch = super()._scan(partition, start, batch_size)
        found = [entry.key for entry in batch.entries]
        # A damaged index may return rows in any order, and the scan, which goes on behind the last one, never end.
        if any(one >= other for one, other in pairwise(found)) or (found and found[0] < start):
            raise kv.Refused(
                f"{self.path}: keys of partition {escape_bytes(partition)} are out of order: the file is damaged"
            )
        return batch


@click.command("diagnose")
@click.argument("source", metavar="STORE")
@click.option(
    "--keys",
    type=click.Choice(["design", "lakefs"]),
    help="Key schema. [default: design for an SQLite file, lakefs for all others]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE.zip",
    help="Write the zip here; an existing file is never overwritten.",
)
def command(source: str, keys: Keys | None, out: Path) -> int:
    """Collect the contents of a store, and its errors, in a zip.

    STORE is an SQLite file; a file with the rows of lakeFS' store (a dump of `lakefs kv dump`, or JSON Lines); or an
    address of its table: postgresql://..., dynamodb+https://HOST/TABLE. It is only read. The zip has a table for each
    kind of entity, and no user data: no messages, metadata, paths or data. Exit code 1 if there are findings (an
    undecodable, dangling or shared entity), 3 if there are none but not everything could be read, or the store is only
    a part of one.
    """
    try:
        refuse_existing(out)  # before a long read, not after it
        if source.startswith((*POSTGRESQL, *DYNAMODB)):
            with database(source) as opened:
                collected = _of_source(opened, keys, out)
        elif not (file := Path(source)).is_file():
            raise Unusable(f"{file}: no such file; {_REPAIR}")
        elif is_rows(file):
            collected = _of_source(of_rows(file), keys, out)
        else:
            with ReadOnlySQLiteStore(file) as store:
                # The partitions are known only once `damage` has read the file.
                found = Source(store, (), keys or "design")
                damage = store.damage()
                collected = _of_source(attrs.evolve(found, partitions=tuple(store.partitions)), keys, out, damage)
    except (NotAStore, NotWritten) as error:
        raise Unusable(str(error)) from error
    for line in report_lines(collected, out):
        click.echo(line)
    if next_step := _next(collected, source, keys):
        click.echo(next_step)
    # A finding stands, even where something could not be read.
    if not collected.sound:
        return VIOLATED
    return AS_EXPECTED if collected.complete else INCONCLUSIVE


def _of_source(source: Source, keys: Keys | None, out: Path, damage: Sequence[str] = ()) -> Collected:
    like_lakefs = (keys or source.keys) == "lakefs"
    store = LakeFSLayout(source.store) if like_lakefs else source.store
    flow = partial(collect, damage=damage, partitions=source.partitions, like_lakefs=like_lakefs, whole=source.whole)
    collected = trio.run(partial(run, flow(live_env()), store))
    write_zip(out, collected)
    return collected


def report_lines(collected: Collected, out: Path) -> list[str]:
    """What was read, until when; the first of what was found; the sum; and where all of it is."""
    rows = {name: len(found) for name, found in collected.tables.items()}
    entries = sum(collected.numbers("staging", "entries"))
    counts = [
        plural(rows["repositories"], "repository", "repositories"),
        plural(rows["branches"], "branch", "branches"),
        plural(rows["commits"], "commit"),
        plural(rows["tags"], "tag"),
        f"{plural(rows['staging'], 'staging token')} with {plural(entries, 'entry', 'entries')}",
        plural(rows["cleanup"], "cleanup record"),
    ]
    troubles = [finding for finding in collected.findings if finding.kind not in NOTES]
    notes = [finding for finding in collected.findings if finding.kind in NOTES - UNJUDGED]
    return [
        f"read: {', '.join(counts)}",
        f"until: {_dates(collected)}",
        *_first(troubles),
        *_first(notes, "note: "),
        *(f"not judged: {each.message}" for each in collected.findings if each.kind in UNJUDGED),
        f"{plural(len(troubles), 'error')}, {plural(len(notes), 'note')}",
        f"files: {out}: errors.jsonl with all of them, and a table for each kind of entity",
    ]


def _dates(collected: Collected) -> str:
    """The newest commit says how old a copy is; the clock, when it was read."""
    newest = max(collected.numbers("commits", "creation_date"), default=None)
    last = "there is no commit" if newest is None else f"the newest commit is of {show_time(newest)}"
    return f"{last}; read at {show_time(collected.collected_at)} by the clock of this machine"


def _first(findings: Sequence[Diagnosis], before: str = "") -> Iterator[str]:
    for finding in findings[:FINDINGS_SHOWN_MAX]:
        yield f"{before}{_line(finding)}"
    if len(findings) > FINDINGS_SHOWN_MAX:
        yield f"{before}and {len(findings) - FINDINGS_SHOWN_MAX:,} more"


def _next(collected: Collected, source: str, keys: Keys | None) -> str | None:
    """The command that sees more. It reads no SQLite file."""
    if any(finding.kind == "part" for finding in collected.findings):
        # Source: lakeFS pkg/kv/dump.go, SectionMapping.
        return "next: the whole store: its table's address, or JSON Lines (`lakefs kv dump` writes no repositories)"
    if Path(source).is_file() and not is_rows(Path(source)):
        return None
    given = [] if keys is None else ["--keys", keys]
    words = ["lakeproof", "spark", "check", hide_secrets(source), *given, "--blockstore", "STORE"]
    return f"next, ranges and objects, too: {shlex.join(words)}"


def _line(finding: Diagnosis) -> str:
    place = " ".join(escape_bytes(part) for part in (finding.partition, finding.key) if part)
    return ": ".join(part for part in (finding.kind, place, finding.message) if part)
