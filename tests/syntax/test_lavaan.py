"""Texts of lavaan's, blavaan's and semopy's documentation: parsed as lavaan parses them, or refused by name."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from gpsem.errors import GpsemError
from gpsem.model.flat import FlatRow, flatten
from gpsem.model.settings import Settings
from gpsem.model.specification import specify
from gpsem.syntax import parse
from gpsem.syntax.modifiers import Modifier
from gpsem.syntax.prior import parse_prior
from gpsem.syntax.source import Source
from support import cases

HERE = Path(__file__).parent
CASES = {head[0]: (head[1], head[2], text) for head, text in cases("syntax/lavaan_cases.txt")}
LAVAAN = json.loads((HERE / "lavaan_parsed.json").read_text(encoding="utf-8"))["cases"]

# Where the reading differs on purpose.
DIFFERENT = {
    "prior and label stacked": "lavaan 0.6-14 keeps the label and drops the prior in silence; here both count",
    "product with itself, 0.7": "lavaan 0.6-14 reads X:X as X:NA",
    "prior in JAGS's spelling": "lavaan leaves priors unread; here they are read at once",
    "start command": "lavaan does not read semopy's commands either, with another message",
    "define command": "lavaan warns about a line without operator and passes over it; here it is an error",
    "phantom": "lavaan makes a latent without indicators; refused here at once",
}


def test_there_are_sixty_and_more() -> None:
    assert len(CASES) >= 60
    assert set(CASES) == set(LAVAAN)


def _values(modifier: Modifier) -> list[str]:
    return ["" if value is None else str(value) for value in modifier.values]


def _same(ours: list[str], theirs: str) -> bool:
    wanted = str(theirs).split(";")
    if len(ours) != len(wanted):
        return False
    for a, b in zip(ours, wanted, strict=True):
        try:
            if not math.isclose(float(a), float(b), rel_tol=1e-12):
                return False
        except ValueError:
            if a.replace(" ", "") != b.replace(" ", "") and (a or b) not in ("", "NA"):
                return False
    return True


def _agree(row: FlatRow, theirs: dict[str, str]) -> None:
    by_kind = {"label": row.modifier("label") or row.modifier("equal")}
    for kind in ("fixed", "start", "lower", "upper", "label", "prior", "efa", "rv"):
        ours = by_kind.get(kind) or row.modifier(kind) or (row.left.modifier(kind) if kind == "efa" else None)
        assert (ours is None) == (kind not in theirs), (row, theirs)
        if ours is not None and kind == "prior":
            assert _values(ours) == [str(parse_prior(theirs[kind], Source(""), 0, 0))]
        elif ours is not None:
            assert _same(_values(ours), theirs[kind]), (ours, theirs[kind])


@pytest.mark.parametrize("name", [name for name, rows in LAVAAN.items() if rows is not None and name not in DIFFERENT])
def test_parsed_as_lavaan_parses(name: str) -> None:
    source = Source(CASES[name][2], name)
    statements = parse(source)
    ours = {}
    for row in flatten(source, statements):
        key = (*sorted((row.lhs, row.rhs)), "~~") if row.op == "~~" else (row.lhs, row.rhs, row.op)
        ours.setdefault(key, []).append(row)
    theirs: dict[tuple[str, ...], list[dict[str, str]]] = {}
    constraints = []
    for entry in LAVAAN[name]:
        if entry["op"] in ("==", "<", ">", ":="):
            constraints.append((entry["lhs"], entry["op"], entry["rhs"]))
        elif entry["op"] != ":":
            lhs, rhs, op = entry["lhs"], entry.get("rhs", ""), entry["op"]
            key = (*sorted((lhs, rhs)), "~~") if op == "~~" else (lhs, rhs, op)
            theirs.setdefault(key, []).append(entry)
    assert list(ours) == list(theirs) or set(ours) == set(theirs)
    for key, rows in ours.items():
        assert len(rows) == len(theirs[key])
        for row, entry in zip(rows, theirs[key], strict=True):
            _agree(row, entry)
    mine = [
        (str(s.left_expression).replace(" ", ""), s.op, str(s.right_expression).replace(" ", ""))
        for s in statements
        if s.left_expression is not None
    ]
    assert [c for c in mine if c[1] != ":="] == [c for c in constraints if c[1] != ":="]
    assert [c[:2] for c in mine] == [c[:2] for c in constraints]
    blocks = [s.value for s in statements if s.op == ":"]
    assert blocks == [f"{e['lhs']}: {e['rhs']}" for e in LAVAAN[name] if e["op"] == ":"]


@pytest.mark.parametrize("name", [name for name, rows in LAVAAN.items() if rows is None])
def test_what_lavaan_refuses_is_refused_here_too(name: str) -> None:
    with pytest.raises(GpsemError):
        specify(Source(CASES[name][2], name), Settings(structural="linear"))


@pytest.mark.parametrize("name", CASES)
def test_estimated_or_refused_by_name(name: str) -> None:
    _, outcome, text = CASES[name]
    if outcome == "estimated":
        specify(Source(text, name), Settings(structural="linear"))
        return
    wanted = outcome.removeprefix("refused:").strip()
    with pytest.raises(GpsemError) as caught:
        specify(Source(text, name), Settings(structural="linear"))
    assert wanted in str(caught.value)
    assert caught.value.place is not None
    assert caught.value.remedy
    assert caught.value.code == 2


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_differences_are_still_there(name: str) -> None:
    assert name in CASES
    assert DIFFERENT[name]
