"""A store in memory for tests of the sweep: it can be killed at any call."""

from collections.abc import Sequence

import attrs

from lakeproof.spark_checks.sweep.journal import DELETED, GONE, PUT_AGAIN, End, Entry
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.spark_checks.sweep.targets import Look


class Killed(BaseException):
    """The process ends here."""


@attrs.define
class Memory:
    """objects: what there is, by address. refused: what may not be deleted. lives: calls until it is killed: a call is
    a look at, or the deletion of, one object. deleted: what it has deleted, in order."""

    objects: dict[str, Found]
    refused: frozenset[str] = frozenset()
    lives: int | None = None
    deleted: list[tuple[str, Found]] = attrs.Factory(list)
    calls: int = 0
    unit: int = 1

    def name(self, address: str) -> str:
        return address

    def look(self, names: Sequence[str]) -> list[Look]:
        return [self._look(name) for name in names]

    def delete(self, there: Sequence[tuple[str, Found]]) -> list[Entry]:
        return [self._delete(name, found) for name, found in there]

    def _call(self) -> None:
        self.calls += 1
        if self.lives is not None:
            if self.lives == 0:
                raise Killed
            self.lives -= 1

    def _look(self, name: str) -> Look:
        self._call()
        return self.objects.get(name)

    def _delete(self, name: str, found: Found) -> Entry:
        self._call()
        if name in self.refused:
            return Entry(End.FAILED, "refused")
        now = self.objects.get(name)
        if now != found:
            return GONE if now is None else PUT_AGAIN
        self.deleted.append((name, self.objects.pop(name)))
        return DELETED
