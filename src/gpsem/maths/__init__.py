"""Kernels, sparse Gaussian-process algebra, mixtures, densities: pure functions of arrays, JAX and NumPy only."""
