# make demo    an environment of its own, then the paper's synthetic study
# make test    an environment of its own, then linter, types and every test
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= gpsem-demo
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: demo test lint types fuzz bench bench-check bench-paper calibrate lavaan-reference clean

demo: $(VENV)/.base
	@$(BIN)/gpsem demo --out $(DEMO) --force || [ $$? -eq 1 ]  # 1: done, but the diagnostics object

test: lint types
	$(BIN)/python -m pytest --quiet

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

# Thousands of new random texts and tables for the laws of the language, where `test` takes a hundred fixed ones.
fuzz: $(VENV)/.dev
	HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest --quiet tests/syntax tests/data

bench: bench-check bench-paper

bench-check: $(VENV)/.base
	$(BIN)/python benchmarks/check_speed.py

bench-paper: $(VENV)/.dev
	$(BIN)/python benchmarks/paper_sampler.py

# Long forms of the proofs, each case written as it ends and skipped when it is there.
calibrate: $(VENV)/.dev
	$(BIN)/python tests/calibration/calibrate.py

# What lavaan itself makes of the texts in tests/ (needs R with lavaan and jsonlite; skipped where they are absent).
lavaan-reference:
	@if command -v Rscript >/dev/null && Rscript -e 'library(lavaan); library(jsonlite)' >/dev/null 2>&1; \
	then Rscript benchmarks/lavaan_reference.R; \
	else echo "R with lavaan and jsonlite is not here (Debian: r-cran-lavaan, r-cran-jsonlite): skipped"; fi

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.base

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
