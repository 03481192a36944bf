# Everything from a fresh clone, with nothing but Python 3.11 or newer: `make help`.
#
#   make verify ARGS='repositories/step1 --json'     arguments for the command behind a target
#   make test PYTHON=/path/to/python3.12             which interpreter .venv is made with
#   make unit JOBS=8                                 how many processes the tests use

VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
PAPER := $(VENV)/.paper
PYTHON ?=
CANDIDATES := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
SUITABLE := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
ARGS ?=
TIER ?=
COMMA := ,
EXTRAS := test,dev$(if $(CI),$(COMMA)site)

unexport PYTHONDONTWRITEBYTECODE  # else each process compiles all that it imports

.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help verify gallery mutants test lint types unit findings deep site dist services bench clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 12

verify: $(CORE)  ## run the whole catalogue: every design, every invariant; without ARGS, lakeFS of today as well
	@$(BIN)/lakeproof verify $(ARGS)
	@$(if $(ARGS),,$(BIN)/lakeproof verify --from examples/lakefs_today/catalogue.py --out out/today)

gallery: $(CORE)  ## published races of metadata stores, refuted and repaired: a line each
	@$(BIN)/python examples/gallery $(ARGS)

mutants: $(CORE)  ## mutants of the flows, judged by the catalogue: hours; ARGS='repositories/kv3*' takes one design
	@$(BIN)/lakeproof mutants $(ARGS)

test: lint  ## what must pass before a change lands: lint, types, unit
	@$(MAKE) --no-print-directory -j2 types unit  # the types need one processor, and the tests start slowly

lint: $(READY)  ## ruff
	@$(BIN)/ruff check .

types: $(READY)  ## mypy, strict
	@$(BIN)/mypy

unit: $(READY)  ## the tests of the default tier; TIER="$$(python3 tools/tier.py)" adds what a change calls for
	@$(BIN)/python -m pytest -n $(JOBS) $(if $(TIER),-m '$(TIER)') $(ARGS)

findings: $(READY)  ## the traces in examples/traces, from a run
	@rm -f examples/traces/*.json
	@$(BIN)/lakeproof verify $$(cat examples/traces/SCENARIOS) --out examples/traces >/dev/null

deep: $(PAPER)  ## the tests marked deep or long: an hour
	@$(BIN)/python -m pytest -n $(JOBS) -m 'deep or long' $(ARGS)

site: $(PAPER)  ## the documentation as a site, in site/: open site/index.html; it loads nothing from the network
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

dist: $(PAPER)  ## the packages of a release, in dist/, built and checked
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation
	@$(BIN)/twine check --strict dist/*

services: $(READY)  ## a PostgreSQL and a Redis for conform and stress, until Ctrl-C
	@$(BIN)/python -m tests.start_services

bench: $(READY)  ## the search against its rivals, commits against a lock and SQL, refs, hard delete, histories, Spark
	@$(BIN)/python -m benchmarks.search $(ARGS)
	@$(BIN)/python -m benchmarks.commits
	@$(BIN)/python -m benchmarks.sql
	@$(BIN)/python -m benchmarks.refs
	@$(BIN)/python -m benchmarks.hard_delete
	@$(BIN)/python -m benchmarks.linearizability
	@$(BIN)/python -m benchmarks.foreign
	@$(BIN)/python -m benchmarks.spark --scale 0.1

clean:  ## remove what make and the tools made
	@rm -rf $(VENV) build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): pyproject.toml constraints.txt
	@python=; \
	for candidate in $(CANDIDATES); do \
	    if "$$candidate" -c '$(SUITABLE)' >/dev/null 2>&1; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "lakeproof needs Python 3.11 or newer with its venv module; none of these is: $(CANDIDATES)." \
	        "Install one (Debian: python3 and python3-venv) or name it: make PYTHON=/path/to/python3" >&2; \
	    exit 2; \
	fi; \
	if ! $(BIN)/python -c '$(SUITABLE)' >/dev/null 2>&1; then \
	    echo "creating $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear $(VENV) || exit 2; \
	fi
	@echo "installing lakeproof into $(VENV)"
	@$(PIP) setuptools
	@$(PIP) --no-build-isolation --editable . protobuf  # for records of lakeFS; its SDK costs as much as all the rest
	@touch $@

$(READY): $(CORE)
	@echo "installing what the tests need into $(VENV)"
	@$(PIP) --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@

$(PAPER): $(READY)
	@echo "installing what the site and the packages need into $(VENV)"
	@$(PIP) --no-build-isolation --editable '.[test,dev,site,release]'
	@touch $@
