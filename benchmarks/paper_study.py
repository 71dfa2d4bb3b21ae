"""The paper's synthetic study by its own sampler: five chains, 20,000 iterations, its preset; EPSR as found.

python benchmarks/paper_study.py [--draws 18000] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import gpsem
from gpsem import Model, datasets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=18_000)
    parser.add_argument("--out", default="benchmarks/out/paper_study.json")
    options = parser.parse_args()
    found = {}
    for name, standardise in (("standardised", True), ("raw", False)):
        model = Model(datasets.model("synthetic"), priors="silva-gramacy", standardise=standardise)
        data = datasets.load("synthetic", seed=1)
        fit = gpsem.fit(model, data, chains=5, draws=options.draws, warmup=2000, seed=1, cores=2)
        epsr = fit.epsr()
        rows, diagnosis = fit._varying
        line = fit.curve("X2 ~ X1")
        truth = datasets.synthetic(seed=1, truth=True)
        found[name] = {
            "seconds": fit.run.seconds,
            "EPSR of latents": {
                latent: {
                    "median": float(np.median(epsr["latents"][:, n])),
                    "max": float(epsr["latents"][:, n].max()),
                    "share above 1.1": float((epsr["latents"][:, n] > 1.1).mean()),
                    "share above 1.03": float((epsr["latents"][:, n] > 1.03).mean()),
                }
                for n, latent in enumerate(fit.built.layout.latents)
            },
            "parameters": {
                row.name: {
                    "est": float(fit.draws[row.id].mean()),
                    "by chain": fit.draws[row.id].mean(axis=1).round(3).tolist(),
                    "EPSR": float(e),
                    "rhat": float(r),
                    "ess_bulk": float(b),
                }
                for row, e, r, b in zip(rows, epsr["parameters"], diagnosis.rhat, diagnosis.bulk, strict=True)
            },
            "curve rmse against 4 x^2, |x| < 2": float(
                np.sqrt(np.mean((line["mean"] - 4 * line["X1"] ** 2)[line["X1"].abs() < 2] ** 2))
            ),
            "latent rmse": {
                latent: float(np.sqrt(np.mean((fit.latents[..., n].mean(axis=(0, 1)) - truth[f"{latent}_true"]) ** 2)))
                for n, latent in enumerate(fit.built.layout.latents)
            },
        }
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        Path(options.out).write_text(json.dumps(found, indent=1))
        print(name, json.dumps(found[name], indent=1), flush=True)


if __name__ == "__main__":
    main()
