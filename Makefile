# Two commands for people: `make run` and `make test`. Each does its own set-up, and only once.
# `make run` needs python3 only (3.11 or later; another one: PYTHON=...). `make test` also uses the programs
# of tools/packages: it installs them where it may, and says which tests it leaves out otherwise.

PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
BUILDER := .venv-build
LOCKER := .venv-lock
BIN := $(VENV)/bin
NODE := node_modules/.bin
# Node.js comes from a Python package.
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
LANGUAGES := es de
CATALOGUE := companion/translations
# Each process gets a run of neighbours, so that what they share is set up once, and whoever is done
# takes over half of what another one still has. One more process than processors: servers, readers and
# browsers are waited for.
AT_ONCE := -n $(shell expr `getconf _NPROCESSORS_ONLN` + 1) --maxprocesses 4 --dist worksteal
TEMPLATE := $(VENV)/messages.pot
export PYTHON
# The tests start the app a hundred times: it is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: announce printables game help run check test test-all test-oldest test-scripts lint format bench translations lock release setup setup-test clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

run: setup ## serve the app; ARGS="--port 8080" goes to `companion serve`
	@exec $(BIN)/companion serve $(ARGS)

# Before a commit: one minute, without browsers and PostgreSQL. mypy checks this system only.
check: SYSTEMS := linux
check: lint test-scripts ## lint, the scripts' tests, and the tests of the files that differ from the last commit
	$(BIN)/python -m pytest $(AT_ONCE) -m "not e2e and not postgres" $$($(BIN)/python tools/changed-tests.py) $(ARGS)

test: announce setup-test lint test-scripts ## lint, types, import rules and the tests; ARGS="-k undo" goes to pytest
	$(BIN)/python -m pytest $(AT_ONCE) $(ARGS)

test-all: ## the same over more sizes, languages, databases and examples, some minutes longer
	@$(MAKE) --no-print-directory test ARGS="--wide $(ARGS)"

test-oldest: ## the tests on the oldest dependencies that pyproject.toml allows
	@tools/setup-python $(OLDEST) requirements-oldest.txt
	@tools/setup-services $(OLDEST)
	$(OLDEST)/bin/python -m pytest $(AT_ONCE) $(ARGS)

test-scripts: setup-test ## the unit tests of the pages' scripts
	@$(WITH_NODE) node --test --test-reporter=spec tests/js/*.test.js tests/js/*/*.test.js

# While mypy checks the types, pytest rewrites the tests' asserts: once, and not in each of four processes.
# mypy's cache is for one system at a time, so each has its own.
SYSTEMS := linux win32 darwin
lint: setup-test ## ruff, mypy for three systems, the import rules; Biome and TypeScript for the scripts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest --collect-only -qq >/dev/null & typed=0; for system in $(SYSTEMS); do \
	  $(BIN)/mypy --platform $$system --cache-dir .mypy_cache/$$system || typed=1; done; wait; exit $$typed
	$(BIN)/lint-imports --no-cache
	$(WITH_NODE) $(NODE)/biome check --error-on-warnings
	$(WITH_NODE) $(NODE)/tsc

format: setup-test ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(WITH_NODE) $(NODE)/biome check --write

bench: setup-test ## measure; ARGS go to the benchmarks
	$(BIN)/python -m benchmarks $(ARGS)

printables: setup-test ## remake the ready-made PDFs of all pads that are out of date
	$(BIN)/python -m companion.pads.printables

game: setup-test ## begin a game as a copy of a small one that plays: make game NAME=knister
	@$(BIN)/python tools/new-game.py $(NAME)
	@$(MAKE) --no-print-directory translations printables

translations: setup ## extract new sentences, drop unused ones, compile the catalogues
	@mkdir -p $(CATALOGUE)
	@$(BIN)/pybabel -q extract -F babel.cfg --no-default-keywords \
	  -k _ -k N_ -k Sentence -k Word -k bad_action -k Refusal:2 -k gettext -k lazy_gettext -k ngettext:1,2 -k lazy_ngettext:1,2 \
	  -k pgettext:1c,2 -k npgettext:1c,2,3 \
	  -c "Translators:" --sort-by-file --no-location \
	  --project=companion --copyright-holder="the companion's authors" -o $(TEMPLATE) .
	@for language in $(LANGUAGES); do \
	  if [ -f $(CATALOGUE)/$$language/LC_MESSAGES/messages.po ]; then \
	    set -- update --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date; \
	  else set -- init; fi; \
	  $(BIN)/pybabel -q "$$@" -i $(TEMPLATE) -d $(CATALOGUE) -l $$language || exit 1; \
	done
	@$(BIN)/pybabel compile -d $(CATALOGUE) --statistics

# uv is needed here only, and lives in an environment of its own. No index or host gets into a lock.
COMPILE := $(LOCKER)/bin/uv pip compile --quiet --python-version 3.11 --no-emit-index-url \
  --custom-compile-command "make lock"
LOCKED := --universal --upgrade --generate-hashes
lock: setup-test ## the newest dependencies into the lock files, and the oldest into requirements-oldest.txt
	@test -x $(LOCKER)/bin/uv || { $(PYTHON) -m venv $(LOCKER) && $(LOCKER)/bin/pip install -q uv; }
	$(COMPILE) $(LOCKED) pyproject.toml -o requirements.lock
	$(COMPILE) $(LOCKED) --extra test -c requirements.lock pyproject.toml \
	  -o requirements-test.lock
	$(COMPILE) $(LOCKED) --extra postgres -c requirements-test.lock pyproject.toml \
	  -o requirements-image.lock
	$(WITH_NODE) npm update --package-lock-only
	$(COMPILE) --upgrade --resolution lowest-direct --extra test pyproject.toml \
	  -o requirements-oldest.txt

release: setup-test ## a wheel and its source into dist/, tried outside the repository with pipx and uv
	@test -x $(BUILDER)/bin/pyproject-build || { $(PYTHON) -m venv $(BUILDER) && $(BUILDER)/bin/pip install -q build; }
	rm -rf dist
	$(BUILDER)/bin/pyproject-build --outdir dist
	$(BIN)/python tools/try-wheel.py dist/*.whl .

announce:
	@echo "companion: every check and test, 5 to 15 minutes; before that, once, some minutes to set them up"

setup:
	@tools/setup-python $(VENV) requirements.lock

setup-test:
	@tools/setup-python $(VENV) requirements-test.lock
	@tools/setup-services $(VENV)
	@tools/setup-node $(VENV)

clean: ## remove the environments and caches; the database stays
	rm -rf $(VENV) $(OLDEST) $(LOCKER) $(BUILDER) node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
