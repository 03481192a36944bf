"""How a bug is planted in a flow, and which machine has to find it."""

from types import ModuleType

import attrs
import pytest

from tests.designs.mistakes import MISTAKES, Mistake

Owner = ModuleType | type
Patch = tuple[Owner, str, object]
"""A module or a class, what is replaced there, and by what."""


@attrs.frozen(kw_only=True)
class Bug:
    """A fault that a programmer could make, and the machine that has to find it within its budget."""

    what: str
    machine: str
    patches: tuple[Patch, ...] = ()
    mistake: Mistake | None = None
    """A change of the text instead."""

    def __str__(self) -> str:
        return f"{self.machine}: {self.what}"

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for owner, name, planted in self.patches:
            monkeypatch.setattr(owner, name, planted)
        if self.mistake is not None:
            self.mistake.plant(monkeypatch)


def replacing(what: str, machine: str, *patches: Patch) -> Bug:
    """A bug in what flows call."""
    return Bug(what=what, machine=machine, patches=patches)


def changed(what: str, machine: str, module: str, before: str, after: str) -> Bug:
    """A bug in the text of a module of flows."""
    text = Mistake(f"lakeproof.impl.{module}", what, scenario="", invariant="", before=before, after=after)
    return Bug(what=what, machine=machine, mistake=text)


def mistaken(machine: str, mistake: str) -> Bug:
    """A bug that a scenario of the catalogue finds as well: one of `tests/designs/mistakes`, by its name."""
    (found,) = (each for each in MISTAKES if str(each) == mistake)
    return Bug(what=found.what, machine=machine, mistake=found)


async def nothing(*_: object, **__: object) -> None:
    """Do nothing, or find nothing."""


async def yes(*_: object, **__: object) -> bool:
    """Say yes."""
    return True


async def no(*_: object, **__: object) -> bool:
    """Say no."""
    return False


async def none_found(*_: object) -> frozenset[str]:
    """Find nothing."""
    return frozenset()


def no_tokens(*_: object) -> tuple[()]:
    """Name no tokens."""
    return ()
