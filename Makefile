# Short names for what .ci/run and people do. Everything happens in .venv.
PYTHON ?= python3
BIN := .venv/bin

.venv: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -e '.[dev]'
	touch .venv

.PHONY: check lint types imports docs docs-write notes test test-agents screenshots bench
check: lint types imports docs notes test

lint: .venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv
	$(BIN)/mypy

imports: .venv
	$(BIN)/lint-imports

docs: .venv ## generated parts of the documents are as the code makes them
	$(BIN)/cog --check -P README.md docs/cli.md docs/architecture.md
	$(BIN)/python docs/metadata.py --check

docs-write: .venv
	$(BIN)/cog -r -P README.md docs/cli.md docs/architecture.md
	$(BIN)/python docs/metadata.py

notes: .venv ## this project's own notes parse and are indexed without a problem
	$(BIN)/python docs/check_notes.py

test: .venv
	$(BIN)/pytest

screenshots: .venv ## the pictures of docs/browse/, as the pages look now; needs chromium
	SCOUTKIT_SCREENSHOTS=1 CI=true $(BIN)/pytest tests/browse/test_browser.py -n 0

test-agents: .venv ## contract tests with every agent program; installs them into a cache folder first
	$(BIN)/python tests/contract/install.py
	CI=true $(BIN)/pytest tests/contract -m "agents or not agents" -n 2
