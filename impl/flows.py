"""The flows of a design, as a value: what a module of flows offers, field by field.

Each module of a design ends with ``FLOWS``, which names its flows: one that is missing is a type error there. A field
that may be None is a flow that not every design has.
"""

import inspect
from collections.abc import Callable, Coroutine, Hashable, Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar

import attrs

Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]  # flows take what they like after env


@attrs.frozen(kw_only=True)
class RepositoryFlows:
    """The life cycle of repositories, with the entities that witness it."""

    create_repository: Flow
    create_bare_repository: Flow
    delete_repository: Flow
    get_repository: Flow
    list_repositories: Flow
    create_branch: Flow
    get_branch: Flow
    delete_branch: Flow
    create_tag: Flow
    clean: Flow | None = None
    """Where deletes leave entities behind: what removes them."""


@attrs.frozen(kw_only=True)
class BranchFlows:
    """Staged entries, commits and the record of one branch. The first argument is a repository record."""

    commit: Flow
    set_entry: Flow
    set_entries: Flow
    delete_entry: Flow
    create_entry: Flow
    replace_entry: Flow
    get_entry: Flow
    list_entries: Flow
    reset_branch: Flow
    reset_entry: Flow
    reset_prefix: Flow
    create_branch: Flow
    delete_branch: Flow
    merge: Flow
    revert: Flow


@attrs.frozen(kw_only=True)
class ObjectFlows:
    """Objects on branches: what the proposals of hard delete change. The first argument is a repository record."""

    upload_object: Flow
    stage_object: Flow
    get_physical_address: Flow
    link_physical_address: Flow
    copy_object: Flow
    move_object: Flow
    delete_object: Flow
    read_object: Flow
    commit: Flow
    reset_branch: Flow
    delete_branch: Flow
    create_branch: Flow | None = None
    reset_entry: Flow | None = None
    reset_prefix: Flow | None = None
    merge: Flow | None = None
    background_job: Flow | None = None


@attrs.frozen(kw_only=True)
class RetentionFlows:
    """A run that marks and sweeps expired commits, and the operations that can use one again."""

    mark: Flow
    sweep: Flow
    create_branch: Flow
    update_branch: Flow
    create_tag: Flow
    merge: Flow
    revert: Flow
    restore_object: Flow


@attrs.frozen(kw_only=True)
class WorldFlows:
    """What can be done in a repository where everything is on. The first argument is its record, or its id."""

    upload_object: Flow
    copy_object: Flow
    move_object: Flow
    delete_object: Flow
    restore_object: Flow
    read_object: Flow
    commit: Flow
    merge: Flow
    revert: Flow
    reset_branch: Flow
    reset_entry: Flow
    reset_prefix: Flow
    create_branch: Flow
    update_branch: Flow
    delete_branch: Flow
    create_tag: Flow
    dump_refs: Flow
    restore_refs: Flow
    reap: Flow
    collect: Flow
    mark: Flow
    sweep: Flow


F = TypeVar("F", RepositoryFlows, BranchFlows, ObjectFlows, RetentionFlows, WorldFlows)


@lru_cache(maxsize=4096)
def parameters_of(flow: Flow) -> Mapping[str, inspect.Parameter]:
    """The parameters of a flow, by name. Cost: cached for recent flows."""
    return inspect.signature(flow).parameters


def options_of(flow: Flow, options: Mapping[str, Hashable]) -> dict[str, Hashable]:
    """Those of some options that a flow has: a parameter of that name, whose default, where it is a value of a class of
    ours (a reading) and not None, is of the same class."""
    parameters = parameters_of(flow)

    def fits(name: str, value: object) -> bool:
        default = parameters[name].default
        # The flows of a design may include one of another design, whose ``reading`` is of another class.
        plain = default is None or not (attrs.has(type(value)) or attrs.has(type(default)))
        return plain or type(value) is type(default)

    return {name: value for name, value in sorted(options.items()) if name in parameters and fits(name, value)}


def bind_reading(flows: F, **options: Hashable) -> F:
    """The flows in one reading: each with those of the options that it has, see `options_of`.

    Raises:
        ValueError: no flow has the option.
    """
    found: dict[str, Flow | None] = attrs.asdict(flows, recurse=False)
    changed: dict[str, Flow] = {}
    taken: set[str] = set()
    for name, flow in found.items():
        if flow is not None and (known := options_of(flow, options)):
            changed[name] = partial(flow, **known)
            taken |= known.keys()
    if unknown := options.keys() - taken:  # a misspelt option would otherwise check the default reading
        raise ValueError(f"options {sorted(unknown)}: no flow of {type(flows).__name__} has them; leave them out")
    return attrs.evolve(flows, **changed)
