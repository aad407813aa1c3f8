# Yarrow's whole developer interface. `make help` lists it.
PORT ?= 3000
HOST ?= 127.0.0.1
DATA_DIR ?= .yarrow
PYTHON ?= python3
SCREENSHOTS ?= build/screenshots
# Processes that run tests with servers, beside one for unit tests. More than two cores need: half of the time
# these tests wait for others.
WORKERS ?= 4
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/yarrow/__init__.py)
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -p no:schemathesis
BY_FILE := --dist loadfile --no-loadscope-reorder
# Unit tests need no workers of xdist: each would collect all of them and send three reports for each.
UNIT_PYTEST := $(PYTEST) -q -p no:xdist
UNIT_TESTS := tests/unit tests/architecture
# The quick ones have no property tests, for which the plugin of Hypothesis reads the source of all modules.
QUICK_PYTEST := $(UNIT_PYTEST) -p no:hypothesispytest -m "not slow"
# What each of several processes prints stays together, where make can do that.
IN_ORDER := $(if $(filter output-sync,$(.FEATURES)),--output-sync)
# These take as long as all others of the quick unit tests.
UNIT_HALF := tests/unit/charting tests/unit/liuyao tests/unit/rendering
# Certificates of the system too, for networks whose proxy has an authority of its own.
export UV_SYSTEM_CERTS := 1
COVERAGE_TESTS := $(foreach depth,unit integration,$(foreach package,journal runs points sessions,tests/$(depth)/$(package))) \
	tests/integration/test_faults.py tests/protocols

# Compiled modules are kept, whatever the shell says: without them each process of the tests compiles
# a thousand files again, which takes longer than the unit tests.
test test-all-unit test-workers test-unit test-unit-half test-unit-rest test-thorough coverage fuzz: export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev hooks serve test test-all-unit test-served test-workers test-unit test-unit-half test-unit-rest test-thorough coverage check format vendor screenshots gallery outlines bench walks check-readings fuzz faults lock wheel release tag-release clean

help: ## what can be done here
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: .venv/.runtime ## install what serving needs into .venv
setup-dev: .venv/.dev

.venv/bin/uv:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or name it: make PYTHON=python3.12 setup"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is too old: install Python 3.11 or newer, or name it: make PYTHON=python3.12 setup"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments: install python3-venv (Debian, Ubuntu), or python3-pip (Fedora)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock

.venv/.runtime: requirements.lock requirements-offline.lock pyproject.toml | .venv/bin/uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements-offline.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
# Where the environment forbids Python to keep compiled modules, as in many containers, each process would
# compile all that it imports: a start takes twice the CPU then.
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib src || true
	@touch $@

.venv/.dev: .venv/.runtime requirements-dev.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

hooks: setup-dev ## run the checks before every commit
	$(BIN)/pre-commit install

serve: setup ## set everything up and serve; defaults: HOST=127.0.0.1 PORT=3000 DATA_DIR=.yarrow
	$(BIN)/yarrow serve --host $(HOST) --port $(PORT) --data-dir $(DATA_DIR)

test: setup-dev ## set everything up and run all tests
	@$(MAKE) --no-print-directory -j 2 $(IN_ORDER) test-all-unit test-served

test-all-unit: setup-dev
	$(UNIT_PYTEST) $(UNIT_TESTS)
test-served: setup-dev
	@$(MAKE) --no-print-directory $(IN_ORDER:%=%=none) test-workers
test-workers: setup-dev
	$(PYTEST) -n $(WORKERS) $(BY_FILE) $(UNIT_TESTS:%=--ignore=%)

test-unit: setup-dev ## only the quick tests that need no server
	@$(MAKE) --no-print-directory -j 2 $(IN_ORDER) test-unit-half test-unit-rest

test-unit-half: setup-dev
	$(QUICK_PYTEST) $(UNIT_HALF)
test-unit-rest: setup-dev
	$(QUICK_PYTEST) $(UNIT_TESTS) $(UNIT_HALF:%=--ignore=%)

test-thorough: setup-dev ## all tests, with every case where `make test` tries a sample
	$(PYTEST) -n $(WORKERS) $(BY_FILE) --thorough

coverage: setup-dev ## branch coverage of the engine, points and sessions
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -n 2 --dist loadfile $(COVERAGE_TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage json --quiet
	$(BIN)/python scripts/check_coverage.py coverage.json

check: setup-dev ## lint, types, import contracts, also of the JavaScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_subject.py
	$(BIN)/python -m scripts.web.check

format: setup-dev ## let ruff rewrite the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m scripts.web.check --fix

vendor: setup-dev ## build the vendored library and fonts of the pages anew, from scripts/web/package.json
	$(BIN)/python -m scripts.web.vendor

screenshots: setup-dev ## pictures of every page, wide, dark and phone, in SCREENSHOTS=build/screenshots
	$(BIN)/python -m scripts.web.screenshots $(SCREENSHOTS)

gallery: setup-dev ## draw the gallery of charts in docs/gallery anew, from datasets of an npm package
	$(BIN)/python -m scripts.gallery.make

outlines: setup-dev ## simplify the borders of maps anew, from npm packages
	$(BIN)/python -m scripts.gallery.outlines

bench: setup-dev ## measure speed and memory beside a thin proxy
	$(BIN)/python -m benchmarks.run

walks: setup-dev ## count the files of ours that a run, a chart and a dry run pass through
	$(BIN)/python -m benchmarks.walks

check-readings: setup-dev ## check every sentence of 20,000 readings against the facts it claims
	$(BIN)/python -m tests.unit.liuyao.facts --castings 20000

fuzz: setup-dev ## send every odd value and random requests made from the OpenAPI document
	$(BIN)/python -m pytest -p no:schemathesis --thorough tests/protocols/test_odd_values.py
	$(BIN)/python -m tests.protocols.fuzz

faults: setup-dev ## kill things, many times, and check that nothing is lost
	$(BIN)/python -m benchmarks.faults

lock: .venv/bin/uv ## resolve the dependencies anew
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 requirements-uv.in -o requirements-uv.lock
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 --extra analyst pyproject.toml -c requirements-limits.in -o requirements.lock
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 --extra analyst --extra telemetry --extra postgresql --extra mysql --extra clickhouse --extra s3 --group dev pyproject.toml -c requirements.lock -o requirements-dev.lock
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate --no-deps --universal --python-version 3.11 requirements-offline.in -o requirements-offline.lock

wheel: setup-dev ## build sdist and wheel into dist/, and try the wheel in a fresh environment
	rm -rf dist
	$(BIN)/uv build --quiet --out-dir dist
	$(PYTHON) -m venv dist/trial
	$(BIN)/uv pip install --quiet --python dist/trial/bin/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python dist/trial/bin/python --no-deps dist/yarrow-$(VERSION)-py3-none-any.whl
	cd dist && trial/bin/yarrow --version | grep -F "$(VERSION)" && trial/bin/yarrow doctor --data-dir trial/data
	$(BIN)/python scripts/try_wheel.py $(CURDIR)/dist/trial/bin/yarrow
	rm -rf dist/trial

release: setup-dev ## cut NEW=0.2.0 (version, changelog, commit), check, test, build and tag it; publishes nothing
	@test -z "$$(git status --porcelain)" || { echo "commit first: the tree is not clean"; exit 1; }
	@if [ -n "$(NEW)" ]; then \
		$(BIN)/python scripts/cut_release.py "$(NEW)" && \
		git commit --quiet --all --message "release: cut version $(NEW)"; fi
	$(MAKE) tag-release NEW=

tag-release: setup-dev
	@grep -q "^## \[$(VERSION)\] - " CHANGELOG.md || { echo "CHANGELOG.md has no section for $(VERSION)"; exit 1; }
	@! git rev-parse -q --verify "refs/tags/v$(VERSION)" || { echo "v$(VERSION) is tagged: name the next one, make release NEW=..."; exit 1; }
	$(MAKE) check test wheel
	git tag -a "v$(VERSION)" -m "Yarrow $(VERSION)"
	@ls dist
	@echo "tagged v$(VERSION) in this clone only; to publish: git push origin HEAD v$(VERSION)"

clean: ## remove what set-up made; the data dir stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* coverage.json dist
