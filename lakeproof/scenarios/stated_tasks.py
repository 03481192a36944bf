"""Background tasks, heartbeats and the ownership of branches of today: each call's answer, effects and what it leaves.

The steps are those of lakeFS' pkg/catalog, RunBackgroundTaskSteps, executeTaskSteps, markTaskExpiredIfStale and
deleteExpiredInstanceHeartbeats, and of pkg/distributed, MostlyCorrectOwner; the repairs are ours, docs/lakefs-today.md.
How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import flows, ownership, tasks
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

TASKS: Final = {
    "submit": Call(tasks.submit_task, REPOSITORY, "one", "t"),
    "submit_u": Call(tasks.submit_task, REPOSITORY, "one", "u"),
    "submit_two": Call(tasks.submit_task, REPOSITORY, "two", "v"),
    "submit_beating": Call(tasks.submit_task, REPOSITORY, "one", "t", beats_first=True),
    "submit_legacy": Call(tasks.submit_task, REPOSITORY, "one", "t", legacy=True),
    "run": Call(tasks.run_task, REPOSITORY, "one", "t"),
    "run_u": Call(tasks.run_task, REPOSITORY, "one", "u"),
    "status": Call(tasks.task_status, REPOSITORY, "two", "t"),
    "status_own": Call(tasks.task_status, REPOSITORY, "one", "t"),
    "status_admits": Call(tasks.task_status, REPOSITORY, "two", "t", admits=True),
    "clean_beats": Call(tasks.clean_heartbeats, REPOSITORY),
    "blank_beats": Call(tasks.clean_heartbeats, REPOSITORY, blanks=True),
    "clean_tasks": Call(tasks.clean_tasks, REPOSITORY),
    "clean_done": Call(tasks.clean_tasks, REPOSITORY, spares_running=True),
    "stop": Call(tasks.stop_server, REPOSITORY, "one"),
}
TASKS_TABLE: Final = """\
: submit
    answers done
    by now; set tasks/t; get active; set_if active; now; set instances/one
    leaves +instances/one = +0s; +active = 1; +tasks/t = ["one", +0s, false]
: submit_beating
    answers done
    by get active; set_if active; now; set instances/one; now; set tasks/t
    leaves +instances/one = +0s; +active = 1; +tasks/t = ["one", +0s, false]
: submit_legacy
    answers done
    by now; set tasks/t
    leaves +tasks/t = ["", +0s, false]
submit: submit_u
    answers done
    by now; set tasks/u; get active; set_if active
    leaves ~active = 2; +tasks/u = ["one", +0s, false]
submit: submit_beating
    answers done
    by get active; set_if active; now; set instances/one; now; set tasks/t
    leaves ~active = 2
submit_u.run_u: submit
    answers done
    by now; set tasks/t; get active; set_if active; now; set instances/one
    leaves ~active = 1; +tasks/t = ["one", +0s, false]
: submit, met by submit_u at 3
    answers done; done
    by now; set tasks/t; get active; set_if active; get active; set_if active
    leaves +instances/one = +0s; +active = 2; +tasks/t = ["one", +0s, false]; +tasks/u = ["one", +0s, false]
: submit, met by submit_u at 2
    answers done; done
    by now; set tasks/t; get active; set_if active
    leaves +instances/one = +0s; +active = 2; +tasks/t = ["one", +0s, false]; +tasks/u = ["one", +0s, false]
submit: run
    answers done
    by now; set tasks/t; get active; set_if active
    leaves ~active = 0; ~tasks/t = ["one", +0s, true]
submit.submit_u: run
    answers done
    by now; set tasks/t; get active; set_if active
    leaves ~active = 1; ~tasks/t = ["one", +0s, true]
submit.submit_u: run, met by run_u at 3
    answers done; done
    by now; set tasks/t; get active; set_if active; get active; set_if active
    leaves ~active = 0; ~tasks/t = ["one", +0s, true]; ~tasks/u = ["one", +0s, true]
: status
    answers TaskNotFound
    by get tasks/t
submit: status
    answers running
    by get tasks/t; get instances/one; now
submit: status, 120 s later
    answers running
    by get tasks/t; get instances/one; now
submit: status, 121 s later
    answers dead
    by get tasks/t; get instances/one; now
submit: status_admits, 121 s later
    answers silent
    by get tasks/t; get instances/one; now
submit: status_own
    answers running
    by get tasks/t
submit: status_own, 121 s later
    answers running
    by get tasks/t
submit.run: status
    answers done
    by get tasks/t
submit.run: status, 121 s later
    answers done
    by get tasks/t
submit.stop: status
    answers dead
    by get tasks/t; get instances/one
submit.stop: status_admits
    answers dead
    by get tasks/t; get instances/one
submit.stop: status_own
    answers running
    by get tasks/t
submit_legacy: status
    answers running
    by get tasks/t; now
submit_legacy: status, 120 s later
    answers running
    by get tasks/t; now
submit_legacy: status, 121 s later
    answers dead
    by get tasks/t; now
submit_legacy.run: status
    answers done
    by get tasks/t
submit: clean_beats
    answers done
    by scan instances/; now
submit: clean_beats, 86400 s later
    answers done
    by scan instances/; now
submit: clean_beats, 86401 s later
    answers done
    by scan instances/; now; delete instances/one
    leaves -instances/one
submit.submit_two: clean_beats, 86401 s later
    answers done
    by scan instances/; now; delete instances/one; now; delete instances/two
    leaves -instances/one; -instances/two
submit.submit_two: blank_beats, 86401 s later
    answers done
    by scan instances/; now; set_if instances/one; now; set_if instances/two
    leaves ~instances/one = nothing; ~instances/two = nothing
submit: blank_beats, 86400 s later
    answers done
    by scan instances/; now
submit: blank_beats, 86401 s later, then blank_beats.clean_beats.status.status_admits
    answers done; done; done; dead; silent
    by scan instances/; now; set_if instances/one
    leaves ~instances/one = nothing
submit.run: blank_beats, met by submit at 2, 86401 s later
    answers done; done
    by scan instances/; now; set_if instances/one
    leaves ~instances/one = +0s; ~active = 1; ~tasks/t = ["one", +0s, false]
submit.run: clean_beats, met by submit at 2, 86401 s later
    answers done; done
    by scan instances/; now; delete instances/one
    leaves -instances/one; ~active = 1; ~tasks/t = ["one", +0s, false]
submit.submit_u.run: clean_tasks
    answers done
    by scan tasks/; now; now
submit.submit_u.run: clean_tasks, 86400 s later
    answers done
    by scan tasks/; now; delete tasks/t; now; delete tasks/u
    leaves -tasks/t; -tasks/u
submit.submit_u.run_u: clean_tasks, 86400 s later
    answers done
    by scan tasks/; now; delete tasks/t; now; delete tasks/u
    leaves -tasks/t; -tasks/u
submit.submit_u.run_u: clean_done, 86400 s later
    answers done
    by scan tasks/; now; now; delete tasks/u
    leaves -tasks/u
submit.submit_u.run: clean_done, 86400 s later
    answers done
    by scan tasks/; now; delete tasks/t; now
    leaves -tasks/t
submit.run: clean_tasks, 86399 s later
    answers done
    by scan tasks/; now
submit.run: clean_done, 86399 s later
    answers done
    by scan tasks/; now
submit.run: clean_tasks, 86401 s later
    answers done
    by scan tasks/; now; delete tasks/t
    leaves -tasks/t
submit: stop
    answers done
    by delete instances/one
    leaves -instances/one
"""
KEY: Final = ownership.key_of(REPOSITORY, BRANCH)
OWNERS: Final = words_of(
    flows.FLOWS,
    **{f"own_{each}": Call(ownership.own, KEY, each) for each in "abc"},
    **{f"release_{each}": Call(ownership.release, KEY, each) for each in "ab"},
    **{f"hold_{each}": Call(ownership.hold_branch, REPOSITORY, BRANCH, each) for each in "ab"},
    **{f"refresh_{each}": Call(ownership.refresh_branch, REPOSITORY, BRANCH, each) for each in "ab"},
    own_sure=Call(ownership.own, KEY, "a", insists=True),
    release_sure=Call(ownership.release, KEY, "a", insists=True),
    hold_sure=Call(ownership.hold_branch, REPOSITORY, BRANCH, "a", insists=True),
    commit_owned=Call(ownership.commit, REPOSITORY, BRANCH, "one"),
)
OWNERS_TABLE: Final = """\
: own_a
    answers True
    by get 1:r/b; now; set_if 1:r/b
    leaves +1:r/b = ["a", +1s]
own_a: own_b
    answers False
    by get 1:r/b; now; get 1:r/b; now
own_a: own_b, 1 s later
    answers False
    by get 1:r/b; now; get 1:r/b; now
own_a: own_b, 2 s later
    answers True
    by get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["b", +1s]
own_a: own_b, met by own_c at 2, 2 s later
    answers False; True
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; now
    leaves ~1:r/b = ["c", +1s]
own_a: own_b, met by release_a at 2
    answers True; done
    by get 1:r/b; now; get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["b", +1s]
own_a: own_a
    answers False
    by get 1:r/b; now; get 1:r/b; now
own_a: own_sure
    answers True
    by get 1:r/b
own_b: own_sure
    answers False
    by get 1:r/b; now; get 1:r/b; now
own_b: own_sure, 2 s later
    answers True
    by get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["a", +1s]
: own_a, met by own_b at 2
    answers False; True
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; now
    leaves +1:r/b = ["b", +1s]
: own_a, met by own_b.release_b at 2
    answers True; True; done
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; now; set_if 1:r/b
    leaves +1:r/b = ["a", +1s]
: own_a, false at 2
    answers False
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; now
    leaves +1:r/b = ["a", +1s]
: own_sure, false at 2
    answers True
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b
    leaves +1:r/b = ["a", +1s]
own_a.release_a: own_b
    answers True
    by get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["b", +1s]
own_a: release_a
    answers done
    by get 1:r/b; set_if 1:r/b
    leaves ~1:r/b = ["a", 0]
: release_a
    answers done
    by get 1:r/b
own_a: release_b
    answers done
    by get 1:r/b
own_a: release_a, met by refresh_a at 2
    answers done; done
    by get 1:r/b; set_if 1:r/b
    leaves ~1:r/b = ["a", +1000001us]
own_a: release_sure, met by refresh_a at 2
    answers done; done
    by get 1:r/b; set_if 1:r/b; get 1:r/b; set_if 1:r/b
    leaves ~1:r/b = ["a", 0]
own_a: release_a, false at 2
    answers done
    by get 1:r/b; set_if 1:r/b
    leaves ~1:r/b = ["a", 0]
own_a: release_sure, false at 2
    answers done
    by get 1:r/b; set_if 1:r/b; get 1:r/b; set_if 1:r/b
    leaves ~1:r/b = ["a", 0]
own_b: release_sure
    answers done
    by get 1:r/b
: hold_a
    answers done
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; set_if 1:r/b
    leaves +1:r/b = ["a", 0]
: hold_sure
    answers done
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; set_if 1:r/b
    leaves +1:r/b = ["a", 0]
own_b: hold_a
    answers done
    by get 1:r/b; now; get 1:r/b; now
own_b: hold_sure
    answers done
    by get 1:r/b; now; get 1:r/b; now
: hold_sure, false at 2
    answers done
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; get 1:r/b; set_if 1:r/b
    leaves +1:r/b = ["a", 0]
: hold_sure, false at 4
    answers done
    by get 1:r/b; now; set_if 1:r/b; get 1:r/b; set_if 1:r/b; get 1:r/b; set_if 1:r/b
    leaves +1:r/b = ["a", 0]
own_a: refresh_a
    answers done
    by get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["a", +1000001us]
: refresh_a
    answers done
    by get 1:r/b
own_a: refresh_b
    answers done
    by get 1:r/b
own_a.release_a: refresh_a
    answers done
    by get 1:r/b
own_a: refresh_a, met by release_a at 2
    answers done; done
    by get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["a", 0]
own_a: refresh_a, 1 s later
    answers done
    by get 1:r/b; now; set_if 1:r/b
    leaves ~1:r/b = ["a", +1000001us]
x1: commit_owned
    answers c2 of c1 'one'
    by get 1:r/b; now; set_if 1:r/b; get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        now; set_if commit c2; set_if branch b; set r-b:u.b2.0; get 1:r/b; set_if 1:r/b
    leaves +r-b:u.b2.0 = stub-value; +1:r/b = ["o1", 0]; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
own_a.x1: commit_owned
    answers c2 of c1 'one'
    by get 1:r/b; now; get 1:r/b; now; get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        now; set_if commit c2; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
: commit_owned
    answers NoChanges
    by get 1:r/b; now; set_if 1:r/b; get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get 1:r/b; set_if 1:r/b
    leaves +1:r/b = ["o1", 0]; ~branch b = c1 u.b2.s1 u.b2.0
own_a: commit_owned
    answers NoChanges
    by get 1:r/b; now; get 1:r/b; now; get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1: commit_owned, refused at 3
    answers Refused
    by get 1:r/b; now; set_if 1:r/b; get branch b; get 1:r/b; set_if 1:r/b
    leaves +1:r/b = ["o1", 0]
"""
FIRST: Final = (FOUND,)

ROWS = [
    stated("tasks", TASKS, TASKS_TABLE, "lakeFS pkg/catalog/task.go and catalog.go", FIRST),
    stated("ownership", OWNERS, OWNERS_TABLE, "lakeFS pkg/distributed, MostlyCorrectOwner", FIRST),
]

SCENARIOS = built(ROWS)
