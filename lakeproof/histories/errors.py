"""What is wrong with a file, and where."""

from lakeproof.model.linearizability.values import shorten_value as shorten_value


class Unreadable(ValueError):
    """A file that is not a whole history. ``line`` counts from 1; 0: it is about the file."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
