# What there is to do with warpath. Needed: Python >= 3.11 with venv and pip, g++ and make.
# Everything is installed into VENV; each target first installs what it needs, once.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --quiet --disable-pip-version-check install
CPP := $(wildcard cpp/include/warpath/*/*.hpp cpp/bindings/*.hpp cpp/bindings/*.cpp)
# The build's own tools live in VENV too, so that a rebuild compiles only what changed.
BUILD_TOOLS = cmake ninja $(shell $(PYTHON) -c "import tomllib; print(*map(repr, tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires']))")

.PHONY: setup demo test test-changed test-full hunt gpu check counts bench docs dist wheels platforms release-dry-run sanitize sanitize-address sanitize-thread clean

# EXTRAS: what else to install at once, as `make setup EXTRAS=dev,docs,dist`.
setup: $(VENV)/.$(or $(EXTRAS),dev)

demo: $(VENV)/.cli
	@PATH="$(abspath $(BIN)):$$PATH" examples/rome.sh

# At most 12 minutes of processor time. Slow tests, marked `full`, are left to the next two targets.
test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist loadfile --durations 10 $(TESTS)

# The slow tests whose sources differ from those of all recorded runs; the record goes to docs/full-runs.
test-changed: $(VENV)/.test
	PYTHONPATH=tools:tests $(BIN)/python -m full_run --changed -- -n auto --dist loadfile

# Everything, with coverage, sanitizers, hunts, wheels and other platforms, about two hours; the record goes to
# docs/full-runs.
test-full: $(VENV)/.dist
	PYTHONPATH=tools:tests $(BIN)/python -m full_run -- -n auto --dist loadfile --cov --cov-report=term:skip-covered --cov-fail-under=95

# Seeded programs that search for wrong results, crashes and hangs (tools/hunt). HUNT: their names and options.
MINUTES ?= 10
hunt: $(VENV)/.test
	PYTHONPATH=tools:tests $(BIN)/python -m hunt --minutes $(MINUTES) $(HUNT)

# On a machine with a GPU, into docs/gpu-runs; tests/gpu/run.sh has the other parts.
gpu: $(VENV)/.test
	PYTHONPATH=tools:tests $(BIN)/python -m record --compile $(shell nproc) --sanitize

check: $(VENV)/.dev
	$(BIN)/ruff format --check && $(BIN)/ruff check && $(BIN)/mypy && $(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(CPP) $(wildcard cpp/emulator/* src/warpath/engines/cuda/kernels/* bench/programs/* tests/core/*.cpp tests/counts/*.?pp)
	$(BIN)/python docs/generate.py --check

# COUNTS: --update writes the table anew, --required fails without valgrind, names choose cases.
counts: $(VENV)/.test
	PYTHONPATH=tools:tests $(BIN)/python -m counts $(COUNTS)

bench: $(VENV)/.test
	$(BIN)/python -m warpath_bench $(or $(BENCH),suite)

# The site, into build/site; needs g++ for the emulator that traces the recipes of GPUs. Its pictures are drawn
# anew; those of Monaco from DATA/monaco.osm.gz, and they stay where that is missing.
DATA ?= ../shared/data
docs: $(VENV)/.docs
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/pictures.py $(wildcard $(DATA)/monaco.osm.gz)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs build/site

# A source distribution and a wheel of this Python, tried in an empty environment; `wheels`: of all Pythons here.
dist: $(VENV)/.dist
	.ci/dist $(BIN)/python

wheels: $(VENV)/.dist
	.ci/dist $(BIN)/python all

# Cross-compiles for ARM, Windows, macOS and musl with Clang from the package index, and runs there what
# qemu-user and Wine can run; PLATFORMS: names of targets, or options. About an hour on two cores.
platforms: $(VENV)/.test
	$(BIN)/python .ci/platforms.py $(PLATFORMS)

# Builds all that a release has and this machine can, and lists the rest.
release-dry-run: $(VENV)/.dist $(VENV)/.docs
	$(BIN)/python .ci/release.py dry-run $(BIN)/python

sanitize: sanitize-thread sanitize-address

sanitize-thread: $(VENV)/.test
	.ci/sanitize $(BIN)/python thread -m threads $(SANITIZED)

sanitize-address: $(VENV)/.test
	.ci/sanitize $(BIN)/python address,undefined $(SANITIZED)

clean:
	rm -rf $(VENV) build dist docs/_pictures src/warpath/_core.pyi .coverage .hypothesis .*_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The extras' names are the stem: .venv/.test installs .[test]. Editable: edits of Python need no install.
# Who has dev has test, and who has test has cli.
comma := ,
$(VENV)/.%: pyproject.toml CMakeLists.txt $(CPP) | $(BIN)/python
	$(PIP) $(BUILD_TOOLS)
	$(PIP) --no-build-isolation --editable '.[$*]'
	$(if $(filter cli,$*),,$(PIP) --no-build-isolation --no-deps --editable ./bench)
	@touch $@ $(addprefix $(VENV)/.,$(subst test,test cli,$(subst dev,dev test,$(subst $(comma), ,$*))))
