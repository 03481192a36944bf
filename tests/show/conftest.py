"""One browser for all tests of pages: its start costs more than most of them."""

from collections.abc import Iterator

import pytest

from tests.show.browser import Browser, chromium


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The window of the run, which notes what it asks for. Tests that use it are in the xdist group "chromium"."""
    with chromium(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@pytest.fixture
def browser(window: Browser) -> Browser:
    """The window at the size of a desktop, in light colours."""
    window.look()
    return window
