"""The site: every page has a place in it, what is made is in its place, and nothing that it loads is on a network."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlsplit

import pytest
import yaml

from tests.commands import ROOT
from tests.show.browser import Browser
from tools import pages as made
from tools.catalogues import everything

DOCS: Final = ROOT / "docs"
PRINTED: Final = {
    "gallery": "make gallery",
    "hard-delete": "lakeproof verify 'hard-delete/*' 'retention/*' --table matrix",
    "repositories": "lakeproof verify 'repositories/*' --table matrix",
}


class Reader(yaml.SafeLoader):
    """Reads the names of Python functions in mkdocs.yml as nothing, and calls none."""


Reader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
CONFIG = cast("dict[str, object]", yaml.load((ROOT / "mkdocs.yml").read_text(), Reader))  # noqa: S506  # a safe loader


def named(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        yield from (name for part in nav.values() for name in named(part))
    elif isinstance(nav, list):
        yield from (name for part in nav for name in named(part))


def test_each_page_but_those_of_the_gallery_is_in_the_navigation_once() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    listed = list(named(CONFIG["nav"]))
    assert len(listed) == len(set(listed))
    assert {page for page in pages if not page.startswith("gallery/")} == set(listed) - {"gallery/README.md"}


def test_each_thing_that_is_made_has_one_place_and_its_page_names_the_command() -> None:
    found = [(path, name) for path in sorted(DOCS.rglob("*.md")) for name in made.LINE.findall(path.read_text())]
    assert sorted(name for _, name in found) == sorted(made.MADE)
    for path, name in found:
        command = PRINTED.get(name)
        assert (command or f"python -m tools.pages {name}") in " ".join(path.read_text().split())


def test_what_is_made_is_of_the_code() -> None:
    invariants, commands = made.MADE["invariants"](), made.MADE["commands"]()
    rows = {line.split("`")[1]: line for line in invariants.splitlines()[2:]}
    for scenario in everything():
        for checked in (*scenario.invariants, *scenario.aftermath):
            assert f"| {type(checked).__name__} | " in rows[checked.id]
            assert (checked.meaning.rpartition(" (")[0] or checked.meaning) in rows[checked.id]
    tables = made.MADE["repositories"]()
    assert "| `naive` | **violated** in " in tables
    assert "| `hardened` | holds (" in tables
    for command in ("verify", "spark check", "gate run"):
        assert f"\n### {command}\n\n```text\nlakeproof {command} [OPTIONS]" in commands
    assert "| `--baseline FILE` | " in commands


class Loaded(HTMLParser):
    """What a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [given[name] or "" for name in ("src", "srcset", "poster", "data") if name in given]
        if tag == "link" and given.get("rel") != "canonical":
            self.found.append(given.get("href") or "")
        if "style" in given:
            self.found += re.findall(r"url\(([^)]*)\)", given["style"] or "")


def outside(folder: Path) -> Iterator[str]:
    """Each asset of a site that is on a network, as ``FILE: ADDRESS``."""
    for path in sorted(folder.rglob("*")):
        found: list[str] = []
        match path.suffix:
            case ".html":
                page = Loaded()
                page.feed(path.read_text())
                found = page.found
            case ".css" | ".svg":
                found = re.findall(r"""(?:url\(|@import|(?:href|src)=)\s*["']?([^"')\s]+)""", path.read_text())
            case ".js" if "search_index" not in path.name:
                found = re.findall(r"https?://(?:unpkg|cdn|fonts)[^\"'`\s]*", path.read_text())
        yield from (f"{path.name}: {each}" for each in found if re.match(r"(https?:)?//", each))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.html",
            '<img src="a.svg"><a href="https://example.org">there</a><script src="https://unpkg.com/x"></script>',
        ),
        ("a.html", '<link rel="stylesheet" href="//unpkg.com/x">'),
        ("a.css", '@import "https://unpkg.com/x"; a{b:url(c.png)}'),
        ("a.js", 'load("https://unpkg.com/x")'),
    ],
)
def test_what_is_loaded_from_a_network_is_found(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    [found] = outside(tmp_path)
    assert found.endswith("//unpkg.com/x")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make site` runs, into a folder of its own. No proxy of this machine leads out: there is nothing to fetch.
    Without mkdocs the test is skipped; in continuous integration it fails."""
    if importlib.util.find_spec("mkdocs") is None:
        message = "mkdocs is not installed: `make site` installs it with the extra `site`"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    folder = tmp_path_factory.mktemp("site")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    # Not --quiet: then mkdocs does not count its warnings, and strict is not.
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, re.findall("WARNING.*|ERROR.*", done.stdout + done.stderr)) == (0, [])
    return folder


@pytest.mark.xdist_group("chromium")
class TestBuilt:
    def test_no_page_loads_anything_from_a_network(self, site: Path) -> None:
        listed = [(site / name.replace("README.md", "index.md")).with_suffix(".html") for name in named(CONFIG["nav"])]
        assert [path.name for path in listed if not path.exists()] == []
        assert len(list((site / "gallery").glob("*.html"))) > 40
        assert not [path.name for path in site.rglob("*.html") if "<!-- made: " in path.read_text()]
        assert list(outside(site)) == []

    def test_a_browser_asks_for_files_alone(self, site: Path, browser: Browser) -> None:
        for page in ("index.html", "how-it-works.html", "reference/python.html", "gallery/index.html"):
            browser.open(site / page)
            asked = [urlsplit(address) for address in browser.requests()]
            assert any(each.path.endswith(".css") for each in asked)
            assert [each.geturl() for each in asked if each.scheme not in ("file", "data", "blob")] == []

    def test_the_reference_has_every_name_that_it_lists(self, site: Path) -> None:
        page = (site / "reference" / "python.html").read_text()
        for name in re.findall(r"^::: (\S+)", (DOCS / "reference" / "python.md").read_text(), re.MULTILINE):
            assert f'id="{name}"' in page
