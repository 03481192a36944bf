"""Progress: a live line on a terminal, a plain line now and then elsewhere; never on stdout."""

import io
import sys

import pytest

from lakeproof.show.progress import Progress
from tests.show.test_table import OUTCOMES

NAME = OUTCOMES[0].scenario


class Terminal(io.StringIO):
    """A terminal, as far as anybody asks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [40, 80, 120])
def test_on_a_terminal_the_line_fits_and_is_gone_at_the_end(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    with Progress("verifying", 3) as told:
        told.began("x" * 200)
        told.at("x" * 200, 3, 1_000)
        told.tick()
        told.finished("x" * 200, OUTCOMES[0])
        told.tick()
        assert told._bar is not None
        told._bar.refresh()
    shown = terminal.getvalue()
    assert "verifying" in shown
    assert "1/3" in shown
    assert shown.endswith("\x1b[2K")  # the line is erased
