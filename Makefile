# Every target that needs Python sets up .venv by itself; PYTHON names the interpreter that it is made with.

PYTHON ?= python3
BIN := .venv/bin
RUNTIME := .venv/.runtime
READY := .venv/.ready
BENCHMARKS := $(sort $(filter-out benchmarks/_%.py,$(wildcard benchmarks/*.py)))
SEARCH := $(BIN)/sage-ld search demo/films

# Model weights come from a package; nothing asks the network for them.
export HF_HUB_OFFLINE := 1

# Tests run in four processes, since they wait for others; so each computes in one thread. They start a thousand
# more, each of which would compile the package anew.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n 4 --dist worksteal --maxfail 20
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow fuzz kills lint generate audit bench pages clean

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 17

demo: $(RUNTIME) ## Build the graph of examples/films and ask it three questions
	$(BIN)/sage-ld ingest demo/films examples/films
	@echo
	$(SEARCH) "Which instrument did the composer of The Ninth Ferry play?" -k 5 --from-graph 3
	@echo
	$(SEARCH) "Where did the cinematographer honoured at the Fog Gala grow up?" -k 5 --from-graph 3
	@echo
	$(SEARCH) "Who published the book that The Glass Orchard is based on?" -k 5 --from-graph 3
	@echo
	@echo 'The graph is in demo/films. To go on:'
	@echo '  $(SEARCH) "your question"                     --mode hybrid: the same without the graph'
	@echo '  $(SEARCH) "your question" --format jsonld     the answer as linked data'
	@echo '  $(BIN)/sage-ld sparql demo/films "SELECT ?type (COUNT(*) AS ?n) WHERE { ?s a ?type } GROUP BY ?type"'
	@echo '  $(BIN)/sage-ld export demo/films --format turtle -o films.ttl'

test: $(READY) ## Run the tests but the slow ones; those on real data need SAGE_DATA
	$(PYTEST) -m "not slow"

test-slow: $(READY) ## Run the slow tests
	$(PYTEST) -m slow

fuzz: $(READY) ## Search long for inputs that break a parser, a limit or the bound on time
	HYPOTHESIS_PROFILE=long $(BIN)/pytest tests/fuzz

kills: $(READY) ## Kill each process of a service, and commands, at 400 random moments
	HYPOTHESIS_PROFILE=long $(BIN)/pytest tests/durability/test_kills*.py -o log_cli=true -o log_cli_level=INFO

lint: $(READY) ## Check style, format, wordings and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/english.py
	$(BIN)/mypy

generate: $(READY) ## Write the files that follow from the ontology and the table of channels
	$(BIN)/python -m generators

audit: $(READY) ## Check licences, and ask whether a pinned version is known to be vulnerable
	$(BIN)/python tests/audit.py

bench: $(READY) ## Measure speed and recall on the data in SAGE_DATA
	@set -e; for each in $(BENCHMARKS); do echo "== $$each"; $(BIN)/python "$$each"; done

pages: ## Build the scripts of the pages from web/; needs Node.js
	cd web && npm ci --ignore-scripts --no-audit --no-fund && npm run check && npm run build

clean: ## Remove what the other targets made, except .venv
	rm -rf demo build dist bench-results .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo '$(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12' >&2; exit 1; }
	@echo 'Setting up .venv with $(2); this takes a minute or two.'
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check --no-compile -c constraints.txt -e '$(1)'
endef

$(RUNTIME): pyproject.toml constraints.txt
	$(call install,.,what sage-ld needs)
	@touch $@

$(READY): pyproject.toml constraints.txt
	$(call install,.[dev],what sage-ld and its tests need)
	@touch $(RUNTIME) $@
