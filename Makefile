# `make run` plays, `make test` proves. Both need only Python >= 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test lint bench screens strength venv lock clean

run: .venv/run.stamp
	@exec $(BIN)/faircut run $(ARGS)

test: .venv/test.stamp
	$(BIN)/python -m pytest -n $(or $(JOBS),auto) --dist worksteal $(ARGS)

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	@if command -v npx >/dev/null; then npx --yes --package=typescript@5.9.3 tsc -p api/web/jsconfig.json; \
	else echo "no npx: the types of the page's scripts are not checked"; fi

# Speed, beside pgbench and a bare handler in the same run. ARGS="--only moves,audit" for some rows.
bench: .venv/peers.stamp
	$(BIN)/python -m tests.bench $(ARGS)

# Pictures of every screen of the page at every size, in screens/ (minutes; needs a Chromium).
screens: .venv/test.stamp
	$(BIN)/python -m tests.browser.screens $(ARGS)

# How strong the bots are (minutes): the figures of bots/STRENGTH.md.
strength: .venv/run.stamp
	$(BIN)/faircut simulate michigan_rummy --seats medium,easy --games 300 --seed 7
	$(BIN)/faircut simulate michigan_rummy --seats hard,medium --games 300 --seed 7

venv: .venv/test.stamp

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Faircut needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv

.venv/run.stamp: requirements.lock pyproject.toml | .venv/bin/python
	$(PIP) install --require-hashes -r requirements.lock
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

.venv/test.stamp: requirements-dev.lock .venv/run.stamp
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# The programs that `make bench` measures beside ours.
.venv/peers.stamp: requirements-peers.lock .venv/test.stamp
	$(PIP) install --require-hashes -r requirements-peers.lock
	@touch $@

# Writes the locks anew; they name versions and hashes, and no host.
lock: .venv/test.stamp
	$(PIP) install uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet --extra test -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet --extra peers -c requirements.lock pyproject.toml -o requirements-peers.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
