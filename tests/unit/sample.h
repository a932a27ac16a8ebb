/* SPDX-License-Identifier: GPL-2.0-only */
/* A host and an interval made up by hand, for the tests of everything behind a snapshot. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <string.h>

#include "cgroups.h"
#include "snap.h"
#include "view.h"

#define SAMPLE_META(size, align, flags) \
	(SITE_VALID | (flags) | (u64)(align) << SITE_ALIGN_SHIFT | (size))

/* Text of the made-up kernel: each function is 0x100 long. */
enum {
	SAMPLE_TEXT = 0x1000,
	SYM_PCPU_ALLOC = SAMPLE_TEXT,
	SYM_MM_INIT = SAMPLE_TEXT + 0x100,
	SYM_COUNTER_INIT = SAMPLE_TEXT + 0x200,
	SYM_ALLOC_SB = SAMPLE_TEXT + 0x300,
	SYM_BPF_PROG = SAMPLE_TEXT + 0x400,
	SYM_TRACE = SAMPLE_TEXT + 0x500,
	SYM_MUTEX_LOCK = SAMPLE_TEXT + 0x600,
	SYM_FREE_PERCPU = SAMPLE_TEXT + 0x700,
	SYM_SPIN_LOCK = SAMPLE_TEXT + 0x800,
	SYM_DUP_MM = SAMPLE_TEXT + 0x900,
	SYM_MAP_ALLOC = SAMPLE_TEXT + 0xa00,
	SYM_ARRAY_ALLOC = SAMPLE_TEXT + 0xb00,
	SAMPLE_END = SAMPLE_TEXT + 0xc00,
};

static inline struct ksyms *sample_ksyms(void)
{
	static const struct {
		u64 addr;
		const char *name;
	} syms[] = {
		{ SYM_PCPU_ALLOC, "pcpu_alloc_noprof" },
		{ SYM_MM_INIT, "mm_init.isra.0" },
		{ SYM_COUNTER_INIT, "__percpu_counter_init_many" },
		{ SYM_ALLOC_SB, "alloc_super" },
		{ SYM_BPF_PROG, "bpf_prog_0123456789abcdef_alloc_btf" },
		{ SYM_TRACE, "__traceiter_percpu_alloc_percpu" },
		{ SYM_MUTEX_LOCK, "__mutex_lock.constprop.0" },
		{ SYM_FREE_PERCPU, "free_percpu" },
		{ SYM_SPIN_LOCK, "_raw_spin_lock_irqsave" },
		{ SYM_DUP_MM, "dup_mm" },
		{ SYM_MAP_ALLOC, "bpf_map_alloc_percpu" },
		{ SYM_ARRAY_ALLOC, "array_map_alloc" },
		{ SAMPLE_END, "_etext" },
	};
	struct ksyms *k = ksyms_new();

	for (size_t i = 0; k && i < ARRAY_SIZE(syms); i++)
		ksyms_add(k, syms[i].addr, 0, syms[i].name, true);
	if (k)
		ksyms_finish(k);
	return k;
}

/* Everything is measured. Freed by sample_info_free. */
static inline void sample_info(struct info *info)
{
	static const char *const backend[NR_SIGNALS] = { "tp_btf", "fentry", "tp_btf", "fentry",
							 "fentry" };
	static const char *const found_by[NR_LOCKS] = { "code", "kallsyms", "learned" };

	memset(info, 0, sizeof(*info));
	strcpy(info->kernel, "6.12.1-sample");
	strcpy(info->host, "sample");
	info->cpus_online = 4;
	info->cpus_possible = 8;
	strcpy(info->rss_mode, "grouped");
	info->rss_allocs_per_mm = 1;
	for (int i = 0; i < NR_SIGNALS; i++)
		strcpy(info->backend[i], backend[i]);
	for (int i = 0; i < NR_LOCKS; i++) {
		info->locks[i].addr = 0xffffffff82000000 + i * 64;
		strcpy(info->locks[i].found_by, found_by[i]);
	}
	info->locks_split = info->site_known = info->spin_observable = info->frees_known = true;
	info->cfg.owners = 1;
	info->ksyms = sample_ksyms();
	info->cgroups = cgroups_new();
	cgroups_add(info->cgroups, 1, "/");
	cgroups_add(info->cgroups, 77, "/system.slice/ssh.service");
}

/* One sampled stack, leaf first; owners stay sorted by key. */
static inline void sample_owner(struct info *info, u64 call_site, u64 meta, const u64 *ip, size_t n)
{
	struct owner_row row = { .key = { call_site, meta } };
	size_t at = 0;

	memcpy(row.owner.ip, ip, n * sizeof(*ip));
	if (grow(&info->owners, &info->cap_owners, info->nr_owners, sizeof(row)))
		return;
	while (at < info->nr_owners && memcmp(&info->owners[at].key, &row.key, sizeof(row.key)) < 0)
		at++;
	memmove(info->owners + at + 1, info->owners + at, (info->nr_owners++ - at) * sizeof(row));
	info->owners[at] = row;
}

static inline void sample_info_free(struct info *info)
{
	ksyms_free(info->ksyms);
	cgroups_free(info->cgroups);
	free(info->owners);
	memset(info, 0, sizeof(*info));
}

static inline void sample_site(struct snap *s, u64 call_site, u64 meta, u64 allocs)
{
	snap_add_site(s, &(struct site) { call_site, meta, allocs });
}

static inline void sample_row(struct snap *s, u64 id, const char *comm, struct row_stat stat)
{
	struct row_key key = { .id = id };

	/* A full one has no terminator. */
	memcpy(key.comm, comm, min_u64(strlen(comm), COMM_LEN));
	snap_add_row(s, &key, &stat);
}

static inline void sample_stack(struct snap *s, u32 lock, const u64 *ip, size_t n,
				struct wait_stat w)
{
	struct stack_key key = { .lock = lock };

	memcpy(key.ip, ip, n * sizeof(*ip));
	snap_add_stack(s, &key, &w);
}

static inline void sample_hist(struct hist *h, u64 ns, u64 n)
{
	int i = 0;

	while (hist_le(i) < ns)
		i++;
	h->bucket[i] += n;
}

static inline struct wait_stat sample_wait(u64 waits, u64 sleeps, u64 spin_ns, u64 sleep_ns,
					   u64 max_ns)
{
	return (struct wait_stat) { .waits = waits,
				    .sleeps = sleeps,
				    .spin_ns = spin_ns,
				    .sleep_ns = sleep_ns,
				    .wait_ns = spin_ns + sleep_ns,
				    .max_ns = max_ns,
				    .max_iv = max_ns };
}

#endif
