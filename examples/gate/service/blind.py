"""The service, seen from the flows of Step 1: a counterexample of the search, led through it.

lakeproof verify repositories/step1/delete-delete-create
lakeproof replay out/traces/repositories_step1_delete-delete-create.delete-spares-successor.json \
    --gate examples/gate/service/blind.py
"""

from collections.abc import Sequence
from pathlib import Path

import scenarios

from lakeproof.gate import GateCall, Profile, Rule, call


def create_repository(number: int, args: Sequence[str]) -> GateCall:
    return call(scenarios.create, args[0])


def delete_repository(number: int, args: Sequence[str]) -> GateCall:
    return call(scenarios.delete, args[0])


def service(kind: str) -> Profile:
    """kind: ``blind`` or ``repaired``."""
    return Profile(
        name=kind,
        file=Path(__file__).with_name("scenarios.py"),
        calls={"create_repository": create_repository, "delete_repository": delete_repository},
        rules=[
            Rule("get repos/{r}", "GetItem items/repositories/{r}"),
            Rule("set|set_if repos/{r}", "PutItem items/repositories/{r}*"),
            Rule("delete repos/{r}", "DeleteItem items/repositories/{r}*"),
            Rule("set {r}-{uid}/branches/main", "PutItem items/*/main"),
            Rule("delete {r}-{uid}/branches/main", "DeleteItem items/*/main"),
            Rule("set|delete {r}-{uid}/commits/{id}", None),  # it has no commits
            Rule("scan {r}-{uid}/", None),  # it knows its one branch
        ],
        service=["python", scenarios.SERVER, "{port}", kind],
        before=[call(scenarios.make_table)],
        after=[call(scenarios.get, "r")],
        invariants={
            "delete-spares-successor": scenarios.what_was_created_is_there,
            "create-is-effective": scenarios.what_was_created_is_there,
        },
    )


PROFILE = service("blind")
