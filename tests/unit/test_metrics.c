// SPDX-License-Identifier: GPL-2.0-only
/* The table of metrics: what is not measured is unknown, what is measured is right. */
#include "unit.h"

#include "sample.h"

struct fixture {
	struct info info;
	struct snap d;
};

/* Every counter above zero, so that a zero in the output is an error. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	sample_info(&f->info);
	sample_site(&f->d, SYM_MM_INIT + 8, SAMPLE_META(64, 8, 0), 30);
	sample_site(&f->d, SYM_ALLOC_SB + 8, SAMPLE_META(8, 8, SITE_ATOMIC), 12);
	f->d.duration_ns = 2 * NSEC_PER_SEC;
	f->d.busy_ns = 1000000;
	f->d.frees = 7;
	f->d.fails = 2;
	f->d.mm = (struct mm_stat) { .inits = 10,
				     .drops = 9,
				     .init_ns = 5000,
				     .allocs = 20,
				     .alloc_ns = 2000,
				     .wait_ns = 400,
				     .forks = 6,
				     .execs = 4,
				     .threads = 3 };
	f->d.latency =
		(struct latency_stat) { .count = 2, .sum_ns = 500, .max_ns = 400, .max_iv = 400 };
	sample_hist(&f->d.latency.hist, 100, 1);
	sample_hist(&f->d.latency.hist, 400, 1);
	for (int i = 0; i < NR_LOCKS; i++) {
		f->d.locks[i].w = sample_wait(4, 1, 1000, 2000, 1500);
		f->d.locks[i].w.interrupted = 1;
		f->d.unfinished[i] = 1;
		sample_hist(&f->d.locks[i].hist, 500, 3);
		sample_hist(&f->d.locks[i].hist, 1500, 1);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sample_info_free(&f->info);
	snap_free(&f->d);
	free(f);
	return 0;
}

static const struct metric *find(enum scope scope, const char *key)
{
	for (size_t i = 0; i < nr_metrics; i++)
		if (metrics[i].scope == scope && !strcmp(metrics[i].key, key))
			return &metrics[i];
	unit_fail("no metric %s", key);
	return NULL;
}

static struct value get(struct fixture *f, enum scope scope, const char *key, int lock)
{
	return metric_value(find(scope, key), &f->info, &f->d, lock);
}

static bool known(struct fixture *f, enum scope scope, const char *key)
{
	struct value v = get(f, scope, key, 0);

	if (!v.known) {
		assert_int_equal(v.n, 0);
		assert_true(v.real == 0);
	}
	return v.known;
}

static u64 n_of(struct fixture *f, enum scope scope, const char *key)
{
	struct value v = get(f, scope, key, 0);

	assert_true(v.known);
	return v.n;
}

static double real_of(struct fixture *f, enum scope scope, const char *key)
{
	struct value v = get(f, scope, key, 0);

	assert_true(v.known);
	return v.real;
}

/* The key's end tells the unit, within its scope a key is there once, and a column has a heading. */
static void table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];
		size_t n = strlen(m->key);

		assert_non_null(m->get);
		assert_true(*m->help);
		assert_int_equal(strspn(m->key, "abcdefghijklmnopqrstuvwxyz0123456789_"), n);
		assert_int_equal(n > 3 && !strcmp(m->key + n - 3, "_ns"), m->unit == UNIT_NS);
		assert_int_equal(n > 6 && !strcmp(m->key + n - 6, "_bytes"), m->unit == UNIT_BYTES);
		assert_int_equal(strstr(m->key, "_per_") != NULL, m->unit == UNIT_PER);
		assert_int_equal(strstr(m->key, "_of_") != NULL, m->unit == UNIT_RATIO);
		assert_int_equal(m->column == COL_NONE, m->head == NULL);
		assert_int_equal(m->scope == SCOPE_LOCK && m->column != COL_NONE, m->locks != 0);
		assert_true(m->rank >= 0);
		for (size_t j = 0; j < i; j++)
			assert_false(metrics[j].scope == m->scope &&
				     !strcmp(metrics[j].key, m->key));
		for (int s = SCOPE_TOTAL; s <= SCOPE_SHARE; s++)
			assert_false(scope_keys[s] && !strcmp(scope_keys[s], m->key));
	}
}

static void all_is_measured(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];
		struct value v = metric_value(m, &f->info, &f->d, LOCK_ALLOC_MUTEX);
		bool only_derived = m->scope == SCOPE_MM &&
				    (!strcmp(m->key, "forks") || !strcmp(m->key, "execs") ||
				     !strcmp(m->key, "threads"));

		assert_int_equal(v.known, !only_derived);
		if (v.known && strcmp(m->key, "derived"))
			assert_true(v.n != 0 || v.real != 0);
	}
}

static void values(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(n_of(f, SCOPE_TOTAL, "allocs"), 42);
	assert_int_equal(n_of(f, SCOPE_TOTAL, "alloc_bytes"), 30 * 64 + 12 * 8);
	assert_int_equal(n_of(f, SCOPE_TOTAL, "alloc_possible_bytes"), 8 * (30 * 64 + 12 * 8));
	assert_int_equal(n_of(f, SCOPE_TOTAL, "mutex_passes"), 30);
	assert_int_equal(n_of(f, SCOPE_TOTAL, "frees"), 7);
	assert_int_equal(n_of(f, SCOPE_TOTAL, "alloc_fails"), 2);
	assert_int_equal(n_of(f, SCOPE_LATENCY, "sum_ns"), 500);
	assert_int_equal(n_of(f, SCOPE_LATENCY, "max_ns"), 400);
	assert_int_equal(n_of(f, SCOPE_LOCK, "wait_ns"), 3000);
	assert_int_equal(n_of(f, SCOPE_LOCK, "wait_ns"),
			 n_of(f, SCOPE_LOCK, "spin_ns") + n_of(f, SCOPE_LOCK, "sleep_ns"));
	assert_int_equal(n_of(f, SCOPE_SHARE, "lock_wait_ns"), NR_LOCKS * 3000);
	assert_true(real_of(f, SCOPE_MM, "allocs_per_init") == 2);
	assert_true(real_of(f, SCOPE_MM, "alloc_ns_per_init") == 200);
	assert_true(real_of(f, SCOPE_MM, "wait_ns_per_init") == 40);
	assert_true(real_of(f, SCOPE_MM, "init_ns_per_init") == 500);
	assert_true(real_of(f, SCOPE_SHARE, "lock_wait_of_busy") == 9000 / 1e6);
	assert_true(real_of(f, SCOPE_SHARE, "alloc_of_busy") == 500 / 1e6);
	assert_true(real_of(f, SCOPE_SHARE, "alloc_of_mm_init") == 0.4);
}

/* No percentile is above the maximum that stands beside it. */
static void percentiles_end_at_the_maximum(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(n_of(f, SCOPE_LATENCY, "p99_ns"), n_of(f, SCOPE_LATENCY, "max_ns"));
	assert_int_equal(n_of(f, SCOPE_LOCK, "p99_ns"), n_of(f, SCOPE_LOCK, "max_ns"));
	assert_true(n_of(f, SCOPE_LOCK, "p50_ns") < n_of(f, SCOPE_LOCK, "p99_ns"));
	/* A longer wait in the run's past changes nothing. */
	f->d.locks[0].w.max_ns = 1000000;
	assert_int_equal(n_of(f, SCOPE_LOCK, "p99_ns"), 1500);
}

static void without_allocations(void **state)
{
	struct fixture *f = *state;

	*f->info.backend[SIG_ALLOCATIONS] = '\0';
	for (size_t i = 0; i < nr_metrics; i++)
		if (metrics[i].scope == SCOPE_TOTAL)
			assert_false(known(f, SCOPE_TOTAL, metrics[i].key));
	/* The latency's programs count inside mm_init as well; without them nobody does. */
	assert_true(known(f, SCOPE_MM, "allocs_per_init"));
	*f->info.backend[SIG_LATENCY] = '\0';
	assert_false(known(f, SCOPE_MM, "allocs_per_init"));
	assert_true(known(f, SCOPE_MM, "inits"));
}

static void without_latency(void **state)
{
	struct fixture *f = *state;

	*f->info.backend[SIG_LATENCY] = '\0';
	for (size_t i = 0; i < nr_metrics; i++)
		if (metrics[i].scope == SCOPE_LATENCY)
			assert_false(known(f, SCOPE_LATENCY, metrics[i].key));
	assert_false(known(f, SCOPE_MM, "alloc_ns_per_init"));
	assert_false(known(f, SCOPE_SHARE, "alloc_ns"));
	assert_false(known(f, SCOPE_SHARE, "alloc_of_busy"));
	assert_false(known(f, SCOPE_SHARE, "alloc_of_mm_init"));
	assert_true(known(f, SCOPE_MM, "allocs_per_init"));
	assert_true(known(f, SCOPE_SHARE, "lock_wait_of_busy"));
}

static void without_lock_waits(void **state)
{
	struct fixture *f = *state;

	*f->info.backend[SIG_LOCK_WAITS] = '\0';
	for (size_t i = 0; i < nr_metrics; i++)
		for (int lock = 0; metrics[i].scope == SCOPE_LOCK && lock < NR_LOCKS; lock++)
			assert_false(metric_value(&metrics[i], &f->info, &f->d, lock).known);
	assert_false(known(f, SCOPE_SHARE, "lock_wait_ns"));
	assert_false(known(f, SCOPE_SHARE, "lock_wait_of_busy"));
	assert_false(known(f, SCOPE_MM, "wait_ns_per_init"));
	assert_true(known(f, SCOPE_MM, "init_ns_per_init"));
}

static void without_mm_life(void **state)
{
	struct fixture *f = *state;

	*f->info.backend[SIG_MM_LIFE] = '\0';
	for (size_t i = 0; i < nr_metrics; i++)
		if (metrics[i].scope == SCOPE_MM)
			assert_false(known(f, SCOPE_MM, metrics[i].key));
	assert_false(known(f, SCOPE_SHARE, "alloc_of_mm_init"));
}

/* Each lock for itself; the spinlocks need events that tell, and a kernel where they queue. */
static void unknown_locks(void **state)
{
	struct fixture *f = *state;

	f->info.locks[LOCK_ALLOC_MUTEX].addr = 0;
	assert_false(get(f, SCOPE_LOCK, "waits", LOCK_ALLOC_MUTEX).known);
	assert_true(get(f, SCOPE_LOCK, "waits", LOCK_PCPU).known);
	assert_false(known(f, SCOPE_MM, "wait_ns_per_init"));
	assert_int_equal(n_of(f, SCOPE_SHARE, "lock_wait_ns"), 2 * 3000);

	f->info.locks[LOCK_ALLOC_MUTEX].addr = 1;
	f->info.locks_split = false; /* PREEMPT_RT: seen, but in one piece */
	assert_true(get(f, SCOPE_LOCK, "waits", LOCK_PCPU).known);
	assert_true(known(f, SCOPE_LOCK, "waits"));
	assert_false(known(f, SCOPE_LOCK, "sleeps"));
	assert_false(known(f, SCOPE_LOCK, "spin_ns"));
	assert_false(known(f, SCOPE_LOCK, "sleep_ns"));

	f->info.locks_split = true;
	f->info.spin_observable = false;
	assert_true(get(f, SCOPE_LOCK, "waits", LOCK_PCPU).known); /* one event is a proof */
	f->d.locks[LOCK_PCPU].w.waits = 0;
	assert_false(get(f, SCOPE_LOCK, "waits", LOCK_PCPU).known);
}

/* Nothing happened: counts are zero, and what would divide by zero is unknown. */
static void quiet_interval(void **state)
{
	struct fixture *f = *state;
	static const struct {
		enum scope scope;
		const char *key;
	} none[] = {
		{ SCOPE_LATENCY, "max_ns" },      { SCOPE_LATENCY, "p50_ns" },
		{ SCOPE_LATENCY, "p99_ns" },      { SCOPE_LOCK, "max_ns" },
		{ SCOPE_LOCK, "p50_ns" },         { SCOPE_LOCK, "p99_ns" },
		{ SCOPE_MM, "allocs_per_init" },  { SCOPE_MM, "alloc_ns_per_init" },
		{ SCOPE_MM, "wait_ns_per_init" }, { SCOPE_MM, "init_ns_per_init" },
		{ SCOPE_SHARE, "busy_ns" },       { SCOPE_SHARE, "lock_wait_of_busy" },
		{ SCOPE_SHARE, "alloc_of_busy" }, { SCOPE_SHARE, "alloc_of_mm_init" },
	};

	snap_free(&f->d);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(known(f, none[i].scope, none[i].key));
	assert_int_equal(n_of(f, SCOPE_TOTAL, "allocs"), 0);
	assert_int_equal(n_of(f, SCOPE_LOCK, "waits"), 0);
	assert_int_equal(n_of(f, SCOPE_MM, "inits"), 0);
	assert_int_equal(n_of(f, SCOPE_SHARE, "lock_wait_ns"), 0);
}

static void derived_mm(void **state)
{
	struct fixture *f = *state;
	u64 stack[] = { SYM_COUNTER_INIT + 4, SYM_MM_INIT + 4 };

	strcpy(f->info.backend[SIG_MM_LIFE], "derived");
	f->info.mm_derived = true;
	assert_int_equal(n_of(f, SCOPE_MM, "derived"), 1);
	assert_int_equal(n_of(f, SCOPE_MM, "inits"), 10); /* 6 forks + 4 execs */
	assert_int_equal(n_of(f, SCOPE_MM, "threads"), 3);
	assert_false(known(f, SCOPE_MM, "drops"));
	assert_false(known(f, SCOPE_MM, "alloc_ns_per_init"));
	assert_false(known(f, SCOPE_MM, "wait_ns_per_init"));
	assert_false(known(f, SCOPE_MM, "init_ns_per_init"));
	assert_false(known(f, SCOPE_SHARE, "alloc_of_mm_init"));
	assert_true(real_of(f, SCOPE_MM, "allocs_per_init") == 3);

	/* A generic call site whose sampled owner is mm_init counts too. */
	sample_site(&f->d, SYM_COUNTER_INIT + 8, SAMPLE_META(4, 4, 0), 10);
	snap_sort(&f->d);
	assert_true(real_of(f, SCOPE_MM, "allocs_per_init") == 3);
	sample_owner(&f->info, SYM_COUNTER_INIT + 8, SAMPLE_META(4, 4, 0), stack, 2);
	assert_true(real_of(f, SCOPE_MM, "allocs_per_init") == 4);

	f->info.cfg.owners = 0;
	assert_false(known(f, SCOPE_MM, "allocs_per_init"));
	f->info.cfg.owners = 1;
	*f->info.backend[SIG_ALLOCATIONS] = '\0';
	assert_false(known(f, SCOPE_MM, "allocs_per_init"));
	strcpy(f->info.backend[SIG_ALLOCATIONS], "tp");
	ksyms_free(f->info.ksyms);
	f->info.ksyms = NULL;
	assert_false(known(f, SCOPE_MM, "allocs_per_init"));
}

/* Frees and drops run in anybody's context: with a filter on tasks they say nothing. */
static void filtered_frees(void **state)
{
	struct fixture *f = *state;

	f->info.frees_known = false;
	assert_false(known(f, SCOPE_TOTAL, "frees"));
	assert_false(known(f, SCOPE_MM, "drops"));
	assert_true(known(f, SCOPE_TOTAL, "allocs"));
}

/* Events without a slot: whether they took the mutex is not known. */
static void passes_with_a_full_table(void **state)
{
	struct fixture *f = *state;

	f->d.other_allocs = 1;
	assert_false(known(f, SCOPE_TOTAL, "mutex_passes"));
	assert_int_equal(n_of(f, SCOPE_TOTAL, "allocs"), 43);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sound),
		TEST(all_is_measured),
		TEST(values),
		TEST(percentiles_end_at_the_maximum),
		TEST(without_allocations),
		TEST(without_latency),
		TEST(without_lock_waits),
		TEST(without_mm_life),
		TEST(unknown_locks),
		TEST(quiet_interval),
		TEST(derived_mm),
		TEST(filtered_frees),
		TEST(passes_with_a_full_table),
	};

	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
