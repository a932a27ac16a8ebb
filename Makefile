# SPDX-License-Identifier: GPL-2.0-only
# make          build/pcpustat           make run      see it work, within a minute
# make test     everything that is judged make install  PREFIX=/usr/local DESTDIR=
VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
SBINDIR ?= $(PREFIX)/sbin
MANDIR  ?= $(PREFIX)/share/man

CC      ?= cc
CLANG   ?= clang
BPFTOOL ?= $(shell command -v bpftool || echo /usr/sbin/bpftool)
PKG_CONFIG ?= pkg-config
B       := build

BUILD_PKGS := build-essential clang llvm libbpf-dev bpftool libelf-dev zlib1g-dev libjansson-dev \
	libcap-dev libdw-dev libprotobuf-c-dev protobuf-c-compiler pkg-config
# What it takes to build a kernel.
LAB_PKGS := flex bison bc libssl-dev pahole kmod rsync xz-utils
TEST_PKGS := $(BUILD_PKGS) libcmocka-dev groff-base jq python3-jsonschema shellcheck clang-format tmux \
	libxml2-utils protobuf-compiler chromium qemu-system-x86 busybox-static cpio $(LAB_PKGS)
LIBS    := -lbpf -lelf -lz -ljansson -lcap -ldw -lprotobuf-c -lm

ARCH    := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
WARN    := -Wall -Wextra -Wshadow -Wmissing-prototypes
CFLAGS  ?= -O2 -g
override CFLAGS += -std=gnu11 $(WARN) -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -Iinclude -Isrc -I$(B)
DEPS     = -MMD -MP
# Clang's own headers come first for the BPF target; the system's asm/ headers last.
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__BPF__ -D__TARGET_ARCH_$(ARCH) -Wall -Wextra \
	-Wno-unused-parameter -Iinclude -Ivmlinux \
	-idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)

# These are linked into one object, so that they share maps; each other one stands alone.
MAIN_BPF := maps alloc locks latency mm follow
LONE_BPF := $(filter-out $(MAIN_BPF),$(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c)))
SKELS    := $(B)/pcpustat.skel.h $(LONE_BPF:%=$(B)/%.skel.h)

SRCS    := $(wildcard src/*.c)
OBJS    := $(SRCS:src/%.c=$(B)/%.o) $(B)/profile.pb-c.o
GENERATED := $(B)/profile.pb-c.h $(B)/flame.css.h $(B)/flame.js.h

# A line for each target; V=1 shows the commands, -s nothing.
V ?= 0
quiet := $(filter 1,$(V))$(findstring s,$(firstword -$(MAKEFLAGS)))
say    = $(if $(quiet),,@printf '  %-7s %s\n' $(1) $(or $(2),$@))
ifneq ($(V),1)
.SILENT:
endif

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps run test vm lab bench-overhead lab-report tests golden-update install uninstall clean format check-format

all: $(B)/pcpustat

deps:
	@tests/need $(BUILD_PKGS)

$(B)/pcpustat: $(OBJS)
	$(call say,LINK)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJS) $(LIBS)

$(B)/%.o: src/%.c | $(SKELS) $(GENERATED)
	$(call say,CC)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPS) -c -o $@ $<

$(B)/profile.pb-c.o: $(B)/profile.pb-c.c $(B)/profile.pb-c.h
	$(call say,CC)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPS) -c -o $@ $<

$(B)/%.pb-c.c $(B)/%.pb-c.h: src/%.proto
	$(call say,PROTO)
	@mkdir -p $(@D)
	protoc-c --c_out=$(B) -Isrc $<

# A text file as a C string literal.
$(B)/flame.%.h: src/flame.%
	$(call say,GEN)
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $< > $@

# The program that workloads execute: no libc, and none of our own flags (sanitizers, debug info).
PROGRAM_FLAGS := -std=gnu11 $(WARN) -Os -ffreestanding -fno-stack-protector -fno-pic \
	-fno-asynchronous-unwind-tables -nostdlib -static -s \
	-Wl,--build-id=none -Wl,-z,norelro -Wl,-z,noseparate-code
$(B)/program: src/payload/payload.c src/payload/sys.h src/slot.h
	$(call say,CC)
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_FLAGS) -o $@ $<

$(B)/program.inc: $(B)/program
	$(call say,GEN)
	od -An -v -tx1 $< | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g' > $@

$(B)/bench-program.o: $(B)/program.inc

$(B)/tests/truth $(B)/tests/rssload: $(B)/tests/%: tests/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(CC) -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -std=gnu11 $(WARN) \
		-D_GNU_SOURCE -static -pthread -o $@ $<

$(B)/bpf/%.o: bpf/%.bpf.c
	$(call say,BPF)
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) $(DEPS) -c -o $@ $<

$(B)/pcpustat.bpf.o: $(MAIN_BPF:%=$(B)/bpf/%.o)
	$(call say,BPFLINK)
	$(BPFTOOL) gen object $@ $^

$(B)/pcpustat.skel.h: $(B)/pcpustat.bpf.o
	$(call say,SKEL)
	$(BPFTOOL) gen skeleton $< name pcpustat_bpf > $@

$(B)/%.skel.h: $(B)/bpf/%.o
	$(call say,SKEL)
	$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# A minute is enough to see it: what is missing is installed, then a small load of execs and forks.
run: deps
	@$(MAKE) --no-print-directory all
	@tests/demo $(B)/pcpustat

# Judges everything: see tests/run for the suites. SUITES="unit host" runs some of them.
test:
	@tests/need $(TEST_PKGS)
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@tests/run $(SUITES)

# One kernel, or all, in QEMU: make vm K=6.12, make vm K=/path/to/vmlinuz.
vm:
	@tests/need $(TEST_PKGS)
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@tests/vm/run $(K)

# The kernel with switchable rss_stat is built; make lab K=lazy boots one mode and runs the guest tests.
lab:
	@tests/need $(TEST_PKGS)
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@$(if $(K),tests/lab/run $(K),tests/lab/build && tests/lab/build lockstat)

# What watching costs, against the peers that are installed here; a quiet machine, please.
bench-overhead: all tests $(B)/tests/floor
	@tests/need $(TEST_PKGS)
	@tests/overhead/run $(ROUNDS)

$(B)/tests/floor.o: tests/overhead/floor.bpf.c
	$(call say,BPF)
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) $(DEPS) -c -o $@ $<

$(B)/tests/floor: tests/overhead/floor.c $(B)/tests/floor.o
	$(call say,CC)
	$(BPFTOOL) gen skeleton $(B)/tests/floor.o name floor_bpf > $(B)/tests/floor.skel.h
	$(CC) $(CFLAGS) -I$(B)/tests -o $@ $< -lbpf

# docs/lab-report.md anew, from some twenty guests at a minute and a half of CPU time each. What has
# been measured is kept under build/report.
lab-report:
	@tests/need $(TEST_PKGS)
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@tests/report/run
	@mkdir -p docs
	@tests/report/render $(B)/report docs/lab-report.md

# Unit tests run the program's own objects under ASan and UBSan.
SAN      := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN_OBJS := $(patsubst src/%.c,$(B)/san/%.o,$(filter-out src/main.c,$(SRCS))) $(B)/profile.pb-c.o
UNIT     := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_*.c))

# What the renderers print now becomes what they have to print: read the difference, then commit it.
golden-update: $(UNIT)
	@UPDATE_GOLDEN=1 tests/run unit

tests: $(UNIT) $(B)/tests/truth $(B)/tests/rssload

$(B)/san/%.o: src/%.c | $(SKELS) $(GENERATED)
	$(call say,CC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SAN) -O1 $(DEPS) -c -o $@ $<

$(B)/san/bench-program.o: $(B)/program.inc

$(B)/tests/unit/%: tests/unit/%.c $(SAN_OBJS)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SAN) -O1 -Wno-unused-parameter -Itests/unit $(DEPS) -o $@ $< $(SAN_OBJS) $(LIBS) -lcmocka

install: $(B)/pcpustat
	$(call say,INSTALL,$(DESTDIR)$(SBINDIR)/pcpustat)
	install -D -m 0755 $(B)/pcpustat $(DESTDIR)$(SBINDIR)/pcpustat
	install -D -m 0644 pcpustat.8 $(DESTDIR)$(MANDIR)/man8/pcpustat.8

uninstall:
	rm -f $(DESTDIR)$(SBINDIR)/pcpustat $(DESTDIR)$(MANDIR)/man8/pcpustat.8

clean:
	rm -rf $(B)

FORMATTED := $(wildcard src/*.[ch] src/payload/*.[ch] bpf/*.[ch] include/*.h vmlinux/*.h tests/*.c tests/*/*.[ch])
format:
	clang-format -i $(FORMATTED)

check-format:
	clang-format --dry-run --Werror $(FORMATTED)

-include $(wildcard $(B)/*.d $(B)/bpf/*.d $(B)/san/*.d $(B)/tests/*.d $(B)/tests/unit/*.d)
