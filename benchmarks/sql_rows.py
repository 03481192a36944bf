"""The rows of the SQL rival, and its transactions: see `benchmarks.sql_rival`."""

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

import attrs

from lakeproof.impl.closable import Closing
from lakeproof.impl.refs.errors import BranchBusy, RefNotFound
from lakeproof.model.errors import BranchNotFound, FlowError, RepositoryNotFound

T = TypeVar("T")
Contents = dict[bytes, bytes]
"""Path to identity."""

TRIES: Final = 1_000
"""How often a transaction is run before its operation is refused."""
BUSY_SECONDS: Final = 60.0
PAGE: Final = 100
"""Staged entries that a commit fetches at once, as the flows do in the benchmarks."""

_TABLES: Final = (
    "repositories (id text PRIMARY KEY)",
    "commits (repository text, id text, contents text, parents text, generation int, PRIMARY KEY (repository, id))",
    "branches (repository text, id text, commit_id text, token text, PRIMARY KEY (repository, id))",
    "staged (token text, path {binary}, identity {binary}, PRIMARY KEY (token, path))",
)


class Cursor(Protocol):
    """What a statement has done."""

    @property
    def rowcount(self) -> int: ...
    def fetchall(self) -> list[tuple[str, ...]]: ...


class Connection(Protocol):
    """Of one client; in autocommit mode, so that transactions begin where they are begun."""

    def execute(self, sql: str, values: Sequence[object] = ..., /) -> Cursor: ...
    def close(self) -> None: ...


@attrs.frozen(kw_only=True)
class Dialect:
    """How a transaction begins, how it locks the rows that it reads, and which errors say that it lost a conflict."""

    name: str
    begin: str
    shared: str = ""
    exclusive: str = ""
    mark: str = "%s"
    binary: str = "bytea"
    conflicts: Callable[[Exception], bool]


def _busy(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _conflict(error: Exception) -> bool:
    """Serialization failure, deadlock: the transaction has done nothing."""
    return getattr(error, "sqlstate", None) in ("40001", "40P01")


SQLITE: Final = Dialect(name="sql", begin="BEGIN IMMEDIATE", mark="?", binary="blob", conflicts=_busy)
"""One writer at a time."""
ROW_LOCKS: Final = Dialect(
    name="sql, row locks",
    begin="BEGIN ISOLATION LEVEL READ COMMITTED",
    shared=" FOR SHARE",
    exclusive=" FOR UPDATE",
    conflicts=_conflict,
)
"""PostgreSQL, as lakeFS did: whoever stages shares the row of the branch, whoever commits has it alone."""
SERIALIZABLE: Final = Dialect(
    name="sql, serializable", begin="BEGIN ISOLATION LEVEL SERIALIZABLE", conflicts=_conflict
)
"""PostgreSQL finds the conflicts itself."""


@attrs.frozen
class Commit:
    """A row of the table."""

    id: str
    contents: str
    parents: tuple[str, ...]
    generation: int


@attrs.frozen
class Branch:
    """A row of the table, of a repository."""

    repository: str
    id: str
    commit_id: str
    token: str


@attrs.define
class Committed:
    """The contents of commits, under the hash of what they are. All clients of a database share one."""

    held: dict[str, Contents] = attrs.field(factory=lambda: {"": {}})

    def add(self, contents: Contents) -> str:
        """The name of these contents."""
        if not contents:
            return ""
        digest = hashlib.sha256()
        for path in sorted(contents):
            for part in (path, contents[path]):
                digest.update(len(part).to_bytes(8, "big") + part)
        self.held.setdefault(digest.hexdigest(), contents)
        return digest.hexdigest()


def prepared(connection: Connection, dialect: Dialect) -> None:
    """Create the tables where there are none."""
    for statement in _TABLES:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {statement.format(binary=dialect.binary)}")


def sqlite_connection(path: str) -> sqlite3.Connection:
    """As `lakeproof.impl.stores.sqlite` opens a file."""
    found = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    found.execute("PRAGMA journal_mode = WAL")
    found.execute("PRAGMA synchronous = NORMAL")
    return found


@attrs.define
class Rows(Closing):
    """The connection of one client. Blocks; not to be used by two threads at once.

    Raises:
        What the flows raise; BranchBusy where a transaction lost `tries` conflicts: nothing was done.
    """

    connection: Connection
    dialect: Dialect
    committed: Committed
    tries: int = TRIES
    retried: int = 0
    ambiguous: int = 0
    """Merges that had more than one base to choose from."""

    def close(self) -> None:
        self.connection.close()

    def transact(self, work: Callable[[], T]) -> T:
        """An answer counts only if the transaction that has read it commits: what an aborted one has read may never
        have been so."""
        for _ in range(self.tries):
            refusal: FlowError | None = None
            result: T | None = None
            begun = False
            try:
                self.execute(self.dialect.begin)
                begun = True
                try:
                    result = work()
                except FlowError as error:  # nothing was written before it
                    refusal = error
                self.execute("COMMIT")
            except Exception as error:
                if begun:
                    self.execute("ROLLBACK")
                if not self.dialect.conflicts(error):
                    raise
                self.retried += 1
                continue
            if refusal is not None:
                raise refusal
            return result  # type: ignore[return-value]  # there is one
        raise BranchBusy("a transaction lost all its conflicts")

    def execute(self, sql: str, *values: object) -> Cursor:
        return self.connection.execute(sql.replace("?", self.dialect.mark), values)

    def one(self, sql: str, *values: object) -> tuple[str, ...] | None:
        found = self.execute(sql, *values).fetchall()
        return found[0] if found else None

    def enter(self, repository: str, lock: str | None = None) -> None:
        """Whoever deletes a repository has its row alone."""
        lock = self.dialect.shared if lock is None else lock
        if self.one(f"SELECT id FROM repositories WHERE id = ?{lock}", repository) is None:
            raise RepositoryNotFound(repository)

    def branch_row(self, repository: str, branch_id: str, lock: str) -> Branch:
        self.enter(repository)
        found = self.row(repository, branch_id, lock)
        if found is None:
            raise BranchNotFound(branch_id)
        return found

    def row(self, repository: str, branch_id: str, lock: str) -> Branch | None:
        sql = f"SELECT commit_id, token FROM branches WHERE repository = ? AND id = ?{lock}"
        found = self.one(sql, repository, branch_id)
        return None if found is None else Branch(repository, branch_id, *found)

    def resolve(self, repository: str, ref: str) -> Commit:
        branch = self.row(repository, ref, self.dialect.shared)
        name = ref if branch is None else branch.commit_id
        found = self.find_commit(repository, name)
        if found is None:
            raise RefNotFound(ref)
        return found

    def commit_of(self, repository: str, commit_id: str) -> Commit:
        found = self.find_commit(repository, commit_id)
        assert found is not None, commit_id
        return found

    def find_commit(self, repository: str, commit_id: str) -> Commit | None:
        sql = "SELECT contents, parents, generation FROM commits WHERE repository = ? AND id = ?"
        found = self.one(sql, repository, commit_id)
        return None if found is None else Commit(commit_id, found[0], tuple(json.loads(found[1])), int(found[2]))

    def contents_of(self, commit: Commit) -> Contents:
        return self.committed.held[commit.contents]

    def staged_in(self, branch: Branch) -> list[tuple[bytes, bytes | None]]:
        """All changes, a page at a time."""
        rows: list[tuple[bytes, bytes | None]] = []
        sql = f"SELECT path, identity FROM staged WHERE token = ? AND path > ? ORDER BY path LIMIT {PAGE}"
        while True:
            page = self.execute(sql, branch.token, rows[-1][0] if rows else b"").fetchall()
            rows += page  # type: ignore[arg-type]  # binary columns
            if len(page) < PAGE:
                return rows

    def stage(self, branch: Branch, path: bytes, identity: bytes | None) -> None:
        sql = "INSERT INTO staged VALUES (?, ?, ?) ON CONFLICT (token, path) DO UPDATE SET identity = excluded.identity"
        self.execute(sql, branch.token, path, identity)

    def found_at(self, branch: Branch, path: bytes) -> bytes | None:
        staged = self.one("SELECT identity FROM staged WHERE token = ? AND path = ?", branch.token, path)
        if staged is not None:
            return staged[0]  # type: ignore[return-value]  # a binary column
        return self.contents_of(self.commit_of(branch.repository, branch.commit_id)).get(path)

    def add_commit(self, repository: str, contents: Contents, parents: tuple[Commit, ...]) -> Commit:
        generation = 1 + max((parent.generation for parent in parents), default=0)
        made = Commit(unique(), self.committed.add(contents), tuple(parent.id for parent in parents), generation)
        row = (repository, made.id, made.contents, json.dumps(made.parents), generation)
        self.execute("INSERT INTO commits VALUES (?, ?, ?, ?, ?)", *row)
        return made

    def move(self, branch: Branch, made: Commit) -> None:
        sql = "UPDATE branches SET commit_id = ? WHERE repository = ? AND id = ?"
        self.execute(sql, made.id, branch.repository, branch.id)


def unique() -> str:
    return uuid.uuid4().hex
