// SPDX-License-Identifier: GPL-2.0-only
#include "trial.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "kernel.h"

static const struct bpf_insn nop_insns[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load_insns(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_id,
		      const struct bpf_insn *insns, size_t n)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach,
		    .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, "pcpustat_trial", "GPL", insns, n, &opts);

	return fd < 0 ? -errno : fd;
}

static int load(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_id)
{
	return load_insns(type, attach, btf_id, nop_insns, ARRAY_SIZE(nop_insns));
}

/* *(u64 *)(r10 - 8) = 0; r0 = 0; cmpxchg(r10 - 8, r0, r1); r0 = 0; exit */
static const struct bpf_insn cmpxchg_insns[] = {
	{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
	{ .code = BPF_STX | BPF_XADD | BPF_DW,
	  .dst_reg = BPF_REG_10,
	  .src_reg = BPF_REG_1,
	  .off = -8,
	  .imm = BPF_CMPXCHG },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

int trial_cmpxchg(void)
{
	_cleanup_close_ int fd = load_insns(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, cmpxchg_insns,
					    ARRAY_SIZE(cmpxchg_insns));

	return fd < 0 ? fd : 0;
}

int trial_load(void)
{
	_cleanup_close_ int fd = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);

	return fd < 0 ? fd : 0;
}

int trial_memlock(void)
{
	struct rlimit old, none;
	int fd;

	if (getrlimit(RLIMIT_MEMLOCK, &old))
		return -errno;
	/* libbpf lifts the limit once, at the first program. */
	none = (struct rlimit) { 0, old.rlim_max };
	if (setrlimit(RLIMIT_MEMLOCK, &none))
		return -errno;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pcpustat_trial", 4, 4, 1, NULL);
	setrlimit(RLIMIT_MEMLOCK, &old);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int btf_target(enum hook hook, const char *target)
{
	struct btf *btf = kernel_btf();
	char name[128] = "btf_trace_";

	if (!btf)
		return -ENOENT;
	if (hook != HOOK_TP_BTF)
		return btf__find_by_name_kind(btf, target, BTF_KIND_FUNC);
	strncat(name, target, sizeof(name) - strlen(name) - 1);
	return btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
}

static int try_tracing(enum hook hook, const char *target)
{
	static const enum bpf_attach_type attach[] = {
		[HOOK_TP_BTF] = BPF_TRACE_RAW_TP,
		[HOOK_FENTRY] = BPF_TRACE_FENTRY,
		[HOOK_FEXIT] = BPF_TRACE_FEXIT,
	};
	int id = btf_target(hook, target);
	_cleanup_close_ int prog = -1, link = -1;

	if (id < 0)
		return id;
	prog = load(BPF_PROG_TYPE_TRACING, attach[hook], id);
	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(NULL, prog);
	return link < 0 ? -errno : 0;
}

static int try_raw_tp(const char *target)
{
	_cleanup_close_ int prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
	_cleanup_close_ int link = -1;

	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(target, prog);
	return link < 0 ? -errno : 0;
}

static int perf_open(struct perf_event_attr *attr)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->wakeup_events = 1;
	fd = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static const char *const tracefs_dirs[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static int tp_event_open(const char *target)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	char path[256], id[32];
	int err = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(tracefs_dirs) && err; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", tracefs_dirs[i], target);
		err = read_line(path, id, sizeof(id));
	}
	if (err)
		return err;
	attr.config = strtoull(id, NULL, 10);
	return perf_open(&attr);
}

/* Events that a trial has opened, for whoever asks next: each new one costs percpu memory. */
static struct {
	char symbol[64];
	u64 addr;
	bool ret;
	int fd;
} spare[4];

static int take_spare(const char *symbol, u64 addr, bool ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(spare); i++)
		if (*spare[i].symbol && spare[i].addr == addr && spare[i].ret == ret &&
		    !strcmp(spare[i].symbol, symbol)) {
			*spare[i].symbol = '\0';
			return spare[i].fd;
		}
	return -1;
}

static void keep_spare(const char *symbol, u64 addr, bool ret, int fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(spare); i++) {
		if (*spare[i].symbol || strlen(symbol) >= sizeof(spare[i].symbol))
			continue;
		strcpy(spare[i].symbol, symbol);
		spare[i].addr = addr;
		spare[i].ret = ret;
		spare[i].fd = fd;
		return;
	}
	close(fd);
}

void trial_end(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(spare); i++)
		if (*spare[i].symbol)
			close(spare[i].fd);
	memset(spare, 0, sizeof(spare));
}

int kprobe_event_open(const char *symbol, u64 addr, bool ret)
{
	struct perf_event_attr attr = {};
	char line[64];
	unsigned int bit = 0;
	int err, kept = take_spare(symbol, addr, ret);

	if (kept >= 0)
		return kept;
	err = read_line("/sys/bus/event_source/devices/kprobe/type", line, sizeof(line));
	if (err)
		return err;
	attr.type = strtoul(line, NULL, 10);
	err = read_line("/sys/bus/event_source/devices/kprobe/format/retprobe", line, sizeof(line));
	if (err || sscanf(line, "config:%u", &bit) != 1)
		return err ? err : -EINVAL;
	attr.config = ret ? 1ULL << bit : 0;
	attr.kprobe_func = addr ? 0 : (u64)(uintptr_t)symbol;
	attr.kprobe_addr = addr;
	return perf_open(&attr);
}

static int try_perf(enum bpf_prog_type type, int event)
{
	_cleanup_close_ int fd = event;
	_cleanup_close_ int prog = -1;

	if (fd < 0)
		return fd;
	prog = load(type, 0, 0);
	if (prog < 0)
		return prog;
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ? -errno : 0;
}

/* That an event takes a program is the same for all of them; that one can be made is not. */
static int try_kprobe(const char *target, u64 addr, bool ret)
{
	int fd = kprobe_event_open(target, addr, ret);

	if (fd < 0)
		return fd;
	keep_spare(target, addr, ret, fd);
	return 0;
}

static int try_hook(enum hook hook, const char *target, u64 addr)
{
	switch (hook) {
	case HOOK_TP_BTF:
	case HOOK_FENTRY:
	case HOOK_FEXIT:
		return try_tracing(hook, target);
	case HOOK_RAW_TP:
		return try_raw_tp(target);
	case HOOK_TP:
		return try_perf(BPF_PROG_TYPE_TRACEPOINT, tp_event_open(target));
	case HOOK_KPROBE:
	case HOOK_KRETPROBE:
		return try_kprobe(target, addr, hook == HOOK_KRETPROBE);
	}
	return -EINVAL;
}

/* What one tracepoint takes another takes too, if it is there. */
static bool same_mechanism(enum hook hook, const char *target)
{
	return (hook == HOOK_TP_BTF || hook == HOOK_RAW_TP) && btf_target(HOOK_TP_BTF, target) > 0;
}

int trial_attach(enum hook hook, const char *target, u64 addr)
{
	static struct {
		enum hook hook;
		char target[64];
		u64 addr;
		int err;
	} known[32];
	static size_t nr;
	int err;

	for (size_t i = 0; i < nr; i++)
		if (known[i].hook == hook && known[i].addr == addr &&
		    (!strcmp(known[i].target, target) || same_mechanism(hook, target)))
			return known[i].err;
	err = try_hook(hook, target, addr);
	if (nr < ARRAY_SIZE(known)) {
		known[nr].hook = hook;
		known[nr].addr = addr;
		known[nr].err = err;
		snprintf(known[nr++].target, sizeof(known[0].target), "%s", target);
	}
	return err;
}
