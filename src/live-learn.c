// SPDX-License-Identifier: GPL-2.0-only
/* Lock addresses learned from who waits, where kallsyms and the code do not tell them. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/libbpf.h>

#include "learn.skel.h"
#include "live-priv.h"
#include "locks.h"
#include "snap.h"

static bool wanted(const struct info *info)
{
	if (!info->ksyms || !*info->backend[SIG_LOCK_WAITS] || !fact_has(FACT_CONTENTION_EVENTS))
		return false;
	for (int i = 0; i < NR_LOCKS; i++)
		if (!info->locks[i].addr && !*info->locks[i].found_by)
			return true;
	return false;
}

int learn_start(struct live *l, struct info *info)
{
	if (!wanted(info))
		return 0;
	l->learn = learn_bpf__open();
	if (!l->learn)
		return fail(EXIT_RUNTIME, "cannot open the BPF object: %s", strerror(errno));
	bpf_map__set_max_entries(l->learn->maps.learn_slots, l->nr_cpus);
	if (learn_bpf__load(l->learn))
		return fail(EXIT_KERNEL, "cannot learn lock addresses: %s", strerror(errno));
	l->learn_len = sizeof(struct learn_slot) * l->nr_cpus;
	l->learn_slots = mmap(NULL, l->learn_len, PROT_READ | PROT_WRITE, MAP_SHARED,
			      bpf_map__fd(l->learn->maps.learn_slots), 0);
	if (l->learn_slots == MAP_FAILED) {
		l->learn_slots = NULL;
		return fail(EXIT_RUNTIME, "cannot map the learner: %s", strerror(errno));
	}
	l->learn_link = bpf_program__attach(l->learn->progs.learn_begin);
	if (!l->learn_link)
		return fail(EXIT_KERNEL, "cannot attach the learner: %s", strerror(errno));
	return 0;
}

void learn_stop(struct live *l)
{
	bpf_link__destroy(l->learn_link);
	if (l->learn_slots)
		munmap(l->learn_slots, l->learn_len);
	learn_bpf__destroy(l->learn);
	l->learn_link = NULL;
	l->learn_slots = NULL;
	l->learn = NULL;
}

bool live_wants_learning(const struct live *l)
{
	return l->learn_link != NULL;
}

static bool learn_one(struct info *info, struct learn_slot *slot)
{
	u64 addr = __atomic_load_n(&slot->lock, __ATOMIC_ACQUIRE);
	enum lock_id id;

	if (!addr)
		return false;
	id = stack_lock(info->ksyms, slot->ip, LEARN_FRAMES);
	__atomic_store_n(&slot->lock, 0, __ATOMIC_RELEASE);
	if (id == NR_LOCKS || *info->locks[id].found_by)
		return false;
	info->locks[id].addr = addr;
	strcpy(info->locks[id].found_by, "learned");
	msg("%s: address 0x%llx learned from contention", lock_names[id], addr);
	return true;
}

int live_learn(struct live *l, struct info *info)
{
	bool changed = false;

	if (!l->learn_link)
		return 0;
	for (int cpu = 0; cpu < l->nr_cpus; cpu++)
		changed |= learn_one(info, &l->learn_slots[cpu]);
	if (changed)
		live_publish_locks(l, info);
	if (!wanted(info))
		learn_stop(l);
	return changed;
}
