"""The catalogue: every flow of every design, with what is expected of it and why.

Each module here that does not begin with "_" and has ``ROWS`` is a part of it. A new variant is a new module.
"""

import importlib
import pkgutil
from typing import TYPE_CHECKING, Final

from lakeproof.scenario import Scenario

if TYPE_CHECKING:
    from types import ModuleType

ORDER: Final = (
    *("naive", "kv3", "step1", "step2", "hardened"),
    *("branches", "tags", "commits", "merges", "under_deletion", "dumps", "migrations"),
    *("hard_delete_today", "hard_delete_object_path", "hard_delete_reference_counter"),
    *("hard_delete_reference_tracking", "hard_delete_token_states", "hard_delete_no_copies"),
    *("hard_delete_offline", "hard_delete_online", "retention"),
    *("upstream_repositories", "upstream_branches", "upstream_refs", "upstream_designs"),
    *("upstream_tasks", "upstream_collecting"),
)
"""How tables show the designs. A module that is not named here comes last."""

LANGUAGE: Final = ("designs", "races")
"""What the modules of the catalogue are written in."""


def modules() -> "tuple[ModuleType, ...]":
    """The modules of the catalogue, in order.

    Raises:
        RaceError: one of them cannot be a part of it; the message begins with its file.
    """
    from lakeproof.scenarios.races import RaceError

    found = [each.name for each in pkgutil.iter_modules(__path__)]
    names = [name for name in found if not name.startswith("_") and name not in LANGUAGE]
    loaded = []
    for name in sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
        try:
            module = importlib.import_module(f"{__name__}.{name}")
        except (RaceError, TypeError) as error:
            raise RaceError(f"lakeproof/scenarios/{name}.py: {error}") from error
        for value in ("ROWS", "SCENARIOS"):
            if not hasattr(module, value):
                raise RaceError(f"lakeproof/scenarios/{name}.py: no {value}; add ROWS = [...], SCENARIOS = built(ROWS)")
        loaded.append(module)
    return tuple(loaded)


def catalogue() -> tuple[Scenario, ...]:
    """All scenarios, in order of design and variant; the deep ones too."""
    return tuple(scenario for module in modules() for scenario in module.SCENARIOS)
