"""Programs of the adapters, built once for all tests of a process."""

from collections.abc import Callable
from functools import cache

import pytest

from lakeproof import Program
from tests.languages.building import LANGUAGES


@pytest.fixture(scope="session")
def built_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Program]:
    """The worked example in a language."""
    return cache(lambda language: Program(LANGUAGES[language](tmp_path_factory.mktemp(language))))
