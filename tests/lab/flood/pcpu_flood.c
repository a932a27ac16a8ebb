// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcpu_flood - make and unmake sets of four percpu counters, as births and deaths of mms do, without
 * the rest of a fork: the most that pcpu_alloc_mutex and percpu_counters_lock can be pressed. In the
 * manner of the kernel's rcuscale with kfree_rcu_test=1.
 *
 * Each of nthreads threads, bound to a CPU of its own, does loops times: make alloc_num sets, then
 * unmake them; with no_batch it unmakes each set before it makes the next one. All start together.
 * Loading takes as long as the run, and ends with one line (here in two):
 *
 *   pcpu_flood: path=grouped nthreads=4 alloc_num=1000 loops=10 no_batch=0 sets=40000 failed=0
 *   mutex_passes=40000 total_ns=N set_ns=N
 *
 * sets          were made, and unmade; failed could not be
 * mutex_passes  of the sets that were made: each blocking allocation is one
 * total_ns      from the start of the first thread to the end of the last
 * set_ns        what a thread spent on one set, on average
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu_counter.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#define SET 4

static uint nthreads;
module_param(nthreads, uint, 0444);
MODULE_PARM_DESC(nthreads, "Number of threads (default: one per online CPU)");

static uint alloc_num = 1000;
module_param(alloc_num, uint, 0444);
MODULE_PARM_DESC(alloc_num, "Sets that a thread makes in one loop (default: 1000)");

static uint loops = 10;
module_param(loops, uint, 0444);
MODULE_PARM_DESC(loops, "Number of loops (default: 10)");

static char *path = "grouped";
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "individual: an allocation per counter; grouped: one per set; atomic: none "
		       "(default: grouped)");

static bool no_batch;
module_param(no_batch, bool, 0444);
MODULE_PARM_DESC(no_batch, "Unmake each set at once, not alloc_num together");

union set {
	struct percpu_counter counters[SET];
	atomic64_t values[SET];
};

struct flooder {
	struct task_struct *task;
	struct completion done;
	union set *sets;
	u64 made, failed;
	ktime_t begin, end;
};

static const struct way {
	const char *name;
	uint passes;
	int (*make)(union set *set);
	void (*unmake)(union set *set);
} *way;

static DECLARE_COMPLETION(gate);

static int make_individual(union set *set)
{
	int i;

	for (i = 0; i < SET; i++) {
		if (percpu_counter_init(&set->counters[i], 0, GFP_KERNEL_ACCOUNT)) {
			while (i--)
				percpu_counter_destroy(&set->counters[i]);
			return -ENOMEM;
		}
	}
	return 0;
}

static void unmake_individual(union set *set)
{
	int i;

	for (i = 0; i < SET; i++)
		percpu_counter_destroy(&set->counters[i]);
}

static int make_grouped(union set *set)
{
	return percpu_counter_init_many(set->counters, 0, GFP_KERNEL_ACCOUNT, SET);
}

static void unmake_grouped(union set *set)
{
	percpu_counter_destroy_many(set->counters, SET);
}

/* What is left for an mm in atomic mode: four words to clear, and to look at when it goes. */
static int make_atomic(union set *set)
{
	int i;

	for (i = 0; i < SET; i++)
		atomic64_set(&set->values[i], 0);
	return 0;
}

static void unmake_atomic(union set *set)
{
	int i;

	for (i = 0; i < SET; i++)
		WARN_ON_ONCE(atomic64_read(&set->values[i]));
}

static const struct way ways[] = {
	{ "individual", SET, make_individual, unmake_individual },
	{ "grouped", 1, make_grouped, unmake_grouped },
	{ "atomic", 0, make_atomic, unmake_atomic },
};

static bool make(struct flooder *f, union set *set)
{
	bool ok = !way->make(set);

	f->made += ok;
	f->failed += !ok;
	cond_resched();
	return ok;
}

/* A set that could not be made ends the round, so the made ones are the first. */
static void flood_batch(struct flooder *f)
{
	uint n = 0;

	while (n < alloc_num && make(f, &f->sets[n]))
		n++;
	while (n--) {
		way->unmake(&f->sets[n]);
		cond_resched();
	}
}

static void flood_one_by_one(struct flooder *f)
{
	uint n;

	for (n = 0; n < alloc_num && make(f, f->sets); n++)
		way->unmake(f->sets);
}

static int flood(void *data)
{
	struct flooder *f = data;
	uint loop;

	wait_for_completion(&gate);
	f->begin = ktime_get();
	for (loop = 0; loop < loops; loop++) {
		if (no_batch)
			flood_one_by_one(f);
		else
			flood_batch(f);
	}
	f->end = ktime_get();
	complete(&f->done);
	return 0;
}

static int flooder_start(struct flooder *f, int cpu)
{
	struct task_struct *task;

	init_completion(&f->done);
	f->sets = kvcalloc(no_batch ? 1 : alloc_num, sizeof(*f->sets), GFP_KERNEL);
	if (!f->sets)
		return -ENOMEM;
	task = kthread_create(flood, f, "pcpu_flood/%d", cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	/* kthread_stop() waits for its exit, that is, until it is past this module's code. */
	f->task = get_task_struct(task);
	wake_up_process(task);
	return 0;
}

static void report(const struct flooder *flooders, uint n)
{
	u64 made = 0, failed = 0, busy = 0;
	ktime_t begin = KTIME_MAX, end = 0;
	uint i;

	for (i = 0; i < n; i++) {
		const struct flooder *f = &flooders[i];

		made += f->made;
		failed += f->failed;
		busy += ktime_to_ns(ktime_sub(f->end, f->begin));
		begin = min(begin, f->begin);
		end = max(end, f->end);
	}
	pr_info("pcpu_flood: path=%s nthreads=%u alloc_num=%u loops=%u no_batch=%d sets=%llu "
		"failed=%llu mutex_passes=%llu total_ns=%lld set_ns=%llu\n",
		way->name, n, alloc_num, loops, no_batch, made, failed, made * way->passes,
		ktime_to_ns(ktime_sub(end, begin)), div64_u64(busy, max(made, 1ULL)));
}

static int flood_all(struct flooder *flooders)
{
	int cpu = -1, ret = 0;
	uint i, n;

	for (n = 0; n < nthreads && !ret; n++) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		ret = flooder_start(&flooders[n], cpu);
	}
	if (ret)
		loops = 0; /* those that were started only end */
	complete_all(&gate);
	for (i = 0; i < n; i++) {
		if (flooders[i].task) {
			wait_for_completion(&flooders[i].done);
			kthread_stop(flooders[i].task);
			put_task_struct(flooders[i].task);
		}
		kvfree(flooders[i].sets);
	}
	if (!ret)
		report(flooders, n);
	return ret;
}

static int __init pcpu_flood_init(void)
{
	struct flooder *flooders;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(ways) && !way; i++)
		if (!strcmp(path, ways[i].name))
			way = &ways[i];
	if (!way || !alloc_num) {
		pr_err("pcpu_flood: no path '%s', or alloc_num is 0\n", path);
		return -EINVAL;
	}
	if (!nthreads)
		nthreads = num_online_cpus();
	flooders = kvcalloc(nthreads, sizeof(*flooders), GFP_KERNEL);
	if (!flooders)
		return -ENOMEM;
	ret = flood_all(flooders);
	kvfree(flooders);
	return ret;
}

static void __exit pcpu_flood_exit(void)
{
}

module_init(pcpu_flood_init);
module_exit(pcpu_flood_exit);
MODULE_DESCRIPTION("Flood of percpu counters");
MODULE_LICENSE("GPL");
