"""The command ``migrate``: the SQL tables of an older lakeFS into a store."""

import getpass
import json
import os
import socket
from contextlib import closing
from pathlib import Path

import click
import trio

from lakeproof.commands.group import VIOLATED, complain
from lakeproof.running.tasks import Unusable
from lakeproof.targets.redacting import Discreet, displayed


@click.command(cls=Discreet)
@click.argument("source", metavar="SOURCE")
@click.argument("store", metavar="STORE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--restart", is_flag=True, help="Remove what an interrupted run has left, and start over.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def migrate(source: str, store: Path, restart: bool, as_json: bool) -> int:
    """Migrate the five SQL tables of a lakeFS before KV to a key-value store, verify, and switch.

    SOURCE is an SQLite file, or a PostgreSQL address (postgresql://...). STORE is an SQLite file with the table kv; it
    is created if it does not exist. The store is valid only after the last step: a run that dies leaves a store marked
    as half-migrated.
    """
    from lakeproof.impl.live import live_env, run
    from lakeproof.impl.migration import migrating
    from lakeproof.impl.migration.rows import UnusableTables
    from lakeproof.impl.migration.sources import PostgresTables, SQLiteTables
    from lakeproof.impl.stores.sqlite import NotAStore, SQLiteStore
    from lakeproof.impl.stores.sqlite_health import Damaged, refuse_damaged
    from lakeproof.model import kv

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a number without a name, as in some containers
        user = str(os.getuid())
    who = f"{user}@{socket.gethostname()}"
    postgres = source.startswith(("postgresql://", "postgres://"))
    try:
        tables = PostgresTables(source) if postgres else SQLiteTables(source)
        refuse_damaged(store)
        with closing(tables), SQLiteStore(store, durable=True) as target:
            click.echo(f"migrating {'PostgreSQL' if postgres else displayed(source)} to {store}", err=True)
            flow = migrating.migrate(live_env(), tables, who=who, restart=restart, batch_size=1_000)
            done = trio.run(run, flow, target)
    except (UnusableTables, NotAStore, Damaged) as error:
        raise Unusable(str(error)) from error
    except migrating.HalfMigrated as error:
        raise Unusable(f"{store}: {error} (--restart)") from error
    except (migrating.AlreadyMigrated, migrating.NotEmpty) as error:
        raise Unusable(f"{store}: {error}") from error
    except (migrating.Different, migrating.Superseded) as error:
        complain(f"{store}: {error}; the store is not in use yet: --restart")
        return VIOLATED
    except kv.KVError as error:
        raise Unusable(f"{store}: {error}; the store is half-migrated: mend the cause, then --restart") from error
    if as_json:
        click.echo(json.dumps({"store": str(store), "rows": dict(done.counts)}))
    else:
        for table, count in done.counts:
            click.echo(f"{table:<24}{count:>10,}")
        click.echo(f"migrated and verified: {sum(count for _, count in done.counts):,} rows in {store}")
    return 0
