"""Proofs run in float64, as the product does; what is compiled is shared by all tests of a shape."""

from __future__ import annotations

import sys
from pathlib import Path

import jax

jax.config.update("jax_enable_x64", True)
sys.path.insert(0, str(Path(__file__).parent))
