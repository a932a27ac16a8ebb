// SPDX-License-Identifier: GPL-2.0-only
#include "metrics.h"

#include "names.h"

static struct value count(u64 n)
{
	return (struct value) { .known = true, .n = n };
}

static struct value real(double v)
{
	return (struct value) { .known = true, .real = v };
}

static const struct value unknown;

static struct value per(double a, double b)
{
	return b > 0 ? real(a / b) : unknown;
}

#define GET(name)                                                                       \
	static struct value get_##name(const struct info *info __attribute__((unused)), \
				       const struct snap *d __attribute__((unused)),    \
				       int lock __attribute__((unused)))

static bool has_allocs(const struct info *info)
{
	return *info->backend[SIG_ALLOCATIONS];
}

GET(allocs)
{
	return has_allocs(info) ? count(snap_allocs(d)) : unknown;
}

GET(alloc_bytes)
{
	return has_allocs(info) ? count(snap_alloc_bytes(d)) : unknown;
}

GET(alloc_possible_bytes)
{
	return has_allocs(info) ? count(snap_alloc_bytes(d) * info->cpus_possible) : unknown;
}

GET(mutex_passes)
{
	return has_allocs(info) && !d->other_allocs ? count(snap_mutex_passes(d)) : unknown;
}

GET(frees)
{
	return has_allocs(info) && info->frees_known ? count(d->frees) : unknown;
}

GET(fails)
{
	return has_allocs(info) ? count(d->fails) : unknown;
}

GET(lat_count)
{
	return count(d->latency.count);
}

GET(lat_sum)
{
	return count(d->latency.sum_ns);
}

GET(lat_max)
{
	return d->latency.count ? count(d->latency.max_iv) : unknown;
}

static struct value percentile(const struct hist *h, double p, u64 max)
{
	return hist_count(h) ? count(hist_percentile(h, p, max)) : unknown;
}

GET(lat_p50)
{
	return percentile(&d->latency.hist, 0.5, d->latency.max_iv);
}

GET(lat_p99)
{
	return percentile(&d->latency.hist, 0.99, d->latency.max_iv);
}

GET(waits)
{
	return count(d->locks[lock].w.waits);
}

GET(sleeps)
{
	return info->locks_split ? count(d->locks[lock].w.sleeps) : unknown;
}

GET(wait_ns)
{
	return count(d->locks[lock].w.wait_ns);
}

GET(spin_ns)
{
	return info->locks_split ? count(d->locks[lock].w.spin_ns) : unknown;
}

GET(sleep_ns)
{
	return info->locks_split ? count(d->locks[lock].w.sleep_ns) : unknown;
}

GET(wait_max)
{
	return d->locks[lock].w.waits ? count(d->locks[lock].w.max_iv) : unknown;
}

GET(wait_p50)
{
	return percentile(&d->locks[lock].hist, 0.5, d->locks[lock].w.max_iv);
}

GET(wait_p99)
{
	return percentile(&d->locks[lock].hist, 0.99, d->locks[lock].w.max_iv);
}

GET(interrupted)
{
	return count(d->locks[lock].w.interrupted);
}

GET(unfinished)
{
	return count(d->unfinished[lock]);
}

static u64 mm_inits(const struct info *info, const struct snap *d)
{
	return info->mm_derived ? d->mm.forks + d->mm.execs : d->mm.inits;
}

GET(inits)
{
	return count(mm_inits(info, d));
}

GET(drops)
{
	return info->mm_derived || !info->frees_known ? unknown : count(d->mm.drops);
}

/* Derived: every allocation whose site or sampled owner is mm_init. */
static u64 mm_allocs(const struct info *info, const struct snap *d)
{
	u64 n = 0;

	if (!info->mm_derived)
		return d->mm.allocs;
	for (size_t i = 0; i < d->nr_sites; i++)
		if (site_is_mm_init(info, &d->sites[i]))
			n += d->sites[i].allocs;
	return n;
}

static bool has_latency(const struct info *info)
{
	return *info->backend[SIG_LATENCY];
}

/* Inside mm_init either signal's programs count them; derived, a name has to be known. */
static bool mm_allocs_known(const struct info *info)
{
	if (!info->mm_derived)
		return has_allocs(info) || has_latency(info);
	return has_allocs(info) && info->ksyms && info->cfg.owners;
}

GET(allocs_per_init)
{
	return mm_allocs_known(info) ? per(mm_allocs(info, d), mm_inits(info, d)) : unknown;
}

GET(alloc_ns_per_init)
{
	if (info->mm_derived || !has_latency(info))
		return unknown;
	return per(d->mm.alloc_ns, d->mm.inits);
}

GET(wait_ns_per_init)
{
	if (info->mm_derived || !lock_known(info, d, LOCK_ALLOC_MUTEX))
		return unknown;
	return per(d->mm.wait_ns, d->mm.inits);
}

GET(init_ns_per_init)
{
	return info->mm_derived ? unknown : per(d->mm.init_ns, d->mm.inits);
}

GET(forks)
{
	return info->mm_derived ? count(d->mm.forks) : unknown;
}

GET(execs)
{
	return info->mm_derived ? count(d->mm.execs) : unknown;
}

GET(threads)
{
	return info->mm_derived ? count(d->mm.threads) : unknown;
}

GET(derived)
{
	return count(info->mm_derived);
}

static struct value all_waits(const struct info *info, const struct snap *d)
{
	struct value v = {};

	for (int i = 0; i < NR_LOCKS; i++) {
		if (!lock_known(info, d, i))
			continue;
		v.known = true;
		v.n += d->locks[i].w.wait_ns;
	}
	return v;
}

GET(busy)
{
	return d->busy_ns ? count(d->busy_ns) : unknown;
}

GET(all_waits)
{
	return all_waits(info, d);
}

GET(alloc_time)
{
	return has_latency(info) ? count(d->latency.sum_ns) : unknown;
}

GET(wait_of_busy)
{
	struct value v = all_waits(info, d);

	return v.known ? per(v.n, d->busy_ns) : unknown;
}

GET(alloc_of_busy)
{
	return has_latency(info) ? per(d->latency.sum_ns, d->busy_ns) : unknown;
}

GET(alloc_of_mm_init)
{
	if (info->mm_derived || !has_latency(info) || !*info->backend[SIG_MM_LIFE])
		return unknown;
	return per(d->mm.alloc_ns, d->mm.init_ns);
}

#define L(lock)   (1U << LOCK_##lock)
#define ALL_LOCKS (L(ALLOC_MUTEX) | L(PCPU) | L(COUNTERS))

const struct metric metrics[] = {
	{ "allocs", SCOPE_TOTAL, UNIT_COUNT, get_allocs, "percpu allocations", COL_RATE, "alloc/s",
	  0, 0 },
	{ "alloc_bytes", SCOPE_TOTAL, UNIT_BYTES, get_alloc_bytes,
	  "bytes asked for, of one CPU's copy", COL_NONE, NULL, 0, 0 },
	{ "alloc_possible_bytes", SCOPE_TOTAL, UNIT_BYTES, get_alloc_possible_bytes,
	  "bytes asked for times possible CPUs: what they really take", COL_NONE, NULL, 0, 0 },
	{ "mutex_passes", SCOPE_TOTAL, UNIT_COUNT, get_mutex_passes,
	  "allocations that took pcpu_alloc_mutex: all but atomic ones", COL_NONE, NULL, 0, 0 },
	{ "frees", SCOPE_TOTAL, UNIT_COUNT, get_frees, "percpu frees", COL_RATE, "free/s", 0, 2 },
	{ "alloc_fails", SCOPE_TOTAL, UNIT_COUNT, get_fails, "failed percpu allocations", COL_RATE,
	  "fail/s", 0, 3 },

	{ "count", SCOPE_LATENCY, UNIT_COUNT, get_lat_count, "timed calls of pcpu_alloc", COL_NONE,
	  NULL, 0, 0 },
	{ "sum_ns", SCOPE_LATENCY, UNIT_NS, get_lat_sum, "time inside pcpu_alloc", COL_NONE, NULL,
	  0, 0 },
	{ "max_ns", SCOPE_LATENCY, UNIT_NS, get_lat_max, "longest call of pcpu_alloc", COL_NONE,
	  NULL, 0, 0 },
	{ "p50_ns", SCOPE_LATENCY, UNIT_NS, get_lat_p50,
	  "median time of pcpu_alloc, right to a quarter", COL_US, "p50us", 0, 4 },
	{ "p99_ns", SCOPE_LATENCY, UNIT_NS, get_lat_p99,
	  "99th percentile of pcpu_alloc, right to a quarter", COL_US, "p99us", 0, 4 },

	{ "waits", SCOPE_LOCK, UNIT_COUNT, get_waits,
	  "waits for the lock, instantly won slow paths included", COL_RATE, "wait/s", ALL_LOCKS,
	  1 },
	{ "sleeps", SCOPE_LOCK, UNIT_COUNT, get_sleeps, "waits that queued to sleep", COL_RATE,
	  "slp/s", L(ALLOC_MUTEX), 3 },
	{ "wait_ns", SCOPE_LOCK, UNIT_NS, get_wait_ns, "time waited: spin_ns + sleep_ns",
	  COL_MS_RATE, "ms/s", ALL_LOCKS, 0 },
	{ "spin_ns", SCOPE_LOCK, UNIT_NS, get_spin_ns, "time waited on the CPU", COL_NONE, NULL, 0,
	  0 },
	{ "sleep_ns", SCOPE_LOCK, UNIT_NS, get_sleep_ns, "time waited off the CPU, queued",
	  COL_NONE, NULL, 0, 0 },
	{ "max_ns", SCOPE_LOCK, UNIT_NS, get_wait_max, "longest wait", COL_US, "maxus", ALL_LOCKS,
	  4 },
	{ "p50_ns", SCOPE_LOCK, UNIT_NS, get_wait_p50, "median wait, right to a quarter", COL_NONE,
	  NULL, 0, 0 },
	{ "p99_ns", SCOPE_LOCK, UNIT_NS, get_wait_p99, "99th percentile, right to a quarter",
	  COL_NONE, NULL, 0, 0 },
	{ "interrupted", SCOPE_LOCK, UNIT_COUNT, get_interrupted,
	  "waits that ended by a fatal signal, without the lock", COL_NONE, NULL, 0, 0 },
	{ "unfinished", SCOPE_LOCK, UNIT_COUNT, get_unfinished,
	  "waits in progress at the end of the interval, in no other figure", COL_NONE, NULL, 0, 0 },

	{ "inits", SCOPE_MM, UNIT_COUNT, get_inits, "mms born: mm_init, or forks + execs", COL_RATE,
	  "mm/s", 0, 1 },
	{ "drops", SCOPE_MM, UNIT_COUNT, get_drops, "mms freed: __mmdrop", COL_NONE, NULL, 0, 0 },
	{ "allocs_per_init", SCOPE_MM, UNIT_PER, get_allocs_per_init,
	  "percpu allocations for each mm born", COL_PLAIN, "al/mm", 0, 2 },
	{ "alloc_ns_per_init", SCOPE_MM, UNIT_PER, get_alloc_ns_per_init,
	  "time inside pcpu_alloc for each mm born, ns", COL_US, "us/mm", 0, 3 },
	{ "wait_ns_per_init", SCOPE_MM, UNIT_PER, get_wait_ns_per_init,
	  "time waited for the locks inside mm_init, for each mm born, ns", COL_NONE, NULL, 0, 0 },
	{ "init_ns_per_init", SCOPE_MM, UNIT_PER, get_init_ns_per_init,
	  "time inside mm_init for each mm born, ns", COL_NONE, NULL, 0, 0 },
	{ "forks", SCOPE_MM, UNIT_COUNT, get_forks, "new tasks with an mm of their own", COL_NONE,
	  NULL, 0, 0 },
	{ "execs", SCOPE_MM, UNIT_COUNT, get_execs, "successful execs", COL_NONE, NULL, 0, 0 },
	{ "threads", SCOPE_MM, UNIT_COUNT, get_threads, "new threads", COL_NONE, NULL, 0, 0 },
	{ "derived", SCOPE_MM, UNIT_COUNT, get_derived,
	  "1: inits = forks + execs, allocations by call site and sampled owner", COL_NONE, NULL, 0,
	  0 },

	{ "busy_ns", SCOPE_SHARE, UNIT_NS, get_busy, "CPU time that was not idle, all CPUs",
	  COL_NONE, NULL, 0, 0 },
	{ "lock_wait_ns", SCOPE_SHARE, UNIT_NS, get_all_waits, "time waited for all three locks",
	  COL_NONE, NULL, 0, 0 },
	{ "alloc_ns", SCOPE_SHARE, UNIT_NS, get_alloc_time,
	  "time inside pcpu_alloc, waits for its locks included", COL_NONE, NULL, 0, 0 },
	{ "lock_wait_of_busy", SCOPE_SHARE, UNIT_RATIO, get_wait_of_busy,
	  "lock_wait_ns / busy_ns; sleeping waits can take it over 1", COL_PERCENT, "lock%", 0, 0 },
	{ "alloc_of_busy", SCOPE_SHARE, UNIT_RATIO, get_alloc_of_busy, "alloc_ns / busy_ns",
	  COL_PERCENT, "alloc%", 0, 1 },
	{ "alloc_of_mm_init", SCOPE_SHARE, UNIT_RATIO, get_alloc_of_mm_init,
	  "part of mm_init's time that is pcpu_alloc", COL_NONE, NULL, 0, 0 },
};

const size_t nr_metrics = ARRAY_SIZE(metrics);

const char *const scope_keys[] = {
	[SCOPE_TOTAL] = NULL, [SCOPE_LATENCY] = "alloc_latency", [SCOPE_LOCK] = "locks",
	[SCOPE_MM] = "mm",    [SCOPE_SHARE] = "share",
};

bool lock_known(const struct info *info, const struct snap *d, int lock)
{
	if (!*info->backend[SIG_LOCK_WAITS] || !info->locks[lock].addr)
		return false;
	if (lock == LOCK_ALLOC_MUTEX)
		return true;
	/* Where spinlocks do not queue, silence is no proof; one event is. */
	return info->spin_observable || d->locks[lock].w.waits;
}

bool any_lock_known(const struct info *info, const struct snap *d)
{
	for (int i = 0; i < NR_LOCKS; i++)
		if (lock_known(info, d, i))
			return true;
	return false;
}

bool scope_known(const struct info *info, enum scope scope)
{
	if (scope == SCOPE_LATENCY)
		return *info->backend[SIG_LATENCY];
	if (scope == SCOPE_MM)
		return *info->backend[SIG_MM_LIFE];
	return true;
}

struct value metric_value(const struct metric *m, const struct info *info, const struct snap *d,
			  int lock)
{
	if (!scope_known(info, m->scope) || (m->scope == SCOPE_LOCK && !lock_known(info, d, lock)))
		return unknown;
	return m->get(info, d, lock);
}
