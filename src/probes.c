// SPDX-License-Identifier: GPL-2.0-only
#include "probes.h"

#include <errno.h>
#include <string.h>

#include "kernel.h"

#define HAS(fact)   (FACT_##fact + 1)
#define LACKS(fact) (-(FACT_##fact + 1))

/* A row reads as signal, name, facts, programs. */
/* clang-format off */
static const struct backend backends[] = {
	{ SIG_ALLOCATIONS, "tp_btf", { HAS(PERCPU_CALL_SITE) },
	  { { "alloc_btf", HOOK_TP_BTF, "percpu_alloc_percpu" },
	    { "free_btf", HOOK_TP_BTF, "percpu_free_percpu" },
	    { "fail_btf", HOOK_TP_BTF, "percpu_alloc_percpu_fail" } } },
	{ SIG_ALLOCATIONS, "tp_btf", { LACKS(PERCPU_CALL_SITE) },
	  { { "alloc_old_btf", HOOK_TP_BTF, "percpu_alloc_percpu" },
	    { "free_btf", HOOK_TP_BTF, "percpu_free_percpu" },
	    { "fail_old_btf", HOOK_TP_BTF, "percpu_alloc_percpu_fail" } } },
	{ SIG_ALLOCATIONS, "raw_tp", { HAS(PERCPU_CALL_SITE) },
	  { { "alloc_raw", HOOK_RAW_TP, "percpu_alloc_percpu" },
	    { "free_raw", HOOK_RAW_TP, "percpu_free_percpu" },
	    { "fail_raw", HOOK_RAW_TP, "percpu_alloc_percpu_fail" } } },
	{ SIG_ALLOCATIONS, "raw_tp", { LACKS(PERCPU_CALL_SITE) },
	  { { "alloc_old_raw", HOOK_RAW_TP, "percpu_alloc_percpu" },
	    { "free_raw", HOOK_RAW_TP, "percpu_free_percpu" },
	    { "fail_old_raw", HOOK_RAW_TP, "percpu_alloc_percpu_fail" } } },
	{ SIG_ALLOCATIONS, "tp", { HAS(PERCPU_CALL_SITE) },
	  { { "alloc_tp", HOOK_TP, "percpu/percpu_alloc_percpu" },
	    { "free_tp", HOOK_TP, "percpu/percpu_free_percpu" },
	    { "fail_tp", HOOK_TP, "percpu/percpu_alloc_percpu_fail" } } },
	{ SIG_ALLOCATIONS, "tp", { LACKS(PERCPU_CALL_SITE) },
	  { { "alloc_old_tp", HOOK_TP, "percpu/percpu_alloc_percpu" },
	    { "free_tp", HOOK_TP, "percpu/percpu_free_percpu" },
	    { "fail_old_tp", HOOK_TP, "percpu/percpu_alloc_percpu_fail" } } },

	/* The end of a call is the allocation's own event, see bpf/calls.bpf.h. */
	{ SIG_LATENCY, "fentry", { 0 }, { { "pcpu_alloc_fentry", HOOK_FENTRY, "pcpu_alloc" } } },
	{ SIG_LATENCY, "kprobe", { 0 }, { { "pcpu_alloc_kprobe", HOOK_KPROBE, "pcpu_alloc" } } },

	/* The end first: a begin whose end nobody sees would turn into an endless wait. */
	{ SIG_LOCK_WAITS, "tp_btf", { HAS(CONTENTION_EVENTS) },
	  { { "end_tp_btf", HOOK_TP_BTF, "contention_end" },
	    { "begin_tp_btf", HOOK_TP_BTF, "contention_begin" } } },
	{ SIG_LOCK_WAITS, "raw_tp", { HAS(CONTENTION_EVENTS) },
	  { { "end_raw_tp", HOOK_RAW_TP, "contention_end" },
	    { "begin_raw_tp", HOOK_RAW_TP, "contention_begin" } } },
	{ SIG_LOCK_WAITS, "fentry", { LACKS(CONTENTION_EVENTS) },
	  { { "killable_fexit", HOOK_FEXIT, "mutex_lock_killable" },
	    { "killable_fentry", HOOK_FENTRY, "mutex_lock_killable" },
	    { "mutex_fexit", HOOK_FEXIT, "mutex_lock" },
	    { "mutex_fentry", HOOK_FENTRY, "mutex_lock" } } },
	{ SIG_LOCK_WAITS, "kprobe", { LACKS(CONTENTION_EVENTS) },
	  { { "killable_kretprobe", HOOK_KRETPROBE, "mutex_lock_killable" },
	    { "mutex_kprobe", HOOK_KPROBE, "mutex_lock_killable" },
	    { "mutex_kretprobe", HOOK_KRETPROBE, "mutex_lock" },
	    { "mutex_kprobe", HOOK_KPROBE, "mutex_lock" } } },

	{ SIG_MM_LIFE, "fentry", { HAS(MM_INIT_FENTRY_SAFE) },
	  { { "mm_init_fexit", HOOK_FEXIT, "mm_init" },
	    { "mm_init_fentry", HOOK_FENTRY, "mm_init" },
	    { "mmdrop_fentry", HOOK_FENTRY, "__mmdrop" } } },
	{ SIG_MM_LIFE, "kprobe", { 0 },
	  { { "mm_init_kretprobe", HOOK_KRETPROBE, "mm_init" },
	    { "mm_init_kprobe", HOOK_KPROBE, "mm_init" },
	    { "mmdrop_kprobe", HOOK_KPROBE, "__mmdrop" } } },
	{ SIG_MM_LIFE, "derived", { HAS(TP_BTF) },
	  { { "newtask_tp_btf", HOOK_TP_BTF, "task_newtask" },
	    { "exec_tp_btf", HOOK_TP_BTF, "sched_process_exec" } } },
	{ SIG_MM_LIFE, "derived", { LACKS(TP_BTF) },
	  { { "newtask_raw_tp", HOOK_RAW_TP, "task_newtask" },
	    { "exec_raw_tp", HOOK_RAW_TP, "sched_process_exec" } } },
};
/* clang-format on */

const char *const signal_names[NR_SIGNALS] = {
	[SIG_ALLOCATIONS] = "allocations", [SIG_LATENCY] = "latency",
	[SIG_LOCK_WAITS] = "lock_waits",   [SIG_MM_LIFE] = "mm_life",
	[SIG_MODE_SWITCH] = "mode_switch",
};

const char *probes_function(const char *target, u64 *addr)
{
	struct ksyms *k = kernel_ksyms();
	const char *name = target;
	u64 start, end;

	*addr = 0;
	if (!strcmp(target, "pcpu_alloc") && fact_has(FACT_PCPU_ALLOC_NOPROF))
		name = "pcpu_alloc_noprof";
	if (!k)
		return name;
	/* Init code is gone after boot, but its names stay. */
	start = ksyms_addr(k, "_sinittext", true);
	end = ksyms_addr(k, "_einittext", true);
	*addr = ksyms_addr_outside(k, name, start, end, &name);
	return name;
}

static int try_use(const struct prog_use *use)
{
	const char *name = use->target;
	u64 addr = 0;

	if (use->hook == HOOK_FENTRY || use->hook == HOOK_FEXIT)
		name = probes_function(use->target, &addr), addr = 0;
	else if (use->hook == HOOK_KPROBE || use->hook == HOOK_KRETPROBE)
		name = probes_function(use->target, &addr);
	return trial_attach(use->hook, name, addr);
}

static bool usable(const struct backend *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(b->needs) && b->needs[i]; i++) {
		if (b->needs[i] > 0 && !fact_has(b->needs[i] - 1))
			return false;
		if (b->needs[i] < 0 && fact_has(-b->needs[i] - 1))
			return false;
	}
	/* One is enough: the others use the same mechanism, and are attached in earnest later. */
	return !try_use(&b->uses[0]);
}

int probes_choose(enum signal_id signal, const char *forced, const struct backend **out)
{
	bool known = !forced;

	*out = NULL;
	if (forced && !strcmp(forced, "none"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		const struct backend *b = &backends[i];

		if (b->signal != signal || (forced && strcmp(forced, b->name)))
			continue;
		known = true;
		if (usable(b)) {
			*out = b;
			return 0;
		}
	}
	if (!known)
		return -EINVAL;
	return forced ? -ENOTSUP : 0;
}

static bool named_before(size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (backends[j].signal == backends[i].signal &&
		    !strcmp(backends[j].name, backends[i].name))
			return true;
	return false;
}

const char *probes_names(enum signal_id signal, char *buf, size_t len)
{
	size_t n = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(backends) && n < len; i++)
		if (backends[i].signal == signal && !named_before(i))
			n += snprintf(buf + n, len - n, "%s%s", n ? ", " : "", backends[i].name);
	return buf;
}

void probes_each(enum signal_id signal, void (*each)(void *arg, const char *name), void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++)
		if (backends[i].signal == signal && usable(&backends[i]))
			each(arg, backends[i].name);
}
