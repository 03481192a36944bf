"""The catalogue: every flow of every design, with what is expected of it and why.

Each module here that does not begin with "_" and has ``ROWS`` is a part of it. A new variant is a new module.
"""

import importlib
import pkgutil
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from lakeproof.scenario import Scenario

if TYPE_CHECKING:
    from types import ModuleType

BEGINNINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "naive": ("repositories/naive/",),
    "kv3": ("repositories/kv3",),
    "step1": ("repositories/step1",),
    "step2": ("repositories/step2",),
    "hardened": ("repositories/hardened",),
    "branches": ("branches/",),
    "tags": ("tags/",),
    "commits": ("commits/",),
    "merges": ("merges/",),
    "under_deletion": ("under-deletion/",),
    "dumps": ("dumps/",),
    "migrations": ("migrations/",),
    "hard_delete_today": ("hard-delete/today/",),
    "hard_delete_object_path": ("hard-delete/object_path",),
    "hard_delete_reference_counter": ("hard-delete/reference_counter",),
    "hard_delete_reference_tracking": ("hard-delete/reference_tracking",),
    "hard_delete_token_states": ("hard-delete/token_states",),
    "hard_delete_no_copies": ("hard-delete/no_copies",),
    "hard_delete_offline": ("hard-delete/offline",),
    "hard_delete_online": ("hard-delete/online",),
    "retention": ("retention/",),
    # Several modules below name scenarios of variants above: a pattern for one of those loads them, too.
    "alone": ("repositories/",),
    "branches_alone": ("alone/",),
    "deleted_data": ("deleted-data/",),
    "dropping": ("commits/",),
    "hard_delete_alone": ("hard-delete/",),
    "hard_delete_circumstances": ("hard-delete/",),
    "hard_delete_pairs": ("hard-delete/",),
    "hard_delete_readers": ("hard-delete/",),
    "hard_delete_resets": ("hard-delete/",),
    "identifiers": ("repositories/",),
    "listings": ("commits/",),
    "locks": ("commits/", "locks/"),
    "met": ("met/",),
    "refs_alone": ("refs/",),
    "repositories_pairs": ("repositories/",),
    "restores": ("restores/",),
    "retention_heads": ("retention/",),
    "retention_pairs": ("retention/",),
    "world": ("world/",),
}
"""How the names of a module's scenarios begin, in the order in which tables show the modules: a pattern loads those
that it can name. A module that is not here is always loaded, and comes last. `modules` refuses a name that begins in
another way."""

LANGUAGE: Final = ("branch_designs", "designs", "races", "repository_designs")
"""What the modules of the catalogue are written in."""


def modules(patterns: Sequence[str] = ()) -> "tuple[ModuleType, ...]":
    """The modules of the catalogue, in order. patterns: only modules with names that one of them can match.

    Raises:
        RaceError: one of them cannot be a part of it; the message begins with its file.
    """
    found = [each.name for each in pkgutil.iter_modules(__path__)]
    names = [name for name in found if not name.startswith("_") and name not in LANGUAGE and _can_match(name, patterns)]
    order = list(BEGINNINGS)
    names.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    return tuple(map(_load_design, names))


def _can_match(module: str, patterns: Sequence[str]) -> bool:
    """Whether names of a module can be equal to a pattern, or match it as a glob."""
    if not patterns or module not in BEGINNINGS:
        return True
    for pattern in patterns:
        # What stands before the first sign of a glob: each name that it matches begins with that.
        head = re.split(r"[*?[]", pattern)[0]
        glob = head != pattern
        # A glob may end within a beginning (``repo*``), or go on after it (``repositories/kv3/d*``).
        if any(head.startswith(each) or (glob and each.startswith(head)) for each in BEGINNINGS[module]):
            return True
    return False


def _load_design(name: str) -> "ModuleType":
    from lakeproof.designs.races import RaceError

    file = f"lakeproof/designs/{name}.py"
    try:
        module = importlib.import_module(f"{__name__}.{name}")
        if not hasattr(module, "ROWS"):
            raise RaceError("no ROWS; add ROWS = [*rows(...)]")
        scenarios = scenarios_of(module)
    # TypeError: a design that lacks a field, such as ``refuted``.
    except (RaceError, TypeError) as error:
        raise RaceError(f"{file}: {error}") from error
    # A pattern for such a name would not load this module, and the name would seem not to exist. A module that is new
    # has no entry, and may use any name.
    strange = [each.name for each in scenarios if not each.name.startswith(BEGINNINGS.get(name, ("",)))]
    if strange:
        raise RaceError(f"{file}: {strange[0]!r} does not begin as BEGINNINGS of the catalogue says; add how it does")
    return module


@cache
def scenarios_of(module: "ModuleType") -> Sequence[Scenario]:
    """The scenarios of a module: ``SCENARIOS``, or those of its ``ROWS``. Raises RaceError."""
    from lakeproof.designs.designs import build_scenarios

    # SCENARIOS: the module has changed what its ROWS come to, such as which of them are deep.
    listed: Sequence[Scenario] = module.SCENARIOS if hasattr(module, "SCENARIOS") else build_scenarios(module.ROWS)
    return listed


def catalogue(patterns: Sequence[str] = ()) -> tuple[Scenario, ...]:
    """All scenarios, in order of design and variant; the deep ones too. patterns: those that one of them names; if one
    is neither a name nor a glob, all."""
    found = tuple(scenario for module in modules(patterns) for scenario in scenarios_of(module))
    names = {scenario.name for scenario in found}
    # Any other word may be a part of a name, and is looked for in all of them.
    partial = all(pattern in names or re.search(r"[*?[]", pattern) for pattern in patterns)
    return found if partial else catalogue()
