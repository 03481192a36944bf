"""What is wrong with a call of `retention` or `uncommitted` is one line and exit code 2, before any JVM."""

from pathlib import Path

import pytest

from tests.commands import complaint, lakeproof

WRONG = "default_retention_days: '7', expected a whole number of days"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["retention", "d", "--rules", "wrong.json", "--out", "out"], WRONG),
        (["retention", "d", "--rules", "none.json", "--out", "out"], "name a file with rules"),
        (["retention", "d", "--rules", "rules.json", "--now", "soon", "--out", "out"], "--now 'soon': expected a date"),
        (["retention", "d", "--rules", "rules.json", "--out", "rules.json"], "cannot be written"),
        (["uncommitted", "d", "--out", "rules.json"], "cannot be written"),
        (["uncommitted", "d", "--out", "out", "--run", "../x"], "expected letters, digits"),
        (["uncommitted", "d", "--since", "r1", "--out", "out"], "has no run 'r1'; there is none"),
        (["uncommitted", "d", "--older-than", "24", "--out", "out"], "expected a number with s, m, h or d"),
    ],
)
def test_it_is_refused(arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAVA_HOME", "nowhere")
    (tmp_path / "rules.json").write_text('{"default_retention_days": 7}')
    (tmp_path / "wrong.json").write_text('{"default_retention_days": "7"}')
    assert said in complaint(lakeproof("spark", *arguments))
    assert not (tmp_path / "out").exists()
