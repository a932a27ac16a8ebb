// SPDX-License-Identifier: GPL-2.0-only
/* The harness: counts, ends, failures, and that no process is left. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "unit.h"

#include "bench.h"

static u64 soon(void)
{
	return now_mono() + 20 * NSEC_PER_SEC;
}

static int op_nothing(struct worker *w)
{
	(void)w;
	return 0;
}

static int op_sleep(struct worker *w)
{
	(void)w;
	pause();
	return 0;
}

static int op_fail_at_3(struct worker *w)
{
	errno = ECANCELED;
	return w->slot->ops == 3 && w->idx == 1 ? worker_fail(w, "third") : 0;
}

static int op_die(struct worker *w)
{
	if (w->idx == 1)
		raise(SIGKILL);
	return op_sleep(w);
}

/* Leaves a child behind that would live on, and tells its pid. */
static int op_orphan(struct worker *w)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	w->slot->part_ns[0] = pid;
	w->slot->part_count[0] = 1;
	errno = EIO;
	return worker_fail(w, "orphan");
}

static int prepare_fails(struct worker *w)
{
	errno = ENOMEM;
	return worker_fail(w, "prepare");
}

static int start(struct bench **b, const struct workload *wl, unsigned int workers, u64 limit)
{
	struct bench_opts opts = { .wl = wl, .workers = workers, .ops_limit = limit };
	int err = bench_new(b, &opts);

	if (err)
		return err;
	assert_int_equal(bench_ops(*b), 0); /* none has begun */
	bench_start(*b);
	return bench_wait(*b, soon());
}

static void expect_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_counts(void **state)
{
	const struct workload wl = { .name = "t", .op = op_nothing };
	const struct workload threads = { .name = "t", .op = op_nothing, .threads = true };
	struct bench *b = NULL;

	(void)state;
	assert_int_equal(start(&b, &wl, 5, 100), 1);
	assert_int_equal(bench_ops(b), 500);
	bench_free(b);
	assert_int_equal(start(&b, &threads, 5, 100), 1);
	assert_int_equal(bench_ops(b), 500);
	bench_free(b);
	expect_no_children();
}

/* Every workload that needs no privileges, by count: each does as many as asked, and ends. */
static void test_all(void **state)
{
	(void)state;
	for (const struct workload *const *wl = workloads; *wl; wl++) {
		struct bench *b = NULL;

		if ((*wl)->drive || (*wl)->cost.plain)
			continue;
		assert_int_equal(start(&b, *wl, 3, 5), 1);
		assert_int_equal(bench_ops(b), 15);
		bench_free(b);
		expect_no_children();
	}
}

static void test_stop(void **state)
{
	const struct workload *const roles[] = { workloads[0], workloads[1], workloads[2] };
	struct bench_opts opts = { .workers = 2, .pin = true };
	struct bench *b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		opts.wl = roles[i];
		assert_int_equal(bench_new(&b, &opts), 0);
		bench_start(b);
		while (!bench_ops(b))
			assert_int_equal(bench_wait(b, now_mono() + NSEC_PER_SEC / 100), 0);
		bench_stop(b);
		assert_int_equal(bench_wait(b, soon()), 1);
		bench_free(b);
	}
	expect_no_children();
}

static void test_deadline_then_free(void **state)
{
	const struct workload wl = { .name = "t", .op = op_sleep };
	struct bench_opts opts = { .wl = &wl, .workers = 3 };
	struct bench *b;

	(void)state;
	assert_int_equal(bench_new(&b, &opts), 0);
	bench_start(b);
	assert_int_equal(bench_wait(b, now_mono() + NSEC_PER_SEC / 100), 0);
	bench_free(b); /* they do not listen to stop, but they end */
	expect_no_children();
}

static void test_failures(void **state)
{
	const struct workload fails = { .name = "t", .op = op_fail_at_3 };
	const struct workload threads = { .name = "t", .op = op_fail_at_3, .threads = true };
	const struct workload dies = { .name = "t", .op = op_die };
	const struct workload early = { .name = "t", .op = op_nothing, .prepare = prepare_fails };
	struct bench *b = NULL;

	(void)state;
	assert_int_equal(start(&b, &fails, 3, 1000000), -ECANCELED);
	bench_free(b);
	assert_int_equal(start(&b, &threads, 3, 1000), -ECANCELED);
	bench_free(b);
	assert_int_equal(start(&b, &dies, 2, 0), -ECHILD);
	bench_free(b);
	b = NULL;
	assert_int_equal(start(&b, &early, 2, 0), -ENOMEM);
	assert_null(b);
	expect_no_children();
}

static void test_orphans(void **state)
{
	const struct workload wl = { .name = "t", .op = op_orphan };
	struct bench *b = NULL;
	u64 pid, count;

	(void)state;
	assert_int_equal(start(&b, &wl, 1, 0), -EIO);
	bench_part(b, 0, &pid, &count);
	assert_int_equal(count, 1);
	bench_free(b);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	expect_no_children();
}

static void test_interrupt(void **state)
{
	const struct workload wl = { .name = "t", .op = op_nothing };
	struct bench_opts opts = { .wl = &wl, .workers = 2 };
	struct bench *b;
	sigset_t mask;

	(void)state;
	assert_int_equal(bench_new(&b, &opts), 0);
	bench_start(b);
	kill(getpid(), SIGINT); /* blocked, so it does not end us */
	assert_int_equal(bench_wait(b, soon()), -EINTR);
	bench_free(b);
	expect_no_children();
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGINT));
}

static void test_demo(void **state)
{
	int status;
	pid_t pid = bench_demo_load(1, NSEC_PER_SEC / 10);

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pid = bench_demo_load(1, 3600 * NSEC_PER_SEC);
	assert_true(pid > 0);
	usleep(50000);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	expect_no_children();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),    cmocka_unit_test(test_all),
		cmocka_unit_test(test_stop),      cmocka_unit_test(test_deadline_then_free),
		cmocka_unit_test(test_failures),  cmocka_unit_test(test_orphans),
		cmocka_unit_test(test_interrupt), cmocka_unit_test(test_demo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
