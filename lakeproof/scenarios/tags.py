"""Tags: created, moved and deleted by several at once, against the sequential specification of one."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

from lakeproof.impl.graveler import founding
from lakeproof.impl.refs import tags
from lakeproof.model.identifiers import TagID
from lakeproof.model.invariants import refs
from lakeproof.model.linearizable import linearizable
from lakeproof.model.tag import TAG
from lakeproof.scenario import Call, Faults, Flow, Scenario
from lakeproof.scenarios._branch_data import FAULTS, REPOSITORY
from lakeproof.scenarios._life_cycle import Refuted

TAG_ID: Final = TagID("t")
MAIN: Final = REPOSITORY.default_branch_id

WORDS: Final[Mapping[str, tuple[Flow, tuple[str, ...]]]] = {
    "tag": (tags.create_tag, (MAIN,)),
    "move": (tags.update_tag, (MAIN,)),
    "untag": (tags.delete_tag, ()),
    "look": (tags.get_tag, ()),
}

REFUTED: Final = (
    Refuted(
        "a `SetIf` that was applied and reported as failed answers `TagExists` or `RefChanged`: a definite no for what "
        "has happened",
        ("tag-*/false-predicate",),
    ),
    Refuted("both find the tag and delete it by its name: both say that it was they", ("tag.untag-untag*",)),
)


def _scenario(race: str, suffix: str, faults: Faults) -> Scenario:
    clients = [
        [Call(WORDS[word][0], REPOSITORY, TAG_ID, *WORDS[word][1]) for word in client.split(".")]
        for client in race.split("-")
    ]
    reasons = [each.reason for each in REFUTED if any(fnmatchcase(race + suffix, name) for name in each.races)]
    return Scenario(
        name=f"tags/plain/{race}{suffix}",
        setup=[Call(founding.found, REPOSITORY)],
        clients=clients,
        invariants=[linearizable(TAG), refs.head_exists],
        faults=faults,
        expect={"linearizable": "violated"} if reasons else {},
        reason="; ".join(f"linearizable: {reason}" for reason in reasons),
        source="graveler-on-kv.md, Tag",
    )


SCENARIOS = [
    _scenario(race, suffix, faults)
    for race in ("tag-tag", "tag-look", "tag-untag-look", "tag-tag-untag", "tag-move-look", "tag.untag-untag")
    for suffix, faults in FAULTS.items()
]
