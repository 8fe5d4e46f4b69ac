# Each target sets up what it needs; a second run finds it done.
#   make check     lint, types, import rules, and a sample of tests that reaches every package
#   make unit      every test that needs no browser, Spark, LibreOffice, killed process or page of docs
#   make test      everything the product itself needs
#   make systems   tests against servers of others
#   make docs      the site of the documentation, in build/site
#   make reference pages of docs/reference, from the code
#   make screenshots   the pictures of docs/pictures
#   make slowest   the 20 slowest tests of the last run
#   make wheel    what an installation needs, in dist/
#   make release VERSION=0.2.0     the version, changelog, tag, wheel, source archive and SBOM
#   make demo PORT=9000     a company to look at, served on 127.0.0.1:9000
#   make company  the demo company again, where the method or its story changed
#   make PYTHON=python3.13  another interpreter than the one found below

# Where it is set, every process compiles anew what it imports: seconds each, for hundreds of them.
unexport PYTHONDONTWRITEBYTECODE

SHELL := /bin/sh
.SUFFIXES:
.PHONY: setup demo company docs reference screenshots check lint unit test systems slowest bench lock sbom wheel release clean

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install -qq --no-compile
PYTHON ?= $(shell for p in python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# $(call debian,COMMAND,PACKAGES): where COMMAND fails, PACKAGES are installed (root on Debian) or named
define debian
	@{ $(1); } >/dev/null 2>&1 || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "installing $(2) from Debian"; \
			export DEBIAN_FRONTEND=noninteractive; \
			apt-get update -qq && apt-get install -qq -y --no-install-recommends $(2) >/dev/null; \
		else \
			echo "missing: $(2). As root: apt-get install $(2)" >&2; exit 1; \
		fi; }
endef

setup: .venv/runtime.stamp

demo: setup
	@exec $(BIN)/breakeven demo

company: .venv/test.stamp
	@$(BIN)/python data/company/generate.py

# The site, in build/site: pages of docs/, to be read without a network.
docs: .venv/test.stamp
	@$(BIN)/python -m documentation.site

# The pages of docs/reference that are made from the code.
reference: .venv/test.stamp
	@$(BIN)/python -m documentation.reference

# The pictures of docs/pictures, of the demo in Chromium.
screenshots: .venv/test.stamp
	$(call debian,$(CHROMIUM),chromium-headless-shell)
	@$(BIN)/python -m documentation.screenshots

CHROMIUM := command -v chromium-headless-shell || command -v chromium
LONG := browser or spark or office or kill or pages
PYTEST = $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

lint: .venv/test.stamp
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# The checks run beside the first tests: by themselves they keep one core busy and the rest idle.
define beside_lint
	@$(MAKE) --no-print-directory lint >.venv/lint.log 2>&1 & linted=$$!; \
	$(1); status=$$?; \
	wait $$linted || { cat .venv/lint.log; status=1; }; exit $$status
endef

check: .venv/test.stamp
	$(call beside_lint,$(PYTEST) -q -m sample)

unit: .venv/test.stamp
	@$(PYTEST) --ignore=tests/browser -m "not ($(LONG)) and not systems" --junit-xml=.venv/tests.xml

test: .venv/test.stamp
	$(call debian,$(CHROMIUM),chromium-headless-shell)
	$(call debian,command -v soffice,libreoffice-calc-nogui)
	$(call debian,command -v pdftotext,poppler-utils)
	$(call debian,java -version 2>&1 | grep -qE '"(1[7-9]|[2-9][0-9])',default-jre-headless)
	$(call beside_lint,$(PYTEST) -m "not systems" --junit-xml=.venv/tests.xml)

# pytest ends with 5 where no test is marked.
systems: .venv/test.stamp
	$(call debian,(command -v nginx || test -x /usr/sbin/nginx) && command -v openssl,nginx-light openssl)
	$(call debian,command -v npm,npm)
	$(call debian,test -x /usr/sbin/apache2 -a -f /usr/lib/apache2/modules/mod_auth_openidc.so,apache2 libapache2-mod-auth-openidc)
	$(call debian,$(CHROMIUM),chromium-headless-shell)
	$(call debian,command -v promtool && command -v prometheus,prometheus)
	$(call debian,command -v sacct && test -x /usr/sbin/slurmctld -a -x /usr/sbin/slurmd -a -x /usr/sbin/slurmdbd -a -x /usr/sbin/mariadbd -a -x /usr/sbin/munged,slurmctld slurmd slurmdbd slurm-client mariadb-server munge)
	@$(PYTEST) -m systems || { status=$$?; [ $$status = 5 ] || exit $$status; }

slowest:
	@[ -f .venv/tests.xml ] || { echo "no run to look at: make unit, or make test" >&2; exit 1; }
	@$(BIN)/python -m tests.support.slowest .venv/tests.xml

bench: setup .venv/test.stamp
	@$(BIN)/python -m benchmarks.reduction
	@$(BIN)/python -m benchmarks.marts
	@$(BIN)/python -m benchmarks.coverage
	@$(BIN)/python -m benchmarks.pages
	@$(BIN)/python -m benchmarks.fetch

# After a change of dependencies in pyproject.toml. Needs uv; `make lock UPGRADE=--upgrade` moves
# every pin. Both locks have the same versions; the tests' packages have a say in them.
LOCK = uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header --quiet $(UPGRADE)
lock:
	@command -v uv >/dev/null || { echo "missing: uv. See docs.astral.sh/uv" >&2; exit 1; }
	$(LOCK) --extra build --extra test --extra docs --output-file requirements-test.lock
	$(LOCK) --extra build --constraint requirements-test.lock --output-file requirements.lock

# What an installation brings, as CycloneDX: name, version and hashes of every pinned package.
SBOM = breakeven.cdx.json
sbom: .venv/test.stamp
	@$(BIN)/python -W ignore -m cyclonedx_py requirements --pyproject pyproject.toml \
		--output-reproducible --short-PURLs --output-file $(SBOM) requirements.lock
	@echo "$(SBOM)"

wheel: setup
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build --target wheel

# From a clean checkout; says what to push.
release: .venv/test.stamp
	@$(BIN)/python deploy/release.py "$(VERSION)"

clean:
	rm -rf .venv *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

.venv/runtime.stamp: requirements.lock pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "missing: Python 3.11 or newer. Put it on PATH, or make PYTHON=..." >&2; exit 1; }
	$(call debian,$(PYTHON) -c 'import ensurepip; import venv',$$($(PYTHON) -c 'import sys; print("python3.%d-venv" % sys.version_info.minor)'))
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@echo "installing breakeven into .venv"
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# Built without isolation: what builds a package is pinned, too.
.venv/test.stamp: requirements-test.lock .venv/runtime.stamp
	@echo "installing the tests' packages into .venv"
	@$(PIP) --require-hashes --no-build-isolation -r requirements-test.lock
	@touch $@
