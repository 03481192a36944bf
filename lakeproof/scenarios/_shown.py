"""How a stated row shows what is in the store: keys, records and answers, by names that are the same in each run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl import codec
from lakeproof.impl.catalog.objects import Grant
from lakeproof.model import keys, objects
from lakeproof.model.catalog import DATA_PREFIX, AddressType, ObjectEntry, decode_object_entry
from lakeproof.model.committed import Entry
from lakeproof.model.records import Branch, CleanupRecord, Commit, Repository, StagedEntry, Tag

_TIME: Final = re.compile(r"\d{16}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_RECORD: Final = re.compile(r"(?<=\")[0-9a-f]{40,}(?=\")")
_LAKEFS: Final = "mem://r/_lakefs/"
_OF_BRANCH_B: Final = "r-b:"  # what its tokens begin with: left out of addresses, for they are many
_ETAG: Final = re.compile(rb"[0-9a-f]{32}")
SECOND: Final = 1_000_000
Store = Mapping[tuple[bytes, bytes], bytes]


def _plain(content: bytes) -> str:
    """What can be printed of it, on one line."""
    lines = content.decode(errors="replace").split("\n")
    return " ".join("".join(each for each in line if each.isprintable()).strip() for line in lines).strip()


@attrs.define
class Names:
    """Names of what a row has met. ``now``: the clock, as it was read last."""

    now: int = 0
    _commits: dict[str, str] = attrs.field(factory=dict)
    _metaranges: dict[str, str] = attrs.field(factory=dict)
    _parts: dict[str, str] = attrs.field(factory=dict)

    def text(self, text: str) -> str:
        """With a commit as ``c1``, a time as a difference from the clock, a record within a record by that word."""
        named = _HASH.sub(lambda found: self._commit(found[0]), _RECORD.sub("record", text))
        return _TIME.sub(lambda found: self._time(int(found[0])), named)

    def _commit(self, commit_id: str) -> str:
        if not _HASH.fullmatch(commit_id):
            return commit_id or "none"
        return self._commits.setdefault(commit_id, f"c{len(self._commits) + 1}")

    def _metarange(self, metarange_id: str) -> str:
        return self._metaranges.setdefault(metarange_id, f"m{len(self._metaranges) + 1}")

    def panic(self, text: str) -> str:
        """The message of a panic, with the beginning of a commit's id as ``c...``."""
        return "panic: " + re.sub(r"\b[0-9a-f]{8}\b", "c...", text)

    def _time(self, moment: int) -> str:
        seconds, rest = divmod(moment - self.now, SECOND)
        return f"{moment - self.now:+}us" if rest else f"{seconds:+}s"

    def key(self, partition: bytes, key: bytes) -> str:
        """What a key is of: an entry, a branch, a change under a token. Where a page begins: what it is past."""
        if key.endswith(b"\0"):
            return f"past {self.key(partition, key[:-1])}"
        if partition == keys.GRAVELER and key.startswith(keys.REPOSITORIES_PREFIX):
            return f"entry {key.removeprefix(keys.REPOSITORIES_PREFIX).decode()}".rstrip()
        if partition == keys.DELETED:
            return f"record {key.removeprefix(keys.CLEANUP_PREFIX).decode()}".rstrip()
        for prefix, kind in _KINDS.items():
            if key.startswith(prefix) and kind == "staged":
                return f"{self.text(partition.decode()).rpartition(':')[2]}/{key.removeprefix(prefix).decode()}"
            if key.startswith(prefix):
                return f"{kind} {self.text(key.removeprefix(prefix).decode())}".rstrip()
        return self.text(key.decode()) or self.text(partition.decode())

    def address(self, address: str) -> str:
        """An object of data, a part of a dump, or a mark; empty for what a commit writes of itself."""
        if f"/{DATA_PREFIX}" in address:
            return self.text(address.rpartition("/data")[2].lstrip("/") or "data").replace(_OF_BRANCH_B, "")
        if address.startswith(f"{_LAKEFS}refs/"):
            return self._parts.setdefault(address, f"p{len(self._parts) + 1}")
        if address.startswith(f"{_LAKEFS}retention/"):
            return self.text(address.removeprefix(f"{_LAKEFS}retention/"))
        return "" if address.startswith(_LAKEFS) else address

    def object_effect(self, op: objects.Op) -> str:
        """An effect on the object store, with its condition; empty for one that is not shown."""
        match op:
            case objects.ListObjects(prefix):
                return f"list {self.address(prefix)}" if self.address(prefix) else ""
            case objects.Copy(source, destination):
                shown = f"copy {self.address(source)} to {self.address(destination)}"
            case _:
                shown = f"{_OBJECT_OPS[type(op)]} {self.address(op.address)}" if self.address(op.address) else ""
        conditions = [name for name in _CONDITIONS if getattr(op, name, None) not in (None, False)]
        until = getattr(op, "not_after", None)
        late = [] if until is None else [f"until {self._time(until)}"]
        return " ".join((shown, *conditions, *late)) if shown else ""

    def stored(self, address: str, content: bytes, metadata: objects.Metadata) -> str:
        """What an object holds; of a part of a dump only its first line."""
        if address in self._parts:
            return _plain(content.split(b"\n")[0])
        return " ".join((self.text(_plain(content)), *(f"{name}={said}" for name, said in metadata))) or "nothing"

    def answer(self, found: object) -> str:
        """What a call returns."""
        match found:
            case None:
                return "done"
            case bool() | int():
                return str(found)
            case str():
                return self.text(found)
            case bytes():
                return found.decode()
            case Repository():
                return f"{found.repository_id} {self._repository(found)}"
            case Branch():
                return f"{found.branch_id} {self._branch(found)}"
            case Commit():
                return f"{self._commit(found.commit_id)} {self._record(found)}"
            case Tag():
                return f"{found.tag_id} {self._commit(found.commit_id)}"
            case Entry() | StagedEntry():
                path = found.path if isinstance(found, Entry) else found.key
                return f"{path.decode()}={self._change(found)}"
            case ObjectEntry():
                return self._object(found)
            case Grant():
                expires = "" if found.expires == 0 else f" until {self._time(found.expires)}"
                return f"grant of {self.address(found.address)} {found.token}".rstrip() + expires
            case frozenset():
                return "{" + ", ".join(sorted(self.answer(each) for each in found)) + "}"
            case tuple() | list():
                return "(" + ", ".join(self.answer(each) for each in found) + ")"
            case _:
                return self.text(str(found))

    def _change(self, found: Entry | StagedEntry) -> str:
        if found.data is None:
            return "gone"
        if _ETAG.fullmatch(found.identity):  # of the catalog, see `identity_of`
            return self._object(decode_object_entry(found.data))
        data = f":{found.data.decode(errors='replace')}" if found.data else ""
        return (found.identity.decode(errors="replace") or "nothing") + data

    def _object(self, found: ObjectEntry) -> str:
        where = self.text(found.address.removeprefix(DATA_PREFIX)).replace(_OF_BRANCH_B, "")
        whole = " in full" if found.address_type is AddressType.FULL else ""
        modified = f" {self._time(found.last_modified)}" if found.last_modified else ""
        marks = "".join(f" {name}={self.text(said)}" for name, said in found.metadata)
        return f"{where}{whole} {found.size_bytes}B{modified}{marks}"

    def _repository(self, found: Repository) -> str:
        age = "" if found.creation_date == self.now else f" {self._time(found.creation_date)}"
        return f"{found.state.name.lower()} {found.instance_uid}{' bare' if found.bare else ''}{age}"

    def _branch(self, found: Branch) -> str:
        tokens = " ".join(token.rpartition(":")[2] for token in found.tokens)
        hidden = " hidden" if found.hidden else ""
        return f"{self._commit(found.commit_id)}{hidden} {_HASH.sub(lambda named: self._metarange(named[0]), tokens)}"

    def _record(self, found: Commit) -> str:
        parents = ", ".join(self._commit(parent) for parent in found.parents)
        age = "" if found.creation_date == self.now else f" {self._time(found.creation_date)}"
        return f"of {parents or 'none'} {found.message!r}{age}"

    def _value(self, partition: bytes, key: bytes, value: bytes) -> str:
        if partition == keys.GRAVELER and key.startswith(keys.REPOSITORIES_PREFIX):
            return self._repository(codec.decode_repository(value))
        if partition == keys.DELETED:
            record: CleanupRecord = codec.decode_cleanup_record(value)
            return f"{record.repository_id}/{record.instance_uid}"
        if key.startswith(keys.BRANCHES_PREFIX):
            return self._branch(codec.decode_branch(value))
        if key.startswith(keys.COMMITS_PREFIX):
            return self._record(codec.decode_commit(value))
        if key.startswith(keys.TAGS_PREFIX):
            return self._commit(codec.decode_tag(value).commit_id)
        if key.startswith(keys.STAGED_PREFIX):
            return self._change(codec.decode_staged_entry(value))
        return self.text(_plain(value)) or "nothing"

    def changes(self, old: Store, new: Store) -> Iterator[str]:
        """What was added (+), changed (~) and removed (-)."""
        places: Sequence[tuple[bytes, bytes]] = sorted({*old, *new})
        for place in places:
            if place not in new:
                yield f"-{self.key(*place)}"
            elif old.get(place) != new[place]:
                yield f"{'~' if place in old else '+'}{self.key(*place)} = {self._value(*place, new[place])}"


_KINDS: Final[Mapping[bytes, str]] = {
    keys.BRANCHES_PREFIX: "branch",
    keys.COMMITS_PREFIX: "commit",
    keys.TAGS_PREFIX: "tag",
    keys.STAGED_PREFIX: "staged",
}
_OBJECT_OPS: Final[Mapping[type[object], str]] = {
    objects.Put: "put",
    objects.GetObject: "get",
    objects.HeadObject: "head",
    objects.SetMetadata: "set_metadata",
    objects.DeleteObject: "delete",
}
_CONDITIONS: Final = ("if_absent", "if_match", "if_metageneration", "if_version")


def object_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """Objects that were added, changed and removed."""
    for name in sorted({*old, *new}):
        if name not in new:
            yield f"-object {name}"
        elif old.get(name) != new[name]:
            yield f"{'~' if name in old else '+'}object {name} = {new[name]}"
