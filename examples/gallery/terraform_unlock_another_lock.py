"""An unlock that compares the lock's id and then deletes by key removes the lock of another run.

The lock of a state in a bucket is an object that is put only if nothing is there. To unlock, a run reads the object,
compares its id, and deletes the key. Between the two, the run that held the lock releases it and another run takes it:
the delete removes that one's lock, and a third run works beside it.

Repair: the delete has the ETag of the lock that was read as its condition (`If-Match`).
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Finding, OnStep, Reached, Scenario, Transition, Violation, objects

THREADS = "hashicorp/terraform#35661"
STEPS = 6
LOCK = "bucket/terraform.tfstate.tflock"


async def apply(env: Env, run: str, conditional: bool = False) -> None:
    try:
        await env.objects.put(LOCK, run.encode(), if_absent=True)
    except objects.PreconditionFailed:
        return
    await unlock(env, run, conditional)


async def unlock(env: Env, run: str, conditional: bool = False) -> None:
    try:
        held = await env.objects.get(LOCK)
        if held == run.encode():
            await env.objects.delete(LOCK, if_match=objects.etag(held) if conditional else None)
    except (objects.ObjectNotFound, objects.PreconditionFailed):
        return


def an_unlock_removes_the_lock_that_it_names(step: Transition) -> Iterator[Finding]:
    before, after = step.before.objects.get(LOCK), step.after.objects.get(LOCK)
    if before is not None and after is None:
        run = str(step.call.args[0])
        if before.content == run.encode():
            yield Reached("a lock is released")
        else:
            yield Violation("own-lock", f"run {run} removed the lock of run {before.content.decode()}")


OWN_LOCK = OnStep(
    id="own-lock",
    meaning="an unlock removes the lock that it names",
    check=an_unlock_removes_the_lock_that_it_names,
    watches=lambda _, op: isinstance(op, objects.DeleteObject),
)


def scenario(name: str, expect: dict[str, str], **options: bool) -> Scenario:
    return Scenario(
        name=f"terraform_unlock_another_lock/{name}",
        clients=[[Call(apply, "1", **options)], [Call(unlock, "1", **options)], [Call(apply, "2", **options)]],
        invariants=[OWN_LOCK],
        expect=expect,
        source=THREADS,
    )


SCENARIOS = [scenario("published", {"own-lock": "violated"}), scenario("repaired", {}, conditional=True)]
