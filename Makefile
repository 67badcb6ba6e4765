# Makefile - the targets for users.  CMake and Ninja do the work, out of tree in $(BUILD)/.

BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
FUZZ_SECONDS ?= 60
CUTS ?= 20
EACH ?= 0

export BUILD JOBS FUZZ_SECONDS CUTS

.PHONY: build setup demo test test-long check test-asan test-tsan test-valgrind test-clang test-s390x
.PHONY: python python-full python-asan python-tsan python-bench
.PHONY: test-stores programs fuzz interop browser conformance mutants power bench bench-stores bench-registry bench-serve latency docs install format clean help

build: ## build/zinc and build/libzinc.so.0, without the tests; installs nothing
	@scripts/setup.sh --check
	@cmake -G Ninja -B $(BUILD) -S . -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DZINC_TESTS=OFF $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target product -- $$([ -t 1 ] || echo --quiet)
	@echo "built $(BUILD)/zinc and $(BUILD)/libzinc.so.0"

setup: ## install the Debian packages that a build needs (apt, and sudo unless root)
	@scripts/setup.sh build

demo: ## install what is missing, build, then create, write, show, read back and check an array on disk
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh $(BUILD)/zinc

test: ## everything a commit must pass: tests, checks, and the tests again under ASan + UBSan
	@scripts/test.sh gcc asan

test-long: ## the same with more seeds and more rounds, without sampling
	@ZINC_LONG=1 scripts/test.sh gcc asan

check: ## style, layers and the layout of public structures only
	@scripts/setup.sh test
	@scripts/check_layers.py && scripts/check_symbols.py && scripts/check_abi.py && scripts/check_style.py && scripts/check_promises.py && scripts/check_links.py && scripts/mutants.py --stale

test-asan test-tsan test-valgrind test-clang test-s390x: test-%: ## the tests in one other build
	@scripts/test.sh $*

programs: ## C and C++ programs that call every public function: as shipped, under ASan + UBSan, TSan and valgrind
	@TARGET=programs CTEST_FLAGS="-R every_call|check_calls -V" scripts/test.sh gcc asan tsan valgrind

fuzz: ## every fuzz target for FUZZ_SECONDS (60)
	@scripts/fuzz.sh

conformance: ## every rule of the drafts has passing tests (docs/conformance.md)
	@scripts/setup.sh build test
	@cmake -G Ninja -B $(BUILD) -S . -DZINC_TESTS=ON $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) -- --quiet
	@scripts/check_conformance.py --build $(BUILD)

mutants: ## check that a test fails for each small mistake of tests/mutants/; EACH=N: at most N of each file
	@scripts/setup.sh build test
	@scripts/mutants.py --build $(BUILD)-mutants --each $(EACH)

interop: ## exchange arrays with other implementations of Zarr
	@scripts/interop.sh

browser: ## the viewer, zarrita.js and Neuroglancer in real Chromium; BROWSER_QUICK=1: a short form
	@scripts/browser.sh

test-stores: ## the stores with real servers on loopback, which it builds and starts; STORES_QUICK=1: a short form
	@scripts/stores.sh

python: ## the Python package: sdist, wheel, types, tests on every Python from 3.11 to 3.13 that is found, zarr-python's tests
	@scripts/python.sh wheel bare types test zarr

python-full: ## the same with all tests on every Python, all of zarr-python's and xarray's own tests, a source build, ASan, TSan
	@ZINC_LONG=1 scripts/python.sh wheel bare types source test zarr xarray asan tsan

python-asan python-tsan: python-%: ## the extension for Python with ASan and UBSan, or with TSan
	@scripts/python.sh $*

python-bench: ## time Zinc in Python beside zarr-python, zarrs, zarrista and TensorStore, and count lost elements
	@scripts/python.sh bench

power: build ## simulate power cuts during writes, CUTS (20) times per file system; needs root
	@scripts/setup.sh power
	@scripts/power.sh || [ $$? = 77 ]

latency: ## time reads and writes of 1 000 objects at 20 ms of latency, compared with TensorStore
	@scripts/bench.sh latency

bench-stores: ## time reads and writes of 1 000 objects in S3 on loopback, with and without latency, compared with others
	@scripts/bench.sh stores

bench-registry: ## time registered codecs, grids and N5 beside other implementations; BENCH_QUICK=1: a short form
	@scripts/bench.sh registry

bench-serve: ## time ranges of files from `zinc serve` beside nginx; BENCH_QUICK=1: a short form
	@scripts/bench_serve.sh

bench: ## time reads and writes compared with other Zarr libraries, HDF5 and netCDF-C; BENCH_QUICK=1: a short form
	@scripts/bench.sh

docs: ## the documentation site in build/site, every internal link checked; installs Sphinx into build/docs-venv
	@scripts/docs.sh

install: build ## to PREFIX (/usr/local), DESTDIR; installs no packages
	@cmake --install $(BUILD)

format: ## apply .clang-format, except to the public headers, which are laid out by hand
	@scripts/setup.sh format
	@git ls-files '*.c' '*.h' '*.cpp' ':!include' | xargs clang-format -i

clean: ## remove everything that was built
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-clang $(BUILD)-valgrind $(BUILD)-s390x $(BUILD)-fuzz $(BUILD)-mutants

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9 %-]*\):.*## /\1\t/p' Makefile | expand -t 28
