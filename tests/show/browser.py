"""Debian's Chromium, headless, driven over the WebDriver protocol: what the tests of pages need, and no more."""

import http.client
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

import pytest

SECONDS_MAX: Final = 600
"""Of a busy machine."""
_ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
KEYS: Final = {"ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Home": "\ue011", "End": "\ue010", "Tab": "\ue004"}
"""Keys without a character, by name: https://www.w3.org/TR/webdriver2/#keyboard-actions."""


class Refused(Exception):
    """A command that the browser did not carry out, with its reason."""


class Browser:
    """One window. Every value that crosses the protocol is plain JSON."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._session = ""

    def call(self, method: str, path: str, body: object = None) -> object:
        """One command. Raises Refused, or OSError where no driver listens."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS_MAX)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        finally:
            connection.close()
        if answer.status != 200:
            raise Refused(str(value)[:600])
        return cast("object", value)

    def begin(self) -> None:
        """Open the window. It notes what it asks for, for `requests`."""
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        options = {"binary": shutil.which("chromium"), "args": [*flags, "--disable-background-networking"]}
        logged = {"browser": "ALL", "performance": "ALL"}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": logged}
        wanted["timeouts"] = dict.fromkeys(("script", "pageLoad"), SECONDS_MAX * 1_000)
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        assert isinstance(made, dict)
        self._session = f"/session/{made['sessionId']}"

    def end(self) -> None:
        self.call("DELETE", self._session)

    def devtools(self, command: str, **parameters: object) -> object:
        return self.call("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Choose the size of the window and the colours that the user prefers."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file from disk, anew."""
        self.open_address(path.absolute().as_uri() + fragment)

    def open_address(self, address: str) -> None:
        """Open an address, anew."""
        self.call("POST", f"{self._session}/url", {"url": "about:blank"})
        self.log()
        self.requests()
        self.call("POST", f"{self._session}/url", {"url": address})

    def run(self, script: str, *arguments: object) -> object:
        """The value that a function body returns, or that its promise comes to."""
        return self.call("POST", f"{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def click(self, selector: str) -> None:
        found = self.call("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        assert isinstance(found, dict)
        self.call("POST", f"{self._session}/element/{found[_ELEMENT]}/click", {})

    def press(self, *keys: str) -> None:
        """Press and release each key, wherever the focus is."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.call(
            "POST", f"{self._session}/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        )

    def log(self) -> list[str]:
        """What the console has said since the last call: errors, and what the policy of the page has stopped."""
        return self._logged("browser")

    def requests(self) -> list[str]:
        """The addresses that the window has asked for since the last call."""
        events = [json.loads(entry)["message"] for entry in self._logged("performance")]
        return [
            str(event["params"]["request"]["url"]) for event in events if event["method"] == "Network.requestWillBeSent"
        ]

    def _logged(self, kind: str) -> list[str]:
        entries = self.call("POST", f"{self._session}/se/log", {"type": kind})
        return [str(entry["message"]) for entry in cast("list[dict[str, object]]", entries)]


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A window of a fresh browser. Without one the test is skipped; in continuous integration it fails."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        message = "chromium and chromedriver are not installed (Debian: chromium, chromium-driver)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with (folder / "driver.log").open("wb") as log:
        driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=log, env={**os.environ, "TMPDIR": str(folder)}
        )
        try:
            browser = Browser(_port(driver))
            browser.begin()
            try:
                yield browser
            finally:
                browser.end()
        finally:
            driver.terminate()
            driver.wait(SECONDS_MAX)
            assert driver.stdout is not None
            driver.stdout.close()


def _port(driver: "subprocess.Popen[bytes]") -> int:
    """The port that the driver has chosen: it says so itself."""
    assert driver.stdout is not None
    for line in driver.stdout:
        if b"started successfully on port" in line:
            return int(line.decode().rstrip().rstrip(".").rpartition(" ")[2])
    raise AssertionError("chromedriver has not started; its log is beside the test's files")
