# Entry point of the workshop. `make` lists the targets.
.DEFAULT_GOAL := help
.SUFFIXES:

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# Tests run on every core. TEST=path::name selects some; COVERAGE=1 measures branch coverage of the
# host and fails below the limit in pyproject.toml.
TEST ?= tests
JOBS ?= auto
COVERAGE ?=
# Number of examples in property tests: quick, default or ci. DURATIONS=20 lists the slowest tests.
PROFILE ?= default
DURATIONS ?= 0
FUZZ_SECONDS ?= 600
HISTORIES ?= 1000000
WORLDS ?= 500
# Python keeps its bytecode, regardless of the environment, because the tests start it very often.
unexport PYTHONDONTWRITEBYTECODE
# Workers take whole folders, so that objects shared by the tests of a folder are made once.
PYTEST := $(BIN)/pytest -n $(JOBS) --dist worksteal

.PHONY: help setup demo test quick lowest dist wheels docs fuzz search search-answers check format bench size stack gen gen-check posix library renode clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# For `make demo`: compiler, emulator and the package itself.
$(VENV)/.stamp: pyproject.toml tools/setup tools/native_build.py $(wildcard host/src/tickertape/_native/*.[ch])
	tools/setup run "$(PYTHON)" $(VENV)
	@touch $@

# Additionally for `make test` and `make check`.
$(VENV)/.stamp-dev: $(VENV)/.stamp
	tools/setup dev "$(PYTHON)" $(VENV)
	@touch $@

setup: $(VENV)/.stamp ## install what is needed; leaves .venv/bin/tickertape

demo: $(VENV)/.stamp ## trace the reference kernel in the emulator and print what happened (TARGET=microbit, stm32f4)
	@$(BIN)/tickertape demo $(if $(TARGET),--target $(TARGET))

test: $(VENV)/.stamp-dev ## run all tests (TEST=path::name for some, COVERAGE=1 to measure)
	@mkdir -p build/coverage
	$(PYTEST) --hypothesis-profile=$(PROFILE) $(if $(filter-out 0,$(DURATIONS)),--durations=$(DURATIONS)) \
	  $(if $(COVERAGE),--cov --cov-report=term) $(TEST)

quick: $(VENV)/.stamp-dev ## run the tests that start no process, with few examples
	$(PYTEST) -q -m "not process" --hypothesis-profile=quick $(TEST)

lowest: $(VENV)/.stamp-dev ## run tests with the lowest versions that pyproject.toml allows
	$(BIN)/python -m tools.lowest

dist: $(VENV)/.stamp-dev ## make build/dist: sdist, wheel of this platform, wheel without the compiled part
	$(BIN)/hatchling build -d build/dist
	TICKERTAPE_PURE=1 $(BIN)/hatchling build -t wheel -d build/dist

wheels: $(VENV)/.stamp-dev ## make build/dist: a wheel with the compiled part for each platform
	$(BIN)/python -m tools.wheels

docs: $(VENV)/.stamp-dev ## build the documentation as a site that needs no network: build/site
	$(BIN)/python -m mkdocs build --strict

fuzz: $(VENV)/.stamp-dev ## feed damaged input to every decoder (FUZZ_SECONDS=600)
	$(BIN)/python -m tools.fuzz --seconds $(FUZZ_SECONDS)
	$(BIN)/python -m tools.fuzz.guided
	$(BIN)/python -m tools.fuzz.compiled

search: $(VENV)/.stamp-dev ## look for a history that breaks the law of loss; stop it, start it again (HISTORIES=1000000)
	$(BIN)/python -m tools.search --histories $(HISTORIES)

search-answers: $(VENV)/.stamp-dev ## look for an answer that the second reading of the definitions contradicts (WORLDS=500)
	$(BIN)/python -m tests.oracle.search --worlds $(WORLDS)

check: $(VENV)/.stamp-dev ## run every static gate
	$(BIN)/python -m tools.check

format: $(VENV)/.stamp-dev ## format Python and C in place
	$(BIN)/python -m tools.check --format

bench: $(VENV)/.stamp-dev ## measure against the budgets; writes build/bench.json
	$(BIN)/python -m tools.bench

size: $(VENV)/.stamp-dev ## code size of the recorder, and what the change adds to it
	$(BIN)/python -m tools.size

stack: $(VENV)/.stamp-dev ## worst case of the stack of every way into the firmware
	$(BIN)/python -m tools.stack

posix: ## POSIX Trace for Linux processes: build/posix/libposixtrace.a, .so, include/trace.h
	@$(MAKE) -s -C host/posix

library: ## libtickertape, tapes in C and C++: build/library/libtickertape.a, .so, include/tickertape/tape.h
	@$(MAKE) -s -C host/library

gen: $(VENV)/.stamp-dev ## make C headers, Python tables and pages from protocol/*.yaml
	$(BIN)/python -m tools.gen

gen-check: $(VENV)/.stamp-dev ## fail when a generated file is not what `make gen` makes
	$(BIN)/python -m tools.gen --check

renode: $(VENV)/.stamp ## build images and reference tapes for the suites of renode/robot
	$(BIN)/python -m tools.renode_images

clean: ## remove everything that was built, not the virtual environment
	rm -rf build demo.tape .mypy_cache .ruff_cache .pytest_cache .hypothesis
