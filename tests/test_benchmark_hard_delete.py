"""The benchmark of hard delete measures what it says: a small one."""

import pytest
import trio

from benchmarks import hard_delete


@pytest.mark.parametrize("job", hard_delete.FLOWS)
def test_each_job_deletes_all_garbage_and_nothing_else(job: str) -> None:
    row = trio.run(hard_delete.measure, job, 20, 5, 5)
    assert row.deleted == 5
    assert row.upload_kv_operations == {"offline": 3, "online": 5}[job]
