"""The command line: what it prints where, exit codes, standard streams, tables that go round, files kept whole."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gpsem
from gpsem import cli

MODEL = "Size =~ a1 + a2 + a3  # first\nWeight =~ b1 + b2 + b3\nWeight ~ Size\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "model.txt").write_text(MODEL)
    rows = [",".join(f"{((5 * r + 3 * c) % 13) / 3 + r / 20:.3f}" for c in range(6)) for r in range(25)]
    rows[3] = rows[3].replace(rows[3].split(",")[1], "", 1)
    (tmp_path / "data.csv").write_text("\n".join(["a1,a2,a3,b1,b2,b3", *rows]) + "\n")
    return str(tmp_path / "model.txt"), str(tmp_path / "data.csv")


def run(*words: str) -> int:
    return cli.main(list(words))


def test_check_prints_every_section(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", *files) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    titles = [line for line in printed.out.splitlines() if line and not line.startswith(" ")]
    wanted = ["Statements", "Parameter table", "Graph", "Units and origins", "Identification", "Computation", "Data"]
    assert titles == wanted
    assert "Size -> Weight" in printed.out
    assert "25 rows, 6 columns, 6 of them used" in printed.out


def test_check_without_data(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", files[0]) == 0
    assert "\nData\n" not in capsys.readouterr().out


def test_check_as_json(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", *files, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"statements", "table", "graph", "verdicts", "computation", "settings", "data"}
    assert found["graph"]["structural"] == [["Size", "Weight"]]
    assert found["table"][0]["value"] == 1
    assert found["table"][1]["value"] is None
    assert found["data"]["missing"] == 1
    assert found["settings"]["structural"] == "gp"


@pytest.mark.parametrize("family", ["gp", "full-gp", "linear", "quadratic", "basis"])
def test_the_printed_table_goes_round(
    family: str, files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", files[0], "--format", "csv", "--structural", family) == 0
    first = capsys.readouterr().out
    (tmp_path / "table.csv").write_text(first)
    assert run("check", str(tmp_path / "table.csv"), files[1], "--structural", family) == 0
    capsys.readouterr()
    assert run("check", str(tmp_path / "table.csv"), "--format", "csv", "--structural", family) == 0
    assert capsys.readouterr().out == first


def test_an_edited_table_is_another_model(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("check", files[0], "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    rows[1].update(free="0", value="0.5")
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    (tmp_path / "table.csv").write_text(out.getvalue())
    assert run("check", str(tmp_path / "table.csv"), "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["table"][1]["value"] == 0.5


def test_standard_input(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["check", "-", files[1]], ["check", files[0], "-"]):
        given = Path(files[words.index("-") - 1]).read_bytes()
        done = subprocess.run([sys.executable, "-m", "gpsem", *words], input=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"25 rows" in done.stdout
    assert run("check", "-", "-") == 2
    assert "both be standard input" in capsys.readouterr().err


def test_help_has_an_example_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    assert "Example:" in capsys.readouterr().out
    for name in cli.app.commands:
        assert run(name, "--help") == 0
        assert f"Example:\n    gpsem {name}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert gpsem.__version__ in capsys.readouterr().out


def test_no_words_show_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    assert "Commands:" in capsys.readouterr().err


def test_commands_to_come_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli._LATER:
        assert run(name, "x") == 2
        assert f"'gpsem {name}' is not in version" in capsys.readouterr().err
    assert run("chekc", "x") == 2


def test_data_and_model_swapped(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", files[1], files[0]) == 2
    assert "MODEL comes first" in capsys.readouterr().err


def test_missing_files_are_named(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", files[0].replace("model", "modle")) == 2
    assert "Did you mean 'model.txt'?" in capsys.readouterr().err
    assert run("check", files[0], files[1].replace("data", "dtaa")) == 2
    assert "Did you mean 'data.csv'?" in capsys.readouterr().err
    assert run("check", str(Path(files[0]).parent)) == 2
    assert run("check", "a\0b") == 2


def test_data_are_listed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GPSEM_DATA", raising=False)
    assert run("data") == 0
    listed = capsys.readouterr().out
    assert "political_democracy" in listed
    assert "a copy of your own" in listed
    target = tmp_path / "new" / "d.csv"
    assert run("data", "political_democracy", "--out", str(target)) == 0
    assert target.read_text().count("\n") == 76
    target.write_text("mine")
    assert run("data", "political_democracy", "--out", str(target)) == 2
    assert target.read_text() == "mine"
    assert run("data", "political_democracy", "--out", str(target), "--force") == 0
    capsys.readouterr()
    assert run("data", "synthetic", "--rows", "3", "--seed", "5") == 0
    assert capsys.readouterr().out.count("\n") == 4
    assert run("data", "abalone", "--model") == 0
    assert capsys.readouterr().out == gpsem.datasets.model("abalone")
    assert run("data", "synthetik") == 2
    assert run("data", "political_democracy", "--seed", "1") == 2


def test_demo_leaves_files_that_give_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "demo"
    assert run("demo", "--out", str(out), "--draws", "20") in (0, 1)
    shown = capsys.readouterr().out
    assert run("check", str(out / "model.txt"), str(out / "data.csv"), "--priors", "silva-gramacy") == 0
    assert capsys.readouterr().out.strip() in shown
    assert (out / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert run("summary", str(out / "run")) in (0, 1)
    assert capsys.readouterr().out.strip() in shown
    assert run("demo", "--out", str(out), "--draws", "20") == 2
    (out / "model.txt").write_text("F =~ y\n")
    (out / "run" / "run.toml").unlink()
    assert run("demo", "--out", str(out), "--draws", "20", "--force") == 2
    assert (out / "model.txt").read_text() == "F =~ y\n"


def test_unexpected_errors_are_ours(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gpsem import pipeline

    def fails(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(pipeline, "check", fails)
    assert run("check", files[0]) == 3
    printed = capsys.readouterr().err
    assert "gpsem's fault" in printed
    assert "Traceback" not in printed
    assert run("check", files[0], "--debug") == 3
    assert "Traceback" in capsys.readouterr().err

    def stops(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "check", stops)
    assert run("check", files[0]) == 130

    def fills(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(pipeline, "check", fills)
    assert run("check", files[0]) == 3


def test_debug_shows_the_traceback_of_our_own_error(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", files[0], "--kernel", "no", "--debug") == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="pipes of the posix kind")
def test_a_closed_pipe_is_no_error(files: tuple[str, str]) -> None:
    script = f"{sys.executable} -m gpsem check {files[0]} --format csv | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 128 + signal.SIGPIPE)
