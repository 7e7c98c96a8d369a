# The few commands people need; CMake does the work (see CMakePresets.json for the builds by name).
PREFIX ?= /usr/local
MODEL ?=
export DESTDIR

.PHONY: help run gallery build test differential campaign bench coverage mutation matrix fuzz views faults soak determinism analyze \
    deb deb-try install setup clean

help:
	@echo 'make run      set up, build and serve the studio until Ctrl+C, on the gallery (MODEL=file: on that one)'
	@echo 'make gallery  set up, build, run the gallery of examples (MODEL=file: that one) and show the motion'
	@echo 'make build    set up and build; the program is build/tenon'
	@echo 'make test     set up, build and run all tests (gcc, clang, sanitizers)'
	@echo 'make differential COUNT=10000  compare all solvers, schemes and integrators on random mechanisms; long'
	@echo 'make campaign TIMES=1  the random tests of contacts, heaps, statics, live edits with large samples; long'
	@echo 'make bench    build ours and the peers, measure all side by side (QUICK=1: under 3 minutes)'
	@echo 'make coverage count the lines that the unit tests reach, folder by folder'
	@echo 'make mutation COUNT=50  small faults in the numerical folders, one at a time: do the tests notice them; long'
	@echo 'make matrix   build in many ways: both compilers, -O0 to -O3, static and shared, without optional libraries'
	@echo 'make fuzz     fuzz targets with libFuzzer and sanitizers for MINUTES=10 in all'
	@echo 'make views    every model of the gallery in a browser, after 0, 1 and 5 s: all bodies are within the frame; long'
	@echo 'make analyze  cppcheck over the sources; what it is wrong about is explained in tools/analyze'
	@echo 'make faults   every command with every system call failing in turn, and a studio whose files fail'
	@echo 'make soak     a studio with 20 clients for MINUTES=10, killed and resumed; journals replayed, memory flat'
	@echo 'make determinism  the same bits from compilers, optimisation levels, processors and threads; long'
	@echo 'make deb      Debian packages in build/deb/packages, checked by lintian'
	@echo 'make deb-try  install and try these packages in a clean Debian (as root)'
	@echo 'make install  install program, library, headers and manual under PREFIX ($(PREFIX))'
	@echo 'make setup    install the Debian packages that are missing'
	@echo 'make clean    remove build/'

setup:
	@tools/setup.sh

build: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release

run: build
	@tools/run-studio.sh $(MODEL)

gallery: build
	@tools/run-gallery.sh $(MODEL)

views: build
	@cmake --build --preset release --target studio_test_page
	@node tests/web/test_gallery.mjs build/tenon build/web/views build/web/studio-test $(MODELS)

test: setup
	@tools/test.sh

COUNT ?= 10000
differential: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target test_differential
	@TENON_DIFFERENTIAL_COUNT=$(COUNT) build/tests/test_differential

campaign: setup
	@cmake --preset release >/dev/null
	@tools/campaign.sh $(or $(TIMES),1)

bench:
	@tools/setup-bench.sh
	@cmake -S bench -B build/bench -G Ninja
	@cmake --build build/bench
	@bench/run.py build/bench $(if $(QUICK),--quick)

coverage: setup
	@tools/coverage.sh

mutation: setup
	@tools/mutate.py --count $(if $(filter command line,$(origin COUNT)),$(COUNT),50) $(if $(SEED),--seed $(SEED))

matrix: setup
	@tools/build-matrix.sh

fuzz: setup
	@tools/fuzz.sh $(or $(MINUTES),10)

analyze:
	@tools/setup.sh cppcheck clang-tidy
	@tools/analyze.sh

faults: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target tenon_program tenon_shell protocol_tool break_calls
	@BREAK_CALLS_MOST=0 python3 tests/cli/test_broken_calls.py build/tenon build/tests/break_calls
	@BROKEN_SESSIONS=$(or $(SESSIONS),80) node tests/studio/test_broken.mjs build/tenon build/src/protocol_tool build/tests/break_calls

soak: build
	@node tests/studio/soak.mjs build/tenon $(or $(MODEL),examples/double-pendulum.yaml) $(or $(MINUTES),10)

determinism: setup
	@tools/determinism.sh

deb:
	@tools/setup.sh lintian
	@tools/deb.sh

deb-try: deb
	@tools/setup.sh debootstrap
	@tools/deb-try.sh

install: build
	@cmake --install build --prefix '$(PREFIX)'

clean:
	rm -rf build
