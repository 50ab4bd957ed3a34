# Needs python3 >= 3.10, make and g++. Everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-$(shell $(PYTHON) -c 'import sys; print(*sys.version_info[:2], sep=".")')
TEST_STAMP := $(VENV)/.installed-test
DEMO_OUT ?= build/demo

.PHONY: demo test check lint types layers unit docs accuracy clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(TEST_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'torch==2.13.0'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,tilelang]'
	@touch $@

## demo: convert the corpus to Ascend C, verify it on the CPU, write the HTML report
demo: $(STAMP)
	$(BIN)/cudamigrate convert corpus --to ascend -o $(DEMO_OUT) --force

## test: linters, types, layers and the whole test suite
test: $(TEST_STAMP) lint types layers unit

lint: $(TEST_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TEST_STAMP)
	$(BIN)/mypy

layers: $(TEST_STAMP)
	$(BIN)/lint-imports

unit: $(TEST_STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

## docs: renew the list of files in docs/architecture.md
docs: $(STAMP)
	$(BIN)/python docs/write_file_list.py

clean:
	rm -rf build
