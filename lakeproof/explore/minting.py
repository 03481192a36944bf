"""Fresh identifiers of a client."""

from lakeproof.impl.parallel import MAIN


class Mint:
    """Gives a client's identifiers: each task counts its own, so that they do not depend on the order of others. Apart
    from the client: a flow that held on to it would make a circle, which the collector cuts by closing the flow."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.count = 0
        self.task = MAIN
        self._counts: dict[str, int] = {}

    def given_to(self, task: str) -> None:
        """What is minted from now on is this task's."""
        self.task = task

    def __call__(self, kind: str) -> str:
        self.count += 1
        number = self._counts[self.task] = self._counts.get(self.task, 0) + 1
        parts = self.task.split(".") if self.task else []
        return self.label + "t".join([*parts, str(number)])
