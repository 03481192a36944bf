"""The command ``migrate``: the SQL tables of an older lakeFS into a store."""

import getpass
import json
import os
import re
import socket
from contextlib import closing
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.group import complain
from lakeproof.commands.options import seconds_option
from lakeproof.commands.sources import POSTGRESQL
from lakeproof.impl.codec import Undecodable
from lakeproof.impl.live import live_env, run
from lakeproof.impl.migration import migration
from lakeproof.impl.migration.rows import Tables, UnusableTables
from lakeproof.impl.migration.sources import PostgresTables, SQLiteTables
from lakeproof.impl.stores import Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import kv
from lakeproof.stores import Target, by_value, target
from lakeproof.stores.redaction import hide_secrets, redact
from lakeproof.words import VIOLATED, Unusable, first_of

BATCH: Final = 1_000
"""Rows per page of a scan."""
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SQLITE: Final = "sqlite:///"
_REHEARSED: Final = "memory:"


@attrs.define
class Observed(Store):
    """A store that notes how far a migration has come, so that an error can say what it leaves.

    seconds: how long an answer may take; then the outcome is unknown.
    """

    inner: Store
    name: str
    seconds: float
    sent: kv.Op | None = None
    """The last write that was sent."""

    async def apply(self, op: kv.Op) -> Answer:
        return await self.perform(op)

    async def perform(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Get | kv.ScanBatch):
            return await self._perform_in_time(op)
        before, self.sent = self.sent, op  # noted before it is sent: its answer may be lost
        try:
            return await self._perform_in_time(op)
        except kv.KVError as error:
            # Only if the first write of all was refused, the store is as it was.
            if error.definite and before is None:
                self.sent = None
            raise

    async def _perform_in_time(self, op: kv.Op) -> Answer:
        with trio.move_on_after(self.seconds):
            return await self.inner.perform(op)
        raise kv.OutcomeUnknown(f"{self.name}: no answer within {self.seconds:g} s (--timeout)")

    def left(self, error: Exception) -> str:
        """What a run that ended with an error leaves in the store, and the repair."""
        match self.sent:
            case None:
                return "nothing was written"
            # The version is written last, and makes the store valid.
            case kv.SetIf(value=migration.VERSION) if isinstance(error, kv.OutcomeUnknown):
                return "all rows are there, and the last step may have been done: run again, with --restart"
        return "the store is half-migrated: mend the cause, then --restart"


@click.command("migrate")
@click.argument("source", metavar="SOURCE")
@click.argument("store", metavar="STORE")
@click.option("--restart", is_flag=True, help="Remove what an interrupted run has left, and start over.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@seconds_option("--timeout", default=60.0, help_="Timeout of one operation on the store; the run then ends.")
def command(source: str, store: str, restart: bool, as_json: bool, timeout: float) -> int:
    """Migrate the five SQL tables of a lakeFS before KV to a key-value store, verify, and switch.

    SOURCE is an SQLite file, or a PostgreSQL address (postgresql://...). STORE is an SQLite file with the table kv
    (created if it does not exist), or a DSN as of conform: sqlite:///FILE, postgresql://..., redis://..., exec:COMMAND,
    dynamodb+https://HOST/TABLE, or memory: for a rehearsal. What is written has the keys of lakeFS as it was built, and
    is read back by them. The store is valid only after the last step: a run that dies leaves a store marked as
    half-migrated.
    """
    chosen = _target(store, timeout)
    tables = _tables(source)
    with closing(tables):
        shown = "PostgreSQL" if isinstance(tables, PostgresTables) else hide_secrets(source)
        click.echo(f"migrating {shown} to {chosen.name}", err=True)
        try:
            done = trio.run(migrate_store, chosen, tables, restart, timeout)
        except (migration.Different, migration.Superseded) as error:
            complain(f"{chosen.name}: {error}; the store is not in use yet: --restart")
            return VIOLATED
    if as_json:
        click.echo(json.dumps({"store": chosen.name, "rows": dict(done.counts)}))
        return 0
    for table, count in done.counts:
        click.echo(f"{table:<24}{count:>10,}")
    rows = f"{sum(count for _, count in done.counts):,} rows in {chosen.name}"
    kept = "; a rehearsal: nothing is kept" if store == _REHEARSED else ""
    click.echo(
        "read back as lakeFS reads: schema version 4; repositories, and branches, commits and tags of their instances; "
        "staged entries under their paths"
    )
    click.echo(f"migrated and verified: {rows}{kept}")
    return 0


def _target(store: str, timeout: float) -> Target:
    """A DSN; or a file, which goes by its own name in messages. Raises Unusable."""
    # A path on its own is a file.
    dsn = store if _SCHEME.match(store) else f"{_SQLITE}{store}"
    chosen = target(dsn, connections=1, seconds=timeout, durable=True)  # one writer; acknowledged rows survive a crash
    return chosen if dsn == store else attrs.evolve(chosen, name=hide_secrets(store))


def _tables(source: str) -> SQLiteTables | PostgresTables:
    try:
        if source.startswith(POSTGRESQL):
            return PostgresTables(source)
        return SQLiteTables(source.removeprefix(_SQLITE))
    except UnusableTables as error:
        raise Unusable(redact(str(error), source)) from error


async def migrate_store(chosen: Target, tables: Tables, restart: bool, seconds: float) -> migration.Migrated:
    """Open a store, and migrate to it.

    seconds: how long an answer of the store may take; then the run ends.

    Raises:
        Unusable: tables or store cannot be used as they are; says what is left in the store.
        Different, Superseded: the store stays half-migrated.
    """
    try:
        async with chosen.open() as store:
            watched = Observed(by_value(store), chosen.name, seconds)
            done = await _run_watched(watched, tables, restart)
            await _demand_served(watched)
            return done
    except BaseExceptionGroup as group:
        raise first_of(group) from None


async def _demand_served(store: Observed) -> None:
    """The version is what lakeFS looks for first. Raises Different: it would not find the one that it knows."""
    try:
        # Spelled out, not taken from the code that wrote it: a wrong key there would be wrong here as well.
        found = await store.perform(kv.Get(b"kv-internal-metadata", b"kv/schema/version"))
    except kv.KVError as error:
        raise Unusable(
            f"{store.name}: migrated, but its schema version cannot be read back ({type(error).__name__}); read "
            "kv/schema/version of kv-internal-metadata before lakeFS is started"
        ) from error
    assert isinstance(found, kv.ValueWithPredicate)
    if found.value != b"4":
        raise migration.Different(f"schema version {found.value!r}, expected b'4', as lakeFS has it")


async def _run_watched(store: Observed, tables: Tables, restart: bool) -> migration.Migrated:
    flow = migration.migrate(live_env(), tables, who=_who(), restart=restart, batch_size=BATCH)
    try:
        return await run(flow, store)
    except migration.HalfMigrated as error:
        raise Unusable(f"{store.name}: {error} (--restart)") from error
    except (migration.AlreadyMigrated, migration.NotEmpty) as error:
        raise Unusable(f"{store.name}: {error}") from error
    except Undecodable as error:
        raise migration.Different(str(error)) from error
    except kv.KVError as error:
        why = str(error).removeprefix(f"{store.name}: ") or type(error).__name__
        raise Unusable(f"{store.name}: {why}; {store.left(error)}") from error
    except UnusableTables as error:
        if store.sent is None:
            raise Unusable(str(error)) from error
        raise Unusable(f"{error}; {store.name}: {store.left(error)}") from error


def _who() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a number without a name, as in some containers
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
