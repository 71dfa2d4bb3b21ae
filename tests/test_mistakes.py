"""One table of mistakes: in the model, the data, the options. Each is answered by a few lines that say what, where
and what to do, with exit code 2, no traceback and nothing written."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from gpsem.cli import main

GOOD = "F =~ y1 + y2 + y3\nG =~ z1 + z2 + z3\nG ~ F\n"
HEAD = "y1,y2,y3,z1,z2,z3"
ROWS = [",".join(f"{((7 * r + 3 * c) % 11) / 4 + r * (c + 1) / 50:.4f}" for c in range(6)) for r in range(30)]


def table(*, head: str = HEAD, rows: list[str] | None = None, **cells: str) -> str:
    """A good table with some cells put in by `r<row>c<column>`."""
    lines = [row.split(",") for row in (rows if rows is not None else ROWS)]
    for place, value in cells.items():
        row, column = place[1:].split("c")
        lines[int(row)][int(column)] = value
    return "\n".join([head, *(",".join(line) for line in lines)]) + "\n"


def column(n: int, value: str | None = None, copy: int = 0) -> str:
    """A good table with column n replaced by one value, or by a copy of another column."""
    lines = [row.split(",") for row in ROWS]
    for line in lines:
        line[n] = line[copy] if value is None else value
    return "\n".join([HEAD, *(",".join(line) for line in lines)]) + "\n"


class Mistake(NamedTuple):
    what: str  # a part of the message
    where: str  # a part of the message that names the place
    remedy: str  # a part of the message
    model: str = GOOD
    data: str | None = None
    options: tuple[str, ...] = ()
    suffix: str = ".csv"


MODEL = {
    "empty text": Mistake("no statement", "", "F =~ y1", model="\n  # nothing\n"),
    "no operator": Mistake("no operator", "line 2, column 1", "Write =~", model="F =~ y1 + y2 + y3\ny4 + y5\n"),
    "two names side by side": Mistake("side by side", "column 9", "'+'", model="F =~ y1 y2 + y3\n"),
    "plus left over": Mistake("Something is missing", "line 1", "take the sign out", model="F =~ y1 + + y2\n"),
    "plus before a statement": Mistake("A second operator", "line 2", "line above", model="F =~ y1 + y2 +\nG ~ F\n"),
    "nothing on the right": Mistake("Nothing stands after '=~'", "column 3", "Write", model="F =~\n"),
    "nothing on the left": Mistake("Nothing stands before '~'", "column 1", "Write", model=GOOD + "~ F\n"),
    "open bracket": Mistake("never closed", "line 4, column 6", "Close", model=GOOD + "a := (1 + 2\n"),
    "bracket too many": Mistake("closes nothing", "line 4, column 12", "out", model=GOOD + "a := 1 + 2 )\n"),
    "open quote": Mistake("never closed", "line 1, column 11", "Close it", model='F =~ y1 + "a*y2 + y3\n'),
    "open backtick": Mistake("backtick is never closed", "column 6", "Close it", model="F =~ `y 1 + y2\n"),
    "strange sign": Mistake("means nothing here", "column 9", "backticks", model="F =~ y1 § y2\n"),
    "name starts with a digit": Mistake("starts with a digit", "column 6", "`1y`", model="F =~ 1y + y2 + y3\n"),
    "single equals": Mistake("'=' cannot stand here", "column 3", "'=~'", model="F = y1 + y2 + y3\n"),
    "minus between terms": Mistake("'-' cannot stand here", "column 9", "-1*x", model="F =~ y1 - y2 + y3\n"),
    "Mplus": Mistake("Mplus's word", "line 1", "F =~ y1", model="F BY y1 y2 y3;\n"),
    "semopy": Mistake("semopy's command", "line 4", "start(0.5)*x", model=GOOD + "START(0.1) y2\n"),
    "R around it": Mistake("code that holds a model", "line 1", "quotation marks", model="m <- 'F =~ y1 + y2 + y3'\n"),
    "unknown modifier": Mistake(
        "'strat()' is not a modifier", "column 11", "start", model="F =~ y1 + strat(1)*y2 + y3\n"
    ),
    "unknown function term": Mistake("'s()' is not a term", "line 3", "gp(A)", model=GOOD.replace("G ~ F", "G ~ s(F)")),
    "second value": Mistake("a second value", "column 18", "Keep one", model="F =~ y1 + 0.5*y2+2*y2 + y3\n"),
    "written twice": Mistake("written twice", "line 2", "line 1", model="F =~ y1 + y2 + y3\nF =~ y2\n"),
    "itself": Mistake("measured by itself", "column 6", "indicator", model="F =~ F + y1\n"),
    "regressed on itself": Mistake("regressed on itself", "line 4", "out", model=GOOD + "G ~ G\n"),
    "value that is not finite": Mistake("finite number", "column 11", "finite", model="F =~ y1 + 1/0*y2 + y3\n"),
    "negative variance": Mistake("cannot be -1", "line 4, column 7", "0 or above", model=GOOD + "y1 ~~ -1*y1\n"),
    "mean that is no 1": Mistake("neither an intercept", "line 4", "2*1", model=GOOD + "y1 ~ 2\n"),
    "no latent": Mistake("no latent variable", "line 1", "F =~", model="y1 ~~ y1\n"),
    "misspelt latent": Mistake(
        "'Gg' is an observed cause",
        "line 4",
        "Did you mean 'G'",
        model=GOOD.replace("G ~ F", "H =~ h1 + h2 + h3\nH ~ F + Gg"),
    ),
    "misspelt indicator": Mistake("'y4' has a (co)variance", "line 4", "name a variable", model=GOOD + "y4 ~~ 0*y4\n"),
    "observed cause": Mistake("'age' is an observed cause", "line 4", "L_age =~ age", model=GOOD + "F ~ age\n"),
    "circle": Mistake("F -> G -> F", "line 3", "arrows out", model=GOOD + "F ~ G\n"),
    "single indicator": Mistake("single indicator", "line 1", "0.2*y1", model="F =~ y1\nG =~ z1 + z2 + z3\nG ~ F\n"),
    "no scale": Mistake("no scale and no sign", "line 1", "1*y1", model="F =~ NA*y1 + y2 + y3\n"),
    "scale twice": Mistake("scale of 'F' is set twice", "line 2", "NA*y1", model="F =~ y1 + y2 + y3\nF ~~ 1*F\n"),
    "unmeasured": Mistake(
        "is not measured", "line 1", "indicators", model="F =~ 0*y1 + 0*y2\nG =~ z1 + z2 + z3\nF ~~ 1*F\n"
    ),
    "rotation": Mistake(
        "not identified", "line 1", "cross-loadings", model="F =~ y1 + y2 + y3 + y4\nG =~ y1 + y2 + y3 + y4\n"
    ),
    "zeros in a block": Mistake(
        "one joint mixture", "line 3", "Make blocks", model="F =~ y1+y2+y3; G =~ z1+z2+z3; H =~ h1+h2+h3\n\nF ~~ 0*G\n"
    ),
    "modifier on a function": Mistake(
        "no coefficient to set", "line 3, column 5", "lin(F)", model=GOOD.replace("~ F", "~ b*F")
    ),
    "a function's intercept": Mistake("it has no intercept", "line 4", "structural='linear'", model=GOOD + "G ~ 1\n"),
    "no origin": Mistake("Nothing sets the origin of 'G'", "line 4", "z1", model=GOOD + "z1 ~ 1\n"),
    "residual covariance": Mistake(
        "Residual covariances", "line 4", "share a latent of their own", model=GOOD + "y1 ~~ z1\n"
    ),
    "thresholds": Mistake("Thresholds", "line 4", "continuous", model=GOOD + "y1 | t1 + t2\n"),
    "groups": Mistake("Groups", "line 1", "each group", model="F =~ y1 + c(1, 2)*y2 + y3\n"),
    "undefined label": Mistake("neither a label", "line 4", "Label the parameter", model=GOOD + "k := 2*qq\n"),
    "defined by itself": Mistake("defined by itself", "line 4", "labels", model=GOOD + "k := m\nm := k\n"),
    "unknown function": Mistake(
        "'system()' is not a function", "line 4", "Known functions", model=GOOD + 'k := system("ls")\n'
    ),
    "deep nesting": Mistake("nested more than", "line 4", "Split it", model=GOOD + "k := " + "(" * 80 + "1" + ")" * 80),
    "unknown prior": Mistake(
        "'gaus' is not a distribution", "line 1", "normal", model='F =~ y1 + prior("gaus(0,1)")*y2 + y3\n'
    ),
    "prior of the wrong kind": Mistake(
        "must say on what", "line 4", "[sd]", model=GOOD + 'y1 ~~ prior("gamma(1,1)")*y1\n'
    ),
    "prior without effect": Mistake("no effect", "line 1", "NA*", model='F =~ prior("normal(0,1)")*y1 + y2 + y3\n'),
    "labels of two kinds": Mistake(
        "they cannot be equal", "line 2", "another label", model="F =~ y1 + a*y2 + y3\ny1 ~~ a*y1\n"
    ),
    "too exact": Mistake(
        "both measure 'F' without error", "line 3", "at most one", model="F =~ y1 + y2 + y3\ny1 ~~ 0*y1\ny2 ~~ 0*y2\n"
    ),
}
DATA = {
    "text in a numeric column": Mistake(
        "'high', which is not a number", "line 5, column 8", "--missing", data=table(r3c1="high")
    ),
    "thousands sign": Mistake("not a number", "row 4", "thousands", data=table(r3c1='"1,200.5"')),
    "infinity": Mistake("is infinite", "row 3", "empty", data=table(r2c0="inf")),
    "constant": Mistake("no variance", "model.txt, line 1", "Take the indicator out", data=column(1, "3")),
    "empty column": Mistake("'y2' is empty", "model.txt, line 1", "check the file", data=column(1, "")),
    "equal columns": Mistake("'y1' and 'y2' are equal", "line 1", "one measurement", data=column(1, None, 0)),
    "too few rows": Mistake("4 rows", "", "more rows", data=table(rows=ROWS[:4])),
    "no rows": Mistake("no rows", "", "Give more rows", data=HEAD + "\n"),
    "empty file": Mistake("is empty", "", "line of names", data=""),
    "missing column": Mistake(
        "no column 'y2'", "model.txt, line 1, column 11", "Did you mean Y2", data=table(head=HEAD.replace("y2", "Y2"))
    ),
    "column with a blank": Mistake("no column 'y2'", "line 1", "`y 2`", data=table(head=HEAD.replace("y2", "y 2"))),
    "duplicate name": Mistake(
        "two columns named 'y2'",
        "line 1",
        "Rename",
        data=table(head=HEAD.replace("y3", "y2"), rows=ROWS).replace("z3", "y3"),
    ),
    "latent named like a column": Mistake(
        "'F' is a latent of the model and a column",
        "line 1",
        "Rename the latent",
        data=table(head=HEAD.replace("z3", "F")),
    ),
    "ragged line": Mistake("has 7 values, more than 6", "line 4", "value in each column", data=table(r2c5="1,2")),
    "short line": Mistake("has 2 values, fewer than 6", "line 32", "value in each column", data=table() + "1,2\n"),
    "numbers for names": Mistake("holds numbers, not names", "line 1", "line of column names", data="\n".join(ROWS)),
    "spreadsheet": Mistake("spreadsheet", "", "CSV", data="PK\x03\x04", suffix=".xlsx"),
    "unknown suffix": Mistake("'.xyz'", "", ".csv", data=table(), suffix=".xyz"),
    "not a Parquet file": Mistake("cannot be read as a .parquet file", "", "CSV", data="no", suffix=".parquet"),
    "dates": Mistake("not a number", "row 1", "", data=column(1, "2020-01-31")),
}
OPTIONS = {
    "unknown family": Mistake("structural='gpp'", "", "'gp'", options=("--structural", "gpp")),
    "no pseudo-inputs": Mistake("inducing=0", "", "whole number from 1", options=("--inducing", "0")),
    "mixture of none": Mistake("mixture=-3", "", "whole number from 1", options=("--mixture", "-3")),
    "not a number": Mistake("'many' is not a valid integer", "", "--inducing", options=("--inducing", "many")),
    "unknown kernel": Mistake("kernel='rbg'", "", "Did you mean 'rbf'", options=("--kernel", "rbg")),
    "unknown preset": Mistake("priors='flat'", "", "silva-gramacy", options=("--priors", "flat")),
    "Student errors": Mistake("errors='student'", "", "not estimated yet", options=("--errors", "student")),
    "both scalings": Mistake("exclude each other", "", "one of the two", options=("--std-lv", "--unidentified")),
    "unknown format": Mistake("--format yaml", "", "json", options=("--format", "yaml")),
    "unknown option": Mistake("--strucural", "", "--structural", options=("--strucural", "gp")),
}
ALL = {**MODEL, **DATA, **OPTIONS}


def test_there_are_forty_and_more() -> None:
    assert len(ALL) >= 40


@pytest.mark.parametrize("name", ALL)
def test_a_mistake_is_answered_in_a_few_lines(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mistake = ALL[name]
    monkeypatch.chdir(tmp_path)
    Path("model.txt").write_text(mistake.model, encoding="utf-8")
    words = ["check", "model.txt"]
    if mistake.data is not None:
        Path("data" + mistake.suffix).write_text(mistake.data, encoding="utf-8")
        words.append("data" + mistake.suffix)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert main([*words, *mistake.options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    for part in (mistake.what, mistake.where, mistake.remedy):
        assert part in printed.err
    assert "Traceback" not in printed.err
    assert 1 <= len(printed.err.strip().splitlines()) <= 12, printed.err
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_the_good_model_and_data_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table above can fail: what its cases are made from is accepted."""
    (tmp_path / "m.txt").write_text(GOOD)
    (tmp_path / "d.csv").write_text(table())
    assert main(["check", str(tmp_path / "m.txt"), str(tmp_path / "d.csv")]) == 0
    assert "30 rows, 6 columns, 6 of them used" in capsys.readouterr().out
