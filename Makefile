# SPDX-License-Identifier: GPL-2.0
# numab: what people run. Each target says what it does in `make help`.

VERSION := $(shell cat VERSION)
CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
KERNEL ?= 7.3
FUZZ_SECONDS ?= 10
DKMS_SRC := /usr/src/numab-$(VERSION)
DKMS_FLAGS ?= # such as -k RELEASE, for another kernel than the running one

B := build
# struct_ops types of a module take libbpf 1.4. Where the system's own is older
# the lab's build root has one, to be linked statically.
LIBBPF_MINOR := $(shell awk '/LIBBPF_MINOR_VERSION/{print $$3}' \
		  /usr/include/bpf/libbpf_version.h 2>/dev/null)
ifeq ($(shell test "$(LIBBPF_MINOR)" -ge 4 2>/dev/null && echo new),new)
libbpf := -lbpf
else
libbpf_dir := $(B)/libbpf
libbpf := $(libbpf_dir)/libbpf.a
endif
warnings := -std=gnu11 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	    -Wmissing-prototypes -Wno-unused-parameter
tested_kernels := $(shell awk '/^[0-9]/{print $$1}' lab/kernels)
ALL_CFLAGS := $(CFLAGS) $(warnings) -D_GNU_SOURCE -DNUMAB_VERSION='"$(VERSION)"' \
	      -DNUMAB_TESTED_KERNELS='"$(tested_kernels)"' \
	      -Idecide -Iinclude -Isrc $(addprefix -isystem ,$(libbpf_dir))
SAN := -fsanitize=address,undefined -fno-sanitize-recover=all

decide_src := $(wildcard decide/*.c)
# The module's pure files: the host's tests build them, the tool does not.
kmod_pure_src := kmod/btf.c
tool_src := $(filter-out src/main.c,$(wildcard src/*.c))
tool_obj := $(patsubst %.c,$(B)/%.o,$(tool_src) $(decide_src))
unit_src := $(wildcard tests/unit/*_test.c)
unit_bin := $(patsubst %.c,$(B)/%,$(unit_src))
fuzz_bin := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/*.c))
latency_pure_src := lab/latency/llc.c lab/latency/model.c
tested_src := $(tool_src) $(decide_src) $(kmod_pure_src) $(latency_pure_src)
san_obj := $(patsubst %.c,$(B)/san/%.o,$(tested_src))
tool_libs := $(libbpf) -lelf -lz -ljansson
policies := $(patsubst %.c,$(B)/%.o,$(wildcard bpf/*.bpf.c))
test_policies := $(patsubst %.c,$(B)/%.o,$(wildcard tests/guest/policies/*.bpf.c))
fuzz_obj := $(patsubst %.c,$(B)/fuzz/%.o,$(tested_src))

# As somebody's own program that has only include/numab.h.
example_bin := $(patsubst %.c,$(B)/%,$(wildcard examples/*.c))
EXAMPLE_CFLAGS := $(CFLAGS) -std=c99 -Wall -Wextra -Werror -pedantic
workloads := $(addprefix $(B)/bench/workloads/,arrays segments multigrid \
	     messages wakeup)

# Programs for inside the lab's machines: static, so that they need nothing.
guest_obj := $(patsubst %.c,$(B)/%.o,$(wildcard lab/guest/*.c))
guest_test_obj := $(patsubst %.c,$(B)/%.o,$(wildcard tests/guest/*.c) kmod/btf.c)

.DELETE_ON_ERROR:
.SECONDARY: $(san_obj) $(fuzz_obj)
.PHONY: help run check test-unit tool policies guest-tests module deps deps-bench deps-run install uninstall style support \
	fuzz bench bench-quick dkms-install dkms-uninstall clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' \
		$(firstword $(MAKEFILE_LIST))

run: deps-run tool $(B)/lab/demo/demo ## show the main job on an emulated NUMA machine
	lab/demo/run

check: deps tool guest-tests ## all tests: style, units, fuzzers, then the guests
	tests/run

test-unit: $(unit_bin) ## units only: seconds, no VM, no root
	@tests/units $(unit_bin)

tool: $(B)/numab $(example_bin) ## build the command-line tool and the examples

policies: $(policies) ## build the policies of bpf/

guest-tests: tool $(policies) $(test_policies) $(B)/tests/guest/guest-tests ## build the tests for inside a guest

module: ## build numab.ko for the lab's KERNEL (default 7.3)
	lab/kbuild -k $(KERNEL) kmod

deps: ## install the Debian packages that building and testing need
	@tools/deps check

deps-bench:
	@tools/deps bench

deps-run:
	@tools/deps run

fuzz: $(fuzz_bin) ## fuzz every parser for FUZZ_SECONDS each
	@tests/fuzzers $(FUZZ_SECONDS) $(fuzz_bin)

support: ## write docs/support.md from the last full test results
	tools/support >docs/support.md.new
	mv docs/support.md.new docs/support.md

bench: deps-bench tool policies $(B)/bench/work $(B)/bench/promote $(workloads) \
	$(B)/tests/guest/policies/each_folio.bpf.o ## measure stock against numab: build/bench/report.html
	@bench/consult
	@bench/promote
	@bench/run $(BENCH)

bench-quick: deps-bench tool policies $(B)/bench/work $(workloads) ## the same in a fraction of the time: no figures to quote
	@bench/run --quick $(BENCH)

style: ## style and size budgets
	@tools/check-style
	@tools/check-size

install: tool policies ## install tool, policies, header, man pages, completion below PREFIX
	install -D -m 755 $(B)/numab $(DESTDIR)$(PREFIX)/sbin/numab
	install -D -m 644 include/numab_bpf.h $(DESTDIR)$(PREFIX)/include/numab_bpf.h
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/numab $(policies)
	install -D -m 644 man/numab.8 $(DESTDIR)$(PREFIX)/share/man/man8/numab.8
	install -d $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 man/numab-cgroup.7 man/numab-task.7 \
		$(DESTDIR)$(PREFIX)/share/man/man7
	install -D -m 644 include/numab.h $(DESTDIR)$(PREFIX)/include/numab.h
	install -D -m 644 completion/numab.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/numab

uninstall: ## remove what install put there
	rm -rf $(DESTDIR)$(PREFIX)/lib/numab
	rm -f $(DESTDIR)$(PREFIX)/sbin/numab \
		$(DESTDIR)$(PREFIX)/include/numab_bpf.h \
		$(DESTDIR)$(PREFIX)/share/man/man8/numab.8 \
		$(DESTDIR)$(PREFIX)/share/man/man7/numab-cgroup.7 \
		$(DESTDIR)$(PREFIX)/share/man/man7/numab-task.7 \
		$(DESTDIR)$(PREFIX)/include/numab.h \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/numab

dkms-install: ## build and install the module by DKMS, for this kernel and later ones
	if [ -n "$$(dkms status -m numab -v $(VERSION))" ]; then \
		dkms remove -m numab -v $(VERSION) --all; fi
	rm -rf $(DKMS_SRC)
	install -d $(DKMS_SRC)
	cp -r --parents $(filter-out %.o %.ko %.mod %.mod.c,$(wildcard kmod/*)) \
		decide include VERSION dkms.conf LICENSES $(DKMS_SRC)
	dkms add -m numab -v $(VERSION)
	dkms build -m numab -v $(VERSION) $(DKMS_FLAGS)
	dkms install -m numab -v $(VERSION) $(DKMS_FLAGS)

dkms-uninstall: ## undo dkms-install
	dkms remove -m numab -v $(VERSION) --all
	rm -rf $(DKMS_SRC)

clean: ## remove what was built; the cache of packages stays
	rm -rf $(B)

distclean: clean ## remove the cache too
	rm -rf .cache

$(B)/numab: $(B)/src/main.o $(tool_obj)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(tool_libs)

# Its headers come with it.
$(filter %.a,$(libbpf)):
	lab/bpf libbpf $(libbpf_dir)

$(filter $(B)/src/% $(B)/san/src/% $(B)/fuzz/src/%,$(tool_obj) $(san_obj) \
	$(fuzz_obj)): | $(filter %.a,$(libbpf))

$(B)/%.bpf.o: %.bpf.c include/numab_bpf.h
	lab/bpf compile $< $@

$(B)/%.o: %.c VERSION lab/kernels
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -c -o $@ $<

$(B)/san/%.o: %.c VERSION lab/kernels
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(SAN) -MMD -c -o $@ $<

$(B)/examples/%: examples/%.c
	@mkdir -p $(@D)
	$(CC) $(EXAMPLE_CFLAGS) -MMD -o $@ $<

$(B)/lab/demo/demo: $(B)/lab/demo/demo.o $(guest_obj)
	$(CC) $(CFLAGS) -static -o $@ $^

$(B)/bench/workloads/%: $(B)/bench/workloads/%.o $(B)/bench/workloads/workload.o
	$(CC) $(CFLAGS) -static -o $@ $^

$(B)/bench/work: $(B)/bench/work.o
	$(CC) $(CFLAGS) -static -o $@ $^

$(B)/bench/promote: $(B)/bench/promote.o $(guest_obj)
	$(CC) $(CFLAGS) -static -o $@ $^

$(B)/tests/guest/guest-tests: $(guest_test_obj) $(guest_obj)
	$(CC) $(CFLAGS) -static -o $@ $^

$(B)/tests/unit/%: tests/unit/%.c $(san_obj)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(SAN) -Itests/lib -MMD -o $@ $< $(san_obj) \
		-lcmocka $(tool_libs)

# Coverage-guided where clang has libFuzzer; see tests/fuzzers.
$(B)/fuzz/%.o: %.c VERSION lab/kernels
	@mkdir -p $(@D)
	clang $(ALL_CFLAGS) $(SAN) -fsanitize=fuzzer-no-link -MMD -c -o $@ $<

$(B)/tests/fuzz/%: tests/fuzz/%.c $(fuzz_obj)
	@mkdir -p $(@D)
	clang $(ALL_CFLAGS) $(SAN) -fsanitize=fuzzer -MMD -o $@ $< $(fuzz_obj) \
		$(tool_libs)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
