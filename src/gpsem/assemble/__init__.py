"""Specification and data → the arrays a sampler takes, in internal units; and draws → the user's units."""
