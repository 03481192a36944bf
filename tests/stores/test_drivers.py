"""Every driver keeps the contract, tells what it knows of a lost connection and no more, and is opened by its DSN."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from random import Random

import psycopg
import pytest
import redis
import trio

from lakeproof.commands.sources import database
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores._transact_claims import transact_is_atomic_or_refused
from lakeproof.impl.stores.base import OPAQUE, TRANSACT, Unsent
from lakeproof.impl.stores.conformance import NotConforming, name_claim
from lakeproof.impl.stores.kv_answers import reply_of
from lakeproof.model import kv
from lakeproof.stores import PrefixedStore, by_value, postgresql, redis_scripts, target
from lakeproof.stores.pooled import Pooled
from lakeproof.words import Unusable
from tests.conformance import MakeStore, check_store
from tests.stores.planted_store import dsn as planted

KINDS = ["memory", "sqlite", "postgresql", "redis", "exec"]
SERVERS = ["postgresql", "redis"]


@pytest.fixture
def dsn_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """A DSN of each kind; a server is started when it is asked for."""

    def told(kind: str) -> str:
        if kind in SERVERS:
            found = request.getfixturevalue(f"{kind}_dsn")
            assert isinstance(found, str)
            return found
        return {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path}/kv.db", "exec": planted("prompt correct")}[kind]

    return told


def fresh(store: Store) -> MakeStore:
    """Opens an empty corner of a store, again and again."""
    numbers = count()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        private = PrefixedStore(store, f"{next(numbers)} of {id(numbers)}/".encode())
        yield private
        assert await private.clear() == []

    return opened


@pytest.mark.parametrize("kind", KINDS)
def test_a_driver_conforms(kind: str, dsn_of: Callable[[str], str]) -> None:
    async def main() -> None:
        async with target(dsn_of(kind)).open() as store:
            assert (TRANSACT in store.capabilities) == (kind != "exec")
            await check_store(fresh(store))

    trio.run(main)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("what == 'absent'", "what == 'exists'"),
        ("found ~= value", "false"),
        ("return i end end", "end end"),
        (" redis.call('ZREM', keys, key)", ""),
        (" redis.call('ZADD', keys, 0, key)", ""),
    ],
)
def test_a_fault_of_the_script_of_transact_is_found(
    right: str, wrong: str, redis_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert redis_scripts.TRANSACT.count(right) == 1
    monkeypatch.setattr(redis_scripts, "TRANSACT", redis_scripts.TRANSACT.replace(right, wrong))
    with pytest.raises(NotConforming):
        trio.run(transacted, redis_dsn)


async def transacted(dsn: str) -> None:
    """The claim about `Transact` alone."""
    async with target(dsn).open() as store, fresh(store)() as private:
        with name_claim(transact_is_atomic_or_refused):
            await transact_is_atomic_or_refused(private)


@pytest.mark.parametrize(
    ("lock", "outcomes"),
    [
        (postgresql._LOCK, [None, kv.CheckFailed(1)]),
        ("SELECT 1", [None, None]),  # planted: each sees the table as it was before the other one
    ],
)
def test_of_two_transacts_with_the_same_checks_one_takes_place_on_postgresql(
    lock: str, outcomes: list[kv.KVError | None], postgresql_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "_LOCK", lock)
    found: list[kv.KVError | None] = []

    async def transact(store: Store) -> None:
        checks = ((b"t", b"k", b"1"), (b"t", b"new", None))
        reply = await reply_of(store, kv.Transact(checks, ((b"t", b"new", b""),)))
        found.append(reply if isinstance(reply, kv.KVError) else None)

    async def main() -> None:
        async with target(postgresql_dsn).open() as store:
            await store.set(b"t", b"k", b"1")
            async with trio.open_nursery() as nursery:
                with held_up(postgresql_dsn):
                    nursery.start_soon(transact, store)
                    nursery.start_soon(transact, store)
                    await lock_waits(postgresql_dsn, 2)
            await store.transact(writes=[(b"t", b"k", None), (b"t", b"new", None)])

    trio.run(main)
    assert sorted(found, key=repr, reverse=True) == outcomes


@pytest.mark.parametrize(
    ("answer", "raised", "words"),
    [
        ("CROSSSLOT Keys in request", Unsent, "a cluster, and a partition is two keys; name a server without it"),
        ("NOPERM this user has no permissions to run the 'eval' command", Unsent, "to run the 'eval'"),
        ("MISCONF Redis is configured to save, and the disk is full", Unsent, "the disk is full"),
        ("READONLY You can't write against a read only replica.", Unsent, "read only replica"),
        # As Redis 7.2 says it of a command in the middle of a script, when those before it have been done.
        ("NOPERM ACL failure in script: no permissions to run 'zadd'", kv.OutcomeUnknown, "to run 'zadd'"),
    ],
)
def test_an_error_is_definite_only_where_nothing_was_done(
    answer: str, raised: type[kv.KVError], words: str, redis_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis sends what a cluster, another version or another user would be sent."""
    monkeypatch.setattr(redis_scripts, "TRANSACT", f'return redis.error_reply("{answer}")')

    async def main() -> None:
        async with target(redis_dsn).open() as store:
            with pytest.raises(raised, match=words):
                await store.transact(writes=[(b"p", b"k", b"v")])

    trio.run(main)


@pytest.mark.parametrize(
    ("state", "raised"),
    [
        ("22021", kv.Refused),  # a character that is none: of the statement itself
        ("53100", Unsent),  # a full disk
        ("25006", Unsent),  # a standby
        ("40001", Unsent),
        ("40003", kv.OutcomeUnknown),
        ("XX000", kv.OutcomeUnknown),  # as of YugabyteDB, of a COMMIT without an answer in time
        ("58000", kv.OutcomeUnknown),  # as of a pooler
    ],
)
def test_an_error_of_postgresql_is_definite_only_where_nothing_was_done(
    state: str, raised: type[kv.KVError], postgresql_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "_LOCK", f"DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '{state}'; END $$")

    async def main() -> None:
        async with target(postgresql_dsn).open() as store:
            with pytest.raises(raised, match="planted") as error:
                await store.transact(writes=[(b"p", b"k", b"v")])
            assert error.type is raised

    trio.run(main)


def test_a_store_of_opaque_predicates_conforms_as_one_whose_predicates_are_values() -> None:
    async def main() -> None:
        async with target(planted("prompt correct")).open() as store:
            assert OPAQUE in store.capabilities
            assert OPAQUE not in by_value(store).capabilities
            await check_store(fresh(by_value(store)))
        memory = MemoryStore()
        assert by_value(memory) is memory

    trio.run(main)


def test_a_database_that_is_only_looked_at_refuses_every_write_and_has_no_part_in_other_errors(
    postgresql_dsn: str,
) -> None:
    async def main() -> None:
        async with target(postgresql_dsn).open() as store:
            await store.set(b"seen", b"k", b"v")
            with database(postgresql_dsn) as source:
                assert (await source.store.get(b"seen", b"k")).value == b"v"
                for op in (kv.Set(b"seen", b"k", b"w"), kv.Delete(b"seen", b"k")):
                    with pytest.raises(kv.Refused, match="read-only transaction"):
                        await source.store.perform(op)
                with pytest.raises(kv.Refused, match="read-only transaction"):
                    await source.store.transact(writes=[(b"seen", b"k", None)])
            with pytest.raises(ValueError, match="another error"), database(postgresql_dsn):
                raise ValueError("another error")
            await store.delete(b"seen", b"k")

    trio.run(main)


@pytest.mark.parametrize("kind", ["sqlite", *SERVERS])
def test_what_was_written_is_there_for_whoever_opens_it_next(kind: str, dsn_of: Callable[[str], str]) -> None:
    async def main() -> None:
        async with target(dsn_of(kind)).open() as store:
            await store.set(b"kept", b"k", b"v")
        async with target(dsn_of(kind)).open() as store:
            assert (await store.get(b"kept", b"k")).value == b"v"
            await store.delete(b"kept", b"k")

    trio.run(main)


class TestLostConnections:
    @pytest.mark.parametrize("kind", SERVERS)
    def test_an_operation_whose_connection_is_killed_is_unknown_and_the_next_one_connects_anew(
        self, kind: str, dsn_of: Callable[[str], str]
    ) -> None:
        async def main() -> None:
            async with target(dsn_of(kind), connections=1).open() as store:
                assert isinstance(store, Pooled)
                # As often as no count of retries or connections of a client goes.
                for seed in range(110 if kind == "redis" else 6):
                    assert await store.kill(Random(seed)) == "an idle connection killed"
                    with pytest.raises(kv.OutcomeUnknown):
                        await store.set(b"lost", b"k", b"%d" % seed)
                    await store.set(b"lost", b"k", b"v")
                    await store.kill(Random(seed))
                    with pytest.raises(kv.OutcomeUnknown):
                        await store.transact(writes=[(b"lost", b"k", b"v"), (b"lost", b"l", None)])
                    await store.set(b"lost", b"k", b"v")
                    # What was not answered may take effect late: a busy server may come to it only now.
                    assert (await store.get(b"lost", b"k")).value in (b"v", b"%d" % seed)
                await store.delete(b"lost", b"k")

        trio.run(main)

    @pytest.mark.parametrize("function", ["pg_cancel_backend", "pg_terminate_backend"])
    @pytest.mark.parametrize(
        "op", [kv.Set(b"locked", b"k", b"new"), kv.Transact((), ((b"locked", b"k", b"new"),))], ids=["set", "transact"]
    )
    def test_a_statement_that_the_server_breaks_off_is_unknown(
        self, op: kv.Op | kv.Transact, function: str, postgresql_dsn: str
    ) -> None:
        async def main() -> None:
            async with target(postgresql_dsn).open() as store:
                await store.set(b"locked", b"k", b"old")
                with held_up(postgresql_dsn), pytest.raises(kv.OutcomeUnknown):
                    await broken_off(store, op, postgresql_dsn, function)
                assert (await store.get(b"locked", b"k")).value == b"old"
                await store.delete(b"locked", b"k")

        trio.run(main)

    @pytest.mark.parametrize("kind", SERVERS)
    def test_a_cancelled_operation_gives_up_its_connection_at_once(
        self, kind: str, dsn_of: Callable[[str], str]
    ) -> None:
        """A store with one connection, which a lock or a busy server holds up, is free again."""

        async def main() -> None:
            dsn = dsn_of(kind)
            async with target(dsn, connections=1).open() as store:
                await store.set(b"held up", b"k", b"old")
                with held_up(dsn):
                    with trio.move_on_after(0.2) as scope:
                        await store.set(b"held up", b"k", b"new")
                    assert scope.cancelled_caught
                assert (await store.get(b"held up", b"k")).value in (b"old", b"new")
                await store.delete(b"held up", b"k")

        trio.run(main)

    @pytest.mark.parametrize("kind", SERVERS)
    def test_who_cannot_connect_any_more_is_refused_because_nothing_was_sent(
        self, kind: str, dsn_of: Callable[[str], str]
    ) -> None:
        async def main() -> None:
            async with target(dsn_of(kind), connections=1).open() as store:
                assert isinstance(store, Pooled)
                await store.kill(Random(0))
                with pytest.raises(kv.OutcomeUnknown):
                    await store.get(b"p", b"k")
                if kind == "redis":
                    store._pool.connection_kwargs["path"] = "/nowhere"  # type: ignore[attr-defined]
                else:
                    store._address = "postgresql:///x?host=/nowhere"  # type: ignore[attr-defined]
                with pytest.raises(kv.Refused, match="cannot be reached"):
                    await store.set(b"p", b"k", b"v")
                store.close()
                with pytest.raises(kv.Refused, match="closed; open it again"):
                    await store.set(b"p", b"k", b"v")

        trio.run(main)


@contextmanager
def held_up(dsn: str) -> Iterator[None]:
    """Nobody else's write gets an answer meanwhile: of the one that waits, nothing is known."""
    if dsn.startswith("unix:"):
        with redis.Redis.from_url(dsn) as other:
            other.client_pause(60_000, all=False)
            try:
                yield
            finally:
                other.client_unpause()
    else:
        with psycopg.connect(dsn) as other:
            other.execute("LOCK TABLE kv IN SHARE MODE")
            yield


async def broken_off(store: Store, op: kv.Op | kv.Transact, dsn: str, function: str) -> None:
    """Do an operation, and let the server end it as soon as it waits for a lock."""
    replies: list[kv.Reply] = []

    async def perform() -> None:
        replies.append(await reply_of(store, op))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(perform)
        await lock_waits(dsn, 1, f"{function}(pid)")
    for reply in replies:
        if isinstance(reply, kv.KVError):
            raise reply


async def lock_waits(dsn: str, count: int, what: str = "pid") -> None:
    """Ask for something of the backends that wait for a lock, as soon as there are so many."""
    with psycopg.connect(dsn, autocommit=True) as other:
        waiting = f"SELECT {what} FROM pg_stat_activity WHERE wait_event_type = 'Lock'"  # noqa: S608
        while other.execute(waiting).rowcount < count:  # noqa: ASYNC110  # a server has no events
            await trio.sleep(0.01)


class TestNames:
    @pytest.mark.parametrize(
        ("dsn", "says"),
        [
            ("nothing", "'nothing' is no DSN; expected memory:, sqlite:///FILE"),
            ("mysql://x", "mysql://x: no such kind of store; expected memory:"),
            ("memory:x", "a store in memory has no name"),
            ("sqlite:kv.db", "names no file; expected sqlite:///FILE"),
            ("sqlite:////nowhere/at/all/kv.db", "cannot be opened"),
            ("exec:", "names no program"),
            ("exec:'x", "No closing quotation"),
            ("exec:no-such-program-at-all", "cannot be started: No such file or directory"),
            ("postgresql://127.0.0.1:1/x", "cannot be reached"),
            ("redis://127.0.0.1:1/0", "cannot be reached"),
            ("redis://127.0.0.1:x/0", "no address"),
        ],
    )
    def test_what_cannot_be_opened_is_named_with_the_repair(self, dsn: str, says: str) -> None:
        with pytest.raises(Unusable) as caught:
            trio.run(opened, dsn)
        assert says in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1

    def test_another_table_of_that_name_is_named_and_left_alone(self, postgresql_dsn: str) -> None:
        with psycopg.connect(postgresql_dsn, autocommit=True) as other:
            other.execute("DROP SCHEMA IF EXISTS theirs CASCADE")
            other.execute("CREATE SCHEMA theirs")
            other.execute("CREATE TABLE theirs.kv (partition_key bytea, key text, value bytea)")
        with pytest.raises(Unusable, match=r"columns partition_key, key, value; expected .* bytea"):
            trio.run(opened, f"{postgresql_dsn}&options=-csearch_path%3Dtheirs")

    @pytest.mark.parametrize(
        ("dsn", "extra", "package"),
        [
            ("redis://x", "redis", "redis"),
            ("postgresql://x", "postgresql", "psycopg"),
            ("dynamodb+http://x", "dynamodb", "boto3"),
        ],
    )
    def test_a_missing_extra_is_named_with_how_to_install_it(
        self, dsn: str, extra: str, package: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(Unusable, match=rf"is not installed; pip install 'lakeproof\[{extra}\]'"):
            target(dsn)


async def opened(dsn: str) -> None:
    async with target(dsn).open():
        pass
