"""How long `gpsem check` takes, beside a process that only imports pandas; best of ten, all in one run.

    make bench-check        (or: python benchmarks/check_speed.py [--out FILE])

Prints ratios and writes them as CSV. The models are made here: 20 lines; 1,000 indicators of 100 latents, once as
equations and once as 100 covarying latents (the table then has 4,950 covariances); and texts of 20 to 20,000 lines.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 10


def twenty_lines() -> str:
    latents = [f"F{n} =~ " + " + ".join(f"y{n}_{i}" for i in range(4)) for n in range(8)]
    arrows = [f"F{n} ~ F{n - 1}" + (f" + F{n - 2}" if n > 1 else "") for n in range(1, 8)]
    others = ["y0_1 ~~ 0.3*y0_1", "y1_2 ~ 0.5*1", "F7 ~~ NA*F7", "k := 2", "# a comment"]
    return "\n".join([*latents, *arrows, *others]) + "\n"


def wide(covarying: bool) -> str:
    latents = [f"F{n} =~ " + " + ".join(f"y{n}_{i}" for i in range(10)) for n in range(100)]
    arrows = [f"F{n} ~ F{n // 2}" + (f" + F{n // 3}" if n // 3 != n // 2 else "") for n in range(1, 100)]
    return "\n".join([*latents, *([] if covarying else arrows)]) + "\n"


def lines(count: int) -> str:
    """Half the lines measure, half are equations of a chain."""
    half = count // 2
    measures = [f"F{n} =~ y{n}_1 + y{n}_2 + y{n}_3" for n in range(half)]
    arrows = [f"F{n} ~ F{n - 1}" for n in range(1, half)]
    return "\n".join([*measures, *arrows, "# end"]) + "\n"


def table(indicators: list[str], rows: int = 500) -> str:
    columns = range(len(indicators))
    cells = [",".join(f"{(7 * r * (c + 1) + 3 * c) % 101 / 10 + r / 50:.3f}" for c in columns) for r in range(rows)]
    return "\n".join([",".join(indicators), *cells]) + "\n"


def best(words: list[str]) -> float:
    """The shortest wall time of a fresh process, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="benchmarks/out/check_speed.csv")
    out = Path(parser.parse_args().out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def model(label: str, text: str) -> str:
            (folder / label).write_text(text)
            return str(folder / label)

        twenty = model("twenty.txt", twenty_lines())
        indicators = [f"y{n}_{i}" for n in range(8) for i in range(4)]
        (folder / "data.csv").write_text(table(indicators))
        check = ["-m", "gpsem", "check"]
        pandas = best(["-c", "import pandas"])
        rows: list[tuple[str, float, float, float | str]] = []

        def record(what: str, seconds: float, base: float, bound: float | str) -> None:
            rows.append((what, seconds, seconds / base, bound))
            print(f"{what:<66} {seconds * 1000:9.1f} ms   ratio {seconds / base:7.2f}   wanted {bound}", flush=True)

        record("a process that imports pandas", pandas, pandas, "")
        plain = best([*check, twenty])
        record("check, 20 lines / importing pandas", plain, pandas, "at most 0.5")
        with_data = best([*check, twenty, str(folder / "data.csv")])
        record("check, 20 lines with 500 rows / importing pandas", with_data, pandas, "at most 1.5")
        for covarying, what in ((False, "equations"), (True, "all covarying")):
            seconds = best([*check, model("wide.txt", wide(covarying))])
            record(f"check, 1,000 indicators, 100 latents, {what} / 20 lines", seconds, plain, "at most 3")
        start = best([*check, model("one.txt", "F =~ y1 + y2 + y3\n")])
        per_line = None
        for count in (20, 200, 2_000, 20_000):
            seconds = best([*check, model("lines.txt", lines(count))]) - start
            each = seconds / count
            if count == 200:
                per_line = each
            record(
                f"check, {count:,} lines, beyond a start: per line / at 200 lines", each, per_line or each, "about 1"
            )
    with out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["what", "seconds", "ratio", "wanted"])
        writer.writerows(rows)
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
