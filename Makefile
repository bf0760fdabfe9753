# `make demo` and `make test` set everything up on a machine with python3.11 and make; both are safe to repeat.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# Label Studio's own environment, for `make up` and `make test-live`.
export ASSAY_HOME ?= $(CURDIR)/.assay/home
FAST := not slow and not long and not live and not browser
OFFLINE := not long and not live and not browser
# A file of tests stays with one worker, so that what its tests share is made once; tests/conftest.py puts the long files first.
# One more than two cores: tests wait for processes, servers and browsers.
WORKERS ?= 3
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Without compiled files every process that a test starts would compile its imports anew.
unexport PYTHONDONTWRITEBYTECODE

# Other tools, in an environment of their own: their loaders read our gold set, their instrumentors send us traces.
PEERS ?= $(CURDIR)/.assay/peers
PEER_PACKAGES := ragas "deepeval>=4" langsmith datasets langchain-core openinference-instrumentation-langchain \
	opentelemetry-exporter-otlp-proto-http arize-phoenix-otel arize-phoenix-client
PEER_TESTS := tests/workflow/test_gold_peers.py tests/server/test_live_examples.py

# An S3 server for the tests of the lake, in an environment of its own: it pins old versions.
S3_SERVER ?= $(CURDIR)/.assay/s3
S3_SERVER_PACKAGES := "moto[server]>=5.2"

.PHONY: picture help install demo test test-all test-fast test-live test-oldest test-peers label-studio s3-server lint format app up bench docs lock clean
help:
	@echo "make demo       walk the whole loop on synthetic data"
	@echo "make test       every test but the live and the longest ones"
	@echo "make test-live  the rest: real Label Studio, real browser (needs chromium)"
	@echo "make test-all   both, the oldest Label Studio (test-oldest), and the longest simulations"
	@echo "make test-fast  under a minute"
	@echo "make test-peers other tools read what we write, and send what we read (installs them, newest)"
	@echo "make app        the app on the demo's store;  make up: with a local Label Studio"
	@echo "make install | lint | format | bench | docs | picture | lock | clean"

# uv, where it is on the machine, installs the same locked set ten times as fast.
define install_lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing $(1) into $(VENV)"
	@if command -v uv >/dev/null; then uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1); \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1); fi
endef

$(VENV)/.runtime: requirements.lock pyproject.toml
	$(call install_lock,requirements.lock)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(call install_lock,requirements-dev.lock)
	@touch $@

install: $(VENV)/.dev

demo: $(VENV)/.runtime
	@$(BIN)/assay demo

test: $(VENV)/.dev
	@$(PYTEST) -m "$(OFFLINE)"

test-fast: $(VENV)/.dev
	@$(PYTEST) -q -m "$(FAST)"

test-live: label-studio $(VENV)/.dev
	@CI=true $(PYTEST) -m "(live or browser) and not long"

# What speaks to a server or shows its form, on the oldest Label Studio that is supported; there the form may need scrolling on a
# small screen (docs/deployment.md).
OLDEST_TESTS := tests/live/test_label_studio_live.py tests/live/test_label_studio_form_live.py tests/live/test_loop_live.py
test-oldest: $(VENV)/.dev
	@CI=true ASSAY_LABEL_STUDIO_VERSION=$$($(BIN)/python -c "from annotate.label_studio.local.environment import OLDEST; print(OLDEST)") \
		$(PYTEST) -k "not one_glance" $(OLDEST_TESTS)

# In sessions of their own: where a browser is driven an event loop runs, and asyncio.run() is refused.
test-all: test test-live test-oldest s3-server
	@ASSAY_S3_SERVER=$(S3_SERVER)/bin/moto_server $(PYTEST) -m long

# The newest of each tool every time, so that what they change is seen.
test-peers: $(VENV)/.dev
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@if command -v uv >/dev/null; then uv pip install --quiet --upgrade --python $(PEERS)/bin/python $(PEER_PACKAGES); \
	else $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade $(PEER_PACKAGES); fi
	@ASSAY_PEERS=$(PEERS) ASSAY_APPS=$(PEERS)/bin/python $(BIN)/python -m pytest -q -n0 $(PEER_TESTS)

s3-server:
	@test -x $(S3_SERVER)/bin/python || $(PYTHON) -m venv $(S3_SERVER)
	@test -x $(S3_SERVER)/bin/moto_server || \
		$(S3_SERVER)/bin/python -m pip install --quiet --disable-pip-version-check $(S3_SERVER_PACKAGES)

# What the live tests need, made once: Label Studio's environment, and its database without an account.
label-studio: $(VENV)/.runtime
	@command -v chromium >/dev/null || { echo "the browser tests need chromium (Debian: apt-get install chromium)"; exit 1; }
	@$(BIN)/python -c "$$PREPARE"

define PREPARE
import os, pathlib
from annotate.label_studio.local.environment import ensure_database, ensure_environment
home = pathlib.Path(os.environ["ASSAY_HOME"])
ensure_database(home, ensure_environment(home, print), print)
endef
export PREPARE

lint: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .

app: demo
	@$(BIN)/assay app --db assay-demo.db

up: $(VENV)/.runtime
	@$(BIN)/assay up --demo

# The picture in the README, on a made-up store; needs chromium.
picture: $(VENV)/.dev
	@PYTHONPATH=tests $(BIN)/python -m support.picture docs/overview.png

bench: $(VENV)/.dev
	@$(BIN)/python benchmarks/ingest.py
	@$(BIN)/python benchmarks/formats.py
	@$(BIN)/python benchmarks/redaction.py
	@$(BIN)/python benchmarks/report.py
	@$(BIN)/python benchmarks/scale.py
	@$(BIN)/python benchmarks/judges.py
	@$(BIN)/python benchmarks/throughput.py --memory 4000
	@$(BIN)/python benchmarks/live.py
	@$(BIN)/python benchmarks/label_studio.py
	@$(BIN)/python benchmarks/app.py
	@$(BIN)/python benchmarks/statistics.py

docs: $(VENV)/.dev
	@$(BIN)/python tests/support/metrics_page.py

# Needs uv. No index address may come into the files.
lock:
	uv pip compile pyproject.toml --group build --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet --upgrade -o requirements.lock
	uv pip compile pyproject.toml --group dev --constraint requirements.lock --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet -o requirements-dev.lock
	@! grep -n "://" requirements.lock requirements-dev.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
