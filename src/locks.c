// SPDX-License-Identifier: GPL-2.0-only
#include "locks.h"

#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>

#include "code.skel.h"
#include "probes.h"
#include "snap.h"

/*
 * Where the kernel's code takes our locks, mm/percpu.c and lib/percpu_counter.c, 5.10 to 7.3.
 * Two functions have to agree on an address before it is believed.
 */
static const struct code_place {
	enum lock_id lock;
	const char *functions[2]; /* first that exists */
	/* The second is for __GFP_NOFAIL, whose call follows the argument more closely, or RT's. */
	const char *callees[2];
} places[] = {
	{ LOCK_ALLOC_MUTEX, { "pcpu_alloc" }, { "mutex_lock_killable", "mutex_lock" } },
	{ LOCK_ALLOC_MUTEX, { "pcpu_balance_workfn", "__pcpu_balance_workfn" }, { "mutex_lock" } },
	{ LOCK_PCPU, { "pcpu_alloc" }, { "_raw_spin_lock_irqsave", "rt_spin_lock" } },
	{ LOCK_PCPU, { "free_percpu" }, { "_raw_spin_lock_irqsave", "rt_spin_lock" } },
	{ LOCK_COUNTERS,
	  { "__percpu_counter_init_many", "__percpu_counter_init" },
	  { "_raw_spin_lock_irqsave", "rt_spin_lock" } },
	{ LOCK_COUNTERS,
	  { "percpu_counter_destroy_many", "percpu_counter_destroy" },
	  { "_raw_spin_lock_irqsave", "rt_spin_lock" } },
};

#define MAX_CODE     16384
#define ARG_DISTANCE 96 /* bytes between loading the argument and the call */

static s64 read_s32(const u8 *p)
{
	__s32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* mov $imm32,%rdi (48 c7 c7) or lea rel32(%rip),%rdi (48 8d 3d), the last one before the call. */
static u64 last_rdi(const u8 *text, size_t call, u64 addr)
{
	for (size_t back = 7; back <= ARG_DISTANCE && back <= call; back++) {
		const u8 *p = text + call - back;

		if (p[0] != 0x48)
			continue;
		if (p[1] == 0xc7 && p[2] == 0xc7)
			return read_s32(p + 3);
		if (p[1] == 0x8d && p[2] == 0x3d)
			return addr + call - back + 7 + read_s32(p + 3);
	}
	return 0;
}

u64 code_lock_argument(const u8 *text, size_t len, u64 addr, u64 callee)
{
	u64 found = 0;

	for (size_t i = 0; i + 5 <= len; i++) {
		u64 arg;

		if (text[i] != 0xe8 || addr + i + 5 + read_s32(text + i + 1) != callee)
			continue;
		arg = last_rdi(text, i, addr);
		/* A kernel address; two calls with different locks are of no use. */
		if ((s64)arg >= 0 || (found && arg != found))
			return 0;
		found = arg;
	}
	return found;
}

static int run_read(struct code_bpf *skel, u64 addr, u8 *buf, size_t len)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	skel->bss->code_read.addr = addr;
	skel->bss->code_read.len = len;
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.read_code), &opts);
	if (err)
		return -errno;
	if (skel->bss->code_read.err)
		return skel->bss->code_read.err;
	memcpy(buf, skel->bss->code_read.bytes, len);
	return 0;
}

static int read_code(struct code_bpf *skel, u64 addr, u8 *buf, size_t len)
{
	size_t chunk = sizeof(skel->bss->code_read.bytes);

	for (size_t n = 0; n < len; n += chunk) {
		int err = run_read(skel, addr + n, buf + n, min_u64(chunk, len - n));

		if (err)
			return err;
	}
	return 0;
}

static u64 function_addr(const struct ksyms *k, const char *name)
{
	u64 addr = 0;

	if (!strcmp(name, "pcpu_alloc"))
		probes_function(name, &addr);
	return addr ? addr : ksyms_addr(k, name, true);
}

static u64 place_lock(struct code_bpf *skel, const struct ksyms *k, const struct code_place *p)
{
	_cleanup_free_ u8 *text = malloc(MAX_CODE);
	u64 addr = 0, callee = 0, len;

	for (size_t i = 0; i < ARRAY_SIZE(p->functions) && p->functions[i] && !addr; i++)
		addr = function_addr(k, p->functions[i]);
	for (size_t i = 0; i < ARRAY_SIZE(p->callees) && p->callees[i]; i++) {
		callee = ksyms_addr(k, p->callees[i], true);
		len = addr ? min_u64(ksyms_size(k, addr), MAX_CODE) : 0;
		if (!text || !callee || !len || read_code(skel, addr, text, len))
			continue;
		u64 lock = code_lock_argument(text, len, addr, callee);

		if (lock)
			return lock;
	}
	return 0;
}

static void find_in_code(struct lock_info locks[NR_LOCKS], const struct ksyms *k)
{
	struct code_bpf *skel = NULL;

#ifdef __x86_64__ /* other machines load an argument in other ways */
	skel = code_bpf__open_and_load();
#endif
	if (!skel)
		return;
	/* The places of one lock stand side by side. */
	for (size_t i = 0; i + 1 < ARRAY_SIZE(places); i += 2) {
		struct lock_info *lock = &locks[places[i].lock];
		u64 addr;

		if (lock->addr)
			continue;
		addr = place_lock(skel, k, &places[i]);
		if (!addr || addr != place_lock(skel, k, &places[i + 1]))
			continue;
		lock->addr = addr;
		strcpy(lock->found_by, "code");
	}
	code_bpf__destroy(skel);
}

void locks_find(struct lock_info locks[NR_LOCKS], const struct ksyms *k, const char *only)
{
	bool by_name = k && (!only || !strcmp(only, "kallsyms"));
	bool by_code = k && (!only || !strcmp(only, "code"));
	bool missing = false;

	for (int i = 0; i < NR_LOCKS; i++) {
		locks[i].addr = by_name ? ksyms_addr(k, lock_names[i], false) : 0;
		strcpy(locks[i].found_by, locks[i].addr ? "kallsyms" : "");
		missing |= !locks[i].addr;
	}
	if (by_code && missing)
		find_in_code(locks, k);
}

/* Frames of the tracer and of the lock functions, which stand below the one that asks. */
static const char *const lock_prefixes[] = {
	"bpf_",
	"__bpf_",
	"__traceiter_",
	"trace_",
	"__mutex_lock",
	"mutex_lock",
	"mutex_spin",
	"mutex_optimistic",
	"queued_spin_lock",
	"native_queued_spin_lock",
	"__pv_queued_spin_lock",
	"__raw_callee_save___pv_queued",
	"__raw_spin_lock",
	"_raw_spin_lock",
	"do_raw_spin_lock",
	"rt_spin_lock",
	"rtlock_slow",
	"__rt_mutex",
	"rt_mutex",
	"__rt_spin_lock",
	"ww_mutex",
};

static const struct {
	const char *function;
	bool mutex;
	enum lock_id lock;
} waiters[] = {
	{ "pcpu_alloc", true, LOCK_ALLOC_MUTEX },
	{ "pcpu_alloc_noprof", true, LOCK_ALLOC_MUTEX },
	{ "pcpu_balance_workfn", true, LOCK_ALLOC_MUTEX },
	{ "__pcpu_balance_workfn", true, LOCK_ALLOC_MUTEX },
	{ "pcpu_alloc", false, LOCK_PCPU },
	{ "pcpu_alloc_noprof", false, LOCK_PCPU },
	{ "pcpu_balance_workfn", false, LOCK_PCPU },
	{ "free_percpu", false, LOCK_PCPU },
	{ "__percpu_counter_init_many", false, LOCK_COUNTERS },
	{ "__percpu_counter_init", false, LOCK_COUNTERS },
	{ "percpu_counter_destroy_many", false, LOCK_COUNTERS },
	{ "percpu_counter_destroy", false, LOCK_COUNTERS },
};

static bool has_prefix(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(lock_prefixes); i++)
		if (!strncmp(name, lock_prefixes[i], strlen(lock_prefixes[i])))
			return true;
	return false;
}

static bool same_function(const char *frame, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(frame, name, n) && (!frame[n] || frame[n] == '.');
}

enum lock_id stack_lock(const struct ksyms *k, const u64 *ip, size_t n)
{
	bool mutex = false, known = false;

	for (size_t i = 0; i < n && ip[i]; i++) {
		const char *name = ksyms_name(k, ip[i], NULL);

		/* The tracing program itself is newer than our list of symbols. */
		if (!name && known)
			return NR_LOCKS;
		if (!name)
			continue;
		known = true;
		mutex |= strstr(name, "mutex_lock") != NULL;
		if (has_prefix(name))
			continue;
		for (size_t w = 0; w < ARRAY_SIZE(waiters); w++)
			if (waiters[w].mutex == mutex && same_function(name, waiters[w].function))
				return waiters[w].lock;
		return NR_LOCKS;
	}
	return NR_LOCKS;
}
