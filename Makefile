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
MAIN_BPF := maps alloc locks latency mm
LONE_BPF := $(filter-out $(MAIN_BPF),$(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c)))
SKELS    := $(B)/pcpustat.skel.h $(LONE_BPF:%=$(B)/%.skel.h)

SRCS    := $(wildcard src/*.c)
OBJS    := $(SRCS:src/%.c=$(B)/%.o) $(B)/profile.pb-c.o
GENERATED := $(B)/profile.pb-c.h $(B)/flame.css.h $(B)/flame.js.h

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps run test install uninstall clean format check-format

all: $(B)/pcpustat

deps:
	@tests/need $(BUILD_PKGS)

$(B)/pcpustat: $(OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJS) $(LIBS)

$(B)/%.o: src/%.c | $(SKELS) $(GENERATED)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPS) -c -o $@ $<

$(B)/profile.pb-c.o: $(B)/profile.pb-c.c $(B)/profile.pb-c.h
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPS) -c -o $@ $<

$(B)/%.pb-c.c $(B)/%.pb-c.h: src/%.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(B) -Isrc $<

# A text file as a C string literal.
$(B)/flame.%.h: src/flame.%
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $< > $@

$(B)/bpf/%.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) $(DEPS) -c -o $@ $<

$(B)/pcpustat.bpf.o: $(MAIN_BPF:%=$(B)/bpf/%.o)
	$(BPFTOOL) gen object $@ $^

$(B)/pcpustat.skel.h: $(B)/pcpustat.bpf.o
	$(BPFTOOL) gen skeleton $< name pcpustat_bpf > $@

$(B)/%.skel.h: $(B)/bpf/%.o
	$(BPFTOOL) gen skeleton $< name $*_bpf > $@

install: $(B)/pcpustat
	install -D -m 0755 $(B)/pcpustat $(DESTDIR)$(SBINDIR)/pcpustat
	install -D -m 0644 pcpustat.8 $(DESTDIR)$(MANDIR)/man8/pcpustat.8

uninstall:
	rm -f $(DESTDIR)$(SBINDIR)/pcpustat $(DESTDIR)$(MANDIR)/man8/pcpustat.8

clean:
	rm -rf $(B)

FORMATTED := $(wildcard src/*.[ch] bpf/*.[ch] include/*.h vmlinux/*.h tests/*/*.[ch])
format:
	clang-format -i $(FORMATTED)

check-format:
	clang-format --dry-run --Werror $(FORMATTED)

-include $(wildcard $(B)/*.d $(B)/bpf/*.d $(B)/tests/*.d)
