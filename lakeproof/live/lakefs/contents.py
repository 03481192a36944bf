"""The state of a service after a round, when no client is at work."""

from collections.abc import Mapping, Sequence

import attrs

Content = Mapping[str, str]
"""Path to value."""


@attrs.define
class FinalState:
    """What one repository holds in the end."""

    branches: dict[str, Content] = attrs.field(factory=dict)
    """The entries of each branch that is there, staged ones too."""
    listed: frozenset[str] = frozenset()
    """The branches that the service lists."""
    logs: dict[str, Sequence[str]] = attrs.field(factory=dict)
    """The commits of each branch along first parents, newest first."""
    ancestors: dict[str, frozenset[str]] = attrs.field(factory=dict)
    """All commits that a merge is made of, itself too: of the merges that were acknowledged."""
    commits: dict[str, Content] = attrs.field(factory=dict)
    """The entries of the commits that were acknowledged."""
    messages: dict[str, str] = attrs.field(factory=dict)
    """The message of each commit of the logs."""


@attrs.define
class RepositoryState:
    """What a name that comes and goes holds in the end: the life that was there, its branches and paths."""

    life: str
    branches: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
