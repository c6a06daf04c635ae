# make demo    learn a space from the embedded history and draw it
# make test    install what the tests need and run all of them, lint and types first
# make bench   speed and exactness against the alternatives, side by side in one run
# make fmt     format the code
# make schema  write docs/learned-space.schema.json anew

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo test lint bench fmt schema clean

demo: $(VENV)/.installed
	@$(BIN)/ringfence demo -o demo

test: $(VENV)/.tested lint
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.tested
	$(ONE_THREAD) $(BIN)/python -m benchmarks.run

fmt: $(VENV)/.tested
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: $(VENV)/.tested
	$(BIN)/python -c 'import json, ringfence.learned_file as f; print(json.dumps(f.schema(), indent=2))' \
		> docs/learned-space.schema.json

clean:
	rm -rf $(VENV) demo dist

$(VENV)/bin/python:
	@echo "making the virtual environment $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ringfence needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing ringfence and what it needs (half a minute the first time)"
	@$(PIP) install -e '.[plot]'
	@touch $@

$(VENV)/.tested: pyproject.toml requirements-test.txt | $(VENV)/bin/python
	@echo "installing ringfence with all extras and the test tools (a minute or two the first time)"
	@$(PIP) install -e '.[all]' -r requirements-test.txt
	@touch $(VENV)/.installed $@
