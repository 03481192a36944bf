"""How the parts are put together; and what becomes of them where each is taken as it is."""

from typing import Final, Literal

import attrs

from lakeproof.impl.refs.dump import Last


@attrs.frozen(kw_only=True)
class Reading:
    """What the parts must agree on. Each first value is that of the sound composition; the others take a part as its
    own page has it, and are here to be refuted."""

    heads: Literal["noted", "by commits only"] = "noted"
    """Who notes the head that a branch leaves: "Other operations that move a branch's head [...] must write the `heads`
    key of the old one first" (docs/designs/hard-delete.md), or only commits and deletions do, as in `online.FLOWS`."""
    copies: Literal["in full", "by entry"] = "in full"
    """How committed objects are copied. An entry for an object that retention may delete needs a pin, or a copy."""
    commits: Literal["look again", "once"] = "look again"
    """Whether a commit combines once more after its record is written, as the offline job needs it."""
    jobs: Literal["of the living", "of whom they began with"] = "of the living"
    """Whether a job asks, before it deletes an object, if its repository is still there: the next one of the id has the
    same storage namespace."""
    unrestored: Literal["refused", "taken as it is"] = "refused"
    """What jobs make of a bare repository without a default branch: its refs may be on their way."""
    sentences: Literal["outlive it", "go with it"] = "outlive it"
    """Whether what a run condemns stays condemned when the repository is gone: its commits may be restored, without
    their objects. `pins` keeps sentences in the repository's partition."""
    restored_last: Last = "default-branch"
    """Which branch a restore writes last."""
    names: Literal["used again", "used up"] = "used again"
    """Whether a branch can be created where the record of a deleted one is. `pins.create_branch` cannot."""


COMPOSED: Final = Reading()
"""As docs/designs/together.md describes it."""
