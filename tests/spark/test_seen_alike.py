"""Workers that see another dataset under the name that the driver reads."""

from pathlib import Path

import pytest

from tests.spark import snapshots
from tests.spark.clusters import on_a_cluster
from tests.spark.retention.worlds import NOW, world


@pytest.mark.deep
def test_a_dataset_of_which_the_workers_have_an_older_copy_marks_nothing(tmp_path: Path) -> None:
    """The link leads each process to a folder of its own: three above the one where it runs."""
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    link = tmp_path / "dataset"
    link.symlink_to("/proc/self/cwd/../../../seen")
    snapshots.write(snapshots.tables(world(7, 10)), tmp_path / "a" / "seen")  # as the driver sees it
    snapshots.write(snapshots.tables(world(7, 9)), folder / "home-data")
    (tmp_path / "work").mkdir()
    out = tmp_path / "out"
    shared = ("--work", str(tmp_path / "work"), "--out", str(out))
    done = on_a_cluster(
        folder, "uncommitted", str(link), "--now", str(NOW), "--lenient", *shared, beside={"seen": folder / "home-data"}
    )
    assert done.returncode == 2, done.stdout + done.stderr
    line = done.stderr.splitlines()[-1]
    assert "kv/: the footers of its files tell of " in line
    assert line.endswith("name a place that the driver and all workers see alike")
    assert list(out.iterdir()) == []
