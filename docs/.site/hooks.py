"""Hooks of the site: what commands print, in its place; files of the repository beside the pages that name them; no
asset on a network."""

import re
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools import pages as made  # noqa: E402  # mkdocs does not look for modules here

LINK: Final = re.compile(r"(?<!!)\[(?P<text>[^\]\[]*)\]\((?P<target>\.\.?/[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
SERVED: Final = {".py", ".json", ".go", ".rs", ".java"}
"""Suffixes of files of the repository that the site holds; what else lies outside docs/ is named, and is no link."""

ABSENT: Final = "assets/absent/"
"""Where scripts of the theme would find what they know how to load from elsewhere, and never need here."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the gallery, and the examples, under ``repository/``."""
    for name, content in made.bugs().items():
        files.append(File.generated(config, f"gallery/{name}", content=content))
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix in SERVED:
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, f"repository/{name}.txt", content=path.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """What is made is put in its place. Links that leave docs/ lead to the copies; folders, and files that have none,
    become text."""
    here = PurePosixPath("docs", page.file.src_uri).parent

    def led(found: re.Match[str]) -> str:
        name = normpath((here / found["target"]).as_posix())
        if name.startswith("docs/"):
            return found[0]
        copy = f"repository/{name}.txt"
        if files.get_file_from_path(copy) is None:
            return f"{found['text']} (`{name}`)"
        return f"[{found['text']}]({relpath(copy, here.relative_to('docs').as_posix())})"

    return LINK.sub(led, made.filled(markdown))


def on_post_build(config: MkDocsConfig) -> None:
    """The theme's scripts name a public server for things that these pages do not have. They shall name none."""
    for path in Path(config.site_dir, "assets", "javascripts").rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        if "https://unpkg.com/" in text:
            path.write_text(text.replace("https://unpkg.com/", ABSENT), encoding="utf-8")
