/* SPDX-License-Identifier: GPL-2.0-only */
/* A small host with known stacks, for the tests of trees, renderers and recordings. */
#ifndef PCPUSTAT_FLAME_FIXTURE_H
#define PCPUSTAT_FLAME_FIXTURE_H

#include "unit.h"

#include <string.h>

#include "render-flame.h"

/* Each function is 0x1000 long, in the order of this list. */
static const char *const fixture_names[] = {
	"bpf_prog_0123456789abcdef_begin_tp_btf",
	"bpf_trace_run2",
	"__traceiter_contention_begin",
	"__mutex_lock.constprop.0",
	"pcpu_alloc_noprof",
	"mm_init",
	"copy_process",
	"kernel_clone",
	"__do_sys_clone",
	"do_syscall_64",
	"entry_SYSCALL_64_after_hwframe",
	"alloc_bprm",
	"do_execveat_common.isra.0",
	"__x64_sys_execve",
	"native_queued_spin_lock_slowpath",
	"free_percpu",
	"__mmdrop",
	"bpf_prog_alloc",
	"bpf_trampoline_6442536467",
};

#define FIXTURE_BASE 0xffffffff81000000ULL

/* A return address in the middle of the function. */
static inline u64 fixture_ip(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixture_names); i++)
		if (!strcmp(fixture_names[i], name))
			return FIXTURE_BASE + i * 0x1000 + 0x123;
	unit_fail("no function %s", name);
	return 0;
}

/* names: leaf first, one string, separated by spaces. */
static inline void fixture_stack(u64 *ip, size_t n, const char *names)
{
	char copy[1024], *rest = copy, *name;
	size_t i = 0;

	snprintf(copy, sizeof(copy), "%s", names);
	while ((name = strsep(&rest, " ")) && i < n)
		ip[i++] = fixture_ip(name);
}

#define TRACING \
	"bpf_prog_0123456789abcdef_begin_tp_btf bpf_trace_run2 __traceiter_contention_begin "
#define SYSCALL " do_syscall_64 entry_SYSCALL_64_after_hwframe"
#define FORK                                                                       \
	TRACING "__mutex_lock.constprop.0 pcpu_alloc_noprof mm_init copy_process " \
		"kernel_clone __do_sys_clone" SYSCALL
#define EXEC                                                                     \
	TRACING "__mutex_lock.constprop.0 pcpu_alloc_noprof mm_init alloc_bprm " \
		"do_execveat_common.isra.0 __x64_sys_execve" SYSCALL
#define EXIT TRACING "native_queued_spin_lock_slowpath free_percpu __mmdrop" SYSCALL

static inline void fixture_comm(char *to, const char *comm)
{
	for (int i = 0; i < COMM_LEN && comm[i]; i++)
		to[i] = comm[i];
}

static inline void fixture_wait(struct snap *s, enum lock_id lock, const char *comm, u64 user,
				const char *stack, u64 waits, u64 ns)
{
	struct stack_key key = { .lock = lock, .user = user };
	struct wait_stat w = { .waits = waits,
			       .sleeps = waits / 2,
			       .wait_ns = ns,
			       .spin_ns = ns / 4,
			       .sleep_ns = ns - ns / 4,
			       .max_ns = ns / waits + 1,
			       .max_iv = ns / waits };

	fixture_comm(key.comm, comm);
	fixture_stack(key.ip, STACK_FRAMES, stack);
	assert_int_equal(snap_add_stack(s, &key, &w), 0);
	s->locks[lock].w.waits += w.waits;
	s->locks[lock].w.sleeps += w.sleeps;
	s->locks[lock].w.wait_ns += w.wait_ns;
	s->locks[lock].w.spin_ns += w.spin_ns;
	s->locks[lock].w.sleep_ns += w.sleep_ns;
	s->locks[lock].w.max_ns = max_u64(s->locks[lock].w.max_ns, w.max_ns);
	s->locks[lock].hist.bucket[20] += waits;
}

static inline void fixture_site(struct info *info, struct snap *s, const char *site, u32 size,
				const char *stack, u64 allocs)
{
	u64 meta = SITE_VALID | 8ULL << SITE_ALIGN_SHIFT | size;
	struct site row = { fixture_ip(site), meta, allocs };
	struct owner_row owner = { .key = { row.call_site, meta } };

	assert_int_equal(snap_add_site(s, &row), 0);
	if (!stack)
		return;
	fixture_stack(owner.owner.ip, OWNER_FRAMES, stack);
	assert_int_equal(grow(&info->owners, &info->cap_owners, info->nr_owners, sizeof(owner)), 0);
	info->owners[info->nr_owners++] = owner; /* one alone is sorted */
}

static inline void fixture_info(struct info *info)
{
	memset(info, 0, sizeof(*info));
	strcpy(info->kernel, "6.18.0-test");
	strcpy(info->host, "build7");
	info->cpus_online = info->cpus_possible = 4;
	info->rss_allocs_per_mm = 1;
	strcpy(info->rss_mode, "grouped");
	strcpy(info->backend[SIG_ALLOCATIONS], "tp_btf");
	strcpy(info->backend[SIG_LOCK_WAITS], "tp_btf");
	info->locks_split = info->site_known = info->spin_observable = info->frees_known = true;
	info->cfg.abi_size = sizeof(struct cpu_block);
	info->cfg.stacks = info->cfg.stack_comm = info->cfg.owners = 1;
	info->cfg.lock_split = 1;
	info->locks[LOCK_ALLOC_MUTEX] = (struct lock_info) { 0xffffffff83125180ULL, "learned" };
	info->locks[LOCK_PCPU] = (struct lock_info) { 0xffffffff83125100ULL, "kallsyms" };
	info->ksyms = ksyms_new();
	for (size_t i = 0; i < ARRAY_SIZE(fixture_names); i++)
		ksyms_add(info->ksyms, FIXTURE_BASE + i * 0x1000, 0x1000, fixture_names[i], true);
	ksyms_finish(info->ksyms);
}

/* scale 1 is the whole run; a smaller number of the same is an earlier snapshot. */
static inline void fixture_snap(struct info *info, struct snap *s, u64 scale)
{
	static const char *const user[] = { "__libc_fork", "run_job", "main" };

	memset(s, 0, sizeof(*s));
	s->wall_ns = 1790000000ULL * NSEC_PER_SEC + scale * NSEC_PER_SEC;
	s->mono_ns = (100 + scale) * NSEC_PER_SEC;
	s->duration_ns = scale * NSEC_PER_SEC;
	ustacks_add(&info->ustacks, 77, user, ARRAY_SIZE(user));
	fixture_wait(s, LOCK_ALLOC_MUTEX, "make", 77, FORK, 40 * scale, 40000000 * scale);
	fixture_wait(s, LOCK_ALLOC_MUTEX, "make", 0, EXEC, 10 * scale, 9000000 * scale);
	fixture_wait(s, LOCK_ALLOC_MUTEX, "cc1", 0, EXEC, 30 * scale, 21500000 * scale);
	fixture_wait(s, LOCK_ALLOC_MUTEX, "<&;\"\n\x80>", 0, FORK, 2 * scale, 800 * scale);
	fixture_wait(s, LOCK_PCPU, "sh", 0, EXIT, 7 * scale, 4200000 * scale);
	fixture_site(info, s, "mm_init", 40, FORK, 1000 * scale);
	fixture_site(info, s, "free_percpu", 64, NULL, 10 * scale);
	s->frees = 900 * scale;
	s->other_allocs = scale;
	s->other_bytes = 16 * scale;
	s->lost[LOST_SITE_FULL] = scale;
	s->lost[LOST_WAIT_FULL] = 2 * scale;
	snap_sort(s);
}

static inline void fixture_free(struct info *info, struct snap *s)
{
	free(info->owners);
	ksyms_free(info->ksyms);
	ustacks_free(&info->ustacks);
	snap_free(s);
}

#endif
