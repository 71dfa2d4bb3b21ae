"""Progress of a run: one line that moves on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
import threading
import time
from typing import IO, Any

import numpy as np

EVERY_LOG, EVERY_TERMINAL = 10.0, 0.25


class Progress:
    """Call it from any thread after each piece of a chain; it writes to standard error."""

    def __init__(self, chains: int, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.done = [0] * chains
        self.kept: list[list[Any]] = [[] for _ in range(chains)]
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.shown = self.began if not self.live else 0.0
        self.width = 0
        self.worst, self.judged = float("nan"), 0

    def __call__(self, step: Any, kept: Any) -> None:
        with self.lock:
            self.done[step.chain] = step.done
            if kept is not None:
                small = [kept.theta, kept.error, kept.disturbance, kept.hyper.reshape(len(kept.theta), -1)]
                self.kept[step.chain].append(np.concatenate([np.asarray(part) for part in small], axis=1))
            now = time.monotonic()
            if now - self.shown < (EVERY_TERMINAL if self.live else EVERY_LOG):
                return
            self.shown = now
            self._show(step, now)

    def _show(self, step: Any, now: float) -> None:
        total, done = step.total * len(self.done), sum(self.done)
        rate = done / max(now - self.began, 1e-9)
        phase = "warm-up" if max(self.done) <= step.warmup else "sampling"
        left = _duration((total - done) / max(rate, 1e-9))
        line = f"{phase}: {done:,} of {total:,} sweeps, {rate:,.0f} a second, {left} left"
        if done > 1.1 * self.judged:  # a tenth more than when it was last worked out
            self.worst, self.judged = worst_rhat(self.kept), done
        if np.isfinite(self.worst):
            line += f", worst R-hat about {self.worst:.2f}"
        if self.live:
            self.stream.write("\r" + line.ljust(self.width))
            self.width = len(line)
        else:
            self.stream.write(line + "\n")
        self.stream.flush()

    def close(self) -> None:
        """End the moving line."""
        if self.live and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


def worst_rhat(kept: list[list[Any]]) -> float:
    """A rough R-hat while the run goes on: split chains, over the draws that all chains have."""
    if not all(kept):
        return float("nan")
    parts = [np.concatenate(pieces) for pieces in kept]
    length = min(len(part) for part in parts) // 2 * 2
    if length < 20:
        return float("nan")
    halves = np.concatenate([np.stack([p[: length // 2], p[length // 2 : length]]) for p in parts])
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(all="ignore"):
        found = np.sqrt(1 + between / within)
    return float(np.nanmax(found)) if np.isfinite(found).any() else float("nan")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
