// SPDX-License-Identifier: GPL-2.0-only
#include "probe-facts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <bpf/btf.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "caps.h"
#include "trial.h"

static enum fact_state say(enum fact_state state, char *how, size_t len, const char *why)
{
	snprintf(how, len, "%s", why);
	return state;
}

/* errno of a trial: a refusal is no absence, with other privileges it may be there. */
static enum fact_state from_trial(int err, char *how, size_t len)
{
	if (!err)
		return say(FACT_PRESENT, how, len, "loaded and attached");
	snprintf(how, len, "refused: %s", err == -524 ? "not supported (ENOTSUPP)" : strerror(-err));
	return (err == -EPERM || err == -EACCES) && trial_load() ? FACT_UNKNOWN : FACT_ABSENT;
}

static enum fact_state no_btf(char *how, size_t len)
{
	return say(FACT_UNKNOWN, how, len, "no BTF to look it up in");
}

static enum fact_state found(bool yes, const char *where, const char *name, char *how, size_t len)
{
	snprintf(how, len, "%s%s %s", yes ? "" : "no ", where, name);
	return yes ? FACT_PRESENT : FACT_ABSENT;
}

static enum fact_state btf_has(const char *name, int kind, char *how, size_t len)
{
	struct btf *btf = kernel_btf();

	if (!btf)
		return no_btf(how, len);
	return found(btf__find_by_name_kind(btf, name, kind) > 0, "BTF", name, how, len);
}

/* Parameters of a raw tracepoint without the first, which is the tracer's own; -1: none such. */
static int tracepoint_args(const char *typedef_name)
{
	struct btf *btf = kernel_btf();
	const struct btf_type *t;
	int id;

	if (!btf)
		return -1;
	id = btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return -1;
	t = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	if (!btf_is_ptr(t))
		return -1;
	t = btf__type_by_id(btf, t->type);
	return btf_is_func_proto(t) ? btf_vlen(t) - 1 : -1;
}

const struct btf_type *btf_member_type(const struct btf *btf, const struct btf_type *t,
				       const char *name)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++, m++) {
		const char *member = btf__name_by_offset(btf, m->name_off);
		const struct btf_type *type = btf__type_by_id(btf, m->type), *in;

		if (!strcmp(member, name))
			return type;
		if (!*member && btf_is_composite(type)) {
			in = btf_member_type(btf, type, name);
			if (in)
				return in;
		}
	}
	return NULL;
}

static const struct btf_type *find_member(const char *type, const char *name)
{
	struct btf *btf = kernel_btf();
	int id = btf ? btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT) : -1;

	return id < 0 ? NULL : btf_member_type(btf, btf__type_by_id(btf, id), name);
}

static enum fact_state has_function(const char *name, char *how, size_t len)
{
	struct ksyms *k = kernel_ksyms();

	if (k)
		return found(ksyms_addr(k, name, true), "kallsyms", name, how, len);
	return btf_has(name, BTF_KIND_FUNC, how, len);
}

PROBE(btf)
{
	if (kernel_btf())
		return say(FACT_PRESENT, how, len, "parsed");
	snprintf(how, len, "%s", strerror(errno));
	return FACT_ABSENT;
}

PROBE(bpf)
{
	int err = trial_load();

	if (!err)
		return say(FACT_PRESENT, how, len, "loaded");
	snprintf(how, len, "refused: %s", strerror(-err));
	return err == -EPERM || err == -EACCES ? FACT_UNKNOWN : FACT_ABSENT;
}

PROBE(raw_tp)
{
	return from_trial(trial_attach(HOOK_RAW_TP, "percpu_alloc_percpu", 0), how, len);
}

PROBE(tp_btf)
{
	return from_trial(trial_attach(HOOK_TP_BTF, "percpu_alloc_percpu", 0), how, len);
}

PROBE(tracefs)
{
	struct stat st;

	if (!stat("/sys/kernel/tracing/events", &st))
		return say(FACT_PRESENT, how, len, "/sys/kernel/tracing");
	if (!stat("/sys/kernel/debug/tracing/events", &st))
		return say(FACT_PRESENT, how, len, "/sys/kernel/debug/tracing");
	if (errno == EACCES)
		return say(FACT_UNKNOWN, how, len, "not readable without root");
	return say(FACT_ABSENT, how, len, "try: mount -t tracefs tracefs /sys/kernel/tracing");
}

PROBE(fentry)
{
	int err = trial_attach(HOOK_FENTRY, "__mmdrop", 0);
	char missing[128];

	if (err == -EPERM && !caps_missing(missing, sizeof(missing)) && !trial_load())
		return say(FACT_ABSENT, how, len,
			   "refused although no capability is missing: this host forbids it");
	return from_trial(err, how, len);
}

PROBE(kprobe)
{
	int err = trial_attach(HOOK_KPROBE, "__mmdrop", 0);

	/* Debian and Ubuntu: at 3 and more perf_event_open() is for CAP_SYS_ADMIN. */
	if (err == -EACCES && !trial_load())
		return say(FACT_UNKNOWN, how, len, "refused: kernel.perf_event_paranoid above 2");
	if (err == -ENOENT)
		return say(FACT_ABSENT, how, len, "no such perf events: CONFIG_KPROBE_EVENTS");
	return from_trial(err, how, len);
}

PROBE(cmpxchg)
{
	return from_trial(trial_cmpxchg(), how, len);
}

/* The function came out of its file, and so into kallsyms, for the guard itself to call it. */
PROBE(raw_tp_guard)
{
	return has_function("bpf_prog_inc_misses_counter", how, len);
}

PROBE(map_memcg)
{
	int err = trial_memlock();

	if (!err)
		return say(FACT_PRESENT, how, len, "a map was made with a limit of 0");
	snprintf(how, len, "with a limit of 0: %s", strerror(-err));
	return err == -EPERM && !trial_load() ? FACT_ABSENT : FACT_UNKNOWN;
}

PROBE(task_iter)
{
	return btf_has("bpf_iter_task", BTF_KIND_FUNC, how, len);
}

PROBE(kallsyms)
{
	struct ksyms *k = kernel_ksyms();

	if (k) {
		snprintf(how, len, "%zu symbols", ksyms_count(k));
		return FACT_PRESENT;
	}
	return say(FACT_ABSENT, how, len, "addresses hidden: kernel.kptr_restrict, CAP_SYSLOG");
}

PROBE(kallsyms_data)
{
	struct ksyms *k = kernel_ksyms();

	if (!k)
		return say(FACT_UNKNOWN, how, len, "no kallsyms");
	if (ksyms_addr(k, "pcpu_alloc_mutex", false))
		return say(FACT_PRESENT, how, len, "kallsyms pcpu_alloc_mutex");
	return say(FACT_ABSENT, how, len, "no pcpu_alloc_mutex: CONFIG_KALLSYMS_ALL is off");
}

PROBE(percpu_events)
{
	return btf_has("btf_trace_percpu_alloc_percpu", BTF_KIND_TYPEDEF, how, len);
}

PROBE(percpu_call_site)
{
	int args = tracepoint_args("btf_trace_percpu_alloc_percpu");

	if (args < 0)
		return no_btf(how, len);
	snprintf(how, len, "%d arguments", args);
	return args >= 10 ? FACT_PRESENT : FACT_ABSENT;
}

PROBE(pcpu_alloc_noprof)
{
	return has_function("pcpu_alloc_noprof", how, len);
}

PROBE(contention)
{
	return btf_has("btf_trace_contention_begin", BTF_KIND_TYPEDEF, how, len);
}

PROBE(release)
{
	return btf_has("btf_trace_contended_release", BTF_KIND_TYPEDEF, how, len);
}

/* Counts functions of that name; the last one's type comes back. */
static int count_funcs(struct btf *btf, const char *name, const struct btf_type **proto)
{
	int n = 0;

	for (u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t) && !strcmp(btf__name_by_offset(btf, t->name_off), name)) {
			*proto = btf__type_by_id(btf, t->type);
			n++;
		}
	}
	return n;
}

/*
 * Before b7ec1bf3e7b9 (6.4) init/main.c has a void mm_init(void). A trampoline made from that
 * prototype does not save the arguments of fork's mm_init.
 */
PROBE(mm_init)
{
	const struct btf_type *proto = NULL;
	struct btf *btf = kernel_btf();
	int n;

	if (!btf)
		return no_btf(how, len);
	n = count_funcs(btf, "mm_init", &proto);
	snprintf(how, len, "%d mm_init in BTF, %d arguments", n, n ? btf_vlen(proto) : 0);
	if (n != 1 || btf_vlen(proto) < 2 || !btf_is_ptr(btf__type_by_id(btf, proto->type)))
		return FACT_ABSENT;
	return FACT_PRESENT;
}

#ifdef __x86_64__
/* The hypervisor's signature, empty on bare metal. */
static void hypervisor(char sig[13])
{
	unsigned int a, b, c, d;

	sig[0] = '\0';
	__cpuid(1, a, b, c, d);
	if (!(c & 1U << 31))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(sig, &b, 4);
	memcpy(sig + 4, &c, 4);
	memcpy(sig + 8, &d, 4);
	/* KVMKVMKVM, TCGTCGTCGTCG: once is enough. */
	sig[!memcmp(sig, sig + 3, 3) ? 3 : 12] = '\0';
}

/* Documentation/virt/kvm/x86/cpuid.rst: EAX bit 7 is PV_UNHALT, EDX bit 0 HINTS_REALTIME. */
static bool kvm_queues_spinlocks(void)
{
	unsigned int a, b, c, d;

	__cpuid(0x40000001, a, b, c, d);
	return a & 1U << 7 || d & 1;
}
#endif

/* kernel/locking/spinlock_rt.c is built for PREEMPT_RT alone. */
PROBE(preempt_rt)
{
	return has_function("rt_spin_lock", how, len);
}

/*
 * A guest without paravirtual spinlocks falls back to virt_spin_lock(), which has no event
 * (arch/x86/include/asm/qspinlock.h); so does a kernel without CONFIG_PARAVIRT_SPINLOCKS.
 */
PROBE(spin_waits)
{
	struct ksyms *k = kernel_ksyms();
	char sig[13] = "";

	if (!fact_has(FACT_CONTENTION_EVENTS))
		return say(FACT_ABSENT, how, len, "no contention events");
	if (fact_has(FACT_PREEMPT_RT))
		return say(FACT_PRESENT, how, len, "they sleep");
#ifdef __x86_64__
	hypervisor(sig);
	if (*sig) {
		if (!k)
			return say(FACT_UNKNOWN, how, len, "a guest, and no kallsyms");
		snprintf(how, len, "guest of %s, no paravirtual spinlocks", sig);
		if (!ksyms_addr(k, "__pv_queued_spin_lock_slowpath", true))
			return FACT_ABSENT;
		if (!strncmp(sig, "TCG", 3) || (!strncmp(sig, "KVM", 3) && !kvm_queues_spinlocks()))
			return FACT_ABSENT;
		snprintf(how, len, "guest of %s with paravirtual spinlocks", sig);
		return FACT_PRESENT;
	}
#endif
	(void)k;
	(void)sig;
	return say(FACT_PRESENT, how, len, "no hypervisor");
}

PROBE(percpu_stats)
{
	if (!access("/sys/kernel/debug/percpu_stats", R_OK))
		return say(FACT_PRESENT, how, len, "/sys/kernel/debug/percpu_stats");
	if (errno == EACCES)
		return say(FACT_UNKNOWN, how, len, "not readable without root");
	return say(FACT_ABSENT, how, len, "debugfs not mounted, or CONFIG_PERCPU_STATS is off");
}

PROBE(cgroup2)
{
	_cleanup_free_ char *mounts = read_file("/proc/self/mounts", 1 << 20);

	if (mounts && strstr(mounts, " cgroup2 "))
		return say(FACT_PRESENT, how, len, "mounted");
	return say(FACT_ABSENT, how, len, "not mounted");
}

PROBE(rss_split)
{
	return btf_has("mm_rss_stat", BTF_KIND_STRUCT, how, len);
}

PROBE(rss_percpu)
{
	const struct btf_type *t = find_member("mm_struct", "rss_stat");
	struct btf *btf = kernel_btf();

	if (!btf)
		return no_btf(how, len);
	snprintf(how, len, "BTF mm_struct.rss_stat");
	if (!t || !btf_is_array(t))
		return FACT_ABSENT;
	t = btf__type_by_id(btf, btf_array(t)->type);
	return strcmp(btf__name_by_offset(btf, t->name_off), "percpu_counter") ? FACT_ABSENT
									       : FACT_PRESENT;
}

PROBE(rss_grouped)
{
	return has_function("__percpu_counter_init_many", how, len);
}

PROBE(rss_atomic)
{
	if (!kernel_btf())
		return no_btf(how, len);
	return found(find_member("percpu_counter", "count_atomic"), "BTF",
		     "percpu_counter.count_atomic", how, len);
}

PROBE(rss_lazy)
{
	return btf_has("lazy_percpu_counter", BTF_KIND_STRUCT, how, len);
}

PROBE(rss_tree)
{
	return btf_has("percpu_counter_tree", BTF_KIND_STRUCT, how, len);
}

PROBE(rss_switch)
{
	if (has_function("percpu_counter_switch_to_pcpu_many", how, len) == FACT_PRESENT)
		return FACT_PRESENT;
	return has_function("__lazy_percpu_counter_upgrade_many", how, len);
}
