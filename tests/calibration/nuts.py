"""Long NUTS runs on the same posterior, from a joint density written by itself, against the paper's sampler.

Functions and mixture labels are integrated out here, kept there: what agrees is the model. One exogenous latent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln, logsumexp
from jax.scipy.stats import norm

from gpsem.moves.types import Problem, Shape, Steps
from gpsem.sample.prior import draw_data, draw_states
from gpsem.sample.run import run_chains


class Compared(NamedTuple):
    names: list[str]
    z: np.ndarray  # differences of posterior means in their Monte Carlo errors
    sd_ratio: np.ndarray
    rhat: float  # the worst of NUTS


def log_joint(shape: Shape, problem: Problem, y: Any, q: dict[str, Any]) -> Any:
    """Log posterior of unconstrained coordinates, up to a constant."""
    error, spread = jnp.exp(q["log_e"]), jnp.exp(q["log_v"])[0]
    w = problem.measurement.constant + problem.measurement.basis @ q["theta"]
    table = w.reshape(shape.indicators, -1)
    x = q["x"]
    mean = table[:, -1] + x.T @ table[:, :-1].T
    total = jnp.sum(problem.seen * norm.logpdf(y, mean, jnp.sqrt(error)))
    total += -0.5 * q["theta"] @ problem.measurement.precision @ q["theta"]
    for name, spec in (("log_e", problem.errors), ("log_v", problem.disturbances)):
        total += jnp.sum(-spec.shape * q[name] - spec.scale * jnp.exp(-q[name]))
    log_weight = jax.nn.log_softmax(jnp.append(q["weight"], 0.0))
    total += problem.weights_prior * jnp.sum(log_weight)  # Dirichlet with the softmax's Jacobian
    total += jnp.sum(norm.logpdf(q["mean"], 0, jnp.sqrt(problem.mean_variance)))
    total += jnp.sum(-2 * q["log_var"] - problem.spread_scale * jnp.exp(-q["log_var"]))
    each = norm.logpdf(x[0][:, None], q["mean"], jnp.exp(0.5 * q["log_var"]))
    total += jnp.sum(logsumexp(log_weight + each, axis=1))
    if shape.terms:
        a, b = jnp.exp(q["hyper"])
        for t in (a, b):
            shape_, rate = problem.hyper_arguments[0, 0, :2]
            total += shape_ * jnp.log(t) - rate * t + shape_ * jnp.log(rate) - gammaln(shape_)
        z = problem.box * jnp.tanh(q["z"])
        total += jnp.sum(jnp.log(problem.box * (1 - jnp.tanh(q["z"]) ** 2)))
        d = jnp.exp(-0.5 * (z[:, None] - z) ** 2 / 0.01) + 1e-4 * jnp.eye(len(z))
        total += 2 * jnp.sum(jnp.log(jnp.diag(jnp.linalg.cholesky(d))))
        k = a * jnp.exp(-0.5 * (z[:, None] - z) ** 2 / b) + 1e-4 * jnp.eye(len(z))
        chol = jnp.linalg.cholesky(k)
        cross = a * jnp.exp(-0.5 * (z[:, None] - x[0]) ** 2 / b)
        phi = jax.scipy.linalg.solve_triangular(chol, cross, lower=True)
        left = a + 1e-4 - jnp.sum(phi**2, axis=0)
        total += jnp.sum(norm.logpdf(q["u"]))
        return total + jnp.sum(norm.logpdf(x[1], phi.T @ q["u"], jnp.sqrt(left + spread)))
    total += -0.5 * q["phi"] @ problem.structure.precision @ q["phi"]
    full = jnp.concatenate([x, jnp.ones((1, shape.rows))])
    features = full[problem.slope_factors[:, 0]] * full[problem.slope_factors[:, 1]]
    return total + jnp.sum(norm.logpdf(x[1], q["phi"] @ features, jnp.sqrt(spread)))


def _start(shape: Shape, problem: Problem, random: np.random.Generator) -> dict[str, Any]:
    k = shape.components
    found: dict[str, Any] = {
        "theta": 0.3 * random.standard_normal(problem.measurement.precision.shape[0]),
        "log_e": np.zeros(len(problem.errors.shape)),
        "log_v": np.zeros(1),
        "weight": np.zeros(k - 1),
        "mean": 0.5 * random.standard_normal(k),
        "log_var": np.zeros(k),
        "x": 0.5 * random.standard_normal((shape.latents, shape.rows)),
    }
    if shape.terms:
        found |= {"hyper": np.zeros(2), "z": np.linspace(-1, 1, shape.inducing), "u": np.zeros(shape.inducing)}
    else:
        found["phi"] = np.zeros(shape.slopes)
    return found


def quantities(shape: Shape, draws: dict[str, Any]) -> dict[str, Any]:
    """Of draws with leading (chain, draw): what both samplers have, label-free; latents squashed, whose tails are heavy
    where a row has no cells of theirs."""
    weight, mean = draws["weight"], draws["mean"]
    total = (weight * mean).sum(-1)
    found = {f"theta {n}": draws["theta"][..., n] for n in range(draws["theta"].shape[-1])}
    found |= {f"log e {n}": draws["log_e"][..., n] for n in range(draws["log_e"].shape[-1])}
    found |= {"log v": draws["log_v"][..., 0], "mixture mean": total, "weights^2": (weight**2).sum(-1)}
    found |= {
        f"x {i} {d}": np.tanh(draws["x"][..., i, d] / 3) for i in range(shape.latents) for d in range(0, shape.rows, 3)
    }
    if shape.terms:
        found |= {"log a": draws["hyper"][..., 0], "log b": draws["hyper"][..., 1], "z^2": (draws["z"] ** 2).mean(-1)}
    else:
        found |= {f"phi {n}": draws["phi"][..., n] for n in range(draws["phi"].shape[-1])}
    return found


def compare(
    shape: Shape, problem: Problem, steps: Steps, seed: int, draws: int = 2000, sweeps: int = 40_000
) -> Compared:
    from arviz_stats.base import array_stats
    from numpyro.infer import MCMC, NUTS

    random = np.random.default_rng(seed)
    truth = draw_states(shape, problem, random, 1)
    y = jnp.asarray(draw_data(problem, truth, random)[0])
    made = problem._replace(y=np.asarray(y))
    on = jax.tree.map(jnp.asarray, made)
    kernel = NUTS(potential_fn=lambda q: -log_joint(shape, on, y, q), target_accept_prob=0.9)
    inits = [_start(shape, problem, random) for _ in range(4)]
    start = {name: jnp.stack([jnp.asarray(i[name]) for i in inits]) for name in inits[0]}
    mcmc = MCMC(kernel, num_warmup=1000, num_samples=draws, num_chains=4, chain_method="vectorized", progress_bar=False)
    mcmc.run(jax.random.key(seed), init_params=start)
    got = {name: np.asarray(value) for name, value in mcmc.get_samples(group_by_chain=True).items()}
    raw = np.concatenate([got["weight"], np.zeros((*got["weight"].shape[:2], 1))], axis=2)
    got["weight"] = np.exp(raw - raw.max(-1, keepdims=True))
    got["weight"] /= got["weight"].sum(-1, keepdims=True)
    if shape.terms:
        got["z"] = float(problem.box) * np.tanh(got["z"])
    # The paper's sampler starts at an exact draw: it takes longer than this run to come in from afar.
    states = [jax.tree.map(lambda a: a[0], truth)] * 4
    kept = run_chains(shape, made, states, steps, seed, 2000, sweeps, 2).kept
    ours = {
        "theta": kept.theta,
        "log_e": np.log(kept.error),
        "log_v": np.log(kept.disturbance),
        "weight": kept.weight[0][:, :, 0],
        "mean": kept.mean[0][:, :, 0, :, 0],
        "x": kept.x,
        "hyper": kept.hyper[:, :, 0] if shape.terms else None,
        "z": kept.z[:, :, 0, :, 0] if shape.terms else None,
        "phi": kept.phi,
    }
    a, b = quantities(shape, got), quantities(shape, ours)
    z, ratio, rhats = [], [], []
    for name in a:
        sizes = [float(array_stats.ess(v, chain_axis=0, draw_axis=1, method="mean")) for v in (a[name], b[name])]
        error = np.sqrt(a[name].var() / sizes[0] + b[name].var() / sizes[1])
        z.append((a[name].mean() - b[name].mean()) / error)
        ratio.append(b[name].std() / a[name].std())
        rhats.append(float(array_stats.rhat(a[name], chain_axis=0, draw_axis=1)))
    return Compared(list(a), np.array(z), np.array(ratio), max(rhats))
