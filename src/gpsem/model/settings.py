"""What a user can set beside the text of a model, as data: names, choices, and what is not estimated yet."""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import GpsemError, did_you_mean

STRUCTURAL = ("gp", "full-gp", "linear", "quadratic", "basis")
FUNCTION_FAMILIES = ("gp", "full-gp", "basis")
KERNELS = ("rbf", "matern32", "matern52")
PRIORS = ("default", "silva-gramacy")
ERRORS = ("gaussian", "student")
INDUCING_PRIORS = ("det", "gaussian")
PAPER_INDUCING = 50
MOST_INDUCING = 10_000
MOST_COMPONENTS = 100


class Settings(NamedTuple):
    """The arguments of `gpsem.Model` other than the text."""

    structural: str = "gp"
    inducing: int | None = None
    mixture: int = 5
    priors: str = "default"
    errors: str = "gaussian"
    identify: bool = True
    kernel: str = "rbf"
    ard: bool = False
    inducing_prior: str = "det"
    inducing_moves: str | int = "sampled"
    std_lv: bool = False
    standardise: bool = True

    @property
    def written_family(self) -> str:
        """The family of a `gp()` that is written out."""
        return self.structural if self.structural in FUNCTION_FAMILIES else "gp"


_CHOICES = {
    "structural": STRUCTURAL,
    "priors": PRIORS,
    "errors": ERRORS,
    "kernel": KERNELS,
    "inducing_prior": INDUCING_PRIORS,
}
_FLAGS = ("identify", "ard", "std_lv", "standardise")
_NOT_YET = {
    ("errors", "student"): "Student-t errors are not estimated yet; leave errors='gaussian'.",
}


def checked(settings: Settings) -> Settings:
    """The same settings, or an error that names the argument, its value and what it can be."""
    for name, choices in _CHOICES.items():
        value = getattr(settings, name)
        if not isinstance(value, str) or value not in choices:
            hint = did_you_mean(str(value), choices)
            raise _refused(name, value, f"{hint} It can be {', '.join(map(repr, choices))}.".strip())
        if (name, value) in _NOT_YET:
            raise _refused(name, value, _NOT_YET[name, value])
    for name in _FLAGS:
        if not isinstance(getattr(settings, name), bool):
            raise _refused(name, getattr(settings, name), "It is True or False.")
    if settings.inducing is not None:
        _whole("inducing", settings.inducing, 1, MOST_INDUCING)
    _whole("mixture", settings.mixture, 1, MOST_COMPONENTS)
    if settings.inducing_moves != "sampled":
        raise _refused("inducing_moves", settings.inducing_moves, "Only 'sampled' is estimated yet.")
    if settings.std_lv and not settings.identify:
        raise GpsemError(
            "std_lv=True fixes the latents' variances, identify=False leaves scales open: they exclude each other.",
            remedy="Set one of the two.",
        )
    return settings


def _whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _refused(name, value, f"It is a whole number from {least:,} to {most:,}.")


def _refused(name: str, value: object, remedy: str) -> GpsemError:
    shown = repr(value)
    return GpsemError(f"{name}={shown if len(shown) <= 60 else shown[:57] + '...'} cannot be used.", remedy=remedy)
