// SPDX-License-Identifier: GPL-2.0-only
/* Waits for pcpu_alloc_mutex, pcpu_lock and percpu_counters_lock. */
#include "holders.bpf.h"

/* Index of one of our locks, or NR_LOCKS. Foreign locks leave after the first compare. */
static __always_inline u32 lock_index(u64 addr)
{
	if (addr - control.lock_lo > control.lock_span)
		return NR_LOCKS;
	if (addr == control.lock_addr[LOCK_ALLOC_MUTEX])
		return LOCK_ALLOC_MUTEX;
	if (addr == control.lock_addr[LOCK_PCPU])
		return LOCK_PCPU;
	if (addr == control.lock_addr[LOCK_COUNTERS])
		return LOCK_COUNTERS;
	return NR_LOCKS;
}

static __always_inline void wait_start(void *ctx, struct cpu_block *b, struct wait *w, u32 lock,
				       u64 now)
{
	w->start_ns = w->phase_ns = now;
	w->spin_ns = w->sleep_ns = 0;
	w->slept = w->sleeping = 0;
	blame_begin(lock, now);
	if (!cfg.stacks)
		return;
	stack_take(ctx, b, &w->key, lock, STACK_WAITER);
	if (cfg.user_stacks)
		w->key.user = user_stack(ctx, b);
}

static __always_inline void wait_phase(struct wait *w, u64 now, bool sleeping)
{
	u64 ns = now - w->phase_ns;

	if (w->sleeping)
		w->sleep_ns += ns;
	else
		w->spin_ns += ns;
	w->phase_ns = now;
	w->sleeping = sleeping;
	w->slept |= sleeping;
}

static __always_inline void stat_add(struct wait_stat *s, const struct wait *w, u64 ns,
				     bool interrupted, bool cmpxchg)
{
	time_add(s, ns, cmpxchg);
	add(&s->spin_ns, w->spin_ns);
	if (w->slept) {
		add(&s->sleeps, 1);
		add(&s->sleep_ns, w->sleep_ns);
	}
	if (interrupted)
		add(&s->interrupted, 1);
}

static __always_inline void wait_rows(struct cpu_block *b, struct wait *w, u64 ns, bool interrupted,
				      bool cmpxchg)
{
	struct row_stat *row;
	struct wait_stat *s;

	if (cfg.stacks && ns >= cfg.min_wait_ns) {
		s = stack_row(&w->key);
		if (s)
			stat_add(s, w, ns, interrupted, cmpxchg);
		else
			add(&b->lost[LOST_STACK_FULL], 1);
		owner_charge(b, w, ns, cmpxchg);
	}
	if (cfg.row_by) {
		row = this_row();
		if (row) {
			stat_add(&row->w, w, ns, interrupted, cmpxchg);
		} else {
			add(&b->row_other_waits, 1);
			add(&b->row_other_wait_ns, ns);
			add(&b->lost[LOST_ROW_FULL], 1);
		}
	}
}

/* A wait inside mm_init is part of what an mm costs. */
static __always_inline void wait_in_mm(u64 ns)
{
	u64 key = call_key();
	struct call *call = bpf_map_lookup_elem(&calls, &key);

	if (call && call->in_mm)
		call->mm_wait_ns += ns;
}

static __always_inline void wait_end(struct cpu_block *b, struct wait *w, u32 lock,
				     bool interrupted, bool cmpxchg)
{
	u64 now = bpf_ktime_get_ns(), ns = now - w->start_ns;

	blame_end(lock, w->start_ns);
	if ((s64)ns < 0) {
		add(&b->lost[LOST_WAIT_CLOCK], 1);
		return;
	}
	if (!control.live || (cfg.filter_cpu && !b->selected))
		return;
	wait_phase(w, now, false);
	stat_add(&b->locks[lock].w, w, ns, interrupted, cmpxchg);
	hist_add(&b->locks[lock].hist, ns);
	wait_rows(b, w, ns, interrupted, cmpxchg);
	if (cfg.mm_calls)
		wait_in_mm(ns);
}

static __always_inline union kept_key this_wait_key(u32 lock)
{
	union kept_key key = {
		.wait = { .tid = bpf_get_current_pid_tgid(), .lock = lock },
	};

	return key;
}

static __always_inline struct wait *task_wait(const union kept_key *key)
{
	union kept_value *k = bpf_map_lookup_elem(&kept, key);

	return k ? &k->wait : NULL;
}

static __always_inline struct wait *task_wait_new(struct cpu_block *b, const union kept_key *key)
{
	if (bpf_map_update_elem(&kept, key, &zero_kept, BPF_ANY)) {
		add(&b->lost[LOST_WAIT_FULL], 1);
		return NULL;
	}
	return task_wait(key);
}

/*
 * A spinning wait stays on its CPU with preemption off, so it needs no map: under pcpu_lock a
 * hash table's own lock must not be taken. All three are taken with interrupts off: no nesting.
 */
static __always_inline void begin_spin(void *ctx, struct cpu_block *b, u32 lock)
{
	wait_start(ctx, b, &b->spin[lock], lock, bpf_ktime_get_ns());
}

/*
 * A mutex wait is several begins and one end: SPIN|MUTEX on entry and after each wake-up as the
 * first waiter, MUTEX when it queues to sleep (kernel/locking/mutex.c, dc1f7893a70f).
 */
static __always_inline void begin_task(void *ctx, struct cpu_block *b, u32 lock, u64 addr,
				       bool sleeping)
{
	union kept_key key = this_wait_key(lock);
	struct wait *w = task_wait(&key);

	if (w) {
		wait_phase(w, bpf_ktime_get_ns(), sleeping);
		return;
	}
	w = task_wait_new(b, &key);
	if (!w)
		return;
	wait_start(ctx, b, w, lock, bpf_ktime_get_ns());
	w->sleeping = w->slept = sleeping;
	if (lock == LOCK_ALLOC_MUTEX)
		owner_sample(w, addr);
}

static __always_inline void contention_begin(void *ctx, u64 addr, u32 flags)
{
	u32 lock = lock_index(addr);
	struct cpu_block *b;

	if (lock >= NR_LOCKS)
		return;
	b = this_block();
	if (!b || filtered())
		return;
	if (flags & (LCB_F_MUTEX | LCB_F_RT))
		begin_task(ctx, b, lock, addr, !(flags & LCB_F_SPIN));
	else
		begin_spin(ctx, b, lock);
}

static __always_inline bool any_filter(void)
{
	return cfg.filter_tgid || cfg.filter_tid || cfg.filter_cgroup;
}

static __always_inline void contention_end(u64 addr, int ret)
{
	u32 lock = lock_index(addr);
	union kept_key key;
	struct cpu_block *b;
	struct wait *w;

	if (lock >= NR_LOCKS)
		return;
	b = this_block();
	if (!b)
		return;
	w = &b->spin[lock];
	if (w->start_ns) {
		wait_end(b, w, lock, ret, true);
		w->start_ns = 0;
		return;
	}
	key = this_wait_key(lock);
	w = task_wait(&key);
	if (w) {
		wait_end(b, w, lock, ret, true);
		bpf_map_delete_elem(&kept, &key);
	} else if (control.live && !any_filter()) {
		add(&b->lost[LOST_WAIT_BEGIN], 1);
	}
}

#define CONTENTION(kind)                                \
	SEC("?" #kind "/contention_begin")              \
	int BPF_PROG(begin_##kind, u64 lock, u32 flags) \
	{                                               \
		contention_begin(ctx, lock, flags);     \
		return 0;                               \
	}                                               \
	SEC("?" #kind "/contention_end")                \
	int BPF_PROG(end_##kind, u64 lock, int ret)     \
	{                                               \
		contention_end(lock, ret);              \
		return 0;                               \
	}

CONTENTION(tp_btf)
CONTENTION(raw_tp)

/*
 * kernel/locking: a mutex's holder has let go and still has the mutex's wait_lock; a spinlock's
 * holder is about to let go (4f070ccb4dc4, f7e2cb6d495a).
 */
SEC("?raw_tp/contended_release")
int BPF_PROG(release_raw, u64 addr)
{
	u32 lock = lock_index(addr);
	struct stack_key key = {};
	struct cpu_block *b;
	struct wait_stat *s;
	u64 ns;

	if (lock >= NR_LOCKS)
		return 0;
	b = this_block();
	ns = blame_release(lock, bpf_ktime_get_ns());
	if (!b || !control.live || !ns || ns < cfg.min_wait_ns)
		return 0;
	stack_take(ctx, b, &key, lock, STACK_HOLDER);
	s = stack_row(&key);
	if (s)
		time_add(s, ns, true);
	else
		add(&b->lost[LOST_HOLDER_FULL], 1);
	return 0;
}

/*
 * Before 5.19: kernel/locking/mutex.c mutex_lock and mutex_lock_killable, called with our mutex
 * while somebody owns it. No lock is held. Spinning and sleeping look alike from here.
 */
static __always_inline void mutex_enter(void *ctx, u64 addr)
{
	struct mutex *mutex = (void *)addr;
	struct cpu_block *b;

	if (addr != control.lock_addr[LOCK_ALLOC_MUTEX] || !addr)
		return;
	if (!(BPF_CORE_READ(mutex, owner.counter) & ~MUTEX_FLAGS))
		return;
	b = this_block();
	if (b && !filtered())
		begin_task(ctx, b, LOCK_ALLOC_MUTEX, addr, false);
}

static __always_inline void mutex_exit(int ret)
{
	union kept_key key = this_wait_key(LOCK_ALLOC_MUTEX);
	struct wait *w = task_wait(&key);
	struct cpu_block *b = this_block();

	if (!w || !b)
		return;
	wait_end(b, w, LOCK_ALLOC_MUTEX, ret, false);
	bpf_map_delete_elem(&kept, &key);
}

/* A task that waits for our mutex calls no other mutex_lock before it returns: no nesting. */
SEC("?fentry/mutex_lock_killable")
int BPF_PROG(killable_fentry, u64 lock)
{
	mutex_enter(ctx, lock);
	return 0;
}

SEC("?fexit/mutex_lock_killable")
int BPF_PROG(killable_fexit, u64 lock, int ret)
{
	if (lock == control.lock_addr[LOCK_ALLOC_MUTEX])
		mutex_exit(ret);
	return 0;
}

SEC("?fentry/mutex_lock")
int BPF_PROG(mutex_fentry, u64 lock)
{
	mutex_enter(ctx, lock);
	return 0;
}

SEC("?fexit/mutex_lock")
int BPF_PROG(mutex_fexit, u64 lock)
{
	if (lock == control.lock_addr[LOCK_ALLOC_MUTEX])
		mutex_exit(0);
	return 0;
}

SEC("?kprobe")
int BPF_KPROBE(mutex_kprobe, u64 lock)
{
	mutex_enter(ctx, lock);
	return 0;
}

SEC("?kretprobe")
int BPF_KRETPROBE(killable_kretprobe, int ret)
{
	mutex_exit(ret);
	return 0;
}

SEC("?kretprobe")
int BPF_KRETPROBE(mutex_kretprobe)
{
	mutex_exit(0);
	return 0;
}
