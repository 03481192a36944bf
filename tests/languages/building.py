"""Programs of adapters/ and examples/, built into a folder of the test run: once for a session."""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[2]


def tool(name: str, package: str) -> str:
    """A compiler. It is never left out: without it the flows of its language would pass unseen."""
    found = shutil.which(name)
    assert found is not None, f"no {name}: install {package}; .ci/run does it on Debian"
    return found


def built(command: Sequence[str | Path], folder: Path) -> None:
    """Run a build in a folder; a failure shows what it printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))} in {folder}:\n{done.stdout}{done.stderr}"


def go(folder: Path) -> str:
    built(
        [tool("go", "golang"), "build", "-buildvcs=false", "-o", folder / "flows", "./example"],
        ROOT / "adapters" / "go",
    )
    return str(folder / "flows")


def rust(folder: Path) -> str:
    options = ["--offline", "--locked", "--example", "flows", "--target-dir", str(folder)]
    built([tool("cargo", "cargo"), "build", *options], ROOT / "adapters" / "rust")
    return str(folder / "debug" / "examples" / "flows")


def java(folder: Path) -> str:
    sources = sorted((ROOT / "adapters" / "java").rglob("*.java"))
    built([tool("javac", "default-jdk-headless"), "-Xlint:all", "-Werror", "-d", folder, *sources], ROOT)
    return f"{tool('java', 'default-jdk-headless')} -XX:TieredStopAtLevel=1 -Xshare:auto -cp {folder} Flows"


def javascript(_: Path) -> str:
    return f"{tool('node', 'nodejs')} {ROOT / 'adapters' / 'typescript' / 'example' / 'flows.js'}"


LANGUAGES: Final[Mapping[str, Callable[[Path], str]]] = {"go": go, "rust": rust, "java": java, "javascript": javascript}
"""The worked example of each adapter, built into a folder: its command."""
