"""The metadata operations as SQL transactions: what the key-value designs replace, and an oracle for them.

Repositories, branches, commits and staged entries are rows; each operation is one transaction, which sees and changes
all of them at one moment. Three ways to make it so (`benchmarks.sql_rows.Dialect`): SQLite's single writer,
PostgreSQL's row locks at READ COMMITTED, and PostgreSQL's SERIALIZABLE. Transactions that lose a conflict are rolled
back and run again.

An operation has the name and the arguments of the flow that it stands for (`lakeproof.model.calls`), and answers with
the same errors. Committed entries are values in memory, as the flows' objects are in the benchmarks; they are not
encoded, in favour of the rival. Source: graveler-on-kv.md, "Entities"; the schema is that of lakeFS before KV, with
locks on the row of a branch.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from benchmarks.sql_rows import Branch, Commit, Contents, Rows, unique
from lakeproof.impl.committed import Conflicts
from lakeproof.impl.refs.errors import DefaultBranch, DirtyBranch, NoParent
from lakeproof.model.errors import BranchExists, EntryChanged, NotUnique, PathExists, PathNotFound

MAIN: Final = "main"


class Lake(Rows):
    """The operations of one client. Blocks; not to be used by two threads at once.

    Raises:
        What the flows raise; BranchBusy where a transaction lost `tries` conflicts: nothing was done.
    """

    def create_repository(self, repository: str) -> None:
        def work() -> None:
            if not self.execute("INSERT INTO repositories VALUES (?) ON CONFLICT DO NOTHING", repository).rowcount:
                raise NotUnique(repository)
            first = self.add_commit(repository, {}, ())
            self.execute("INSERT INTO branches VALUES (?, ?, ?, ?)", repository, MAIN, first.id, unique())

        self.transact(work)

    def delete_repository(self, repository: str) -> None:
        def work() -> None:
            self.enter(repository, self.dialect.exclusive)
            self.execute(
                "DELETE FROM staged WHERE token IN (SELECT token FROM branches WHERE repository = ?)", repository
            )
            for table in ("branches", "commits"):
                self.execute(f"DELETE FROM {table} WHERE repository = ?", repository)
            self.execute("DELETE FROM repositories WHERE id = ?", repository)

        self.transact(work)

    def get_repository(self, repository: str) -> None:
        self.transact(lambda: self.enter(repository))

    def list_repositories(self) -> tuple[str, ...]:
        def work() -> tuple[str, ...]:
            return tuple(sorted(row[0] for row in self.execute("SELECT id FROM repositories").fetchall()))

        return self.transact(work)

    def create_branch(self, repository: str, branch_id: str, source: str) -> None:
        def work() -> None:
            self.enter(repository)
            found = self.resolve(repository, source)
            sql = "INSERT INTO branches VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
            if not self.execute(sql, repository, branch_id, found.id, unique()).rowcount:
                raise BranchExists(branch_id)

        self.transact(work)

    def get_branch(self, repository: str, branch_id: str) -> None:
        def work() -> None:
            self.branch_row(repository, branch_id, self.dialect.shared)

        self.transact(work)

    def delete_branch(self, repository: str, branch_id: str) -> None:
        def work() -> None:
            self.enter(repository)
            if branch_id == MAIN:
                raise DefaultBranch(branch_id)
            branch = self.branch_row(repository, branch_id, self.dialect.exclusive)
            self.execute("DELETE FROM staged WHERE token = ?", branch.token)
            self.execute("DELETE FROM branches WHERE repository = ? AND id = ?", repository, branch_id)

        self.transact(work)

    def set_entry(self, repository: str, branch_id: str, path: bytes, identity: bytes) -> None:
        def work() -> None:
            self.stage(self.branch_row(repository, branch_id, self.dialect.shared), path, identity)

        self.transact(work)

    def delete_entry(self, repository: str, branch_id: str, path: bytes) -> None:
        def work() -> None:
            self.stage(self.branch_row(repository, branch_id, self.dialect.shared), path, None)

        self.transact(work)

    def create_entry(self, repository: str, branch_id: str, path: bytes, identity: bytes) -> None:
        self._exchange(repository, branch_id, path, identity, None)

    def replace_entry(self, repository: str, branch_id: str, path: bytes, identity: bytes, expected: bytes) -> None:
        self._exchange(repository, branch_id, path, identity, expected)

    def get_entry(self, repository: str, branch_id: str, path: bytes) -> bytes:
        def work() -> bytes:
            found = self.found_at(self.branch_row(repository, branch_id, self.dialect.shared), path)
            if found is None:
                raise PathNotFound(path)
            return found

        return self.transact(work)

    def list_entries(self, repository: str, branch_id: str, prefix: bytes = b"") -> tuple[tuple[bytes, bytes], ...]:
        def work() -> tuple[tuple[bytes, bytes], ...]:
            branch = self.branch_row(repository, branch_id, self.dialect.shared)
            rows = self.execute("SELECT path, identity FROM staged WHERE token = ?", branch.token).fetchall()
            found = _over(self.contents_of(self.commit_of(repository, branch.commit_id)), rows)
            return tuple(sorted(entry for entry in found.items() if entry[0].startswith(prefix)))

        return self.transact(work)

    def commit(self, repository: str, branch_id: str, message: str) -> None:
        """The message is not kept."""

        def work() -> None:
            branch = self.branch_row(repository, branch_id, self.dialect.exclusive)
            head = self.commit_of(repository, branch.commit_id)
            made = self.add_commit(repository, _over(self.contents_of(head), self.staged_in(branch)), (head,))
            self.move(branch, made)
            self.execute("DELETE FROM staged WHERE token = ?", branch.token)

        self.transact(work)

    def merge(self, repository: str, destination: str, source: str, message: str) -> None:
        """The message is not kept."""

        def work() -> None:
            branch, theirs = self._clean(repository, destination, source)
            ours = self.commit_of(repository, branch.commit_id)
            base = self._base(repository, ours, theirs)
            merged = _merged(*map(self.contents_of, (base, theirs, ours)))
            self.move(branch, self.add_commit(repository, merged, (ours, theirs)))

        self.transact(work)

    def revert(self, repository: str, branch_id: str, ref: str, message: str) -> None:
        """The message is not kept."""

        def work() -> None:
            branch, undone = self._clean(repository, branch_id, ref)
            head = self.commit_of(repository, branch.commit_id)
            if not undone.parents:
                raise NoParent(undone.id)
            parent = self.commit_of(repository, undone.parents[0])
            merged = _merged(*map(self.contents_of, (undone, parent, head)))
            self.move(branch, self.add_commit(repository, merged, (head,)))

        self.transact(work)

    def reset_branch(self, repository: str, branch_id: str) -> None:
        self.reset_prefix(repository, branch_id, b"")

    def reset_prefix(self, repository: str, branch_id: str, prefix: bytes) -> None:
        def work() -> None:
            branch = self.branch_row(repository, branch_id, self.dialect.exclusive)
            for path, _ in self.staged_in(branch):
                if path.startswith(prefix):
                    self.execute("DELETE FROM staged WHERE token = ? AND path = ?", branch.token, path)

        self.transact(work)

    def reset_entry(self, repository: str, branch_id: str, path: bytes) -> None:
        def work() -> None:
            branch = self.branch_row(repository, branch_id, self.dialect.exclusive)
            self.execute("DELETE FROM staged WHERE token = ? AND path = ?", branch.token, path)

        self.transact(work)

    def _exchange(
        self, repository: str, branch_id: str, path: bytes, identity: bytes, expected: bytes | None
    ) -> None:
        def work() -> None:
            branch = self.branch_row(repository, branch_id, self.dialect.exclusive)
            if self.found_at(branch, path) != expected:
                raise PathExists(path) if expected is None else EntryChanged(path)
            self.stage(branch, path, identity)

        self.transact(work)

    def _clean(self, repository: str, branch_id: str, ref: str) -> tuple[Branch, Commit]:
        """A branch without changes, and what a ref leads to. The rows are locked in the order of their names, so that
        two merges across do not wait for each other."""
        self.enter(repository)
        if ref < branch_id:
            self.row(repository, ref, self.dialect.shared)
        branch = self.branch_row(repository, branch_id, self.dialect.exclusive)
        if self.staged_in(branch):
            raise DirtyBranch(branch_id)
        return branch, self.resolve(repository, ref)

    def _base(self, repository: str, one: Commit, other: Commit) -> Commit:
        """The common ancestor of the highest generation."""
        common = self._ancestors(repository, one).keys() & (theirs := self._ancestors(repository, other)).keys()
        highest = max(theirs[name].generation for name in common)
        best = sorted(name for name in common if theirs[name].generation == highest)
        self.ambiguous += len(best) > 1
        return theirs[best[0]]

    def _ancestors(self, repository: str, commit: Commit) -> dict[str, Commit]:
        found: dict[str, Commit] = {}
        todo = [commit]
        while todo:
            at = todo.pop()
            if at.id not in found:
                found[at.id] = at
                todo += [self.commit_of(repository, parent) for parent in at.parents]
        return found


Operation = Callable[..., object]  # type: ignore[explicit-any]  # each has its own arguments
OPERATIONS: Final[Mapping[str, Operation]] = {
    "create_repository": Lake.create_repository,
    "delete_repository": Lake.delete_repository,
    "get_repository": Lake.get_repository,
    "create_branch": Lake.create_branch,
    "get_branch": Lake.get_branch,
    "delete_branch": Lake.delete_branch,
    "set_entry": Lake.set_entry,
    "delete_entry": Lake.delete_entry,
    "create_entry": Lake.create_entry,
    "replace_entry": Lake.replace_entry,
    "get_entry": Lake.get_entry,
    "list_entries": Lake.list_entries,
    "commit": Lake.commit,
    "merge": Lake.merge,
    "revert": Lake.revert,
    "reset_branch": Lake.reset_branch,
    "reset_prefix": Lake.reset_prefix,
    "reset_entry": Lake.reset_entry,
    "list_repositories": Lake.list_repositories,
}
"""By the names of the flows. None as a result: it is done."""


def _over(contents: Contents, changes: Iterable[tuple[object, ...]]) -> Contents:
    found: dict[bytes, bytes | None] = {**contents}
    found.update(changes)  # type: ignore[arg-type]  # pairs of a path and an identity, or None
    return {path: identity for path, identity in found.items() if identity is not None}


def _merged(base: Contents, source: Contents, destination: Contents) -> Contents:
    """What the source changed since the base, over the destination. Raises Conflicts."""
    result, conflicts = dict(destination), []
    for path in sorted(base.keys() | source.keys()):
        before, after, theirs = base.get(path), source.get(path), destination.get(path)
        if after in (before, theirs):
            continue
        if theirs != before:
            conflicts.append(path)
        elif after is None:
            del result[path]
        else:
            result[path] = after
    if conflicts:
        raise Conflicts(tuple(conflicts))
    return result
