"""What each process that judges a mutant needs, and no mutant changes. Loaded once, in the process that forks them."""

from importlib import import_module
from typing import Final

MODULES: Final = (
    "lakeproof.search.search",
    "lakeproof.model.invariants.data",
    "lakeproof.model.invariants.refs",
    "lakeproof.model.invariants.repositories",
    "lakeproof.model.invariants.resets",
    "lakeproof.verify.tasks",
)

for _name in MODULES:
    import_module(_name)
