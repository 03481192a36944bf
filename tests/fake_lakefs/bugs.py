"""The bugs that can be planted in the fake, by name."""

from typing import Final

BUGS: Final = {
    "lost-write": "one acknowledged write in ten is not done",
    "missed-read": "a read beside a commit finds what is in the commit before it, or nothing",
    "refused-write": "a conditional write is done now and then, and refused all the same",
    "dirty-branch": "a branch that is created anew shows what was written to the one before it",
    "lost-update": "one acknowledged update of metadata in two is not done",
    "create-race": "a create of a repository looks first, and writes then",
    "refused-delete": "a repository is deleted now and then, and the answer is that it was not there",
    "cache": "repositories come from a cache, for a while",
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
