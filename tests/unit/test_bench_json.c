// SPDX-License-Identifier: GPL-2.0-only
/* Results through JSON Lines and back, and files that are none. */
#include <errno.h>
#include <string.h>

#include "unit.h"

#include "bench-json.h"

static void fill_round(struct bench_round *r, bool traced, u64 base)
{
	r->traced = traced;
	r->ops = base;
	r->elapsed_ns = base + 1;
	r->cpu_ns = base + 2;
	r->switches = base + 3;
	r->faults = base + 4;
	r->part_ns[1] = base + 5;
	r->part_count[1] = 1;
	r->grace_periods = base + 6;
	assert_int_equal(bench_add_second(r, 7), 0);
	assert_int_equal(bench_add_second(r, 8), 0);
	if (!traced)
		return;
	r->allocs = r->expected = 2 * base;
	r->passes = base + 9;
	r->waits[LOCK_PCPU] = 3;
	r->wait_ns[LOCK_PCPU] = 10;
	r->lost = 11;
}

static void fill_report(struct bench_report *r)
{
	struct bench_stack s = { .lock = "pcpu_lock", .waits = 3, .wait_ns = 10 };
	struct bench_case *c = bench_add_case(r);

	strcpy(r->kernel, "6.12.1-\"quoted\"");
	strcpy(r->host, "h");
	strcpy(r->rss_mode, "lazy");
	r->allocs_per_mm = 1;
	r->cpus_online = 2;
	r->cpus_possible = 4;
	strcpy(c->spec, "flood:path=grouped");
	strcpy(c->unit, "set");
	c->workers = 3;
	c->pinned = c->own_only = true;
	c->duration_ns = NOT_TOLD;
	fill_round(bench_add_round(c), false, 1000);
	fill_round(bench_add_round(c), true, 2000);
	strcpy(s.frames, "leaf;mid;root");
	assert_int_equal(bench_add_stack(c, &s), 0);
}

static char *to_text(const struct bench_report *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(bench_json_header(f, r), 0);
	for (size_t i = 0; i < r->nr_cases; i++)
		assert_int_equal(bench_json_case(f, &r->cases[i]), 0);
	assert_int_equal(bench_json_summary(f, r, false), 0);
	fclose(f);
	return text;
}

static int from_text(const char *text, struct bench_report *r)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	int err;

	assert_non_null(f);
	err = bench_json_read(f, "test", r);
	fclose(f);
	return err;
}

static void test_round_trip(void **state)
{
	struct bench_report a = {}, b;
	struct bench_case *x, *y;
	char *text, *again;

	(void)state;
	fill_report(&a);
	text = to_text(&a);
	assert_int_equal(from_text(text, &b), 0);
	assert_string_equal(b.kernel, a.kernel);
	assert_string_equal(b.rss_mode, a.rss_mode);
	assert_int_equal(b.allocs_per_mm, 1);
	assert_int_equal(b.cpus_possible, 4);
	assert_int_equal(b.nr_cases, 1);
	x = &a.cases[0];
	y = &b.cases[0];
	assert_string_equal(y->spec, x->spec);
	assert_int_equal(y->workers, 3);
	assert_true(y->pinned && y->own_only && y->duration_ns == NOT_TOLD);
	assert_int_equal(y->nr_rounds, 2);
	assert_int_equal(y->rounds[1].ops, 2000);
	assert_int_equal(y->rounds[1].passes, 2009);
	assert_int_equal(y->rounds[1].lost, 11);
	assert_int_equal(y->rounds[1].nr_seconds, 2);
	assert_int_equal(y->rounds[1].per_second[1], 8);
	assert_int_equal(y->rounds[1].wait_ns[LOCK_PCPU], 10);
	assert_true(y->rounds[1].wait_ns[LOCK_ALLOC_MUTEX] == NOT_TOLD);
	assert_true(y->rounds[1].alloc_ns == NOT_TOLD);
	assert_true(y->rounds[0].allocs == NOT_TOLD);
	assert_string_equal(y->stacks[0].frames, "leaf;mid;root");
	/* What has been read writes the same. */
	again = to_text(&b);
	assert_string_equal(again, text);
	free(text);
	free(again);
	bench_report_free(&a);
	bench_report_free(&b);
}

/* Replaces the first from by to. */
static char *spoil(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out;

	assert_non_null(at);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return out;
}

static void test_malformed(void **state)
{
	static const char *const spoils[][2] = {
		{ "\"schema\":1", "\"schema\":2" },
		{ "\"schema\":1", "\"schema\":\"1\"" },
		{ "\"type\":\"header\"", "\"type\":\"result\"" },
		{ "\"command\":\"bench\"", "\"command\":\"live\"" },
		{ "\"command\":\"bench\",", "" },
		{ "\"cpus_online\":2", "\"cpus_online\":-2" },
		{ "\"workers\":3", "\"workers\":0" },
		{ "\"workers\":3", "\"workers\":100000" },
		{ "\"workers\":3", "\"workers\":null" },
		{ "\"ops\":1000", "\"ops\":-1" },
		{ "\"ops\":1000", "\"ops\":1.5" },
		{ "\"elapsed_ns\":1001", "\"elapsed_ns\":null" },
		{ "\"unit\":\"set\"", "\"unit\":\"longer than a unit can ever be\"" },
		{ "\"unit\":\"set\"", "\"unit\":7" },
		{ "[\"leaf\",\"mid\"", "[\"leaf\",7" },
		{ "{\"type\":\"result\"", "{\"type\":\"result\",,}" },
		{ "\"type\":\"result\",", "" },
	};
	struct bench_report a = {}, b;
	char *text, *bad;

	(void)state;
	fill_report(&a);
	text = to_text(&a);
	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		bad = spoil(text, spoils[i][0], spoils[i][1]);
		assert_int_equal(from_text(bad, &b), -EBADMSG);
		bench_report_free(&b);
		free(bad);
	}
	free(text);
	bench_report_free(&a);
}

/* A line that was cut off anywhere is refused; no prefix crashes. */
static void test_cut(void **state)
{
	struct bench_report a = {}, b;
	char *text;

	(void)state;
	fill_report(&a);
	text = to_text(&a);
	for (size_t len = strlen(text) - 1; len > 0; len--) {
		bool whole = text[len] == '\n' || text[len - 1] == '\n';

		text[len] = '\0';
		assert_int_equal(from_text(text, &b), whole ? 0 : -EBADMSG);
		bench_report_free(&b);
	}
	free(text);
	bench_report_free(&a);
}

static void test_empty(void **state)
{
	struct bench_report r;
	FILE *f = fopen("/dev/null", "r");

	(void)state;
	assert_int_equal(bench_json_read(f, "test", &r), -ENODATA);
	fclose(f);
	bench_report_free(&r);
}

static void test_full_disk(void **state)
{
	struct bench_report r = {};
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(bench_json_header(f, &r), -ENOSPC);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_cut),        cmocka_unit_test(test_empty),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
