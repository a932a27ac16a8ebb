// SPDX-License-Identifier: GPL-2.0-only
#include "kernel.h"

#include <errno.h>
#include <string.h>
#include <bpf/btf.h>

#include "probe-facts.h"

const char *const fact_states[] = { "unknown", "absent", "present" };

const struct fact facts[NR_FACTS] = {
	[FACT_BTF] = { "btf", "kernel type information (/sys/kernel/btf/vmlinux)", "5.4",
		       "341dfcf8d78e", "everything: no program can be relocated", probe_btf },
	[FACT_BPF] = { "bpf", "bpf() loads a program", "4.17", "c4f6699dfcb8", "everything",
		       probe_bpf },
	[FACT_RAW_TP] = { "raw_tp", "raw tracepoints", "4.17", "c4f6699dfcb8",
			  "allocations by classic tracepoints only, no lock waits", probe_raw_tp },
	[FACT_TP_BTF] = { "tp_btf", "typed raw tracepoints", "5.5", "f1b9509c2fb0",
			  "nothing: raw tracepoints count the same", probe_tp_btf },
	[FACT_TRACEFS] = { "tracefs", "tracefs mounted", "4.1", "4282d60689d4",
			   "classic tracepoints", probe_tracefs },
	[FACT_FENTRY] = { "fentry", "function entry and exit by trampoline", "5.5", "fec56f5890d9",
			  "allocation latency and mm_init by kprobe, or not at all", probe_fentry },
	[FACT_KPROBE] = { "kprobe", "kprobes through perf events", "4.17", "e12f03d7031a",
			  "allocation latency and mm_init by fentry, or not at all", probe_kprobe },
	[FACT_CMPXCHG] = { "cmpxchg", "atomic compare-and-exchange in BPF programs", "5.12",
			   "5ffa25502b5a", "nothing: older programs are used", probe_cmpxchg },
	[FACT_RAW_TP_GUARD] = { "raw_tp_guard",
				"programs on raw tracepoints never interrupt themselves", "6.2",
				"05b24ff9b2cf", "nothing: events are counted atomically",
				probe_raw_tp_guard },
	[FACT_MAP_MEMCG] = { "map_memcg", "BPF maps free of RLIMIT_MEMLOCK", "5.11", "80ee81e0403c",
			     "without root: cap_sys_resource too, or ulimit -l unlimited",
			     probe_map_memcg },
	[FACT_TASK_ITER] = { "task_iter", "BPF iterator over tasks", "5.8", "eaaacd23910f",
			     "the census of rss_stat", probe_task_iter },
	[FACT_KALLSYMS] = { "kallsyms", "function addresses in /proc/kallsyms", "2.6", NULL,
			    "names of call sites, stacks and locks", probe_kallsyms },
	[FACT_KALLSYMS_DATA] = { "kallsyms_data", "data symbols in /proc/kallsyms", "2.6", NULL,
				 "lock addresses come from the kernel's code, or are learned",
				 probe_kallsyms_data },
	[FACT_PERCPU_EVENTS] = { "percpu_events", "percpu:* tracepoints", "4.13", "df95e795a722",
				 "everything", probe_percpu_events },
	[FACT_PERCPU_CALL_SITE] = { "percpu_call_site", "percpu_alloc_percpu tells the call site",
				    "5.19", "f67bed134a05",
				    "sites are told apart by size and by one stack each",
				    probe_percpu_call_site },
	[FACT_PCPU_ALLOC_NOPROF] = { "pcpu_alloc_noprof", "pcpu_alloc under its newer name", "6.10",
				     "24e44cc22aa3", "nothing: it is pcpu_alloc then",
				     probe_pcpu_alloc_noprof },
	[FACT_CONTENTION_EVENTS] = { "contention_events", "lock:contention_begin and _end", "5.19",
				     "16edd9b511a1",
				     "waits for spinlocks; spinning and sleeping apart",
				     probe_contention },
	[FACT_CONTENDED_RELEASE] = { "contended_release", "lock:contended_release", "7.3",
				     "4f070ccb4dc4", "stacks of the holders", probe_release },
	[FACT_MM_INIT_FENTRY_SAFE] = { "mm_init_fentry_safe", "one mm_init in BTF, that of fork",
				       "6.4", "b7ec1bf3e7b9",
				       "mm_init by kprobe: a trampoline could crash the host",
				       probe_mm_init },
	[FACT_PREEMPT_RT] = { "preempt_rt", "spinlocks are sleeping locks (PREEMPT_RT)", "6.12",
			      NULL, NULL, probe_preempt_rt },
	[FACT_SPIN_WAITS] = { "spin_waits", "contended spinlocks queue, so that events see them",
			      "5.19", "ee042be16cb4", "waits for pcpu_lock, percpu_counters_lock",
			      probe_spin_waits },
	[FACT_PERCPU_STATS] = { "percpu_stats", "debugfs percpu_stats", "4.13", "30a5b5367ef9",
				"an independent count to compare with", probe_percpu_stats },
	[FACT_CGROUP2] = { "cgroup2", "cgroup v2 hierarchy mounted", "4.5", "67e9c74b8a87",
			   "--by cgroup and -G use a v1 hierarchy", probe_cgroup2 },
	[FACT_RSS_SPLIT] = { "rss_split", "rss_stat is struct mm_rss_stat", "2.6.34",
			     "34e55232e59f", NULL, probe_rss_split },
	[FACT_RSS_PERCPU] = { "rss_percpu", "rss_stat is an array of struct percpu_counter", "6.2",
			      "f1a7941243c1", NULL, probe_rss_percpu },
	[FACT_RSS_GROUPED] = { "rss_grouped", "__percpu_counter_init_many", "6.6", "c439d5e8a0de",
			       NULL, probe_rss_grouped },
	[FACT_RSS_ATOMIC] = { "rss_atomic", "percpu_counter.count_atomic (atomic mode)", NULL, NULL,
			      NULL, probe_rss_atomic },
	[FACT_RSS_LAZY] = { "rss_lazy", "struct lazy_percpu_counter", NULL, NULL, NULL,
			    probe_rss_lazy },
	[FACT_RSS_TREE] = { "rss_tree", "struct percpu_counter_tree", NULL, NULL, NULL,
			    probe_rss_tree },
	[FACT_RSS_SWITCH_FN] = { "rss_switch", "function that switches rss_stat to percpu", NULL,
				 NULL, NULL, probe_rss_switch },
};

static struct {
	enum fact_state state;
	bool probed;
	char how[96];
} results[NR_FACTS];

enum fact_state fact_get(enum fact_id id, const char **how)
{
	if (!results[id].probed) {
		results[id].probed = true;
		results[id].state = facts[id].probe(results[id].how, sizeof(results[id].how));
	}
	if (how)
		*how = results[id].how;
	return results[id].state;
}

bool fact_has(enum fact_id id)
{
	return fact_get(id, NULL) == FACT_PRESENT;
}

static struct btf *vmlinux_btf;
static struct ksyms *vmlinux_syms;

struct btf *kernel_btf(void)
{
	if (!vmlinux_btf)
		vmlinux_btf = btf__load_vmlinux_btf();
	return vmlinux_btf;
}

int kernel_need_btf(void)
{
	if (fact_has(FACT_BTF))
		return 0;
	return fail(EXIT_KERNEL, "no kernel type information in /sys/kernel/btf/vmlinux; "
				 "the kernel needs CONFIG_DEBUG_INFO_BTF");
}

void kernel_put_btf(void)
{
	btf__free(vmlinux_btf);
	vmlinux_btf = NULL;
}

struct ksyms *kernel_ksyms(void)
{
	static bool tried;

	if (!tried) {
		tried = true;
		vmlinux_syms = ksyms_load("/proc/kallsyms");
	}
	return vmlinux_syms;
}

/* Newest shape first: a kernel with a later shape still has the earlier functions. */
static const struct {
	enum fact_id fact;
	const char *mode;
	int allocs_per_mm;
} rss_modes[] = {
	{ FACT_RSS_TREE, "tree", 1 },         { FACT_RSS_LAZY, "lazy-local", 0 },
	{ FACT_RSS_ATOMIC, "lazy", 0 },       { FACT_RSS_GROUPED, "grouped", 1 },
	{ FACT_RSS_PERCPU, "individual", 4 }, { FACT_RSS_SPLIT, "split", 0 },
};

const char *kernel_rss_mode(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rss_modes); i++)
		if (fact_has(rss_modes[i].fact))
			return rss_modes[i].mode;
	return NULL;
}

int rss_allocs_per_mm(const char *mode)
{
	for (size_t i = 0; mode && i < ARRAY_SIZE(rss_modes); i++)
		if (!strcmp(mode, rss_modes[i].mode))
			return rss_modes[i].allocs_per_mm;
	return -1;
}
