// SPDX-License-Identifier: GPL-2.0-only
/* Tables: they add up, they are sorted, they are the same twice. */
#include "unit.h"

#include <errno.h>

#include "sample.h"

struct fixture {
	struct info info;
	struct snap d;
};

/* More rows than any cut-off of the tests, with ties. */
static void fill(struct fixture *f)
{
	static const u64 site_addr[] = { SYM_MM_INIT + 8, SYM_ALLOC_SB + 16, SYM_COUNTER_INIT + 32,
					 0xdead0000, 0 };
	struct snap *d = &f->d;

	for (size_t i = 0; i < 20; i++) {
		u64 ip[] = { SYM_MUTEX_LOCK + i, SYM_PCPU_ALLOC, SYM_MM_INIT };
		struct wait_stat w = sample_wait(i % 3 + 1, i % 2, 100 * (i % 4), 7 * i, 50 + i);

		sample_site(d, site_addr[i % 5],
			    SAMPLE_META(8 << i % 4, 8, i % 7 ? 0 : SITE_ATOMIC), i % 6);
		sample_row(
			d, i + 1, i % 2 ? "sh" : "ls",
			(struct row_stat) { .allocs = i % 5, .alloc_bytes = 8 * (i % 5), .w = w });
		sample_stack(d, i % NR_LOCKS, ip, 3, w);
		d->locks[i % NR_LOCKS].w.waits += w.waits + 1; /* some have no row */
		d->locks[i % NR_LOCKS].w.sleeps += w.sleeps;
		d->locks[i % NR_LOCKS].w.wait_ns += w.wait_ns + 3;
		d->locks[i % NR_LOCKS].w.spin_ns += w.spin_ns + 2;
		d->locks[i % NR_LOCKS].w.sleep_ns += w.sleep_ns + 1;
	}
	d->other_allocs = 11;
	d->other_bytes = 1234;
	d->row_other_allocs = 5;
	d->row_other_bytes = 55;
	d->row_other_waits = 6;
	d->row_other_wait_ns = 66;
	snap_sort(d);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	sample_info(&f->info);
	fill(f);
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

static void make(struct fixture *f, enum by by, const char *key, size_t top, struct view *v)
{
	assert_int_equal(view_make(&f->info, &f->d, by, key, top, v), 0);
	assert_true(v->nr_rows >= 2);
	assert_int_equal(v->rows[v->nr_rows - 2].kind, VIEW_OTHER);
	assert_int_equal(v->rows[v->nr_rows - 1].kind, VIEW_TOTAL);
	for (size_t i = 0; i + 2 < v->nr_rows; i++)
		assert_int_equal(v->rows[i].kind, VIEW_ROW);
}

static int column_of(const struct view *v, const char *key)
{
	for (size_t c = 0; c < v->nr_columns; c++)
		if (!strcmp(v->columns[c].key, key))
			return c;
	unit_fail("no column %s", key);
	return -1;
}

static u64 total(const struct view *v, const char *key)
{
	return v->rows[v->nr_rows - 1].cells[column_of(v, key)].n;
}

/* What is unknown in the total is unknown in every row, and shows no number anywhere. */
static void assert_adds_up(const struct view *v)
{
	for (size_t c = 0; c < v->nr_columns; c++) {
		const struct cell *other = &v->rows[v->nr_rows - 2].cells[c];
		const struct cell *all = &v->rows[v->nr_rows - 1].cells[c];
		u64 sum = other->n;

		assert_int_equal(other->known, all->known);
		if (!v->columns[c].adds_up) {
			assert_false(all->known);
			continue;
		}
		for (size_t i = 0; i + 2 < v->nr_rows; i++) {
			if (!all->known)
				assert_false(v->rows[i].cells[c].known);
			sum += v->rows[i].cells[c].n;
		}
		assert_true(sum == all->n);
		assert_true(other->n <= all->n); /* no wrap-around */
		if (!all->known)
			assert_int_equal(sum, 0);
	}
}

static void every_table_adds_up(void **state)
{
	static const size_t tops[] = { 1, 2, 7, 19, 20, 1000, 0 };
	struct fixture *f = *state;

	for (int by = BY_SITE; by < NR_BY; by++) {
		for (size_t t = 0; t < ARRAY_SIZE(tops); t++) {
			struct view v;

			make(f, by, NULL, tops[t], &v);
			if (tops[t])
				assert_true(v.nr_rows - 2 <= tops[t]);
			assert_adds_up(&v);
			view_free(&v);
		}
	}
}

static void totals_are_the_intervals(void **state)
{
	struct fixture *f = *state;
	u64 waits = 0, ns = 0, rows = f->d.row_other_allocs, row_waits = f->d.row_other_waits;
	struct view v;

	for (int i = 0; i < NR_LOCKS; i++) {
		waits += f->d.locks[i].w.waits;
		ns += f->d.locks[i].w.wait_ns;
	}
	for (size_t i = 0; i < f->d.nr_rows; i++) {
		rows += f->d.rows[i].s.allocs;
		row_waits += f->d.rows[i].s.w.waits;
	}
	make(f, BY_SITE, NULL, 3, &v);
	assert_int_equal(total(&v, "allocs"), snap_allocs(&f->d));
	assert_int_equal(total(&v, "alloc_bytes"), snap_alloc_bytes(&f->d));
	assert_int_equal(total(&v, "alloc_possible_bytes"), snap_alloc_bytes(&f->d) * 8);
	view_free(&v);
	make(f, BY_SIZE, NULL, 3, &v);
	assert_int_equal(total(&v, "allocs"), snap_allocs(&f->d));
	view_free(&v);
	make(f, BY_STACK, NULL, 3, &v);
	assert_int_equal(total(&v, "waits"), waits);
	assert_int_equal(total(&v, "wait_ns"), ns);
	view_free(&v);
	make(f, BY_PROCESS, NULL, 3, &v);
	assert_int_equal(total(&v, "allocs"), rows);
	assert_int_equal(total(&v, "waits"), row_waits);
	view_free(&v);
}

/* Rows and totals were read one after the other: more in the rows than in the total. */
static void adds_up_under_load(void **state)
{
	struct fixture *f = *state;

	memset(f->d.locks, 0, sizeof(f->d.locks));
	f->d.other_allocs = f->d.other_bytes = 0;
	f->d.row_other_allocs = f->d.row_other_bytes = 0;
	f->d.row_other_waits = f->d.row_other_wait_ns = 0;
	for (int by = BY_SITE; by < NR_BY; by++) {
		struct view v;

		make(f, by, NULL, 4, &v);
		assert_adds_up(&v);
		view_free(&v);
	}
}

static void sorted_by_every_key(void **state)
{
	struct fixture *f = *state;

	for (int by = BY_SITE; by < NR_BY; by++) {
		size_t n;
		const struct view_column *cols = view_columns(by, &n);

		for (size_t c = 0; c < n; c++) {
			char down[64], up[65];
			struct view v;

			snprintf(down, sizeof(down), "%s", cols[c].key);
			snprintf(up, sizeof(up), "-%s", down);
			assert_int_equal(view_has_key(by, down), cols[c].type == CELL_NUMBER);
			assert_int_equal(view_has_key(by, up), cols[c].type == CELL_NUMBER);
			if (cols[c].type != CELL_NUMBER) {
				assert_int_equal(view_make(&f->info, &f->d, by, down, 5, &v),
						 -EINVAL);
				continue;
			}
			make(f, by, down, 0, &v);
			for (size_t i = 1; i + 2 < v.nr_rows; i++)
				assert_true(v.rows[i - 1].cells[c].n >= v.rows[i].cells[c].n);
			view_free(&v);
			make(f, by, up, 0, &v);
			for (size_t i = 1; i + 2 < v.nr_rows; i++)
				assert_true(v.rows[i - 1].cells[c].n <= v.rows[i].cells[c].n);
			view_free(&v);
		}
	}
}

/* Descending keeps the largest, ascending the smallest: the cut comes behind the sorting. */
static void the_cut_keeps_the_first(void **state)
{
	struct fixture *f = *state;
	struct view all, few;

	for (int up = 0; up < 2; up++) {
		const char *key = up ? "-max_ns" : "max_ns";

		make(f, BY_STACK, key, 0, &all);
		make(f, BY_STACK, key, 5, &few);
		assert_int_equal(few.nr_rows, 7);
		for (int i = 0; i < 5; i++)
			assert_int_equal(few.rows[i].cells[6].n, all.rows[i].cells[6].n);
		view_free(&all);
		view_free(&few);
	}
}

static void assert_same(const struct view *a, const struct view *b)
{
	assert_int_equal(a->nr_rows, b->nr_rows);
	for (size_t i = 0; i < a->nr_rows; i++) {
		for (size_t c = 0; c < a->nr_columns; c++) {
			const struct cell *x = &a->rows[i].cells[c], *y = &b->rows[i].cells[c];

			assert_int_equal(x->known, y->known);
			assert_true(x->n == y->n);
			assert_int_equal(!x->text, !y->text);
			if (x->text)
				assert_string_equal(x->text, y->text);
			for (size_t l = 0; x->lines && (x->lines[l] || y->lines[l]); l++)
				assert_string_equal(x->lines[l], y->lines[l]);
		}
	}
}

#define REVERSE(array, n)                              \
	for (size_t _i = 0; _i < (n) / 2; _i++) {      \
		__typeof__(*(array)) _t = (array)[_i]; \
		(array)[_i] = (array)[(n)-1 - _i];     \
		(array)[(n)-1 - _i] = _t;              \
	}

/* Rows with equal keys do not depend on the order of the source. */
static void order_is_stable(void **state)
{
	struct fixture *f = *state;

	for (int by = BY_SITE; by < NR_BY; by++) {
		struct view a, b;

		make(f, by, NULL, 0, &a);
		REVERSE(f->d.sites, f->d.nr_sites);
		REVERSE(f->d.rows, f->d.nr_rows);
		REVERSE(f->d.stacks, f->d.nr_stacks);
		make(f, by, NULL, 0, &b);
		assert_same(&a, &b);
		view_free(&a);
		view_free(&b);
	}
}

static void sizes_are_merged(void **state)
{
	struct fixture *f = *state;
	struct view v;
	u64 n = 0;

	make(f, BY_SIZE, "-size_bytes", 0, &v);
	assert_int_equal(v.nr_rows, 4 + 2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(v.rows[i].cells[0].n, 8 << i);
	for (size_t i = 0; i < f->d.nr_sites; i++)
		if (SITE_SIZE(f->d.sites[i].meta) == 16)
			n += f->d.sites[i].allocs;
	assert_int_equal(v.rows[1].cells[1].n, n);
	assert_int_equal(v.rows[1].cells[2].n, n * 16);
	assert_int_equal(v.rows[1].cells[3].n, n * 16 * 8);
	view_free(&v);
}

static void empty_interval(void **state)
{
	struct fixture *f = *state;
	struct snap empty = {};

	for (int by = BY_SITE; by < NR_BY; by++) {
		struct view v;

		assert_int_equal(view_make(&f->info, &empty, by, NULL, 10, &v), 0);
		assert_int_equal(v.nr_rows, 2);
		assert_adds_up(&v);
		view_free(&v);
		view_free(&v); /* twice is fine */
	}
}

static void bad_keys(void **state)
{
	static const char *const keys[] = { "", "-", "--allocs", "allocs ", "ALLOCS", "nonsense" };
	struct fixture *f = *state;
	struct view v;

	for (int by = BY_NONE; by < NR_BY; by++) {
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			assert_false(view_has_key(by, keys[i]));
			assert_int_equal(view_make(&f->info, &f->d, by, keys[i], 1, &v), -EINVAL);
			view_free(&v);
		}
	}
	assert_int_equal(view_make(&f->info, &f->d, BY_NONE, NULL, 1, &v), -EINVAL);
	assert_false(view_has_key(BY_SITE, "waits")); /* a key of another table */
}

/* Without a backend there is no zero: rows, other and total all say that it is unknown. */
static void unmeasured_is_unknown(void **state)
{
	struct fixture *f = *state;
	struct view v;

	*f->info.backend[SIG_ALLOCATIONS] = '\0';
	make(f, BY_PROCESS, NULL, 3, &v);
	assert_false(v.rows[v.nr_rows - 1].cells[column_of(&v, "allocs")].known);
	assert_true(v.rows[v.nr_rows - 1].cells[column_of(&v, "waits")].known);
	view_free(&v);

	strcpy(f->info.backend[SIG_ALLOCATIONS], "tp");
	f->info.locks_split = false;
	make(f, BY_STACK, NULL, 0, &v);
	assert_false(v.rows[0].cells[column_of(&v, "spin_ns")].known);
	assert_false(v.rows[v.nr_rows - 1].cells[column_of(&v, "sleep_ns")].known);
	view_free(&v);

	*f->info.backend[SIG_LOCK_WAITS] = '\0';
	for (int by = BY_PROCESS; by <= BY_CGROUP; by++) {
		make(f, by, NULL, 3, &v);
		for (size_t i = 0; i < v.nr_rows; i++) {
			assert_false(v.rows[i].cells[column_of(&v, "waits")].known);
			assert_false(v.rows[i].cells[column_of(&v, "wait_ns")].known);
			assert_false(v.rows[i].cells[column_of(&v, "max_ns")].known);
			assert_int_equal(v.rows[i].cells[column_of(&v, "waits")].n, 0);
		}
		view_free(&v);
	}
}

/* One known lock is enough for stacks, whose rows name the lock. */
static void stacks_of_one_known_lock(void **state)
{
	struct fixture *f = *state;
	struct view v;

	f->info.locks[LOCK_ALLOC_MUTEX].addr = 0;
	f->info.locks[LOCK_COUNTERS].addr = 0;
	make(f, BY_STACK, NULL, 3, &v);
	assert_true(v.rows[v.nr_rows - 1].cells[column_of(&v, "waits")].known);
	assert_adds_up(&v);
	view_free(&v);
	f->info.locks[LOCK_PCPU].addr = 0;
	snap_reset(&f->d);
	make(f, BY_STACK, NULL, 3, &v);
	assert_false(v.rows[v.nr_rows - 1].cells[column_of(&v, "waits")].known);
	assert_adds_up(&v);
	view_free(&v);
}

/* The tracing's own frames at the leaf are left out, and only there. */
static void stacks_without_tracing(void **state)
{
	const u64 ip[] = { SYM_BPF_PROG + 4, SYM_TRACE + 4, SYM_MUTEX_LOCK + 4,
			   SYM_BPF_PROG + 8, 0xdead0000,    SYM_DUP_MM + 4 };
	struct fixture *f = *state;
	struct view v;
	char **l;

	snap_reset(&f->d);
	sample_stack(&f->d, LOCK_ALLOC_MUTEX, ip, ARRAY_SIZE(ip), sample_wait(1, 0, 1, 0, 1));
	make(f, BY_STACK, NULL, 1, &v);
	l = v.rows[0].cells[column_of(&v, "stack")].lines;
	assert_string_equal(l[0], "__mutex_lock.constprop.0");
	assert_string_equal(l[1], "bpf_prog_0123456789abcdef_alloc_btf");
	assert_string_equal(l[2], "[unknown]");
	assert_string_equal(l[3], "dup_mm");
	assert_null(l[4]);
	view_free(&v);

	/* No symbols at all. */
	ksyms_free(f->info.ksyms);
	f->info.ksyms = NULL;
	make(f, BY_STACK, NULL, 1, &v);
	l = v.rows[0].cells[column_of(&v, "stack")].lines;
	assert_string_equal(l[0], "0x1404");
	assert_null(l[6]);
	view_free(&v);
}

/* A full stack has no terminator, a comm none either, and a lock can be any number. */
static void hostile_rows(void **state)
{
	struct fixture *f = *state;
	u64 ip[STACK_FRAMES];
	struct view v;
	size_t n = 0;

	for (int i = 0; i < STACK_FRAMES; i++)
		ip[i] = ~0ULL - i;
	snap_reset(&f->d);
	sample_stack(&f->d, 12345, ip, STACK_FRAMES, sample_wait(1, 0, 1, 0, 1));
	sample_row(&f->d, ~0ULL, "0123456789abcdef", (struct row_stat) { .allocs = 1 });
	sample_row(&f->d, 1, "", (struct row_stat) { .allocs = 1 });
	make(f, BY_STACK, NULL, 0, &v);
	assert_false(v.rows[0].cells[0].known);
	while (v.rows[0].cells[7].lines[n])
		n++;
	assert_int_equal(n, STACK_FRAMES);
	view_free(&v);
	make(f, BY_PROCESS, "pid", 0, &v);
	assert_true(v.rows[0].cells[0].n == ~0ULL);
	assert_string_equal(v.rows[0].cells[1].text, "0123456789abcdef");
	assert_string_equal(v.rows[1].cells[1].text, "");
	view_free(&v);
}

static void cgroup_names(void **state)
{
	struct fixture *f = *state;
	struct view v;

	snap_reset(&f->d);
	sample_row(&f->d, 77, "", (struct row_stat) { .allocs = 3 });
	sample_row(&f->d, 78, "", (struct row_stat) { .allocs = 2 });
	make(f, BY_CGROUP, NULL, 0, &v);
	assert_string_equal(v.rows[0].cells[0].text, "/system.slice/ssh.service");
	assert_string_equal(v.rows[1].cells[0].text, "id:78");
	view_free(&v);
	cgroups_free(f->info.cgroups);
	f->info.cgroups = NULL;
	make(f, BY_CGROUP, NULL, 0, &v);
	assert_string_equal(v.rows[0].cells[0].text, "id:77");
	view_free(&v);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_table_adds_up),
		TEST(totals_are_the_intervals),
		TEST(adds_up_under_load),
		TEST(sorted_by_every_key),
		TEST(the_cut_keeps_the_first),
		TEST(order_is_stable),
		TEST(sizes_are_merged),
		TEST(empty_interval),
		TEST(bad_keys),
		TEST(unmeasured_is_unknown),
		TEST(stacks_of_one_known_lock),
		TEST(stacks_without_tracing),
		TEST(hostile_rows),
		TEST(cgroup_names),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
