"""The walls: imports point one way, heavy libraries stay where they belong, files stay short."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import gpsem

ROOT = Path(gpsem.__file__).parent
LONGEST = 350

# What each part may import of ours. `gpsem` itself (the version) is open to the command line.
ARROWS = {
    "errors": set(),
    "version": set(),
    "syntax": {"errors"},
    "model": {"syntax", "errors"},
    "data": {"errors"},
    "datasets": {"data", "errors"},
    "maths": set(),
    "moves": {"maths"},
    "sample": {"moves", "maths"},
    "assemble": {"sample", "moves", "maths", "model", "data", "syntax", "errors"},
    "results": {"version", "assemble", "sample", "moves", "model", "data", "syntax", "errors"},
    "pipeline": {"results", "assemble", "sample", "model", "data", "datasets", "syntax", "errors"},
    "report": {"results", "model", "errors"},
    "terminal": set(),
    "scale": {"sample", "errors"},
    "cli": {"version", "report", "terminal", "pipeline", "results", "datasets", "model", "data", "syntax", "errors"},
    "__main__": {"cli"},
    "__init__": {"version", "pipeline", "results", "datasets", "errors"},
}
# Where a library may be imported at all, and whether it may be at the head of a file there.
HOMES = {
    "pandas": {"data", "datasets", "results"},
    "numpy": {"data", "datasets", "results", "model", "maths", "moves", "sample", "assemble", "report", "terminal"},
    "networkx": {"model"},
    "click": {"cli"},
    "jax": {"maths", "moves", "sample", "pipeline", "results"},
    "matplotlib": {"report"},
    "arviz_base": {"results"},
    "arviz_stats": {"results"},
    "xarray": {"results"},
    "pyarrow": {"data"},
}
ONLY_INSIDE_FUNCTIONS = {
    ("numpy", "model"),
    ("networkx", "model"),
    ("jax", "pipeline"),
    ("jax", "results"),
    ("matplotlib", "report"),
}


def part(file: Path) -> str:
    inside = file.relative_to(ROOT)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imports(text: str) -> list[tuple[str, bool]]:
    """Modules that a file imports when it runs, and whether at its head; those for the type checker do not count."""
    found = []
    tree = ast.parse(text)
    checking = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    heads = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if id(node) in checking:
            continue
        if isinstance(node, ast.Import):
            found += [(name.name, id(node) in heads) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            found.append((node.module, id(node) in heads))
            if node.module == "gpsem":
                found += [(f"gpsem.{name.name}", id(node) in heads) for name in node.names if name.name in ARROWS]
    return found


def broken(where: str, module: str, at_head: bool) -> str:
    """What is wrong with an import, or an empty text."""
    root, _, rest = module.partition(".")
    if root == "gpsem":
        target = rest.split(".")[0]
        return "" if target == where or target in ARROWS[where] else f"{where} may not import {target or 'gpsem'}"
    if root in HOMES and where not in HOMES[root]:
        return f"{where} may not import {root}"
    if (root, where) in ONLY_INSIDE_FUNCTIONS and at_head:
        return f"{where} may import {root} inside functions only"
    return ""


FILES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=[str(f.relative_to(ROOT)) for f in FILES])
def test_arrows_and_limits(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert part(file) in ARROWS, f"a new part: say in test_house.py and ARCHITECTURE.md what it may import: {file}"
    wrong = [broken(part(file), module, head) for module, head in imports(text) if module != "gpsem"]
    assert not any(wrong), wrong
    assert text.count("\n") <= LONGEST, f"{file} holds a second idea"
    assert file.stem != "utils"


def test_the_check_can_fail() -> None:
    """Planted errors are caught."""
    assert broken("syntax", "gpsem.model.table", True)
    assert broken("model", "pandas", True)
    assert broken("model", "numpy", True)
    assert not broken("model", "numpy", False)
    assert broken("maths", "gpsem.errors", True)
    assert broken("data", "jax", False)
    assert imports("import a\ndef f():\n    from gpsem import datasets\n") == [
        ("a", True),
        ("gpsem", False),
        ("gpsem.datasets", False),
    ]
    assert imports("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas\n")[1:] == []


def loaded_after(code: str) -> set[str]:
    """Top modules that a fresh process has loaded after running some code."""
    script = f"import sys\n{code}\nprint(','.join(sorted({{m.split('.')[0] for m in sys.modules}})), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.strip().splitlines()[-1].split(","))


def test_check_loads_nothing_heavy(tmp_path: Path) -> None:
    """`gpsem check MODEL` answers before pandas or NumPy could load; with data it needs pandas, never JAX."""
    (tmp_path / "m.txt").write_text("F =~ y1 + y2 + y3\nG =~ z1 + z2 + z3\nG ~ F\n")
    rows = "\n".join(",".join(str((r * (c + 2)) % 17 + r / 9) for c in range(6)) for r in range(40))
    (tmp_path / "d.csv").write_text("y1,y2,y3,z1,z2,z3\n" + rows)
    run = "from gpsem.cli import main\nassert main(['check', {}]) == 0"
    light = loaded_after(run.format(repr(str(tmp_path / "m.txt"))))
    heavy = {"pandas", "numpy", "networkx", "jax", "pyarrow", "xarray", "scipy"}
    assert not light & heavy
    full = loaded_after(run.format(f"{str(tmp_path / 'm.txt')!r}, {str(tmp_path / 'd.csv')!r}"))
    assert "pandas" in full
    assert not full & {"jax", "networkx", "xarray", "scipy"}


def test_names_load_when_asked_for() -> None:
    assert not loaded_after("import gpsem\ndir(gpsem)") & {"pandas", "numpy", "click"}
    for name in gpsem.__all__:
        assert getattr(gpsem, name) is not None
    with pytest.raises(AttributeError, match="fitt"):
        _ = gpsem.fitt
