"""The command ``diagnose``: what a store file holds, and what is wrong with it, in a zip."""

import sqlite3
from functools import partial
from pathlib import Path
from typing import Final

import click
import trio

from impl.diagnostics import NOTES, Collected, Finding, NotWritten, collect, shown, write_zip
from impl.diagnostics.archive import refuse_existing
from impl.live import live_env, run
from impl.stores.base import Store
from impl.stores.sqlite import NotAStore, SQLiteStore
from lakeproof.commands import AS_EXPECTED, INCONCLUSIVE, VIOLATED
from lakeproof.report.style import plural
from lakeproof.tasks import Unusable

FINDINGS_SHOWN_MAX: Final = 20
_REPAIR: Final = "name an SQLite file with lakeFS' table kv(partition_key, key, value)"


class ReadOnlySQLiteStore(SQLiteStore):
    """The same store, opened so that SQLite refuses every write. Raises NotAStore.

    SQLite may leave an empty log beside the file, as any reader of its does.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._one_at_a_time = trio.CapacityLimiter(1)
        try:
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise NotAStore(f"{self.path}: cannot be opened: {error}; {_REPAIR}") from error
        try:
            self._connection.execute("SELECT partition_key, key, value FROM kv LIMIT 0")
            self._refuse_text()
        except sqlite3.Error as error:
            self._connection.close()
            raise NotAStore(f"{self.path}: no store: {error}; {_REPAIR}") from error
        except NotAStore:
            self._connection.close()
            raise

    def _refuse_text(self) -> None:
        """SQLite takes any type in any column; what is no BLOB would not be found."""
        for column in ("partition_key", "key", "value"):
            sql = f"SELECT typeof({column}) FROM kv WHERE typeof({column}) <> 'blob' LIMIT 1"  # noqa: S608  # ours
            try:
                found = self._connection.execute(sql).fetchone()
            except sqlite3.DatabaseError:
                return  # a damaged page: the scan that meets it will say where
            if found is not None:
                raise NotAStore(f"{self.path}: column {column} holds {found[0]}; expected blob everywhere: {_REPAIR}")


@click.command()
@click.argument("file", metavar="STORE", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE.zip",
    help="Where the zip goes; nothing is overwritten.",
)
def diagnose(file: Path, out: Path) -> int:
    """Collect what a store holds, and what is wrong with it, in a zip.

    STORE is an SQLite file; it is only read. The zip has a table for each kind of entity, and none of what users
    wrote: no messages, metadata, paths or data. Exit code 1 if anything is undecodable, dangling or shared, and 3
    if nothing is, but not all could be read.
    """
    if not file.is_file():
        raise Unusable(f"{file}: no such file; {_REPAIR}")
    try:
        refuse_existing(out)
        with ReadOnlySQLiteStore(file) as store:
            collected = diagnosed(store, out)
    except (NotAStore, NotWritten) as error:
        raise Unusable(str(error)) from error
    for line in told(collected):
        click.echo(line)
    click.echo(f"written to {out}")
    if not collected.sound:
        return VIOLATED
    return AS_EXPECTED if collected.complete else INCONCLUSIVE


def diagnosed(store: Store, out: Path) -> Collected:
    """Collect from a store, and write the zip. Raises NotWritten."""
    collected = trio.run(partial(run, collect(live_env()), store))
    write_zip(out, collected)
    return collected


def told(collected: Collected) -> list[str]:
    """What was found, in lines: counts, and the first findings."""
    rows = {name: len(found) for name, found in collected.tables.items()}
    counts = [
        plural(rows["repositories"], "repository", "repositories"),
        plural(rows["branches"], "branch", "branches"),
        plural(rows["commits"], "commit"),
        plural(rows["tags"], "tag"),
        plural(rows["staging"], "staging token"),
        plural(rows["cleanup"], "note to the cleaner", "notes to the cleaner"),
    ]
    troubles = [finding for finding in collected.findings if finding.kind not in NOTES]
    notes = len(collected.findings) - len(troubles)
    lines = [", ".join(counts)]
    lines += [_line(finding) for finding in troubles[:FINDINGS_SHOWN_MAX]]
    if len(troubles) > FINDINGS_SHOWN_MAX:
        lines.append(f"and {len(troubles) - FINDINGS_SHOWN_MAX:,} more")
    lines.append(f"{plural(len(troubles), 'finding')}, {plural(notes, 'note')}")
    return lines


def _line(finding: Finding) -> str:
    place = " ".join(shown(part) for part in (finding.partition, finding.key) if part)
    return f"{finding.kind}: {place}: {finding.message}"
