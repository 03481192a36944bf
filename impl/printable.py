"""Text on one line that any terminal shows."""


def printable(text: str, also: str = "") -> str:
    """What does not print, but for the characters of ``also``, is escaped."""
    # Without the quotes of ascii().
    return "".join(one if one.isprintable() or one in also else ascii(one)[1:-1] for one in text)


def safe_repr(value: object) -> str:
    """The ``repr`` of a value. Never raises: it is code of a class, and Python refuses it of huge integers."""
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001
        return f"a {type(value).__name__} (its repr raises {type(error).__name__})"
