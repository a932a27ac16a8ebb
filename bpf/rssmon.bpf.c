// SPDX-License-Identifier: GPL-2.0-only
/* Lives of mms as they happen: births, threads, switches of mode, deaths, and what must hold. */
#include "rssmon.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * The blocks of an mm whose pointers are known now. In one block for all counters only the first
 * pointer is one of the allocator's: another block may have begun at the others' addresses once.
 */
static __always_inline void mark_blocks(const struct rss_words *w, u64 mm, u64 state)
{
	struct rss_block *b;

	for (int i = 0; i < NR_RSS; i++) {
		u64 ptr = w->ptr[i];

		if (!rss_is_percpu(ptr) || (i && rss_cfg.block_size > sizeof(int)))
			continue;
		b = bpf_map_lookup_elem(&blocks, &ptr);
		if (!b)
			continue;
		b->mm = mm;
		b->state = state;
	}
}

static __always_inline struct rss_life *new_life(u64 mm, u32 pid)
{
	struct rss_life life = { .born = live, .pid = pid };

	bpf_get_current_comm(life.comm, sizeof(life.comm));
	if (bpf_map_update_elem(&lives, &mm, &life, BPF_ANY)) {
		add(&my_stats()->lost[RSS_LOST_MM], 1);
		return NULL;
	}
	return bpf_map_lookup_elem(&lives, &mm);
}

/* An mm that no second task has seen yet: by fork before its child runs, by exec before it returns. */
static __always_inline void birth(void *ctx, struct mm_struct *mm, u32 pid)
{
	struct rss_life *life = new_life((u64)mm, pid);
	struct rss_words w = {};

	rss_read_words(mm, &w);
	mark_blocks(&w, (u64)mm, BLOCK_LIVE);
	if (!rss_cfg.verify)
		return;
	if (rss_cfg.lazy || rss_cfg.percpu_born) {
		tested(CHECK_BIRTH);
		if (is_atomic(&w) != !!rss_cfg.lazy)
			violated_numbers(ctx, CHECK_BIRTH, (u64)mm, life, w.ptr[0], pid, 0);
	}
	check_negative(ctx, (u64)mm, life, &w);
}

static __always_inline u32 trigger_of(struct task_struct *child, u64 clone_flags)
{
	u32 flags = BPF_CORE_READ(child, flags);

	if (!(clone_flags & CLONE_THREAD))
		return TRIGGER_VM;
	if (flags & PF_IO_WORKER)
		return TRIGGER_IO_WORKER;
	return flags & PF_USER_WORKER ? TRIGGER_USER_WORKER : TRIGGER_THREAD;
}

/* Must this clone have switched the mm, by the mode's own rule? */
static __always_inline bool must_switch(u64 clone_flags)
{
	return rss_cfg.switch_on_vm ? clone_flags & CLONE_VM : clone_flags & CLONE_THREAD;
}

/* Did the clone that ends here make the switch? Then it is what triggered it. */
static __always_inline bool settle_switch(struct task_struct *child, u64 clone_flags)
{
	u32 tid = bpf_get_current_pid_tgid(), trigger;
	struct rss_switch *sw = bpf_map_lookup_elem(&switches, &tid);

	if (!sw || sw->start_ns || sw->ret)
		return false;
	trigger = trigger_of(child, clone_flags);
	if (trigger < NR_TRIGGERS)
		add(&my_stats()->triggers[trigger], 1);
	/* The clone has succeeded: its end has nothing to add. A kretprobe can miss ends. */
	bpf_map_delete_elem(&switches, &tid);
	return true;
}

/* A task that shares the mm. */
static __always_inline void joined(void *ctx, struct task_struct *child, struct mm_struct *mm,
				   u64 clone_flags)
{
	u64 key = (u64)mm;
	struct rss_life *life = bpf_map_lookup_elem(&lives, &key);
	bool switched = settle_switch(child, clone_flags);
	struct rss_words w = {};
	u32 check;

	if (clone_flags & CLONE_THREAD && life)
		life->threaded = 1;
	if (!rss_cfg.verify || !(rss_cfg.lazy || rss_cfg.percpu_born))
		return;
	rss_read_words(mm, &w);
	check = clone_flags & CLONE_THREAD ? CHECK_THREADED : CHECK_RULES;
	tested(check);
	if ((rss_cfg.percpu_born || must_switch(clone_flags)) && is_atomic(&w))
		violated_numbers(ctx, check, key, life, clone_flags, w.ptr[0],
				 BPF_CORE_READ(child, pid));
	else if (rss_cfg.lazy && switched && !must_switch(clone_flags))
		violated_numbers(ctx, CHECK_RULES, key, life, clone_flags, w.ptr[0],
				 BPF_CORE_READ(child, pid));
}

/* kernel/fork.c copy_process, in the parent: the child is complete and has not run. */
SEC("?raw_tp/task_newtask")
int BPF_PROG(newtask, struct task_struct *child, u64 clone_flags)
{
	struct mm_struct *mm = BPF_CORE_READ(child, mm);
	struct rss_stats *s = my_stats();

	if (!mm || BPF_CORE_READ(child, flags) & PF_KTHREAD)
		return 0;
	if (clone_flags & CLONE_VM) {
		add(clone_flags & CLONE_THREAD ? &s->threads : &s->vm_clones, 1);
		joined(ctx, child, mm, clone_flags);
	} else {
		add(&s->forks, 1);
		birth(ctx, mm, BPF_CORE_READ(child, tgid));
	}
	return 0;
}

/* fs/exec.c: the task runs on its new mm, alone; user code has not been reached. */
SEC("?raw_tp/sched_process_exec")
int BPF_PROG(exec, struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	if (!mm)
		return 0;
	add(&my_stats()->execs, 1);
	birth(ctx, mm, BPF_CORE_READ(task, tgid));
	return 0;
}

/* Values differed over the switch: by a remote update, or were they lost? What is left tells. */
static __always_inline bool left_is_diff(const struct rss_life *life, const s64 *left)
{
	bool same = false;

	for (int i = 0; i < NR_RSS; i++)
		same |= left[i] && left[i] == life->diff[i];
	return same;
}

static __always_inline void check_end(void *ctx, u64 mm, struct rss_life *life,
				      const struct rss_words *w, u32 flags)
{
	bool zero = true, negative = false;
	s64 left[NR_RSS];
	u32 check;

	if (rss_shape() == SHAPE_TREE || rss_shape() == SHAPE_UNKNOWN)
		return;
	if (!is_atomic(w) && !(flags & RSS_SLOTS)) {
		if (rss_cfg.nr_cpus)
			add(&my_stats()->lost[RSS_LOST_READ], 1);
		return;
	}
	if (flags & RSS_MOVED) {
		add(&my_stats()->lost[RSS_LOST_READ], 1);
		return;
	}
	tested(CHECK_ZERO);
	for (int i = 0; i < NR_RSS; i++) {
		left[i] = word_value(w, i);
		zero &= !left[i];
		negative |= left[i] < 0;
	}
	if (zero)
		return;
	check = CHECK_ZERO;
	if (life && life->suspect && left_is_diff(life, left))
		check = CHECK_CARRIED;
	else if (negative && rss_cfg.lazy && is_atomic(w))
		check = CHECK_NEGATIVE;
	violated_words(ctx, check, mm, life, left, NULL);
}

/* Percpu counters out of nowhere: no thread, and no switch that was seen. */
static __always_inline void check_single(void *ctx, u64 mm, struct rss_life *life,
					 const struct rss_words *w)
{
	if (!rss_cfg.lazy || rss_cfg.switch_on_vm || !life->born || !rss_cfg.switch_seen)
		return;
	tested(CHECK_BIRTH);
	if (!is_atomic(w) && !life->threaded && !life->switched)
		violated_numbers(ctx, CHECK_BIRTH, mm, life, w->ptr[0], life->pid, 1);
}

static __always_inline void death(void *ctx, struct mm_struct *mm)
{
	u64 key = (u64)mm;
	struct rss_life *life = bpf_map_lookup_elem(&lives, &key);
	struct rss_stats *s = my_stats();
	struct rss_words w = {};
	u32 flags;

	add(&s->drops, 1);
	if (life && life->born) {
		add(&s->drops_known, 1);
		if (!life->threaded)
			add(&s->drops_single, 1);
	}
	if (rss_cfg.verify) {
		flags = rss_read(mm, &w);
		check_end(ctx, key, life, &w, flags);
		if (life)
			check_single(ctx, key, life, &w);
		mark_blocks(&w, key, BLOCK_DYING);
	}
	if (life)
		bpf_map_delete_elem(&lives, &key);
}

/* kernel/fork.c __mmdrop, first thing: in whichever task drops the last reference. */
SEC("?fentry/__mmdrop")
int BPF_PROG(mmdrop_fentry, struct mm_struct *mm)
{
	death(ctx, mm);
	return 0;
}

SEC("?kprobe")
int BPF_KPROBE(mmdrop_kprobe, struct mm_struct *mm)
{
	death(ctx, mm);
	return 0;
}

/* Where neither can be had: mm/mmap.c exit_mmap (6.1), after all was unmapped, before __mmdrop. */
SEC("?raw_tp/exit_mmap")
int BPF_PROG(exit_mmap, struct mm_struct *mm)
{
	death(ctx, mm);
	return 0;
}

/* The address belongs to something else now: what was known of it is over. */
static __always_inline void forget_block(u64 ptr)
{
	struct rss_block *b = bpf_map_lookup_elem(&blocks, &ptr);

	if (!b)
		return;
	b->mm = 0;
	b->state = BLOCK_ALLOCATED;
}

/* Arguments since f67bed134a05 (5.19); older kernels have no percpu rss_stat. */
SEC("?raw_tp/percpu_alloc_percpu")
int BPF_PROG(alloc, unsigned long call_site, bool reserved, bool is_atomic_alloc, size_t size,
	     size_t align, void *base_addr, int off, void *percpu)
{
	struct rss_block b = { .state = BLOCK_ALLOCATED };
	u64 id = bpf_get_current_pid_tgid(), ptr = (u64)percpu;
	struct rss_switch *sw;
	u32 tid = id;

	if (size != rss_cfg.block_size || align != 4) {
		forget_block(ptr);
		return 0;
	}
	if (is_atomic_alloc) {
		sw = bpf_map_lookup_elem(&switches, &tid);
		if (sw && sw->start_ns)
			sw->blocks++;
	}
	b.pid = id >> 32;
	if (bpf_map_update_elem(&blocks, &ptr, &b, BPF_ANY))
		add(&my_stats()->lost[RSS_LOST_BLOCK], 1);
	return 0;
}

/* mm/percpu.c free_percpu: pcpu_lock is held, interrupts are off. Nothing is made or deleted. */
SEC("?raw_tp/percpu_free_percpu")
int BPF_PROG(block_free, void *base_addr, int off, void *percpu)
{
	u64 ptr = (u64)percpu, mm, state;
	struct rss_block *b = bpf_map_lookup_elem(&blocks, &ptr);

	if (!b)
		return 0;
	mm = b->mm;
	state = b->state;
	b->state = BLOCK_FREED;
	if (!mm || state == BLOCK_ALLOCATED)
		return 0;
	tested(CHECK_BLOCK);
	if (state != BLOCK_DYING)
		violated_numbers(ctx, CHECK_BLOCK, mm, bpf_map_lookup_elem(&lives, &mm), ptr, state,
				 b->pid);
	return 0;
}

/* ---- the switch, where kprobes can be had; lib/ is built without ftrace, so no fentry ---- */

static __always_inline struct mm_struct *switch_mm(void *fbc)
{
	u64 off = rss_shape() == SHAPE_LAZY_LOCAL
			  ? bpf_core_field_offset(struct mm_struct___lazy, rss_stat)
			  : bpf_core_field_offset(struct mm_struct___percpu, rss_stat);

	return (void *)((u64)fbc - off);
}

/*
 * lib/percpu_counter.c percpu_counter_switch_to_pcpu_many or __lazy_percpu_counter_upgrade_many,
 * called by copy_mm for the current task's mm, perhaps under page_table_lock.
 */
SEC("?kprobe")
int BPF_KPROBE(switch_enter, void *fbc)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = switch_mm(fbc);
	struct rss_switch sw = { .mm = (u64)mm };
	u32 tid = bpf_get_current_pid_tgid();
	struct rss_words w = {};

	if (mm != BPF_CORE_READ(task, mm))
		return 0;
	rss_read_words(mm, &w);
	if (!is_atomic(&w))
		return 0;
	for (int i = 0; i < NR_RSS; i++)
		sw.before[i] = word_value(&w, i);
	sw.start_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&switches, &tid, &sw, BPF_ANY))
		add(&my_stats()->lost[RSS_LOST_SWITCH], 1);
	return 0;
}

static __always_inline void max_atomic(u64 *max, u64 v)
{
	u64 old = *(volatile u64 *)max, seen;

	for (int i = 0; i < 4 && old < v; i++) {
		seen = __sync_val_compare_and_swap(max, old, v);
		if (seen == old)
			return;
		old = seen;
	}
}

static __always_inline void count_switch(u64 ns)
{
	struct rss_stats *s = my_stats();
	u64 zero = 0, *n, top = (1ULL << MAX_IV_BITS) - 1;
	struct rss_comm key = {};

	add(&s->switches, 1);
	add(&s->switch_ns, ns);
	max_atomic(&max_ns, ns);
	max_atomic(&max_iv, epoch << MAX_IV_BITS | (ns < top ? ns : top));
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	bpf_map_update_elem(&comms, &key, &zero, BPF_NOEXIST);
	n = bpf_map_lookup_elem(&comms, &key);
	if (n)
		add(n, 1);
	else
		add(&s->lost[RSS_LOST_COMM], 1);
}

/*
 * Others may update the counters while they are switched (reclaim, remote access, tasks that
 * share the mm), so that a difference is only a suspicion until the end of the mm tells. Not
 * when everything went to zero at once: the running task has pages mapped.
 */
static __always_inline void check_carried(void *ctx, struct rss_switch *sw, struct rss_life *life,
					  const struct rss_words *w)
{
	bool same = true, all_gone = true, any = false;
	s64 after[NR_RSS];

	tested(CHECK_CARRIED);
	for (int i = 0; i < NR_RSS; i++) {
		after[i] = word_value(w, i);
		same &= after[i] == sw->before[i];
		all_gone &= !after[i];
		any |= sw->before[i] > 0;
	}
	if (same)
		return;
	if (all_gone && any) {
		violated_words(ctx, CHECK_CARRIED, sw->mm, life, after, sw->before);
		return;
	}
	if (!life)
		return;
	for (int i = 0; i < NR_RSS; i++)
		life->diff[i] = after[i] - sw->before[i];
	life->suspect = 1;
}

static __always_inline void switched(void *ctx, struct rss_switch *sw, struct rss_life *life)
{
	struct mm_struct *mm = (void *)sw->mm;
	bool again = life && life->switched;
	struct rss_words w = {};
	u32 flags = rss_read(mm, &w);

	mark_blocks(&w, sw->mm, BLOCK_LIVE);
	if (life)
		life->switched = 1;
	if (!rss_cfg.verify)
		return;
	tested(CHECK_ONE);
	if (again || sw->blocks > 1 || !rss_contiguous(&w))
		violated_numbers(ctx, CHECK_ONE, sw->mm, life, sw->blocks, again,
				 rss_contiguous(&w));
	if (flags & RSS_SLOTS && !(flags & RSS_MOVED))
		check_carried(ctx, sw, life, &w);
}

SEC("?kretprobe")
int BPF_KRETPROBE(switch_exit, int ret)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct rss_switch *sw = bpf_map_lookup_elem(&switches, &tid);
	struct rss_life *life;
	struct rss_words w = {};
	u64 mm;

	if (!sw || !sw->start_ns)
		return 0;
	mm = sw->mm;
	life = bpf_map_lookup_elem(&lives, &mm);
	sw->ret = ret;
	tested(CHECK_SUCCEEDS);
	if (ret) {
		rss_read_words((void *)mm, &w);
		sw->kept_still = is_atomic(&w);
		add(&my_stats()->switch_fails, 1);
	} else {
		count_switch(bpf_ktime_get_ns() - sw->start_ns);
		switched(ctx, sw, life);
	}
	sw->start_ns = 0;
	return 0;
}

/* kernel/fork.c copy_process: what a former clone of this task left behind is not this one's. */
SEC("?kprobe")
int BPF_KPROBE(clone_enter)
{
	u32 tid = bpf_get_current_pid_tgid();

	if (bpf_map_lookup_elem(&switches, &tid)) {
		bpf_map_delete_elem(&switches, &tid);
		add(&my_stats()->lost[RSS_LOST_SWITCH], 1);
	}
	return 0;
}

#define ENOMEM 12

/* It returns the child, or ERR_PTR(-errno). */
SEC("?kretprobe")
int BPF_KRETPROBE(clone_exit, s64 ret)
{
	u32 tid = bpf_get_current_pid_tgid(), check;
	struct rss_switch *sw = bpf_map_lookup_elem(&switches, &tid);
	struct rss_life *life;
	u64 mm;

	if (!sw)
		return 0;
	mm = sw->mm;
	if (sw->ret && rss_cfg.verify) {
		life = bpf_map_lookup_elem(&lives, &mm);
		tested(CHECK_FAILED);
		check = sw->ret == -ENOMEM && ret == -ENOMEM && sw->kept_still ? CHECK_SUCCEEDS
									       : CHECK_FAILED;
		violated_numbers(ctx, check, mm, life, sw->ret, ret < 0 && ret >= -4095 ? ret : 0,
				 sw->kept_still);
	}
	bpf_map_delete_elem(&switches, &tid);
	return 0;
}
