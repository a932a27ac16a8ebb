/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who made the others wait. Where the kernel tells of a contended release (7.x), the stack that
 * releases a lock is charged with all the waiting since the release before, of everybody who
 * waits then: a holder that ten tasks waited for is charged ten times its hold, and a wait that
 * several holders had a part in is split between them. What a task still waits after the last
 * release that it sees, its wake-up mostly, is nobody's.
 *
 * The sum over the n that wait now of (now - since), where since is the waiter's begin or the
 * last release, is n * now - S. One word holds both, S above n, so that a begin and an end are
 * one atomic add each, in any order, and a release is one more: it adds what it charges, which
 * makes S = n * now. S and the products wrap at 2^48 ns, their difference does not.
 *
 * A mutex's release event comes after its owner was cleared, so an end can slip between its
 * steps: the next release then charges that one wait too little, and S is right again after it.
 */
#ifndef PCPUSTAT_HOLDERS_BPF_H
#define PCPUSTAT_HOLDERS_BPF_H

#include "stacks.bpf.h"

#define BLAME_BITS 16 /* of n: NR_WAITS and one spinner a CPU fit */

static __always_inline void blame_begin(u32 lock, u64 now)
{
	if (cfg.holders == HOLDERS_RELEASE)
		add(&blame[lock].word, (now << BLAME_BITS) + 1);
}

static __always_inline void blame_end(u32 lock, u64 start)
{
	u64 since, released;

	if (cfg.holders != HOLDERS_RELEASE)
		return;
	released = *(volatile u64 *)&blame[lock].released_ns;
	since = start > released ? start : released;
	add(&blame[lock].word, -((since << BLAME_BITS) + 1));
}

/* What the release at now has to answer for, in ns; 0: nobody whom we follow was waiting. */
static __always_inline u64 blame_release(u32 lock, u64 now)
{
	u64 word, n, charge;

	*(volatile u64 *)&blame[lock].released_ns = now;
	word = *(volatile u64 *)&blame[lock].word;
	n = word & ((1 << BLAME_BITS) - 1);
	if (!n)
		return 0;
	charge = (n * now << BLAME_BITS) - (word - n);
	add(&blame[lock].word, charge);
	return (s64)charge > 0 ? charge >> BLAME_BITS : 0;
}

/* Below 7.x: the owner when the wait began, which a long holder is more likely to be. */
static __always_inline void owner_sample(struct wait *w, u64 addr)
{
	struct mutex *mutex = (void *)addr;
	struct task_struct *owner;

	if (cfg.holders != HOLDERS_OWNER || !bpf_core_field_exists(mutex->owner))
		return;
	owner = (void *)(BPF_CORE_READ(mutex, owner.counter) & ~MUTEX_FLAGS);
	if (!owner)
		return;
	w->owner_pid = BPF_CORE_READ(owner, tgid);
	BPF_CORE_READ_INTO(&w->owner_comm, owner, comm);
}

/* The wait is over and counted: its key is free to become the owner's. */
static __always_inline void owner_charge(struct cpu_block *b, struct wait *w, u64 ns, bool cmpxchg)
{
	struct wait_stat *s;

	if (cfg.holders != HOLDERS_OWNER || !w->owner_pid)
		return;
	w->key.kind = STACK_HOLDER;
	w->key.pid = w->owner_pid;
	w->key.user = w->key.cgroup = 0;
	__builtin_memcpy(w->key.comm, w->owner_comm, sizeof(w->key.comm));
	__builtin_memset(w->key.ip, 0, sizeof(w->key.ip));
	s = stack_row(&w->key);
	if (s)
		time_add(s, ns, cmpxchg);
	else
		add(&b->lost[LOST_HOLDER_FULL], 1);
}

#endif
