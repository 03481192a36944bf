"""What operations on objects answer and leave behind when no other call overlaps them: their sequential specification.

A branch shows its staged changes over those of its head. An upload, a link, a stage, a copy stages an object at a path;
a move stages it elsewhere and deletes the old entry; a commit makes what is staged committed; a reset forgets it; a
background job changes nothing that can be seen. A call on an empty path answers `PathNotFound`, one on an absent branch
`BranchNotFound`. No other error is right for a call that is alone: no "busy", no "locked". The entry that an operation
returns is the one that it has staged.

A call whose answer is indefinite, or whose client crashed, has taken place wholly, not at all, or up to one of its
steps. A definite error says that nothing has happened.

Example: the *worlds* that a move of x to y goes through. If it was acknowledged, the store must show the last one; if
its client crashed, any of the three.

>>> shown = BranchState().with_changes((b"x", Brought(b"1")))
>>> moved = _course((("main", shown),), calls.arguments_by_role("move_object", ("r", "main", b"x", b"y")), Terms())
>>> for world in moved.worlds:
...     print({path: what.content for path, what in dict(world)["main"].contents.items()})
{b'x': b'1'}
{b'x': b'1', b'y': b'1'}
{b'y': b'1'}

Source: hard-delete-uncommitted-data.md, "Goals", and the lakeFS
API; the "data" rows in docs/reference/invariants.md.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Final, Literal

import attrs

from lakeproof.model import calls
from lakeproof.model.branch import BranchState
from lakeproof.model.calls import CallArguments, Role
from lakeproof.model.catalog import ObjectEntry, physical_address
from lakeproof.model.errors import BranchNotFound, PathNotFound
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants._base import Finding, Monitor, Reached, Violation
from lakeproof.model.objects import etag
from lakeproof.model.records import Repository
from lakeproof.model.references import Reference, RepositoryView, repositories
from lakeproof.model.snapshot import CallView, Event, Invoked, Snapshot, Status

ID: Final = "object-call-is-as-specified"

Error = type[Exception]


@attrs.frozen(cache_hash=True)
class Brought:
    """An object as it was staged: its content, and where it lies, where an answer shows it."""

    content: bytes
    address: str = ""  # physical


Shown = BranchState[Brought]
"""What a branch has committed, and what is staged over it."""
World = tuple[tuple[BranchID, Shown], ...]
"""The branches, by name."""


@attrs.frozen(kw_only=True, cache_hash=True)
class Terms:
    """What a design refuses on principle, and what its user must expect."""

    stages: Literal["anything", "its own path", "what is outside"] = "anything"
    """Which physical addresses may be staged: any; inside the namespace only those that were made for the path; or only
    those outside of the namespace."""
    refusal: Error | None = None
    """What the answer is where an address may not be staged."""
    copies_in: bool = False
    """Whether an object that is staged is copied to an address of its own."""
    faults: bool = False
    """Whether the store may fail: then a definite error needs no reason."""


@attrs.frozen(cache_hash=True)
class _Progress:
    """What may be shown now, and the call under way."""

    worlds: frozenset[World]
    under_way: tuple[int, int, str, calls.Args] | None = None
    judged: bool = True
    """No calls have overlapped so far, and none has shown a grant or restored a path of a commit, whose fate
    is not known here: later calls are not judged."""


@attrs.frozen
class _Course:
    """What a call does in one world: the worlds that it goes through, and its answer."""

    worlds: tuple[World, ...]
    error: Error | None = None
    result: Brought | bytes | None = None
    """What it returns: a content; the entry of this object; None: anything."""


def _with(world: World, branch_id: BranchID, shown: Shown) -> World:
    return tuple(sorted({**dict(world), branch_id: shown}.items(), key=lambda each: each[0]))


_STAGING: Final = frozenset(
    {calls.UPLOAD_OBJECT, calls.UPLOAD_AND_LINK, calls.STAGE_OBJECT, calls.STAGE_AGAIN, calls.COPY_OBJECT}
)
_FROM_A_PATH: Final = frozenset({calls.STAGE_AGAIN, calls.COPY_OBJECT, calls.MOVE_OBJECT})
_OF_A_PATH: Final = frozenset({calls.READ_OBJECT, calls.DELETE_OBJECT})


def _course(world: World, arguments: CallArguments, terms: Terms) -> _Course:
    """What a call does, by its sequential specification; one that is not of this module changes nothing."""
    branches, name = dict(world), BranchID(arguments.branch_id)
    if arguments.kind is None or Role.BRANCH not in arguments.kind.roles:
        return _Course((world,))
    if arguments.kind is calls.CREATE_BRANCH:
        source = branches.get(BranchID(str(arguments[Role.TARGET])))
        # A branch begins at the commits of its source: what is staged there stays there.
        return _Course((world,) if source is None else (world, _with(world, name, BranchState(source.committed))))
    # Only a copy names a branch for its source; the others stay within one.
    source_id = name if arguments[Role.SOURCE_BRANCH] is None else BranchID(str(arguments[Role.SOURCE_BRANCH]))
    # In the order of the flow's reads: source branch, source path, destination. The first failure is the error.
    for needed in (source_id, name) if arguments.kind in _FROM_A_PATH else (name,):
        if needed not in branches:
            return _Course((world,), BranchNotFound)
        from_a_path = needed == source_id and arguments.kind in _FROM_A_PATH
        if from_a_path and arguments.data(Role.SOURCE_PATH) not in branches[needed].contents:
            return _Course((world,), PathNotFound)
    if arguments.kind in _OF_A_PATH and arguments.data(Role.PATH) not in branches[name].contents:
        return _Course((world,), PathNotFound)
    return _on(world, arguments, terms, branches[source_id] if arguments.kind in _FROM_A_PATH else branches[name])


def _on(world: World, arguments: CallArguments, terms: Terms, source: Shown) -> _Course:
    """The same, of a call on a branch that is there, and of a path that shows something."""
    name, kind = BranchID(arguments.branch_id), arguments.kind
    shown = dict(world)[name]
    if kind in _STAGING:
        what = _object(arguments, source)
        if not _may_stage(arguments, what, terms):
            return _Course((world,), terms.refusal)
        what = Brought(what.content) if terms.copies_in else what  # its address is the design's to choose
        return _Course((world, _with(world, name, shown.with_changes((arguments.data(Role.PATH), what)))), result=what)
    if kind is calls.MOVE_OBJECT:
        old = source.contents[arguments.data(Role.SOURCE_PATH)]
        copied = shown.with_changes((arguments.data(Role.PATH), Brought(old.content)))
        moved = copied.with_changes((arguments.data(Role.SOURCE_PATH), None))
        # Copy first: a crash between the two steps leaves the object at both paths, and never at none.
        return _Course((world, _with(world, name, copied), _with(world, name, moved)), result=Brought(old.content))
    if kind is calls.READ_OBJECT:
        return _Course((world,), result=shown.contents[arguments.data(Role.PATH)].content)
    if kind is calls.DELETE_OBJECT:
        return _Course((world, _with(world, name, shown.with_changes((arguments.data(Role.PATH), None)))))
    if kind is calls.COMMIT:
        return _Course((world, _with(world, name, shown.after_commit())))
    if kind is calls.DELETE_BRANCH:
        return _Course((world, tuple(each for each in world if each[0] != name)))
    return _Course(tuple(_with(world, name, each) for each in _resets(shown, arguments)))


def _resets(shown: Shown, arguments: CallArguments) -> Iterator[Shown]:
    """What a branch shows while some of what is staged is forgotten, path by path or at once."""
    yield shown
    if arguments.kind is calls.RESET_BRANCH:
        yield shown.without_changes(b"")
    elif arguments.kind is calls.RESET_ENTRY:
        yield shown.without_changes(arguments.data(Role.PATH), exact=True)
    elif arguments.kind is calls.RESET_PREFIX:
        # Path by path, in the order of a scan.
        for path in sorted(path for path, _ in shown.staged if path.startswith(arguments.data(Role.PREFIX))):
            shown = shown.without_changes(path, exact=True)
            yield shown


def _object(arguments: CallArguments, source: Shown) -> Brought:
    """The object that a call stages; where it does not say yet where, no address."""
    if arguments.kind is calls.STAGE_OBJECT:
        return Brought(arguments.data(Role.VALUE), str(arguments[Role.ADDRESS]))
    if arguments.kind in _FROM_A_PATH:
        found = source.contents[arguments.data(Role.SOURCE_PATH)]
        # Whether a copy shares the object of its source is the design's to choose.
        return found if arguments.kind is calls.STAGE_AGAIN else Brought(found.content)
    return Brought(arguments.data(Role.VALUE))


def _may_stage(arguments: CallArguments, what: Brought, terms: Terms) -> bool:
    if arguments.kind not in (calls.STAGE_OBJECT, calls.STAGE_AGAIN) or terms.stages == "anything":
        return True
    repository = arguments[Role.REPOSITORY]
    assert isinstance(repository, Repository)
    inside = not what.address or what.address.startswith(f"{repository.storage_namespace}/")
    own = arguments.kind is calls.STAGE_AGAIN and arguments[Role.PATH] == arguments[Role.SOURCE_PATH]
    return not inside or (own and terms.stages == "its own path")


def _advance(terms: Terms, state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Progress)
    if not state.judged:
        return state, ()
    if isinstance(event, Invoked):
        call = (event.client, event.index, event.name, event.args)
        # The content that a grant or an old commit brings is not among the arguments.
        known = event.kind not in (calls.LINK_PHYSICAL_ADDRESS, calls.RESTORE_OBJECT)
        # A crashed call stays under way, and ends the judgement.
        return attrs.evolve(state, under_way=call, judged=known and state.under_way is None), ()
    return _on_return(terms, state, event.call)


def _on_return(terms: Terms, state: _Progress, view: CallView) -> tuple[_Progress, tuple[Finding, ...]]:
    courses = [_course(world, view.arguments, terms) for world in state.worlds]
    if view.status is Status.INFO:
        # It may have stopped after any of its steps: several worlds are possible from here on.
        return _Progress(frozenset(world for course in courses for world in course.worlds)), ()
    # A store that refuses an effect makes the flow fail without a reason in its specification.
    if view.status is Status.FAIL and terms.faults and all(course.error is None for course in courses):
        return _Progress(state.worlds), ()
    # The answer rules out worlds: a read after a call in doubt says whether that has happened.
    after = frozenset(found for course in courses if (found := _world_after(course, view)) is not None)
    if after:
        return _Progress(after), (Reached(f"{view.name} answered as it should"),)
    answer = repr(view.error) if view.error is not None else repr(view.value)
    due = " or ".join(sorted({_due(course) for course in courses}))
    shown = ", ".join(repr(each) for each in view.args if not isinstance(each, Repository))
    evidence = f"{view.name}({shown}) answered {answer} and no other client was at work; expected {due}"
    return state, (Violation(ID, evidence),)


def _due(course: _Course) -> str:
    if course.error is not None:
        return repr(course.error())
    return "an acknowledgement" if course.result is None else repr(course.result)


def _world_after(course: _Course, view: CallView) -> World | None:
    """The world after a call that has answered so; None: it should not have."""
    if view.status is Status.FAIL or course.error is not None:
        return course.worlds[0] if type(view.error) is course.error else None  # an error changes nothing
    due = course.result
    if isinstance(due, bytes):
        return course.worlds[-1] if view.value == due else None
    if due is None:
        return course.worlds[-1]
    entry, repository = view.value, view.arguments[Role.REPOSITORY]
    if not isinstance(entry, ObjectEntry) or not isinstance(repository, Repository):
        return None
    if (entry.e_tag, entry.size_bytes) != (etag(due.content), len(due.content)):
        return None
    address = physical_address(repository.storage_namespace, entry)
    # `stage_object` must take the address that it was given; what another call returns says where the object lies.
    if due.address and due.address != address and view.kind is calls.STAGE_OBJECT:
        return None
    return _staged_at(course.worlds[-1], view.arguments, Brought(due.content, address))


def _staged_at(world: World, arguments: CallArguments, what: Brought) -> World:
    name = BranchID(arguments.branch_id)
    return _with(world, name, dict(world)[name].with_changes((arguments.data(Role.PATH), what)))


def _at_end(terms: Terms, state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, _Progress)
    if not state.judged:
        return
    worlds = state.worlds
    # Its client crashed: each of its steps may have been the last one.
    if state.under_way is not None:
        arguments = calls.arguments_by_role(*state.under_way[2:])
        worlds = frozenset(each for world in worlds for each in _course(world, arguments, terms).worlds)
    for view in repositories(snapshot):
        differences = {_difference(world, view, snapshot) for world in worlds}
        if "" in differences:
            yield Reached("all branches show what they should")
        else:
            yield Violation(ID, f"in the end, {min(differences)}")


def _difference(world: World, view: RepositoryView, snapshot: Snapshot) -> str:
    """What the store does not show as it should; empty: all is as it should be."""
    if set(view.branches) != set(dict(world)):
        return f"there are branches {sorted(view.branches)}; expected {sorted(dict(world))}"
    for branch_id, shown in world:
        committed = {each.path: each for each in view.committed(view.branches[branch_id].commit_id) or ()}
        for part, due, found in (
            ("shows", shown.contents, view.visible(branch_id)),
            # Both views: what is still staged would hide a commit that took too much or too little.
            ("has committed", dict(shown.committed), committed),
        ):
            if set(found) != set(due):
                return f"branch {branch_id} {part} {sorted(found)}; expected {sorted(due)}"
            for path, what in due.items():
                if wrong := _mismatch(what, found[path], snapshot):
                    return f"{path!r}, which branch {branch_id} {part}, {wrong}"
    return ""


def _mismatch(due: Brought, found: Reference, snapshot: Snapshot) -> str:
    if due.address and found.address != due.address:
        return f"lies at {found.address}; expected {due.address}"
    if (found.entry.e_tag, found.entry.size_bytes) != (etag(due.content), len(due.content)):
        return f"has ETag {found.entry.e_tag[:8]} and {found.entry.size_bytes} bytes; expected those of {due.content!r}"
    there = snapshot.objects.get(found.address)  # the entry alone would not show that its object is gone
    if there is None or there.content != due.content:
        return f"is at {found.address}, where {None if there is None else there.content!r} is; expected {due.content!r}"
    return ""


def object_call_is_as_specified(
    terms: Terms, branches: Iterable[BranchID], before: Iterable[CallArguments] = ()
) -> Monitor:
    """The monitor of calls on objects that do not overlap. Where two overlap, neither they are judged nor any later
    call.

    branches: those that there are at first, all empty. before: calls on them that have succeeded, one after the other.
    """
    world: World = tuple(sorted((each, BranchState()) for each in branches))
    for arguments in before:
        world = _course(world, arguments, terms).worlds[-1]
    initial = _Progress(frozenset({world}))
    return Monitor(
        id=ID,
        meaning="an operation on objects that no other overlaps answers, and leaves behind, what its sequential "
        "specification says",
        initial=initial,
        advance=lambda state, event: _advance(terms, state, event),
        at_end=lambda state, snapshot: _at_end(terms, state, snapshot),
    )
