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
    import networkx as nx
    import pandas as pd

    from gpsem.data.prepare import Data
    from gpsem.data.read import Read

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
