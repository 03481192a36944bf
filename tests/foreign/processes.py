"""Processes of misbehaving programs, as the system lists them."""

from pathlib import Path


def left_over(mistake: str) -> list[str]:
    """The command lines of programs with this mistake that live."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:  # it has just ended
                continue
            if words[1:3] == ["misbehaving.py", mistake]:
                found.append(" ".join(words).strip())
    return found
