"""The model language: text → tokens → statements, each with its place. Standard library only."""

from gpsem.syntax.statements import parse

__all__ = ["parse"]
