"""Statements → flat parameter table, graph, identification verdicts. Standard library (NumPy for one rank), no JAX."""
