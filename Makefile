# What one can do with this tree. Each Python version gets an environment of its own: .venv-3.X

PYTHON ?= $(shell tools/find_python)
VERSION := $(shell "$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
SUPPORTED := 3.11 3.12 3.13
FOUND = $(strip $(foreach v,$(SUPPORTED),$(if $(shell tools/find_python $(v)),$(v))))
MISSING = $(filter-out $(FOUND),$(SUPPORTED))
SOURCES := pyproject.toml setup.py $(wildcard csrc/*.[ch] csrc/*/*.[ch])
EXAMPLES := black_scholes heat mlp kmeans
TESTS ?= tests
SOME := tests/bits tests/codegen tests/programs tests/switch

.PHONY: help demo bench bench-peers environments test test-all lint docs docs-site check-install clean python
.SECONDARY:

help:
	@echo "make demo           build in a private environment and run examples/"
	@echo "make test           build and run the tests on $(or $(VERSION),the current Python)"
	@echo "make test-all       the same on every supported Python that is found ($(SUPPORTED))"
	@echo "make bench          time benchmarks/ beside eager NumPy: a table, JSON and a plot (BENCH=options)"
	@echo "make bench-peers    the same with numba, jax, torch and numexpr, in an environment of its own"
	@echo "make lint           ruff, mypy, the import order, names and sizes, searches in C"
	@echo "make docs           write the generated pages of docs/"
	@echo "make docs-site      the pages of docs/ as a site in docs-output/"
	@echo "make check-install  install as an editable tree and from the sdist, on every Python found"
	@echo "make clean          remove what was built"
	@echo "PYTHON=... chooses another Python, TESTS=... a part of the tests"

python:
ifeq ($(filter $(VERSION),$(SUPPORTED)),)
	@echo "jitcore needs CPython $(SUPPORTED) with its C headers and pip;" >&2
	@echo "found $(if $(VERSION),Python $(VERSION) at $(PYTHON),none on PATH or under pyenv)." >&2
	@echo "Say which one to use: make PYTHON=/path/to/python3.12" >&2
	@exit 1
endif
	@command -v "$${CC:-cc}" >/dev/null || command -v gcc >/dev/null || \
	{ echo "jitcore needs a C compiler (gcc or clang), and there is none on PATH." >&2; exit 1; }

demo: python .venv-$(VERSION)/ready
	@set -e; for name in $(EXAMPLES); do .venv-$(VERSION)/bin/python examples/$$name.py; done

bench: python .venv-$(VERSION)/bench
	.venv-$(VERSION)/bin/python -m benchmarks $(BENCH)

bench-peers: python .venv-peers-$(VERSION)/ready
	.venv-peers-$(VERSION)/bin/python -m benchmarks --peers $(BENCH)

test: python .venv-$(VERSION)/ready
	.venv-$(VERSION)/bin/python -m pytest $(TESTS)

# Each Python in two parts, the longer ones first, so that two processors have as much to do to the end.
test-all: $(FOUND:%=test-some-%) $(FOUND:%=test-others-%)
	@$(if $(FOUND),,echo "none of Python $(SUPPORTED) was found" >&2; exit 1)
	@echo "tested on Python $(FOUND)$(if $(MISSING),; not found: $(MISSING))"

test-some-%: .venv-%/ready
	@echo "== Python $*: $(SOME)"
	.venv-$*/bin/python -m pytest $(SOME)

test-others-%: .venv-%/ready
	@echo "== Python $*: the others"
	.venv-$*/bin/python -m pytest tests $(SOME:%=--ignore=%)

test-3.%: .venv-3.%/ready
	.venv-3.$*/bin/python -m pytest $(TESTS)

lint: python .venv-$(VERSION)/lint
	.venv-$(VERSION)/bin/ruff check .
	.venv-$(VERSION)/bin/ruff format --check .
	.venv-$(VERSION)/bin/mypy
	.venv-$(VERSION)/bin/python tools/check_imports.py
	.venv-$(VERSION)/bin/python tools/check_names.py
	.venv-$(VERSION)/bin/python tools/check_c_text.py
	.venv-$(VERSION)/bin/python tools/break_docs.py --check
	.venv-$(VERSION)/bin/python tools/api_page.py --check

docs: python .venv-$(VERSION)/ready
	.venv-$(VERSION)/bin/python tools/break_docs.py
	.venv-$(VERSION)/bin/python tools/numpy_table.py
	.venv-$(VERSION)/bin/python tools/api_page.py

docs-site: python .venv-$(VERSION)/docs
	.venv-$(VERSION)/bin/python -m mkdocs build --quiet --strict
	@echo "docs-output/index.html"

environments: $(FOUND:%=.venv-%/ready)

check-install: $(FOUND:%=check-install-%)

check-install-%:
	tools/check_install "$$(tools/find_python $*)"

.venv-%/ready: $(SOURCES)
	@rm -rf .venv-$*
	$(if $(filter $*,$(VERSION)),"$(PYTHON)","$$(tools/find_python $*)") -m venv .venv-$*
	.venv-$*/bin/python -m pip install -q --upgrade pip
	.venv-$*/bin/python -m pip install -q --group test -e .
	@touch $@

.venv-%/lint: .venv-%/ready
	.venv-$*/bin/python -m pip install -q --group lint
	@touch $@

.venv-%/docs: .venv-%/ready
	.venv-$*/bin/python -m pip install -q --group docs
	@touch $@

.venv-%/bench: .venv-%/ready
	.venv-$*/bin/python -m pip install -q --group bench
	@touch $@

# Apart from .venv-3.X, since the peers choose a NumPy that all of them can use.
.venv-peers-%/ready: $(SOURCES)
	@rm -rf .venv-peers-$*
	"$(PYTHON)" -m venv .venv-peers-$*
	.venv-peers-$*/bin/python -m pip install -q --upgrade pip
	.venv-peers-$*/bin/python -m pip install -q --group bench --group peers -e .
	@touch $@

clean:
	rm -rf .venv-* build dist *.egg-info jitcore/*.so demo-output bench-output docs-output
	rm -rf .mypy_cache .ruff_cache .pytest_cache
	find . -path "./.venv*" -prune -o -name __pycache__ -prune -exec rm -rf {} +
