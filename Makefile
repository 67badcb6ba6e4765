# Makefile - the front door; CMake and Ninja do the work in $(BUILD)

BUILD ?= build
CMAKE_FLAGS ?=
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60

.PHONY: build
build:
	scripts/setup.sh build
	cmake -G Ninja -B $(BUILD) -S . -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)
	cmake --build $(BUILD) -j $(JOBS)
