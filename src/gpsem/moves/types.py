"""What the moves share: the shape of a problem (static), its arrays, the state of a chain, its noise and its steps."""

from __future__ import annotations

from typing import Any, NamedTuple

Array = Any
"""A JAX array inside the program, a NumPy array on its way in and out."""


class Shape(NamedTuple):
    """What a program is compiled for: sizes and choices. Everything else is data."""

    rows: int
    latents: int
    indicators: int
    terms: int  # learned functions, all equations together
    inputs: int  # parents of the widest of them
    inducing: int  # pseudo-inputs of each (sparse), basis functions of each (basis), 0 (full)
    slopes: int  # linear features, intercepts among them
    blocks: tuple[tuple[int, int], ...]  # (size, number) of exogenous blocks of latents, by size
    components: int
    family: str  # of the learned functions: gp, full-gp or basis
    kernel: str
    ard: bool
    inducing_prior: str  # det or gaussian
    joint: bool  # pseudo-function values proposed with their inputs


class Linear(NamedTuple):
    r"""Coefficients $w = c + B\theta$ with Gaussian priors $r_k^\top\theta \sim N(m_k, s_k)$ and, beside them, others.

    The Gaussian ones make the base of a conjugate draw; `code` and `arguments` are the others, on $R\theta + t$, and
    are met by a Metropolis step from that draw.
    """

    constant: Array  # (w,)
    basis: Array  # (w, theta)
    precision: Array  # (theta, theta), of the Gaussian priors
    shift: Array  # (theta,), precision times mean
    other_rows: Array  # (k, theta)
    other_shift: Array  # (k,)
    other_code: Array  # (k,)
    other_arguments: Array  # (k, 3)
    base_rows: Array  # (k, theta): the centred normals that stand in for the others, and are divided out
    base_variance: Array  # (k,)


class Variances(NamedTuple):
    """Variances that are equal to a class's number times a constant, or fixed."""

    which: Array  # (n,) class of each, or -1 where fixed
    factor: Array  # (n,) variance = factor x class number
    fixed: Array  # (n,) the value where fixed
    shape: Array  # (classes,) of the inverse gamma base
    scale: Array  # (classes,)
    code: Array  # (classes,) of a prior on something else, on `power` of the variance; -1 where the base is the prior
    arguments: Array  # (classes, 3)
    power: Array  # (classes,) 1 variance, .5 sd, -1 precision
    unit: Array  # (classes,) the class number in the unit of its prior


class Errata(NamedTuple):
    """The paper's slips, each planted by a 1: for negative controls only."""

    a1: Array
    a3: Array
    a4: Array
    a5: Array
    a6: Array
    a7: Array
    b5: Array
    b8: Array


class Problem(NamedTuple):
    """Everything that a sweep conditions on, in internal units."""

    y: Array  # (rows, indicators), 0 where missing
    seen: Array  # (rows, indicators), 1 where observed
    exact: Array  # (rows, latents), 1 where an error-free indicator fixes the latent's value
    measurement: Linear  # w runs over (indicators, latents + 1): loadings, then intercept
    errors: Variances
    structure: Linear  # w runs over slopes
    disturbances: Variances  # over latents; exogenous ones are fixed at 0 and unused
    endogenous: Array  # (latents,) 1 or 0
    slope_factors: Array  # (slopes, 2) latents, `latents` standing for the constant 1
    slope_latent: Array  # (slopes,) whose equation
    term_inputs: Array  # (terms, inputs) latents, `latents` standing for the constant 1
    term_latent: Array  # (terms,)
    hyper_code: Array  # (terms, 1 + inputs)
    hyper_arguments: Array  # (terms, 1 + inputs, 3)
    hyper_power: Array  # (terms, 1 + inputs): prior on value^power x unit
    hyper_unit: Array
    box: Array  # L of the pseudo-inputs' prior
    inducing_mean: Array  # of the Gaussian pseudo-input prior
    inducing_variance: Array
    blocks: tuple[Array, ...]  # for each size, (number, size) latents
    weights_prior: Array  # Dirichlet parameter of a component
    mean_variance: Array  # prior variance of mixture means
    spread_scale: Array  # prior scale of mixture variances: inverse Wishart(size + 3, 2 scale I)
    errata: Errata


class Mixture(NamedTuple):
    """The mixtures of all blocks of one size."""

    label: Array  # (number, rows)
    weight: Array  # (number, components)
    mean: Array  # (number, components, size)
    cov: Array  # (number, components, size, size)


class State(NamedTuple):
    """What the next sweep needs."""

    x: Array  # (latents, rows)
    theta: Array  # measurement
    error: Array  # classes of error variances
    phi: Array  # structure
    disturbance: Array  # classes of disturbance variances
    hyper: Array  # (terms, 1 + inputs), logs
    z: Array  # (terms, inducing, inputs)
    fbar: Array  # (terms, inducing); in the basis family the whitened weights u
    f: Array  # (terms, rows)
    mixtures: tuple[Mixture, ...]


class Steps(NamedTuple):
    """Sizes of the random walks, adapted in warm-up only."""

    x: Array  # (latents,) log sd
    z: Array  # (terms,) log sd
    hyper: Array  # (terms,) log of log(1/alpha)


class Info(NamedTuple):
    """What is only looked at: rates of acceptance."""

    x: Array
    z: Array
    hyper: Array
    other: Array  # of the Metropolis steps for priors that are not conjugate


class Noise(NamedTuple):
    """The random numbers of one sweep."""

    x_normal: Array
    x_uniform: Array
    hyper_uniform: Array
    hyper_accept: Array
    fbar: Array
    f: Array
    z_normal: Array
    z_uniform: Array
    z_value: Array
    theta: Array
    theta_accept: Array
    error_gamma: Array
    error_accept: Array
    phi: Array
    phi_accept: Array
    disturbance_gamma: Array
    disturbance_accept: Array
    label: tuple[Array, ...]
    spread_normal: tuple[Array, ...]
    spread_base: tuple[Array, ...]
    weight_exponential: tuple[Array, ...]
    weight_base: tuple[Array, ...]
    mean_normal: tuple[Array, ...]
