"""Background tasks, heartbeats and imports as lakeFS has them today; and the repairs."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakefs_today import entries, imports, promises, tasks
from lakefs_today.scenarios.words import OutsideDesign
from lakeproof.designs.branch_designs import BRANCH, X, Y
from lakeproof.designs.designs import HOLDS, Caller, Word, rows
from lakeproof.designs.races import CRASH, FALSE, LOST, NONE, Before, Race, Refuted, jump
from lakeproof.model.invariants import Invariant, refs
from lakeproof.model.invariants.entries import write_is_kept_beside

DAY_AND_HOUR: Final = jump(25 * 3_600_000_000, "a-day-later")
MINUTES: Final = jump(180_000_000, "three-minutes-later")


WORDS: Final[Mapping[str, Word[None]]] = {
    "submit": Word(lambda _: tasks.submit_task, "one", "t"),
    "submit_other": Word(lambda _: tasks.submit_task, "one", "u"),
    "run": Word(lambda _: tasks.run_task, "one", "t"),
    "status": Word(lambda _: tasks.task_status, "two", "t"),
    "status_other": Word(lambda _: tasks.task_status, "two", "u"),
    "status_own": Word(lambda _: tasks.task_status, "one", "t"),
    "clean_heartbeats": Word(lambda _: tasks.clean_heartbeats),
    "clean_tasks": Word(lambda _: tasks.clean_tasks),
    "stop": Word(lambda _: tasks.stop_server, "one"),
    "submit_legacy": Word(lambda _: tasks.submit_task, "one", "t"),
    "start": Word(lambda _: imports.start_import, BRANCH, "i"),
    "import": Word(lambda _: imports.run_import, BRANCH, X, "i"),
    "status_import": Word(lambda _: imports.import_status, "i"),
    "write": Word(lambda _: entries.set_entry, BRANCH, Y, Caller.BYTES),
    "cancel": Word(lambda _: imports.cancel_import, "i"),
}
"""Tasks t and u run on server "one"; their statuses are read at server "two", ``status_own`` at their own. ``run`` is a
task's own work."""


@attrs.frozen(kw_only=True)
class TaskDesign(OutsideDesign):
    """Tasks and imports in one reading."""

    vocabulary: ClassVar = WORDS

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        arises: list[tuple[Invariant, bool]] = [
            (promises.running_task_is_alive, any(word.startswith("status") for word in race.words)),
            (promises.canceled_import_is_absent, "cancel" in race.words),
            (refs.head_exists, "import" in race.words),
            (write_is_kept_beside("merge"), "write" in race.words),
        ]
        return [invariant for invariant, does in arises if does]


SOURCE: Final = "lakeFS pkg/catalog/catalog.go, RunBackgroundTaskSteps, markTaskExpiredIfStale and Close"

TASKS: Final = TaskDesign(
    name="tasks/upstream",
    source=SOURCE,
    options={"submit_legacy": {"legacy": True}},
    refuted={
        "running-task-is-alive": Refuted(
            "only the first task of a server waits for its heartbeat, which may be an old one until then; a stopping "
            "server deletes it before its tasks have ended; expired ones are deleted blindly, and so is the record of "
            "a task that has run for a day; a server that is late, or a clock that is ahead, looks dead",
            "submit-submit_other.status_other submit.stop.run-status submit.status-submit_other.status_other "
            "submit.run-status/three-minutes-later submit_legacy.run-status/* ended/* submit.run-clean_tasks.status/*",
        )
    },
)
MENDED: Final = TaskDesign(
    name="tasks/upstream-beats-first",
    source=SOURCE + " (ours: a heartbeat before each status, and none that is deleted blindly)",
    refuted=HOLDS,
    options={
        "submit": {"beats_first": True},
        "submit_other": {"beats_first": True},
        "status": {"admits": True},
        "status_other": {"admits": True},
        "clean_heartbeats": {"blanks": True},
        "clean_tasks": {"spares_running": True},
    },
)
IMPORTS: Final = TaskDesign(
    name="imports/upstream",
    source="lakeFS pkg/catalog/import.go and catalog.go, CancelImport",
    refuted={
        "canceled-import-is-absent": Refuted(
            "an import looks for cancelling before it moves the branch and not again, and cancelling replaces whatever "
            "status there is by then",
            "start.import-cancel*",
        )
    },
)
CLAIMED: Final = TaskDesign(
    name="imports/upstream-claims",
    source="lakeFS pkg/catalog/import.go (ours: an import says that it is too late to cancel)",
    refuted=HOLDS,
    options={"import": {"claims": True}, "cancel": {"claims": True}},
)

FORMERLY: Final = TaskDesign(
    name="imports/upstream-formerly",
    source="lakeFS pkg/catalog/catalog.go, Import, before #9640",
    refuted={
        "running-task-is-alive": Refuted(
            "the answer comes before the record that it tells of", "start.import-status_import"
        )
    },
    options={"start": {"answers_first": True}, "import": {"answers_first": True}},
)

ENDED: Final = Before("ended/", "submit.run")

ROWS = [
    *rows(
        TASKS, "submit-submit_other.status_other submit.stop.run-status submit.status-submit_other.status_other", NONE
    ),
    *rows(TASKS, "submit.run-status", NONE | MINUTES),
    *rows(TASKS, "submit.status_own", MINUTES),
    *rows(TASKS, "clean_heartbeats-submit.status submit_other.status_other-submit", DAY_AND_HOUR, ENDED),
    *rows(TASKS, "submit.run-clean_tasks.status", DAY_AND_HOUR),
    *rows(MENDED, "submit-submit_other.status_other submit.status-submit_other.status_other", NONE),
    *rows(MENDED, "submit.run-status", NONE | MINUTES),
    *rows(MENDED, "clean_heartbeats-submit.status submit_other.status_other-submit", DAY_AND_HOUR, ENDED),
    *rows(MENDED, "submit.run-clean_tasks.status", DAY_AND_HOUR),
    *rows(TASKS, "submit_legacy.run-status", MINUTES),
    *rows(IMPORTS, "start.import-status_import start.import-write", NONE),
    *rows(FORMERLY, "start.import-status_import", NONE),
    *rows(IMPORTS, "start.import-cancel", NONE | CRASH | FALSE | LOST),
    *rows(CLAIMED, "start.import-cancel", NONE | CRASH | FALSE | LOST),
]
