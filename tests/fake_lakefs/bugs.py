"""The bugs that can be planted in the fake, by name."""

from typing import Final

BUGS: Final = {
    "lost-write": "one acknowledged write in ten is not done",
    "unsettled-write": "a writer does not look whether its token was still the branch's",
    "missed-read": "a read beside a commit finds what is in the commit before it, or nothing",
    "refused-write": "a conditional write is done now and then, and refused all the same",
    "partial-commit": "a commit leaves the newest changes for the next one",
    "lost-commit": "a commit replaces the head, whatever it is",
    "lost-merge": "a merge is acknowledged, and not on the branch",
    "cherry-pick-all": "a cherry-pick takes all of a commit, not what it changed",
    "hard-reset-nothing": "one acknowledged hard reset in two is not done",
    "tag-returns": "one acknowledged delete of a tag in two is not done",
    "dirty-branch": "a branch that is created anew shows what was written to the one before it",
    "prefix-reset-returns": "one acknowledged reset of a path or prefix in two is not done",
    "lost-update": "one acknowledged update of metadata in two is not done",
    "partial-import": "one import in four leaves out its last object",
    "pull-overwrites": "a change of a pull request reads it, and writes it back a little later",
    "late-branch-delete": "a branch is deleted after the answer, whichever it is by then",
    "create-race": "a create of a repository looks first, and writes then",
    "refused-delete": "a repository is deleted now and then, and the answer is that it was not there",
    "cache": "repositories come from a cache, for a while",
    "zombie": "a repository finds the branches that one of its name had before",
}
"""What can be planted, and what it does."""
DOUBTFUL: Final = "doubtful"
"""No bug: connections are lost now and then, before or after a call is done."""
OUTSIDE: Final = ("mem://outside/one/", "mem://outside/two/")
"""What can be imported: objects that lie outside the lake."""
CACHE_SECONDS: Final = 0.4
"""How long the cache of `cache` remembers."""


def planted(names: str) -> frozenset[str] | None:
    """The bugs of ``NAME+NAME``, `DOUBTFUL` among them; None: there is no such bug."""
    found = frozenset(names.split("+")) if names else frozenset[str]()
    return found if found <= {*BUGS, DOUBTFUL} else None
