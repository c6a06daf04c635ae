# make demo    learn a space from the embedded history, draw it, check it and write the report
# make quick   lint, types and the core's tests; installs what they need
# make test    lint, types and all tests but the slow ones (the rest of matrices that it covers)
# make test-all  all tests, with real processes and other random examples each time
# make fuzz    damaged and hostile input for five minutes; MINUTES=120 for longer, JOBS=1 for one core
# make chaos   kills, full disks, read-only folders, a database that restarts; MINUTES=60 for more kills
# make bench   speed and exactness against the alternatives, side by side in one run
# make paper-quick  every figure of the paper with few replications, into paper-quick/
# make results  write docs/results.md, the tables of docs/{transfer,mismatch,failures,check,method,memory-table}.md, and figures
# make docs    build the site from docs/ into site/; a dead link or a page out of place fails
# make fmt     format the code
# make schema  write docs/learned-space.schema.json again
# make dist    build the wheel and the sdist, and run the demo from the wheel alone

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
APT := apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo -n)
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo quick test test-all browser lint fuzz chaos bench paper-quick results docs fmt schema dist clean

demo: $(VENV)/.installed
	@$(BIN)/ringfence demo -o demo

quick: lint
	$(PYTEST) -m quick

test: browser lint
	$(PYTEST) -m "not slow"

test-all: browser lint
	RINGFENCE_TEST_PROCESSES=1 $(PYTEST) --hypothesis-profile=thorough

# The report is tested in a real browser. If none can be installed, those tests are skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		command -v google-chrome >/dev/null || \
		{ echo "installing chromium for the tests of the report (half a minute)"; \
		  { $(AS_ROOT) $(APT) update && \
		    $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive \
		      $(APT) install -y --no-install-recommends chromium; } >/dev/null 2>&1; } || \
		echo "chromium could not be installed; the tests that need a browser are skipped"

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What failed is kept in fuzz/found/, from where the next run goes on.
fuzz: $(VENV)/.tested
	$(ONE_THREAD) $(BIN)/python -m fuzz $(if $(MINUTES),--minutes $(MINUTES)) $(if $(JOBS),--jobs $(JOBS))

chaos: $(VENV)/.tested
	$(ONE_THREAD) $(BIN)/python -m chaos $(if $(MINUTES),--minutes $(MINUTES))

bench: $(VENV)/.tested
	$(ONE_THREAD) $(BIN)/python -m benchmarks.run

paper-quick: $(VENV)/.benched
	$(ONE_THREAD) $(BIN)/ringfence bench run plans/quick.toml --store paper-quick/store --jobs 2
	$(BIN)/ringfence bench table plans/quick.toml --store paper-quick/store -o paper-quick/results.parquet
	$(BIN)/ringfence bench plot plans/quick.toml --store paper-quick/store -o paper-quick/figures

results: $(VENV)/.benched
	$(BIN)/python -m benchmarks.paper_page
	$(BIN)/python -m benchmarks.transfer_page
	$(BIN)/python -m benchmarks.calibration page
	$(BIN)/python -m benchmarks.tolerance page
	$(BIN)/python -m benchmarks.memory_table --write
	$(BIN)/python -m benchmarks.mismatch page
	$(BIN)/python -m benchmarks.failures page

docs: $(VENV)/.documented
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "open site/index.html"

fmt: $(VENV)/.tested
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: $(VENV)/.tested
	$(BIN)/python -c 'import json, ringfence.learned.file as f; print(json.dumps(f.schema(), indent=2))' \
		> docs/learned-space.schema.json

dist:
	$(PYTHON) scripts/dist.py

clean:
	rm -rf $(VENV) demo dist paper-quick site

$(VENV)/bin/python:
	@echo "making the virtual environment $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ringfence needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "no virtual environment could be made; on Debian: apt install python3-venv"; exit 1; }

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing ringfence and what it needs (half a minute the first time)"
	@$(PIP) install -e '.[plot]'
	@touch $@

$(VENV)/.benched: pyproject.toml | $(VENV)/bin/python
	@echo "installing ringfence and what the paper's experiments need (a minute the first time)"
	@$(PIP) install -e '.[plot,bench,smac]'
	@touch $(VENV)/.installed $@

$(VENV)/.documented: pyproject.toml | $(VENV)/bin/python
	@echo "installing what builds the site (a few seconds)"
	@$(PIP) install -e '.[docs]'
	@touch $@

$(VENV)/.tested: pyproject.toml requirements-test.txt | $(VENV)/bin/python
	@echo "installing ringfence with all extras and the test tools (a minute or two the first time)"
	@$(PIP) install -e '.[all]' -r requirements-test.txt
	@touch $(VENV)/.installed $(VENV)/.benched $(VENV)/.documented $@
