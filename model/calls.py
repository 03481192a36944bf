"""The calls that specifications and invariants know: their names, and what each of their arguments is.

A call is named after its flow, and its arguments are those of the flow after ``env``. Nothing else compares names or
counts positions: `SET_ENTRY` is a value, and so is a `Role`. A test holds the table to the flows: a name that no flow
has, or an argument in another place, is an error.

Example: ``set_entry(repository, "main", b"x", b"1")`` has the kind ``SET_ENTRY`` and the ``PATH`` ``b"x"``.
"""

from collections.abc import Hashable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

import attrs

Args = tuple[Hashable, ...]


class Role(Enum):
    """What an argument is. The value: the names that flows give to it."""

    REPOSITORY = ("repository", "repository_id")
    BRANCH = ("branch_id", "destination")
    TAG = ("tag_id",)
    PATH = ("path",)
    VALUE = ("identity", "content")
    """What a path is given: an identity, or a content that stands for one."""
    EXPECTED = ("expected",)
    ENTRIES = ("entries",)
    """Several (path, identity)."""
    PREFIX = ("prefix",)
    SOURCE_BRANCH = ("source_branch_id",)
    SOURCE_PATH = ("source_path",)
    ADDRESS = ("address",)
    GRANT = ("grant",)
    """An address that was issued, and what allows its holder to link it."""
    TARGET = ("source", "target", "ref")
    """A branch, a tag or a commit."""
    MESSAGE = ("message",)
    PULL = ("pull_id",)
    TITLE = ("title",)


@attrs.frozen(cache_hash=True)
class Kind:
    """A call of some name."""

    name: str
    roles: tuple[Role, ...] = ()


class UnknownCall(ValueError):
    """No flow has this name."""


def _on_branch(name: str, *roles: Role) -> Kind:
    return Kind(name, (Role.REPOSITORY, Role.BRANCH, *roles))


SET_ENTRY: Final = _on_branch("set_entry", Role.PATH, Role.VALUE)
CREATE_ENTRY: Final = _on_branch("create_entry", Role.PATH, Role.VALUE)
REPLACE_ENTRY: Final = _on_branch("replace_entry", Role.PATH, Role.VALUE, Role.EXPECTED)
SET_ENTRIES: Final = _on_branch("set_entries", Role.ENTRIES)
DELETE_ENTRY: Final = _on_branch("delete_entry", Role.PATH)
GET_ENTRY: Final = _on_branch("get_entry", Role.PATH)
LIST_ENTRIES: Final = _on_branch("list_entries", Role.PREFIX)
UPDATE_USER_METADATA: Final = _on_branch("update_user_metadata", Role.PATH)

UPLOAD_OBJECT: Final = _on_branch("upload_object", Role.PATH, Role.VALUE)
UPLOAD_AND_LINK: Final = _on_branch("upload_and_link", Role.PATH, Role.VALUE)
LINK_PHYSICAL_ADDRESS: Final = _on_branch("link_physical_address", Role.PATH, Role.GRANT, Role.VALUE)
STAGE_OBJECT: Final = _on_branch("stage_object", Role.PATH, Role.ADDRESS, Role.VALUE)
STAGE_AGAIN: Final = _on_branch("stage_again", Role.PATH, Role.SOURCE_PATH)
COPY_OBJECT: Final = _on_branch("copy_object", Role.PATH, Role.SOURCE_BRANCH, Role.SOURCE_PATH)
RESTORE_OBJECT: Final = _on_branch("restore_object", Role.PATH, Role.TARGET)
MOVE_OBJECT: Final = _on_branch("move_object", Role.SOURCE_PATH, Role.PATH)
DELETE_OBJECT: Final = _on_branch("delete_object", Role.PATH)
READ_OBJECT: Final = _on_branch("read_object", Role.PATH)

BACKGROUND_JOB: Final = Kind("background_job", (Role.REPOSITORY,))
MARK: Final = Kind("mark", (Role.REPOSITORY,))
SWEEP: Final = Kind("sweep", (Role.REPOSITORY,))

COMMIT: Final = _on_branch("commit", Role.MESSAGE)
MERGE: Final = _on_branch("merge", Role.TARGET, Role.MESSAGE)
REVERT: Final = _on_branch("revert", Role.TARGET, Role.MESSAGE)
RESET_BRANCH: Final = _on_branch("reset_branch")
RESET_PREFIX: Final = _on_branch("reset_prefix", Role.PREFIX)
RESET_ENTRY: Final = _on_branch("reset_entry", Role.PATH)

CREATE_BRANCH: Final = _on_branch("create_branch", Role.TARGET)
GET_BRANCH: Final = _on_branch("get_branch")
UPDATE_BRANCH: Final = _on_branch("update_branch", Role.TARGET)
DELETE_BRANCH: Final = _on_branch("delete_branch")
DELETE_BRANCH_BY_TOMBSTONE: Final = _on_branch("delete_branch_by_tombstone")

CREATE_TAG: Final = Kind("create_tag", (Role.REPOSITORY, Role.TAG, Role.TARGET))
GET_TAG: Final = Kind("get_tag", (Role.REPOSITORY, Role.TAG))
UPDATE_TAG: Final = Kind("update_tag", (Role.REPOSITORY, Role.TAG, Role.TARGET))
DELETE_TAG: Final = Kind("delete_tag", (Role.REPOSITORY, Role.TAG))

GET_PULL: Final = Kind("get_pull", (Role.REPOSITORY, Role.PULL))
EDIT_PULL: Final = Kind("edit_pull", (Role.REPOSITORY, Role.PULL, Role.TITLE))
CLOSE_PULL: Final = Kind("close_pull", (Role.REPOSITORY, Role.PULL))
MERGE_PULL: Final = Kind("merge_pull", (Role.REPOSITORY, Role.PULL, Role.MESSAGE))

DUMP_REFS: Final = Kind("dump_refs", (Role.REPOSITORY,))
RESTORE_REFS: Final = Kind("restore_refs", (Role.REPOSITORY,))

CREATE_REPOSITORY: Final = Kind("create_repository", (Role.REPOSITORY,))
CREATE_BARE_REPOSITORY: Final = Kind("create_bare_repository", (Role.REPOSITORY,))
GET_REPOSITORY: Final = Kind("get_repository", (Role.REPOSITORY,))
DELETE_REPOSITORY: Final = Kind("delete_repository", (Role.REPOSITORY,))
LIST_REPOSITORIES: Final = Kind("list_repositories")
CLEAN: Final = Kind("clean")

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {value.name: value for value in tuple(globals().values()) if isinstance(value, Kind)}
)
"""All of the above, by name."""


def kind_of(name: str) -> Kind | None:
    """The kind of a call; None for a flow that no specification and no invariant knows."""
    return KINDS.get(name)


def kind_named(name: str) -> Kind:
    """The kind of this name. Raises UnknownCall."""
    if name not in KINDS:
        raise UnknownCall(f"{name!r}: no flow has this name; expected one of {', '.join(sorted(KINDS))}")
    return KINDS[name]


@attrs.frozen
class CallArguments:
    """A call and its arguments, by role."""

    kind: Kind | None
    args: Args

    def __getitem__(self, role: Role) -> Hashable:
        """The argument of this role; None where the call has none, or was made without it."""
        # Not strict: a call may leave out arguments with defaults, and a scenario's own flow may have more.
        roles = () if self.kind is None else self.kind.roles
        return dict(zip(roles, self.args, strict=False)).get(role)

    def data(self, role: Role, default: bytes | None = None) -> bytes:
        """A path, a prefix, an identity or a content. default: where the argument may be left out."""
        found = default if self[role] is None else self[role]
        assert isinstance(found, bytes), f"{found!r}: expected a path, a prefix or an identity"
        return found

    @property
    def branch_id(self) -> str:
        """The branch; "" where the call has none."""
        found = self[Role.BRANCH]
        return "" if found is None else str(found)


def arguments_by_role(name: str, args: Args) -> CallArguments:
    """What a call of this name says by its arguments."""
    return CallArguments(kind_of(name), args)
