"""Sweeps, noise, warm-up, chains: what turns moves into draws. JAX and NumPy only."""
