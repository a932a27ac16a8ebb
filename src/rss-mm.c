// SPDX-License-Identifier: GPL-2.0-only
/* Records of the task iterator into mms, and what they say. Pure. */
#include "rss.h"

#include <errno.h>
#include <string.h>

const char *const rss_state_names[NR_RSS_STATES] = {
	[RSS_ATOMIC] = "atomic", [RSS_PERCPU] = "percpu", [RSS_MIXED] = "mixed",
	[RSS_SPLIT] = "split",   [RSS_UNREAD] = "-",
};

const char *const rss_counter_names[NR_RSS] = { "file", "anon", "swap", "shmem" };

const char *const rss_mode_names[NR_RSS_MODES] = {
	[MODE_UNKNOWN] = "unknown", [MODE_SPLIT] = "split", [MODE_INDIVIDUAL] = "individual",
	[MODE_GROUPED] = "grouped", [MODE_LAZY] = "lazy",   [MODE_LAZY_LOCAL] = "lazy-local",
	[MODE_TREE] = "tree",       [MODE_UP] = "up",
};

const char *const rss_mode_texts[NR_RSS_MODES] = {
	[MODE_UNKNOWN] = "unknown",
	[MODE_SPLIT] = "split (atomics in the mm, a cache in each task)",
	[MODE_INDIVIDUAL] = "percpu individual (four percpu allocations for each mm)",
	[MODE_GROUPED] = "percpu grouped (one percpu allocation for each mm)",
	[MODE_LAZY] = "lazy (atomic until CLONE_THREAD)",
	[MODE_LAZY_LOCAL] = "lazy-local (bit-tagged, until CLONE_VM)",
	[MODE_TREE] = "tree (percpu_counter_tree; its counters are not read)",
	[MODE_UP] = "plain (a kernel for one CPU)",
};

static bool is_percpu(u64 ptr)
{
	return ptr && !(ptr & 1);
}

static enum rss_state state_of(enum rss_shape shape, const struct rss_words *w)
{
	int percpu = 0;

	if (shape == SHAPE_SPLIT)
		return RSS_SPLIT;
	if (shape == SHAPE_TREE || shape == SHAPE_UNKNOWN)
		return RSS_UNREAD;
	for (int i = 0; i < NR_RSS; i++)
		percpu += is_percpu(w->ptr[i]);
	if (!percpu)
		return RSS_ATOMIC;
	return percpu == NR_RSS ? RSS_PERCPU : RSS_MIXED;
}

int rss_census_add(struct rss_census *c, const struct rss_rec *rec)
{
	struct rss_mm *m;
	int err = grow(&c->mms, &c->cap, c->nr, sizeof(*m));

	if (err)
		return err;
	m = &c->mms[c->nr++];
	*m = (struct rss_mm) {
		.mm = rec->mm,
		.start_ns = rec->start_ns,
		.cgroup = rec->cgroup,
		.pgtables_bytes = rec->pgtables_bytes,
		.w = rec->w,
		.pid = rec->pid,
		.processes = 1,
		.threads = rec->threads,
		.group_threads = rec->threads,
		.flags = rec->flags,
		.oom_score_adj = rec->oom_score_adj,
		.state = state_of(c->shape, &rec->w),
	};
	for (int i = 0; i < NR_RSS; i++)
		m->cache[i] = rec->cache[i];
	memcpy(m->comm, rec->comm, sizeof(m->comm));
	m->comm[COMM_LEN - 1] = '\0';
	return 0;
}

/* By mm; of the same mm the oldest process first, and of one process its leader. */
static int cmp_mm(const void *a, const void *b)
{
	const struct rss_mm *x = a, *y = b;
	u32 xl = x->flags & RSS_LEADER, yl = y->flags & RSS_LEADER;

	if (x->mm != y->mm)
		return x->mm < y->mm ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (int)yl - (int)xl;
}

/* Records of one process are neighbours: last_pid is the one that was merged last. */
static void merge(struct rss_mm *to, const struct rss_mm *from, u32 last_pid)
{
	for (int i = 0; i < NR_RSS; i++)
		to->cache[i] += from->cache[i];
	if (from->pid == last_pid)
		return;
	to->processes++;
	to->threads += from->threads;
	if (from->threads > to->group_threads)
		to->group_threads = from->threads;
	/* The OOM killer takes the mm with the process that it likes most. */
	if (from->oom_score_adj > to->oom_score_adj)
		to->oom_score_adj = from->oom_score_adj;
}

void rss_census_finish(struct rss_census *c)
{
	size_t n = 0;
	u32 last;

	if (!c->nr)
		return;
	qsort(c->mms, c->nr, sizeof(*c->mms), cmp_mm);
	last = c->mms[0].pid;
	for (size_t i = 1; i < c->nr; i++) {
		const struct rss_mm *m = &c->mms[i];
		u32 pid = m->pid;

		if (m->mm == c->mms[n].mm)
			merge(&c->mms[n], m, last);
		else
			c->mms[++n] = *m;
		last = pid;
	}
	c->nr = n + 1;
}

const struct rss_mm *rss_find(const struct rss_census *c, u64 mm)
{
	size_t lo = 0, hi = c->nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (c->mms[mid].mm == mm)
			return &c->mms[mid];
		if (c->mms[mid].mm < mm)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct rss_mm *rss_find_pid(const struct rss_census *c, u32 pid)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->mms[i].pid == pid)
			return &c->mms[i];
	return NULL;
}

size_t rss_count_state(const struct rss_census *c, enum rss_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr; i++)
		n += c->mms[i].state == state;
	return n;
}

/* LAZY_LOCAL before the upgrade: remote updates sit above bit 0 of the pointer's word. */
static s64 lazy_remote(const struct rss_mm *m, enum rss_counter i)
{
	return m->w.ptr[i] & 1 ? (s64)m->w.ptr[i] >> 1 : 0;
}

s64 rss_approx(const struct rss_census *c, const struct rss_mm *m, enum rss_counter i)
{
	s64 v = m->w.count[i];

	if (c->shape == SHAPE_LAZY_LOCAL)
		v += lazy_remote(m, i);
	else if (c->shape == SHAPE_PERCPU && !m->w.ptr[i])
		return v;
	return v < 0 ? 0 : v;
}

bool rss_exact(const struct rss_census *c, const struct rss_mm *m, enum rss_counter i, s64 *pages)
{
	*pages = m->w.count[i];
	switch (c->shape) {
	case SHAPE_SPLIT:
		*pages += m->cache[i];
		return true;
	case SHAPE_UP:
		return true;
	case SHAPE_PERCPU:
	case SHAPE_LAZY_LOCAL:
		if (!is_percpu(m->w.ptr[i])) {
			*pages += lazy_remote(m, i);
			return true;
		}
		*pages += m->w.slots[i];
		return m->flags & RSS_SLOTS;
	case SHAPE_TREE:
	case SHAPE_UNKNOWN:
		break;
	}
	return false;
}

int rss_mode_allocs(enum rss_mode mode)
{
	switch (mode) {
	case MODE_SPLIT:
	case MODE_LAZY:
	case MODE_LAZY_LOCAL:
	case MODE_UP:
		return 0;
	case MODE_GROUPED:
	case MODE_TREE:
		return 1;
	case MODE_INDIVIDUAL:
		return NR_RSS;
	default:
		return -1;
	}
}

static void decide(struct rss_census *c, enum rss_mode mode, const char *how)
{
	c->mode = mode;
	snprintf(c->how, sizeof(c->how), "%s", how);
}

/* mms whose four pointers are not side by side; one grouped allocation cannot make such an mm. */
static size_t count_apart(const struct rss_census *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr; i++)
		for (int k = 1; k < NR_RSS && c->mms[i].state == RSS_PERCPU; k++)
			if (c->mms[i].w.ptr[k] != c->mms[i].w.ptr[0] + 4 * k) {
				n++;
				break;
			}
	return n;
}

/*
 * struct percpu_counter alone says little: kernels that can be lazy have the same one, and four
 * single allocations in a row often lie side by side. The trial fork's child decides, since it
 * shows how an mm is born; without it, the mms and the symbols.
 */
static void decide_percpu(struct rss_census *c, bool has_init_many)
{
	const struct rss_trial *t = &c->trial;
	size_t apart = count_apart(c), atomic = rss_count_state(c, RSS_ATOMIC);

	if (t->atomic)
		decide(c, MODE_LAZY, "a forked child has no percpu counters");
	else if (t->rss_allocs == NR_RSS)
		decide(c, MODE_INDIVIDUAL, "a fork makes four allocations for rss_stat");
	else if (t->rss_allocs == 1)
		decide(c, MODE_GROUPED, "a fork makes one allocation for rss_stat");
	else if (atomic)
		decide(c, MODE_LAZY, "mms without percpu counters");
	else if (apart || !has_init_many)
		decide(c, MODE_INDIVIDUAL,
		       apart ? "mms whose counters lie apart" : "no __percpu_counter_init_many");
	else if (c->nr)
		decide(c, MODE_GROUPED, "__percpu_counter_init_many, and counters side by side");
	else
		decide(c, MODE_UNKNOWN, "no mm was seen");
}

void rss_decide_mode(struct rss_census *c, bool has_init_many)
{
	switch (c->shape) {
	case SHAPE_SPLIT:
		decide(c, MODE_SPLIT, "struct mm_rss_stat");
		break;
	case SHAPE_TREE:
		decide(c, MODE_TREE, "struct percpu_counter_tree");
		break;
	case SHAPE_LAZY_LOCAL:
		decide(c, MODE_LAZY_LOCAL, "struct lazy_percpu_counter");
		break;
	case SHAPE_UP:
		decide(c, MODE_UP, "struct percpu_counter without percpu memory");
		break;
	case SHAPE_PERCPU:
		decide_percpu(c, has_init_many);
		break;
	case SHAPE_UNKNOWN:
		decide(c, MODE_UNKNOWN, "mm_struct.rss_stat has no shape that is known");
		break;
	}
}
