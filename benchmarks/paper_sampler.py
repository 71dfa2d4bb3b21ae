"""The paper's sampler against a compact NumPy reference of the same moves, one core, in one run.

    make bench-paper        (or: python benchmarks/paper_sampler.py [--out FILE])

Milliseconds a sweep after warm-up and compilation, noise included: sparse at N = 150 and 3,000 beside the reference;
sparse from N = 1,000 to 30,000; the full GP beside it. Writes CSV as it goes.
"""

from __future__ import annotations

import argparse
import csv
import os
import threading
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np
import pandas as pd

from gpsem import Model
from gpsem.assemble.problem import build, starts
from gpsem.pipeline import prepared, start_numerics
from gpsem.sample.run import CHUNK, Progress, run_chains
from gpsem.sample.start import start_state, start_steps
from paper_reference import Reference

TEXT = "X =~ a1 + a2 + a3; Z =~ b1 + b2 + b3 + b4; Z ~ X"


def data(rows: int) -> pd.DataFrame:
    random = np.random.default_rng(7)
    x = random.normal(size=rows)
    z = np.sin(1.5 * x) + 0.5 * x + 0.3 * random.normal(size=rows)
    noise = 0.5 * random.normal(size=(rows, 7))
    return pd.DataFrame(
        {f"{'a' if j < 3 else 'b'}{j % 3 + 1 if j < 3 else j - 2}": (x if j < 3 else z) + noise[:, j] for j in range(7)}
    )


def ours(rows: int, family: str, seconds: float) -> float:
    """Seconds a sweep of one chain, after its program has been compiled and run once."""
    model = Model(TEXT, structural=family, inducing=50, priors="silva-gramacy")
    built = build(model.specification, prepared(model.specification, data(rows)))
    theta, phi = starts(built)
    state = [start_state(built.shape, built.problem, theta, phi, 1, 0)]
    marks: list[tuple[float, int]] = []
    stop = threading.Event()

    def report(step: Progress, _: object) -> None:
        marks.append((time.perf_counter(), step.done))
        if len(marks) > 3 and marks[-1][0] - marks[1][0] > seconds:
            stop.set()

    run_chains(built.shape, built.problem, state, start_steps(built.shape), 1, 0, 20 * CHUNK, 1, report, stop)
    (begin, first), (end, last) = marks[1], marks[-1]
    return (end - begin) / (last - first)


def reference(rows: int, seconds: float) -> float:
    y = data(rows).to_numpy()
    six = y[:, [0, 1, 2, 3, 4, 5]]
    sampler = Reference((six - six.mean(0)) / six.std(0), 50, 1)
    for _ in range(5):
        sampler.sweep()
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        sampler.sweep()
        count += 1
    return (time.perf_counter() - start) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="benchmarks/out/paper_sampler.csv")
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    out = Path(options.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    start_numerics()
    with out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["what", "rows", "ms", "reference_ms", "ratio"])

        def record(what: str, rows: int, ms: float, other: float | None = None) -> None:
            ratio = ms / other if other else None
            writer.writerow([what, rows, ms, other, ratio])
            file.flush()
            beside = f"   reference {other * 1e3:8.2f} ms   ratio {ratio:.2f}" if other and ratio else ""
            print(f"{what:<12} N = {rows:>6,}   {ms * 1e3:9.2f} ms a sweep{beside}", flush=True)

        for rows in (150, 3000):
            record("sparse", rows, ours(rows, "gp", options.seconds), reference(rows, options.seconds))
        for rows in (1000, 3000, 10_000, 30_000):
            record("sparse", rows, ours(rows, "gp", options.seconds))
        for rows in (75, 150, 300):
            record("full GP", rows, ours(rows, "full-gp", options.seconds))
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
