"""Helpers of the tests."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def cases(file: str) -> list[tuple[list[str], str]]:
    """Blocks of a cases file: the parts of each head, and the text below it."""
    blocks = (HERE / file).read_text(encoding="utf-8").split("=== ")[1:]
    return [([part.strip() for part in head.split("|")], text) for head, text in (b.split("\n", 1) for b in blocks)]
