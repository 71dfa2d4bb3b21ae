"""The documentation cannot drift: its Python runs, its commands run, every command has its section."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gpsem import GpsemError, Model, cli

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(kind: str) -> list[tuple[str, str]]:
    """The fenced blocks of a kind, on all pages."""
    found = []
    for page in PAGES:
        inside: list[str] | None = None
        opened = ""
        for line in page.read_text("utf-8").splitlines():
            if line.startswith("```") and inside is None:
                inside, opened = [], line[3:]
            elif line == "```" and inside is not None:
                if opened == kind:
                    found.append((f"{page.name}-{len(found)}", "\n".join(inside) + "\n"))
                inside = None
            elif inside is not None:
                inside.append(line)
    return found


@pytest.mark.parametrize(("name", "code"), blocks("python"), ids=[name for name, _ in blocks("python")])
def test_python_runs(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {"__name__": "docs"})


def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """All console lines of README and docs, in one folder, in order."""
    monkeypatch.chdir(tmp_path)
    ran = 0
    for _, block in blocks("console"):
        for line in block.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[0] == "gpsem":
                slow = words[1] in ("fit", "demo")
                short = ["--draws", "20", *(["--warmup", "20"] if words[1] == "fit" else [])] if slow else []
                judged = slow or words[1] == "summary"
                assert cli.main([*words[1:], *short]) in ((0, 1) if judged else (0,)), line
                ran += 1
    assert ran >= 10
    capsys.readouterr()


def test_every_command_and_option_has_its_place() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for name, command in cli.app.commands.items():
        assert command.help
        section = page.split(f"## gpsem {name}\n", 1)[1].split("\n## ")[0]
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--") and option != "--debug":
                    assert option in section, (name, option)


def test_models_in_the_docs_are_understood() -> None:
    for name, text in blocks(""):
        if "=~" in text and "error:" not in text:
            assert Model(text), name


def test_the_error_in_the_readme_is_the_error_given() -> None:
    shown = next(text for _, text in blocks("") if text.startswith("error:"))
    text = "Size =~ length + diameter + height\nWeight =~ whole + shucked + viscera\nWeigth ~ Size\n"
    with pytest.raises(GpsemError) as caught:
        Model(text, name="model.txt")
    assert shown == f"error: {caught.value}\n"


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), (page.name, target)


def test_first_screen_has_the_two_commands() -> None:
    head = "\n".join((ROOT / "README.md").read_text("utf-8").splitlines()[:12])
    assert "make demo" in head
    assert "make test" in head
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in ("demo", "test", "bench"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")
