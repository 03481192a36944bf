"""Text on one line that any terminal shows."""


def printable(text: str, also: str = "") -> str:
    """What does not print, but for the characters of ``also``, is escaped."""
    return "".join(one if one.isprintable() or one in also else ascii(one)[1:-1] for one in text)
