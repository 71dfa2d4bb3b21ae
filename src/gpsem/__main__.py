"""`python -m gpsem`."""

from gpsem.cli import run

run()
