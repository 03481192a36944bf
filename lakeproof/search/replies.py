"""Replies to clients that have several effects open: which task received what. See `lakeproof.impl.parallel`."""

from enum import Enum
from typing import Final

import attrs

from lakeproof.impl.parallel import MAIN

WITHDRAWN: Final = "-"
"""Behind the name of a cancelled task: its write does not take place."""


UNANSWERED: Final = "+"
"""Behind the name of a task within a timeout: its write takes place, and the answer comes too late."""


def name_of(task: str) -> str:
    """The task whose effect it is."""
    # The names of tasks are numbers and dots, so neither mark is ever a part of one.
    return task.rstrip(WITHDRAWN + UNANSWERED)


@attrs.frozen(cache_hash=True)
class TaskReply:
    """A reply to the open effect of a task other than the main one. As a part of a history, it stands in the place of
    the reply."""

    task: str
    reply: object


def reply_of_task(task: str, reply: object) -> object:
    """A reply as a part of a history."""
    # Bare for the main task: most flows have no other, and their histories stay those of plain replies.
    return reply if task == MAIN else TaskReply(task, reply)


class Restart(Enum):
    """Stands in the place of a reply."""

    RESTARTED = "restarted"


RESTARTED: Final = Restart.RESTARTED
"""The client has crashed, and begins to recover."""


class NotOpen(Exception):
    """A reply to a task that waits for none. The search makes such replies up, to tell pasts apart."""
