// SPDX-License-Identifier: GPL-2.0-only
/* What people and programs see, of intervals made up by hand, compared with tests/golden. */
#include "unit.h"

#include <errno.h>

#include "golden.h"
#include "render.h"
#include "sample.h"

struct fixture {
	struct info info;
	struct snap d;
	struct self_cost self;
	char *text;
	size_t len;
	FILE *f;
};

/* 2026-01-02 03:04:05.123456789 UTC */
#define WALL_NS 1767323045123456789ULL

static const u64 mutex_stack[] = { SYM_TRACE + 4,        SYM_MUTEX_LOCK + 4, SYM_PCPU_ALLOC + 4,
				   SYM_COUNTER_INIT + 4, SYM_MM_INIT + 4,    SYM_DUP_MM + 4 };
static const u64 spin_stack[] = { SYM_SPIN_LOCK + 4, SYM_FREE_PERCPU + 4, 0xffffffffc0dead00 };
static const u64 owner_stack[] = { SYM_BPF_PROG + 4, SYM_TRACE + 4, SYM_PCPU_ALLOC + 4,
				   SYM_COUNTER_INIT + 4, SYM_MM_INIT + 4 };

static void fill_locks(struct snap *d)
{
	d->locks[LOCK_ALLOC_MUTEX].w = sample_wait(40, 12, 300000, 4200000, 1500000);
	d->locks[LOCK_ALLOC_MUTEX].w.interrupted = 1;
	d->unfinished[LOCK_ALLOC_MUTEX] = 2;
	sample_hist(&d->locks[LOCK_ALLOC_MUTEX].hist, 7500, 28);
	sample_hist(&d->locks[LOCK_ALLOC_MUTEX].hist, 350000, 11);
	sample_hist(&d->locks[LOCK_ALLOC_MUTEX].hist, 1500000, 1);
	d->locks[LOCK_PCPU].w = sample_wait(300, 0, 96000, 0, 2100);
	sample_hist(&d->locks[LOCK_PCPU].hist, 200, 299);
	sample_hist(&d->locks[LOCK_PCPU].hist, 2100, 1);
}

static void fill_rows(struct snap *d)
{
	struct wait_stat few = sample_wait(30, 10, 200000, 4000000, 1500000);

	sample_row(d, 4711, "bash", (struct row_stat) { 1200, 38400, few });
	sample_row(d, 1, "systemd", (struct row_stat) { .allocs = 300, .alloc_bytes = 2400 });
	sample_row(d, 77,
		   "a\tb\x1b[2J\xc2\x9b"
		   "1m",
		   (struct row_stat) { .allocs = 7 });
	sample_row(d, 78, "\xff\xfe", (struct row_stat) { .allocs = 6, .alloc_bytes = 48 });
	d->row_other_allocs = 507;
	d->row_other_bytes = 4056;
	d->row_other_waits = 310;
	d->row_other_wait_ns = 396000;
	sample_stack(d, LOCK_ALLOC_MUTEX, mutex_stack, ARRAY_SIZE(mutex_stack), few);
	sample_stack(d, LOCK_PCPU, spin_stack, ARRAY_SIZE(spin_stack),
		     sample_wait(290, 0, 90000, 0, 2100));
}

static void fill(struct snap *d)
{
	d->mono_ns = 99 * NSEC_PER_SEC;
	d->wall_ns = WALL_NS;
	d->duration_ns = 2 * NSEC_PER_SEC;
	d->busy_ns = 3 * NSEC_PER_SEC;
	d->frees = 1990;
	d->mm = (struct mm_stat) { .inits = 400,
				   .drops = 399,
				   .init_ns = 8000000,
				   .allocs = 1600,
				   .alloc_ns = 2400000,
				   .wait_ns = 900000,
				   .forks = 250,
				   .execs = 150,
				   .threads = 12 };
	d->latency = (struct latency_stat) {
		.count = 2020, .sum_ns = 6300000, .max_ns = 1600000, .max_iv = 1600000
	};
	sample_hist(&d->latency.hist, 900, 1500);
	sample_hist(&d->latency.hist, 12000, 510);
	sample_hist(&d->latency.hist, 1600000, 10);
	sample_site(d, SYM_COUNTER_INIT + 0x5c, SAMPLE_META(16, 8, 0), 1600);
	sample_site(d, SYM_ALLOC_SB + 0x10, SAMPLE_META(8, 8, 0), 300);
	sample_site(d, SYM_MAP_ALLOC + 0x20, SAMPLE_META(32, 16, SITE_ATOMIC), 100);
	sample_site(d, 0xffffffffc0dead42, SAMPLE_META(4096, 64, 0), 20);
	fill_locks(d);
	fill_rows(d);
	snap_sort(d);
}

static void fill_self(struct self_cost *self)
{
	*self = (struct self_cost) { .percpu_allocs = 48,
				     .percpu_allocs_known = true,
				     .map_bytes = 5288592,
				     .rss_bytes = 9 << 20,
				     .nr_programs = 2,
				     .stats_enabled = true };
	self->programs[0] = (struct prog_cost) { "alloc_btf", 2020, 161600 };
	self->programs[1] = (struct prog_cost) { "fail_btf", 0, 0 };
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	setenv("TZ", "UTC", 1);
	sample_info(&f->info);
	sample_owner(&f->info, SYM_COUNTER_INIT + 0x5c, SAMPLE_META(16, 8, 0), owner_stack,
		     ARRAY_SIZE(owner_stack));
	fill(&f->d);
	fill_self(&f->self);
	f->f = open_memstream(&f->text, &f->len);
	*state = f;
	return f->f ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fclose(f->f);
	free(f->text);
	sample_info_free(&f->info);
	snap_free(&f->d);
	free(f);
	return 0;
}

/* Compares and starts anew. A release is no reason to touch every file: the version is left out. */
static void check(struct fixture *f, const char *name)
{
	_cleanup_free_ char *clean = NULL;
	char *at;

	fflush(f->f);
	clean = calloc(1, f->len + 64);
	assert_non_null(clean);
	at = strstr(f->text, VERSION);
	if (at && at - f->text < 64)
		sprintf(clean, "%.*sVERSION%s", (int)(at - f->text), f->text, at + strlen(VERSION));
	else
		strcpy(clean, f->text);
	golden_check(name, clean);
	fclose(f->f);
	free(f->text);
	f->f = open_memstream(&f->text, &f->len);
	assert_non_null(f->f);
}

/* Of the processes all are shown: some have names that are meant to hurt. */
static size_t top_of(enum by by)
{
	return by == BY_PROCESS ? 10 : 2;
}

static struct report report(struct fixture *f, struct view *v)
{
	return (struct report) { .info = &f->info, .d = &f->d, .view = v, .command_status = -1 };
}

/* The same interval n times, as a run would print it. */
static void intervals(struct fixture *f, struct text_out out, enum by by, int n)
{
	struct report r = report(f, NULL);
	struct view v = {};

	out.f = f->f;
	out.lines = -1;
	text_header(&out, &f->info);
	if (by)
		assert_int_equal(view_make(&f->info, &f->d, by, NULL, top_of(by), &v), 0);
	r.view = by ? &v : NULL;
	for (int i = 0; i < n; i++)
		text_interval(&out, &r);
	view_free(&v);
}

static void text_by_width(void **state)
{
	struct fixture *f = *state;

	intervals(f, (struct text_out) { .width = 80 }, BY_NONE, 2);
	check(f, "text-80.txt");
	intervals(f, (struct text_out) { .width = 80, .timestamps = true }, BY_NONE, 2);
	check(f, "text-80-timestamps.txt");
	intervals(f, (struct text_out) { .width = 200 }, BY_NONE, 2);
	check(f, "text-200.txt");
	intervals(f, (struct text_out) { .timestamps = true }, BY_NONE, 2);
	check(f, "text-pipe.txt");
	intervals(f, (struct text_out) { .width = 1 }, BY_NONE, 1);
	check(f, "text-1.txt");
}

/* No line is longer than the terminal, whatever its width; what is left out is whole columns. */
static void text_fits(void **state)
{
	struct fixture *f = *state;

	for (int width = 20; width < 220; width++) {
		struct text_out out = {
			.f = f->f, .lines = -1, .width = width, .timestamps = width & 1
		};
		struct report r = report(f, NULL);
		char *line, *rest;

		text_interval(&out, &r);
		fflush(f->f);
		rest = f->text;
		while ((line = strsep(&rest, "\n")))
			assert_true((int)strlen(line) <= width);
		rewind(f->f);
	}
}

static void text_tables(void **state)
{
	struct fixture *f = *state;
	char name[64];

	for (int by = BY_SITE; by < NR_BY; by++) {
		intervals(f, (struct text_out) { .width = 120 }, by, by == BY_SITE ? 2 : 1);
		snprintf(name, sizeof(name), "text-by-%s.txt", by_names[by]);
		check(f, name);
	}
}

static void lose(struct fixture *f)
{
	f->d.lost[LOST_SITE_FULL] = 3;
	f->d.lost[LOST_OWNER_FULL] = 12345;
	f->d.other_allocs = 3;
	f->d.other_bytes = 24;
}

static void text_losses(void **state)
{
	struct fixture *f = *state;

	lose(f);
	intervals(f, (struct text_out) { .width = 100 }, BY_SITE, 1);
	check(f, "text-lost.txt");
}

/* No signal at all; then the kind of kernel that has few. */
static void measure_nothing(struct fixture *f)
{
	for (int i = 0; i < NR_SIGNALS; i++)
		*f->info.backend[i] = '\0';
	for (int i = 0; i < NR_LOCKS; i++)
		f->info.locks[i] = (struct lock_info) {};
	*f->info.rss_mode = '\0';
	f->info.rss_allocs_per_mm = -1;
	f->info.locks_split = f->info.spin_observable = f->info.frees_known = false;
	snap_free(&f->d);
	f->d.wall_ns = WALL_NS;
	f->d.duration_ns = NSEC_PER_SEC;
}

static void measure_little(struct fixture *f)
{
	strcpy(f->info.backend[SIG_ALLOCATIONS], "tp");
	*f->info.backend[SIG_LATENCY] = '\0';
	strcpy(f->info.backend[SIG_LOCK_WAITS], "kprobe");
	strcpy(f->info.backend[SIG_MM_LIFE], "derived");
	f->info.mm_derived = true;
	f->info.locks_split = f->info.spin_observable = false;
	f->info.locks[LOCK_COUNTERS] = (struct lock_info) {};
	f->d.locks[LOCK_PCPU] = (struct lock_stat) {};
	f->d.nr_stacks = 1; /* the mutex's */
}

static void summaries(struct fixture *f, bool everything)
{
	struct text_out out = { .f = f->f };
	struct report r = report(f, NULL);

	r.summary = true;
	r.self = everything ? &f->self : NULL;
	r.incomplete = everything;
	r.command_status = everything ? 3 : -1;
	text_summary(&out, &r);
}

static void text_unmeasured(void **state)
{
	struct fixture *f = *state;

	measure_little(f);
	intervals(f, (struct text_out) {}, BY_STACK, 1);
	summaries(f, false);
	check(f, "text-little.txt");
	measure_nothing(f);
	intervals(f, (struct text_out) {}, BY_PROCESS, 1);
	summaries(f, false);
	check(f, "text-nothing.txt");
}

static void text_summaries(void **state)
{
	struct fixture *f = *state;

	summaries(f, false);
	check(f, "text-summary.txt");
	lose(f);
	summaries(f, true);
	check(f, "text-summary-all.txt");
}

static void json_all(struct fixture *f, enum by by, bool everything)
{
	struct report r = report(f, NULL);
	struct view v = {};

	assert_int_equal(json_header(f->f, &f->info), 0);
	if (by)
		assert_int_equal(view_make(&f->info, &f->d, by, NULL, top_of(by), &v), 0);
	r.view = by ? &v : NULL;
	assert_int_equal(json_report(f->f, &r), 0);
	r.summary = true;
	r.self = everything ? &f->self : NULL;
	r.incomplete = everything;
	r.command_status = everything ? 3 : -1;
	assert_int_equal(json_report(f->f, &r), 0);
	view_free(&v);
}

static void json_lines(void **state)
{
	struct fixture *f = *state;
	char name[64];

	for (int by = BY_SITE; by < NR_BY; by++) {
		json_all(f, by, false);
		snprintf(name, sizeof(name), "json-by-%s.jsonl", by_names[by]);
		check(f, name);
	}
	json_all(f, BY_NONE, false);
	check(f, "json-plain.jsonl");
	lose(f);
	strcpy(f->info.host, "h\xff\x1b\"\\t"); /* a host's name can be any bytes */
	json_all(f, BY_NONE, true);
	check(f, "json-all.jsonl");
}

static void json_unmeasured(void **state)
{
	struct fixture *f = *state;

	measure_little(f);
	json_all(f, BY_STACK, false);
	check(f, "json-little.jsonl");
	measure_nothing(f);
	json_all(f, BY_PROCESS, false);
	check(f, "json-nothing.jsonl");
}

/* A stream that takes nothing: an error, not a crash. */
static void a_full_disk(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct fixture *f = *state;
	struct report r = report(f, NULL);

	assert_non_null(full);
	assert_int_equal(json_header(full, &f->info), -ENOSPC);
	assert_int_equal(json_report(full, &r), -ENOSPC);
	fclose(full);
}

static void durations_and_sizes(void **state)
{
	static const struct {
		u64 n;
		const char *ns, *bytes;
	} cases[] = {
		{ 0, "0ns", "0" },
		{ 999, "999ns", "999" },
		{ 1000, "1.0us", "1000" },
		{ 9999, "10.0us", "9999" },
		{ 10000, "10.0us", "10K" },
		{ 999949, "999.9us", "977K" },
		{ 999950, "1.00ms", "977K" },
		{ 999994999, "999.99ms", "954M" },
		{ 999995000, "1.00s", "954M" },
		{ 61000000000, "61.00s", "57G" },
		{ ~0ULL, "18446744073.71s", "16E" },
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(format_ns(cases[i].n, buf, sizeof(buf)), cases[i].ns);
		assert_string_equal(format_bytes(cases[i].n, buf, sizeof(buf)), cases[i].bytes);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(text_by_width),   TEST(text_fits),
		TEST(text_tables),     TEST(text_losses),
		TEST(text_unmeasured), TEST(text_summaries),
		TEST(json_lines),      TEST(json_unmeasured),
		TEST(a_full_disk),     cmocka_unit_test(durations_and_sizes),
	};

	return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
