// SPDX-License-Identifier: GPL-2.0-only
#include "snap.h"

#include <errno.h>
#include <string.h>

const char *const lock_names[NR_LOCKS] = {
	[LOCK_ALLOC_MUTEX] = "pcpu_alloc_mutex",
	[LOCK_PCPU] = "pcpu_lock",
	[LOCK_COUNTERS] = "percpu_counters_lock",
};

const char *const lost_names[NR_LOST] = {
	[LOST_SITE_FULL] = "site_table_full",
	[LOST_SITE_BUSY] = "site_slot_busy",
	[LOST_ROW_FULL] = "row_table_full",
	[LOST_STACK_FULL] = "stack_table_full",
	[LOST_STACK_FAIL] = "stack_walk_failed",
	[LOST_WAIT_FULL] = "wait_table_full",
	[LOST_WAIT_BEGIN] = "wait_begin_unseen",
	[LOST_WAIT_CLOCK] = "wait_clock_backwards",
	[LOST_CALL_FULL] = "call_table_full",
	[LOST_CALL_NESTED] = "call_nested",
	[LOST_CALL_BEGIN] = "call_begin_unseen",
	[LOST_OWNER_FULL] = "owner_table_full",
	[LOST_CALL_INTERRUPTED] = "call_interrupted",
	[LOST_USTACK_FULL] = "user_stack_table_full",
	[LOST_USTACK_FAIL] = "user_stack_walk_failed",
	[LOST_HOLDER_FULL] = "holder_table_full",
	[LOST_FOLLOW_FULL] = "follow_table_full",
	[LOST_MISSED] = "program_missed",
};

void snap_reset(struct snap *s)
{
	struct snap old = *s;

	memset(s, 0, sizeof(*s));
	s->sites = old.sites;
	s->cap_sites = old.cap_sites;
	s->rows = old.rows;
	s->cap_rows = old.cap_rows;
	s->stacks = old.stacks;
	s->cap_stacks = old.cap_stacks;
}

void snap_free(struct snap *s)
{
	free(s->sites);
	free(s->rows);
	free(s->stacks);
	memset(s, 0, sizeof(*s));
}

int snap_add_site(struct snap *s, const struct site *site)
{
	if (grow(&s->sites, &s->cap_sites, s->nr_sites, sizeof(*site)))
		return -ENOMEM;
	s->sites[s->nr_sites++] = *site;
	return 0;
}

int snap_add_row(struct snap *s, const struct row_key *key, const struct row_stat *stat)
{
	if (grow(&s->rows, &s->cap_rows, s->nr_rows, sizeof(*s->rows)))
		return -ENOMEM;
	s->rows[s->nr_rows++] = (struct proc_row) { *key, *stat };
	return 0;
}

int snap_add_stack(struct snap *s, const struct stack_key *key, const struct wait_stat *w)
{
	if (grow(&s->stacks, &s->cap_stacks, s->nr_stacks, sizeof(*s->stacks)))
		return -ENOMEM;
	s->stacks[s->nr_stacks++] = (struct stack_row) { *key, *w };
	return 0;
}

/* The arrays of from as new ones. */
static int copy_array(void *to, size_t *cap, const void *from, size_t n, size_t size)
{
	void *copy = n ? malloc(n * size) : NULL;

	if (n && !copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, from, n * size);
	*(void **)to = copy;
	*cap = n;
	return 0;
}

int snap_copy(struct snap *to, const struct snap *from)
{
	snap_free(to);
	*to = *from;
	to->sites = NULL;
	to->rows = NULL;
	to->stacks = NULL;
	if (copy_array(&to->sites, &to->cap_sites, from->sites, from->nr_sites,
		       sizeof(*from->sites)) ||
	    copy_array(&to->rows, &to->cap_rows, from->rows, from->nr_rows, sizeof(*from->rows)) ||
	    copy_array(&to->stacks, &to->cap_stacks, from->stacks, from->nr_stacks,
		       sizeof(*from->stacks))) {
		snap_free(to);
		return -ENOMEM;
	}
	return 0;
}

void snap_run_maxima(struct snap *s)
{
	s->latency.max_iv = s->latency.max_ns;
	for (int i = 0; i < NR_LOCKS; i++)
		s->locks[i].w.max_iv = s->locks[i].w.max_ns;
	for (size_t i = 0; i < s->nr_rows; i++)
		s->rows[i].s.w.max_iv = s->rows[i].s.w.max_ns;
	for (size_t i = 0; i < s->nr_stacks; i++)
		s->stacks[i].w.max_iv = s->stacks[i].w.max_ns;
}

/* The counters of struct wait_stat that add up; the maxima do not. */
static void wait_stat_add(struct wait_stat *to, const struct wait_stat *w)
{
	to->waits += w->waits;
	to->sleeps += w->sleeps;
	to->wait_ns += w->wait_ns;
	to->spin_ns += w->spin_ns;
	to->sleep_ns += w->sleep_ns;
	to->interrupted += w->interrupted;
	to->max_ns = max_u64(to->max_ns, w->max_ns);
	to->max_iv = max_u64(to->max_iv, w->max_iv);
}

static void hist_sum(struct hist *to, const struct hist *h)
{
	for (int i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += h->bucket[i];
}

/* All of struct mm_stat are counters, so it adds as an array. */
#define MM_WORDS (sizeof(struct mm_stat) / sizeof(u64))

static void mm_sum(struct mm_stat *to, const struct mm_stat *mm, u64 sign)
{
	for (size_t i = 0; i < MM_WORDS; i++)
		((u64 *)to)[i] += sign * ((const u64 *)mm)[i];
}

static u64 iv_unpack(u64 packed, u64 epoch)
{
	return packed >> MAX_IV_BITS == epoch ? packed & ((1ULL << MAX_IV_BITS) - 1) : 0;
}

static int add_sites(struct snap *s, const struct cpu_block *b)
{
	for (int i = 0; i < NR_SITES; i++) {
		/* meta is stored last: whoever sees it valid sees the call site. */
		u64 meta = __atomic_load_n(&b->sites[i].meta, __ATOMIC_ACQUIRE);
		struct site site = { b->sites[i].call_site, meta, b->sites[i].allocs };

		if (meta & SITE_VALID && snap_add_site(s, &site))
			return -ENOMEM;
	}
	return 0;
}

int snap_add_block(struct snap *s, const struct cpu_block *b, u64 epoch)
{
	struct latency_stat *lat = &s->latency;

	s->frees += b->frees;
	s->fails += b->fails;
	s->other_allocs += b->other_allocs;
	s->other_bytes += b->other_bytes;
	s->row_other_allocs += b->row_other_allocs;
	s->row_other_bytes += b->row_other_bytes;
	s->row_other_waits += b->row_other_waits;
	s->row_other_wait_ns += b->row_other_wait_ns;
	for (int i = 0; i < NR_LOST; i++)
		s->lost[i] += b->lost[i];
	mm_sum(&s->mm, &b->mm, 1);
	lat->count += b->latency.count;
	lat->sum_ns += b->latency.sum_ns;
	lat->max_ns = max_u64(lat->max_ns, b->latency.max_ns);
	lat->max_iv = max_u64(lat->max_iv, iv_unpack(b->latency.max_iv, epoch));
	hist_sum(&lat->hist, &b->latency.hist);
	for (int i = 0; i < NR_LOCKS; i++) {
		struct wait_stat w = b->locks[i].w;

		w.max_iv = iv_unpack(w.max_iv, epoch);
		wait_stat_add(&s->locks[i].w, &w);
		hist_sum(&s->locks[i].hist, &b->locks[i].hist);
	}
	return add_sites(s, b);
}

static int cmp_u64(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static int cmp_site(const void *pa, const void *pb)
{
	const struct site *a = pa, *b = pb;
	int c = cmp_u64(a->call_site, b->call_site);

	return c ? c : cmp_u64(a->meta, b->meta);
}

static int cmp_row(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct row_key));
}

static int cmp_stack(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct stack_key));
}

static void merge_site(void *to, const void *from)
{
	((struct site *)to)->allocs += ((const struct site *)from)->allocs;
}

static void merge_row(void *to, const void *from)
{
	struct row_stat *t = &((struct proc_row *)to)->s;
	const struct row_stat *f = &((const struct proc_row *)from)->s;

	t->allocs += f->allocs;
	t->alloc_bytes += f->alloc_bytes;
	wait_stat_add(&t->w, &f->w);
}

static void merge_stack(void *to, const void *from)
{
	wait_stat_add(&((struct stack_row *)to)->w, &((const struct stack_row *)from)->w);
}

/* Sorts n elements and adds up the ones with equal keys; returns how many are left. */
static size_t sort_merge(void *array, size_t n, size_t size, int (*cmp)(const void *, const void *),
			 void (*merge)(void *, const void *))
{
	char *a = array;
	size_t last = 0;

	if (!n)
		return 0;
	qsort(a, n, size, cmp);
	for (size_t i = 1; i < n; i++) {
		if (!cmp(a + last * size, a + i * size))
			merge(a + last * size, a + i * size);
		else if (++last != i)
			memcpy(a + last * size, a + i * size, size);
	}
	return last + 1;
}

void snap_sort(struct snap *s)
{
	s->nr_sites = sort_merge(s->sites, s->nr_sites, sizeof(*s->sites), cmp_site, merge_site);
	s->nr_rows = sort_merge(s->rows, s->nr_rows, sizeof(*s->rows), cmp_row, merge_row);
	s->nr_stacks = sort_merge(s->stacks, s->nr_stacks, sizeof(*s->stacks), cmp_stack,
				  merge_stack);
}

void snap_merge_stacks(struct snap *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nr_stacks; i++) {
		struct stack_row row = s->stacks[i];

		if (row.key.kind != STACK_WAITER)
			continue;
		memset(row.key.comm, 0, sizeof(row.key.comm));
		row.key.user = row.key.cgroup = 0;
		s->stacks[kept++] = row;
	}
	s->nr_stacks = kept;
	snap_sort(s);
}

u64 snap_allocs(const struct snap *s)
{
	u64 n = s->other_allocs;

	for (size_t i = 0; i < s->nr_sites; i++)
		n += s->sites[i].allocs;
	return n;
}

u64 snap_alloc_bytes(const struct snap *s)
{
	u64 n = s->other_bytes;

	for (size_t i = 0; i < s->nr_sites; i++)
		n += s->sites[i].allocs * SITE_SIZE(s->sites[i].meta);
	return n;
}

u64 snap_mutex_passes(const struct snap *s)
{
	u64 n = 0;

	for (size_t i = 0; i < s->nr_sites; i++)
		if (!(s->sites[i].meta & SITE_ATOMIC))
			n += s->sites[i].allocs;
	return n;
}

u64 hist_le(unsigned int bucket)
{
	unsigned int octave = bucket / 4 + 1, quarter = bucket % 4;

	if (bucket >= HIST_BUCKETS - 1)
		return ~0ULL;
	if (bucket < 4)
		return ((bucket + 1ULL) << HIST_SHIFT) - 1;
	/* The next bucket begins at (4 + quarter + 1) * 2^(octave - 2) units. */
	return ((4ULL + quarter + 1) << (octave - 2) << HIST_SHIFT) - 1;
}

u64 hist_count(const struct hist *h)
{
	u64 n = 0;

	for (int i = 0; i < HIST_BUCKETS; i++)
		n += h->bucket[i];
	return n;
}

u64 hist_percentile(const struct hist *h, double p, u64 max)
{
	u64 n = hist_count(h), seen = 0;

	if (!n)
		return 0;
	for (int i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= p * n)
			return min_u64(hist_le(i), max);
	}
	return max;
}
