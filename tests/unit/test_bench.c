// SPDX-License-Identifier: GPL-2.0-only
/* What follows from rounds: metrics, truth, knee; comparison; the modules' lines; specs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "bench-compare.h"
#include "bench-module.h"
#include "bench-text.h"
#include "expect.h"

#define near(x, y) assert_true(fabs((x) - (y)) <= 1e-9 * fabs((double)(y)))

static struct bench_case *add_case(struct bench_report *r, const char *spec, u32 workers)
{
	struct bench_case *c = bench_add_case(r);

	assert_non_null(c);
	snprintf(c->spec, sizeof(c->spec), "%s", spec);
	snprintf(c->unit, sizeof(c->unit), "op");
	c->workers = workers;
	c->own_only = true;
	c->duration_ns = NSEC_PER_SEC;
	return c;
}

static struct bench_round *add_round(struct bench_case *c, bool traced, u64 ops)
{
	struct bench_round *r = bench_add_round(c);

	assert_non_null(r);
	r->traced = traced;
	r->ops = ops;
	r->elapsed_ns = NSEC_PER_SEC;
	if (traced) {
		r->allocs = 2 * ops;
		r->expected = 2 * ops;
		r->passes = ops;
	}
	return r;
}

static void test_metrics(void **state)
{
	struct bench_report report = {};
	struct bench_case *c = add_case(&report, "spawn", 4);
	struct bench_round *r = add_round(c, false, 1000);

	(void)state;
	r->cpu_ns = 5000000;
	r->part_ns[PART_FIRST_THREAD] = 900;
	r->part_count[PART_FIRST_THREAD] = 3;
	r = add_round(c, true, 500);
	r->wait_ns[LOCK_ALLOC_MUTEX] = 400000000;
	r->wait_ns[LOCK_PCPU] = 80000000;
	near(bench_summary(c, BM_OPS_PER_S).median, 1000);
	near(bench_summary(c, BM_OP_NS).median, 4e6);
	near(bench_summary(c, BM_LOOP_NS).median, 80e9);
	near(bench_summary(c, BM_CPU_NS).median, 5000);
	near(bench_summary(c, BM_FIRST_THREAD_NS).median, 300);
	near(bench_summary(c, BM_TRACED_OPS_PER_S).median, 500);
	near(bench_summary(c, BM_ALLOCS).median, 2);
	near(bench_summary(c, BM_PASSES).median, 1);
	near(bench_summary(c, BM_WAIT_NS).median, 960000);
	near(bench_summary(c, BM_WAIT_SHARE).median, 0.12);
	bench_report_free(&report);
}

/* Unmeasured is not zero. */
static void test_unmeasured(void **state)
{
	struct bench_report report = {};
	struct bench_case *c = add_case(&report, "fork", 1);
	double p;

	(void)state;
	add_round(c, false, 10);
	for (int id = BM_FIRST_THREAD_NS; id < NR_BENCH_METRICS; id++)
		assert_int_equal(bench_summary(c, id).n, 0);
	assert_true(isnan(bench_tracing_cost(c, &p)));
	add_round(c, true, 10);
	assert_int_equal(bench_summary(c, BM_WAIT_NS).n, 0);
	assert_int_equal(bench_summary(c, BM_WAIT_SHARE).n, 0);
	assert_int_equal(bench_summary(c, BM_ALLOC_NS).n, 0);
	assert_int_equal(bench_summary(c, BM_LOOP_NS).n, 0);
	add_round(c, true, 0);
	assert_int_equal(bench_summary(c, BM_ALLOCS).n, 1);
	bench_report_free(&report);
}

static void test_tracing_cost(void **state)
{
	struct bench_report report = {};
	struct bench_case *c = add_case(&report, "fork", 1);
	double p;

	(void)state;
	for (u64 i = 0; i < 5; i++) {
		add_round(c, false, 1000 + i);
		add_round(c, true, 900 + i);
	}
	near(bench_tracing_cost(c, &p), 1 - 902.0 / 1002);
	near(p, 2.0 / 252);
	bench_report_free(&report);
}

static void test_truth(void **state)
{
	struct bench_report report = {};
	struct bench_case *c = add_case(&report, "fork", 1);
	struct bench_round *r;
	s64 diff = 99;

	(void)state;
	add_round(c, false, 10);
	assert_int_equal(bench_check(c, &diff), TRUTH_UNKNOWN);
	add_round(c, true, 10);
	assert_int_equal(bench_check(c, &diff), TRUTH_HOLDS);
	assert_int_equal(diff, 0);
	r = add_round(c, true, 10);
	r->allocs++;
	assert_int_equal(bench_check(c, &diff), TRUTH_BROKEN);
	assert_int_equal(diff, 1);
	/* With other processes in the counts more is no mistake, less is. */
	c->own_only = false;
	assert_int_equal(bench_check(c, &diff), TRUTH_HOLDS);
	r->allocs -= 3;
	assert_int_equal(bench_check(c, &diff), TRUTH_BROKEN);
	assert_int_equal(diff, -2);
	r->expected = NOT_TOLD;
	assert_int_equal(bench_check(c, &diff), TRUTH_HOLDS);
	bench_report_free(&report);
}

static void test_knee(void **state)
{
	struct bench_report report = {};
	const u32 workers[] = { 8, 1, 4, 2 };
	const u64 shares[] = { 40, 0, 12, 10 }; /* percent */
	const struct bench_case *cases[4];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct bench_round *r = add_round(add_case(&report, "fork", workers[i]), true, 10);

		r->wait_ns[LOCK_ALLOC_MUTEX] = NSEC_PER_SEC / 100 * shares[i] * workers[i];
	}
	for (size_t i = 0; i < 4; i++)
		cases[i] = &report.cases[i];
	/* 10 % is not more than 10 %. */
	assert_int_equal(bench_knee(cases, 4)->workers, 4);
	assert_null(bench_knee(&cases[3], 1));
	assert_null(bench_knee(cases, 0));
	bench_report_free(&report);
}

static void test_stacks(void **state)
{
	struct bench_report report = {};
	struct bench_case *c = add_case(&report, "fork", 1);
	const char *frames[] = { "a;b", "a;c", "a;b", "a;d", "a;e" };
	const u64 wait[] = { 5, 7, 4, 1, 8 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct bench_stack s = { .lock = "l", .waits = 1, .wait_ns = wait[i] };

		strcpy(s.frames, frames[i]);
		assert_int_equal(bench_add_stack(c, &s), 0);
	}
	bench_top_stacks(c);
	assert_int_equal(c->nr_stacks, CASE_STACKS);
	assert_string_equal(c->stacks[0].frames, "a;b");
	assert_int_equal(c->stacks[0].wait_ns, 9);
	assert_int_equal(c->stacks[0].waits, 2);
	assert_string_equal(c->stacks[1].frames, "a;e");
	assert_string_equal(c->stacks[2].frames, "a;c");
	bench_report_free(&report);
}

static void fill(struct bench_report *r, const char *spec, u32 workers, u64 ops, u64 allocs)
{
	struct bench_case *c = add_case(r, spec, workers);

	r->cpus_online = 2;
	for (u64 i = 0; i < 5; i++) {
		add_round(c, false, ops + i);
		add_round(c, true, ops + i)->allocs = allocs * (ops + i);
	}
}

static void test_compare(void **state)
{
	struct bench_report a = {}, b = {};
	struct bench_comparison cmp = { .a = &a, .b = &b };

	(void)state;
	fill(&a, "exec", 2, 1000, 5);
	fill(&b, "exec", 2, 1200, 2);
	assert_int_equal(bench_compare(&cmp), 0);
	assert_int_equal(cmp.nr_pairs, 1);
	assert_string_equal(cmp.unlike, "");
	near(cmp.pairs[0].changes[BM_OPS_PER_S].change, 200.0 / 1002);
	assert_true(cmp.pairs[0].changes[BM_OPS_PER_S].significant);
	assert_string_equal(cmp.verdict,
			    "exec with 2 workers: the second does 20.0 % more operations "
			    "(p = 0.0079), with 2 percpu allocations per op instead of 5.");
	bench_comparison_free(&cmp);
	bench_report_free(&a);
	bench_report_free(&b);
}

static void test_compare_many(void **state)
{
	struct bench_report a = {}, b = {};
	struct bench_comparison cmp = { .a = &a, .b = &b };

	(void)state;
	fill(&a, "exec", 1, 1000, 2);
	fill(&a, "fork", 1, 1000, 2);
	fill(&a, "spawn", 1, 1000, 2);
	fill(&b, "spawn", 1, 1000, 2);
	fill(&b, "exec", 1, 1100, 2);
	fill(&b, "fork", 1, 900, 2);
	assert_int_equal(bench_compare(&cmp), 0);
	assert_int_equal(cmp.nr_pairs, 3);
	assert_string_equal(cmp.verdict,
			    "Of 3 cases the second does significantly more operations in 1 and "
			    "fewer in 1; the others show no significant difference.");
	bench_comparison_free(&cmp);
	bench_report_free(&a);
	bench_report_free(&b);
}

static void expect_unlike(struct bench_report *a, struct bench_report *b, bool unlike, size_t pairs)
{
	struct bench_comparison cmp = { .a = a, .b = b };

	assert_int_equal(bench_compare(&cmp), 0);
	assert_int_equal(*cmp.unlike != '\0', unlike);
	assert_int_equal(cmp.nr_pairs, pairs);
	bench_comparison_free(&cmp);
}

static void test_unlike(void **state)
{
	struct bench_report a = {}, b = {};

	(void)state;
	fill(&a, "exec", 2, 1000, 2);
	fill(&b, "exec", 2, 1000, 2);
	expect_unlike(&a, &b, false, 1);
	b.cpus_online = 4;
	expect_unlike(&a, &b, true, 1);
	b.cpus_online = 2;
	b.cases[0].pinned = true;
	expect_unlike(&a, &b, true, 1);
	b.cases[0].pinned = false;
	b.cases[0].workers = 3;
	expect_unlike(&a, &b, true, 0);
	b.cases[0].workers = 2;
	fill(&b, "fork", 2, 1000, 2);
	expect_unlike(&a, &b, true, 1);
	bench_report_free(&a);
	bench_report_free(&b);
}

static void test_stack_change(void **state)
{
	struct bench_report a = {}, b = {};
	struct bench_comparison cmp = { .a = &a, .b = &b };
	struct bench_stack s = { .lock = "l", .frames = "x;y", .waits = 1, .wait_ns = 5000 };

	(void)state;
	fill(&a, "exec", 2, 1000, 2);
	fill(&b, "exec", 2, 1000, 2);
	assert_int_equal(bench_add_stack(&a.cases[0], &s), 0);
	s.wait_ns = 15000;
	assert_int_equal(bench_add_stack(&b.cases[0], &s), 0);
	assert_int_equal(bench_compare(&cmp), 0);
	near(bench_stack_change(&cmp.pairs[0], &s), 3);
	strcpy(s.frames, "x;z");
	assert_true(isnan(bench_stack_change(&cmp.pairs[0], &s)));
	bench_comparison_free(&cmp);
	bench_report_free(&a);
	bench_report_free(&b);
}

static void test_flood_line(void **state)
{
	struct drive d = {};

	(void)state;
	assert_int_equal(flood_line("something else", &d), 0);
	assert_int_equal(flood_line("pcpu_flood: path=grouped nthreads=4", &d), -EBADMSG);
	assert_int_equal(flood_line("pcpu_flood: path=individual nthreads=4 alloc_num=1000 "
				    "loops=10 no_batch=0 sets=40000 failed=0 mutex_passes=160000 "
				    "total_ns=123456789 set_ns=3086",
				    &d),
			 1);
	assert_int_equal(d.ops, 40000);
	assert_int_equal(d.passes, 160000);
	assert_int_equal(d.elapsed_ns, 123456789);
	assert_int_equal(flood_line("pcpu_flood: path=individual nthreads=4 alloc_num=1000 "
				    "loops=10 no_batch=0 sets=39999 failed=1 mutex_passes=160000 "
				    "total_ns=123456789 set_ns=3086",
				    &d),
			 -ENOMEM);
}

static const char params_line[] = "rcu-scale:--- kfree_rcu_test: kfree_mult=1 "
				  "kfree_by_call_rcu=0 kfree_nthreads=2 kfree_alloc_num=800 "
				  "kfree_loops=10 kfree_rcu_test_double=0";

static void test_kfree_line(void **state)
{
	struct drive d = { .workers = 2, .grace_periods = NOT_TOLD, .footprint_bytes = NOT_TOLD };

	(void)state;
	assert_int_equal(kfree_line(params_line, &d), 0);
	assert_int_equal(kfree_line("Total time taken by all kfree'ers: 5000 ns, loops: 10, "
				    "batches: 7, memory footprint: 3MB",
				    &d),
			 1);
	assert_int_equal(d.ops, 16000);
	assert_int_equal(d.elapsed_ns, 5000);
	assert_int_equal(d.grace_periods, 7);
	assert_int_equal(d.footprint_bytes, 3 << 20);
	/* Before the footprint was told (5.6) it is unknown, not 0. */
	d = (struct drive) { .workers = 1, .footprint_bytes = NOT_TOLD };
	assert_int_equal(kfree_line(params_line, &d), 0);
	assert_int_equal(
		kfree_line("Total time taken by all kfree'ers: 5000 ns, loops: 10, batches: 7", &d),
		1);
	assert_true(d.footprint_bytes == NOT_TOLD);
	assert_int_equal(kfree_line("CONFIG_RCU_LAZY is disabled, falling back to kfree_rcu() for "
				    "delayed RCU kfree'ing",
				    &d),
			 -EOPNOTSUPP);
	d.ops = 0;
	assert_int_equal(
		kfree_line("Total time taken by all kfree'ers: 5 ns, loops: 1, batches: 7", &d),
		-EBADMSG);
}

static void test_module_params(void **state)
{
	struct module_run run = { .params = "a=1" };
	char file[16];

	(void)state;
	assert_int_equal(module_params(&run, "b=2,module=/x.ko,,c=3", file, sizeof(file)), 0);
	assert_string_equal(run.params, "a=1 b=2 c=3");
	assert_string_equal(file, "/x.ko");
	assert_int_equal(module_params(&run, "", file, sizeof(file)), 0);
	assert_string_equal(file, "");
	assert_int_equal(module_params(&run, "b", file, sizeof(file)), EXIT_USAGE);
	assert_int_equal(module_params(&run, "b=1 c=2", file, sizeof(file)), EXIT_USAGE);
}

static void test_find(void **state)
{
	const char *args;

	(void)state;
	for (const struct workload *const *w = workloads; *w; w++)
		assert_ptr_equal(workload_find((*w)->name, &args), *w);
	assert_string_equal(workload_find("flood:path=grouped", &args)->name, "flood");
	assert_string_equal(args, "path=grouped");
	assert_null(workload_find("exec:x=1", &args));
	assert_null(workload_find("execx", &args));
	assert_null(workload_find("exe", &args));
	assert_null(workload_find("", &args));
}

static void test_expect(void **state)
{
	const struct alloc_facts grouped = { 3, 1 }, none = { 0, 1 }, unknown = { -1, -1 };
	const struct op_cost fork = { .mms = 2 }, map = { .plain = 64 };
	const struct op_cost thread = { .mms = 1, .first_threads = 1 };

	(void)state;
	assert_int_equal(expect_allocs(&fork, &grouped), 6);
	assert_int_equal(expect_allocs(&thread, &grouped), 4);
	assert_int_equal(expect_allocs(&thread, &none), 1);
	assert_int_equal(expect_allocs(&fork, &unknown), -1);
	assert_int_equal(expect_allocs(&thread, &unknown), -1);
	assert_int_equal(expect_allocs(&map, &unknown), 64);
}

static void expect_format(enum bench_metric_id id, double v, const char *text)
{
	char buf[32];

	bench_format(&bench_metrics[id], v, buf, sizeof(buf));
	assert_string_equal(buf, text);
}

static void test_format(void **state)
{
	(void)state;
	expect_format(BM_OPS_PER_S, 1234567, "1,234,567/s");
	expect_format(BM_OPS_PER_S, 999, "999/s");
	expect_format(BM_OPS_PER_S, 0, "0/s");
	expect_format(BM_OP_NS, 1500, "1.5us");
	expect_format(BM_WAIT_SHARE, 0.1234, "12.3 %");
	expect_format(BM_ALLOCS, 2, "2");
	expect_format(BM_ALLOCS, NAN, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),       cmocka_unit_test(test_unmeasured),
		cmocka_unit_test(test_tracing_cost),  cmocka_unit_test(test_truth),
		cmocka_unit_test(test_knee),          cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_compare),       cmocka_unit_test(test_compare_many),
		cmocka_unit_test(test_unlike),        cmocka_unit_test(test_stack_change),
		cmocka_unit_test(test_flood_line),    cmocka_unit_test(test_kfree_line),
		cmocka_unit_test(test_module_params), cmocka_unit_test(test_find),
		cmocka_unit_test(test_expect),        cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
