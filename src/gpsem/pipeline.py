"""Start reading here: a model from its text to what can be said of it, stage by stage, each naming its folder.

text ──syntax──> statements ──model──> specification ──data──> numbers with an account ──results──> words
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpsem.errors import GpsemError, Place
from gpsem.model.rewrite import from_table
from gpsem.model.settings import Settings
from gpsem.model.specification import Specification, specify
from gpsem.model.table import Table, is_table, read
from gpsem.results.checks import Check
from gpsem.syntax.source import Source

if TYPE_CHECKING:
    import threading

    import networkx as nx
    import pandas as pd

    from gpsem.data.prepare import Data
    from gpsem.data.read import Read
    from gpsem.results.fit import Fit

Missing = Sequence[float | str] | float | str | None


class Model:
    """A structural equation model, parsed and checked before any data.

    `text` is lavaan's language, or a parameter table: as printed, as CSV, or as the (edited) frame of `.table`.
    The other arguments are those of the paper's model; see the documentation of the language.
    """

    def __init__(
        self,
        text: str | pd.DataFrame | Table,
        structural: str = "gp",
        inducing: int | None = None,
        mixture: int = 5,
        priors: str = "default",
        errors: str = "gaussian",
        identify: bool = True,
        kernel: str = "rbf",
        ard: bool = False,
        inducing_prior: str = "det",
        inducing_moves: str | int = "sampled",
        std_lv: bool = False,
        standardise: bool = True,
        name: str = "the model",
    ) -> None:
        self.settings = Settings(
            structural,
            inducing,
            mixture,
            priors,
            errors,
            identify,
            kernel,
            ard,
            inducing_prior,
            inducing_moves,
            std_lv,
            standardise,
        )
        self.specification = specification(text, self.settings, name)

    @property
    def text(self) -> str:
        """The model text, as it was understood."""
        return self.specification.source.text

    @property
    def table(self) -> pd.DataFrame:
        """The flat parameter table; edit it and give it back to `Model`."""
        from gpsem.results.tables import frame

        return frame(self.specification.table)

    @property
    def graph(self) -> nx.DiGraph[str]:
        """The graph as a networkx DiGraph."""
        from gpsem.model.graph import digraph

        return digraph(self.specification)

    def check(self, data: pd.DataFrame | None = None, missing: Missing = ()) -> Check:
        """What the model means and, if data are given, what they hold for it; printing the result says it in words.

        >>> import gpsem
        >>> print(gpsem.Model("F =~ y1 + y2 + y3").check())  # doctest: +ELLIPSIS
        Statements
        ...
        """
        return check(self.specification, data, missing)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self.settings == other.settings and self.specification.key == other.specification.key

    def __hash__(self) -> int:
        return hash((self.settings, self.specification.key))

    def __repr__(self) -> str:
        spec = self.specification
        return (
            f"<gpsem.Model: {len(spec.order)} latents, {len(spec.roles.measured)} indicators, "
            f"{len(spec.equations)} equations, structural='{self.settings.structural}'>"
        )


def specification(text: Any, settings: Settings, name: str = "the model") -> Specification:
    """Text, printed table, CSV table, frame or table → the specification."""
    if isinstance(text, Table):
        return from_table(text, settings)
    if isinstance(text, str):
        return from_table(read(text), settings) if is_table(text) else specify(Source(text, name), settings)
    if hasattr(text, "itertuples"):
        from gpsem.results.tables import table

        return from_table(table(text), settings)
    raise GpsemError(
        f"A model is text or a parameter table, not {type(text).__name__}.",
        remedy='Give lavaan syntax as a string, such as "F =~ y1 + y2 + y3".',
    )


def check(spec: Specification, data: Any = None, missing: Missing = ()) -> Check:
    """The model with an account of the data it is to be fitted to."""
    if data is None:
        return Check(spec)
    return Check(spec, prepared(spec, data, missing).account)


def prepared(spec: Specification, data: Any, missing: Missing = ()) -> Data:
    """A frame, or a file as it was read, as the arrays this model needs."""
    from gpsem.data.prepare import as_read, prepare
    from gpsem.data.read import Read

    found: Read = data if isinstance(data, Read) else as_read(data)
    latents, indicators = places(spec)
    return prepare(found, spec.roles.indicators, latents, indicators, spec.settings.standardise, missing)


def places(spec: Specification) -> tuple[Mapping[str, Place], Mapping[str, Place]]:
    """Where each latent and each indicator is first written as such."""
    latents: dict[str, Place] = {}
    indicators: dict[str, Place] = {}
    for statement in spec.statements:
        if statement.op != "=~":
            continue
        for term in statement.left:
            latents.setdefault(term.names[0], spec.source.place(term.start, term.end))
        for term in statement.right:
            indicators.setdefault(term.names[0], spec.source.place(term.start, term.end))
    return latents, indicators


SAMPLERS = ("paper", "paper-joint")
MOST_CHAINS = 1000


def fit(
    model: Model,
    data: Any,
    chains: int = 4,
    draws: int = 1000,
    warmup: int = 1000,
    seed: int = 1,
    sampler: str = "paper",
    out: str | None = None,
    cores: int | None = None,
    force: bool = False,
    missing: Missing = (),
    report: Any = None,
    stop: threading.Event | None = None,
) -> Fit:
    """Draw from the posterior of a model given data: prepare → assemble → sample → pack.

    `sampler="paper"` is the paper's own, corrected; `"paper-joint"` proposes pseudo-functions with their inputs.
    """
    for name, value, least, most in (
        ("chains", chains, 1, MOST_CHAINS),
        ("draws", draws, 1, 10**9),
        ("warmup", warmup, 0, 10**9),
        ("seed", seed, 0, 2**63 - 1),
        ("cores", 1 if cores is None else cores, 1, 10**4),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise GpsemError(f"{name}={value!r} cannot be used.", remedy=f"It is a whole number from {least:,}.")
    if sampler not in SAMPLERS:
        raise GpsemError(f"sampler={sampler!r} is not known.", remedy=f"It can be {', '.join(map(repr, SAMPLERS))}.")
    if out is not None:
        from gpsem.results.store import refuse_existing

        refuse_existing(out, force)
    ready = prepared(model.specification, data, missing)
    start_numerics()
    import os
    import time

    from gpsem.assemble.problem import build, starts
    from gpsem.results.fit import Fit, Run
    from gpsem.sample.run import run_chains
    from gpsem.sample.start import start_state, start_steps

    began = time.monotonic()
    built = build(model.specification, ready, joint=sampler == "paper-joint")
    theta, phi = starts(built)
    states = [start_state(built.shape, built.problem, theta, phi, seed, chain) for chain in range(chains)]
    found = run_chains(
        built.shape,
        built.problem,
        states,
        start_steps(built.shape),
        seed,
        warmup,
        draws,
        min(chains, cores or os.cpu_count() or 1),
        report,
        stop,
    )
    kept = found.kept.x.shape[1] if found.kept.x.ndim > 2 else 0
    if not kept:
        raise GpsemError("The run was stopped before any draw was kept.", remedy="Run it again.", code=130)
    run = Run(sampler, chains, kept, warmup, seed, time.monotonic() - began, found.interrupted)
    made = Fit(built, ready, found.kept, found.accepted, run)
    if out is not None:
        made.save(out, force)
    return made


def simulate(model: Model, rows: int, seed: int = 1, like: Any = None, missing: Missing = ()) -> pd.DataFrame:
    """Rows from the prior: one draw of all parameters and functions, then latents and indicators.

    In the units of `like` where given, else on the standardised scale (each indicator in its own standard deviation).
    """
    for name, value, least in (("rows", rows, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**7:
            raise GpsemError(f"{name}={value!r} cannot be used.", remedy=f"It is a whole number from {least}.")
    start_numerics()
    from gpsem.results.prior import simulate as draw

    scaling = None if like is None else prepared(model.specification, like, missing).scaling
    return draw(model.specification, rows, seed, scaling)


def load(folder: str) -> Fit:
    """A run that was saved, as it was."""
    start_numerics()
    from gpsem.results.store import load as read_run

    return read_run(folder)


def start_numerics() -> None:
    """The one place that sets JAX up: float64, one thread a program, compiled programs kept on disk."""
    import os

    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    import jax

    from gpsem.datasets.files import cache

    jax.config.update("jax_enable_x64", True)
    if not os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        jax.config.update("jax_compilation_cache_dir", str(cache() / "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
