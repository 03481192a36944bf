"""A dataset is read as it was when it was opened, or the run ends: its files are noted then, and looked at at the end.

A table that is written while it is read is neither the old one nor the new one, and what is decided from it is wrong
for both. Sizes and times tell on a disk, with the number of the file's node; object stores have an ETag besides.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from lakeproof.spark_checks.engine import folders, places
from lakeproof.spark_checks.engine.places import Stamp
from lakeproof.words import Unusable

AGAIN: Final = "run the command again when no process writes there"


@attrs.define
class Noted:
    """The files of the tables of a dataset, as they were when each was opened. ``tables``: by folder or file, what lies
    there."""

    tables: dict[str, Mapping[str, Stamp]] = attrs.Factory(dict)

    def note(self, where: str, files: Sequence[places.File]) -> None:
        """The files of a table, as they were listed before anything of them was read."""
        self.tables[where] = {each.full: each.stamp for each in files}

    def note_file(self, path: Path) -> None:
        """A file of this machine."""
        self.tables[str(path)] = _stamps(str(path))

    def demand_same(self) -> None:
        """Raises Unusable: a file is gone, is new or is not what it was; the first one by name."""
        for where, before in sorted(self.tables.items()):
            after = _stamps(where)
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    # Equal names with other stamps: the file was replaced or written to.
                    how = "is gone" if name not in after else "is new" if name not in before else "is another"
                    raise Unusable(
                        f"{name}: {how} since the dataset was opened, so that it was read in parts of two; {AGAIN}"
                    )


def _stamps(where: str) -> Mapping[str, Stamp]:
    """Of the files of a folder, or of a single file, as a dump is; nothing where nothing is."""
    path = places.local(where)
    if path is not None and not path.is_dir():
        try:
            return {str(path): places.stamp(path)}
        except OSError:
            return {}
    return {each.full: each.stamp for each in folders.files(where) or ()}
