// SPDX-License-Identifier: GPL-2.0-only
/* Recordings: what goes in comes out, and what happens when it cannot be written. */
#include "tape_fixture.h"
#include "text.h"
#include "golden.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static void same_snap(const struct snap *a, const struct snap *b)
{
	struct snap x = *a, y = *b;

	assert_int_equal(a->nr_sites, b->nr_sites);
	assert_int_equal(a->nr_rows, b->nr_rows);
	assert_int_equal(a->nr_stacks, b->nr_stacks);
	if (a->nr_sites)
		assert_memory_equal(a->sites, b->sites, a->nr_sites * sizeof(*a->sites));
	if (a->nr_rows)
		assert_memory_equal(a->rows, b->rows, a->nr_rows * sizeof(*a->rows));
	if (a->nr_stacks)
		assert_memory_equal(a->stacks, b->stacks, a->nr_stacks * sizeof(*a->stacks));
	x.sites = y.sites = NULL;
	x.rows = y.rows = NULL;
	x.stacks = y.stacks = NULL;
	x.cap_sites = y.cap_sites = x.cap_rows = y.cap_rows = x.cap_stacks = y.cap_stacks = 0;
	assert_memory_equal(&x, &y, sizeof(x));
}

static void same_host(const struct info *a, const struct info *b)
{
	char host[sizeof(a->host)];

	/* What a terminal or an SVG cannot take does not come back. */
	strcpy(host, a->host);
	text_clean(host);
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(host, b->host);
	assert_string_equal(a->rss_mode, b->rss_mode);
	assert_memory_equal(a->backend, b->backend, sizeof(a->backend));
	assert_memory_equal(&a->cfg, &b->cfg, sizeof(a->cfg));
	assert_int_equal(a->cpus_online, b->cpus_online);
	assert_int_equal(a->cpus_possible, b->cpus_possible);
	assert_int_equal(a->rss_allocs_per_mm, b->rss_allocs_per_mm);
	assert_int_equal(a->locks_split, b->locks_split);
	assert_int_equal(a->site_known, b->site_known);
	assert_int_equal(a->frees_known, b->frees_known);
	assert_int_equal(a->spin_observable, b->spin_observable);
	assert_int_equal(a->mm_derived, b->mm_derived);
}

/* The same pictures come out of both: names of frames, users and owners are all there. */
static void same_trees(const struct info *a, const struct info *b, const struct snap *s)
{
	const struct tree_opts opts[] = {
		{ .weight = WEIGHT_WAIT, .comm = true },
		{ .weight = WEIGHT_WAIT, .holders = true, .cgroup = true },
		{ .weight = WEIGHT_BYTES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		char *text[2];
		size_t len[2];

		for (int j = 0; j < 2; j++) {
			FILE *f = open_memstream(&text[j], &len[j]);
			struct tree t;

			assert_int_equal(tree_build(&t, j ? b : a, s, &opts[i]), 0);
			assert_int_equal(render_folded(f, &t), 0);
			fclose(f);
			tree_free(&t);
		}
		assert_string_equal(text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}

static void check_round_trip(const char *from)
{
	struct info info, back;
	struct snap s = {}, got = {};
	struct tape *t;

	tape_info(&info);
	assert_int_equal(tape_open(&t, from, &back), 0);
	same_host(&info, &back);
	assert_int_equal(back.locks[LOCK_COUNTERS].addr, 0);
	for (int i = 1; i <= NR_SNAPS; i++) {
		snap_free(&s);
		tape_snap(&info, &s, i);
		assert_int_equal(tape_next(t, &got), 1);
		same_snap(&s, &got);
		assert_int_equal(info.nr_owners, back.nr_owners);
		assert_memory_equal(info.owners, back.owners, info.nr_owners * sizeof(*info.owners));
		same_trees(&info, &back, &got);
	}
	assert_int_equal(tape_next(t, &got), 0);
	assert_null(tape_damage(t));
	assert_int_equal(back.locks[LOCK_COUNTERS].addr, 0xffffffff83125200ULL);
	assert_string_equal(back.locks[LOCK_COUNTERS].found_by, "learned");
	assert_string_equal(cgroups_path(back.cgroups, 7), "/build \"7\"");
	assert_string_equal(back.cgroup_mount, info.cgroup_mount);
	tape_close(t);
	snap_free(&got);
	tape_free(&info, &s);
}

static void round_trip(void **state)
{
	check_round_trip(tape_path);
	check_round_trip(tape_gz);
}

/* Private by default: kernel addresses and command names are in it. */
static void private_file(void **state)
{
	struct stat st;

	assert_int_equal(stat(tape_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(tape_gz, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* A snapshot in which nothing happened is a line of little more than its times. */
static void nothing_changed(void **state)
{
	struct tape_out *out;
	struct info info;
	struct snap s;
	struct stat before, after;

	tape_info(&info);
	tape_snap(&info, &s, 2);
	assert_int_equal(tape_create(&out, tape_gz), 0);
	assert_int_equal(tape_put(out, &info, &s), 0);
	for (size_t i = 0; i < s.nr_rows; i++)
		s.rows[i].s.w.max_iv = 0;
	for (size_t i = 0; i < s.nr_stacks; i++)
		s.stacks[i].w.max_iv = 0;
	assert_int_equal(tape_put(out, &info, &s), 0);
	stat(tape_gz, &before);
	for (int i = 0; i < 100; i++) {
		s.mono_ns += NSEC_PER_SEC + 12345;
		s.wall_ns += NSEC_PER_SEC + 12333;
		assert_int_equal(tape_put(out, &info, &s), 0);
	}
	stat(tape_gz, &after);
	assert_int_equal(tape_finish(out), 0);
	assert_in_range(after.st_size - before.st_size, 100, 100 * 70);
	tape_free(&info, &s);
	record(tape_gz, NR_SNAPS, true);
}

static void unwritable(void **state)
{
	struct tape_out *out;
	struct info info;
	struct snap s;

	quiet(true);
	tape_info(&info);
	tape_snap(&info, &s, 1);
	assert_int_equal(tape_create(&out, "/nonexistent/x"), EXIT_RUNTIME);
	assert_int_equal(tape_create(&out, "/dev/full"), 0);
	assert_int_equal(tape_put(out, &info, &s), EXIT_RUNTIME);
	assert_int_equal(tape_finish(out), EXIT_RUNTIME);
	/* A run that comes to nothing takes nothing away. */
	assert_int_equal(tape_create(&out, tape_gz), 0);
	assert_int_equal(tape_finish(out), 0);
	tape_free(&info, &s);
}

/* The disk fills up in the middle: an error once, and what was written before can be read. */
static void disk_full(void **state)
{
	struct rlimit old, small;
	struct tape_out *out;
	struct info info;
	struct snap s;
	struct stat st;
	bool damaged;
	size_t len;
	char *data;

	quiet(true);
	signal(SIGXFSZ, SIG_IGN);
	tape_info(&info);
	tape_snap(&info, &s, 1);
	assert_int_equal(tape_create(&out, tape_path), 0);
	assert_int_equal(tape_put(out, &info, &s), 0);
	stat(tape_path, &st);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = st.st_size + 100;
	setrlimit(RLIMIT_FSIZE, &small);
	snap_free(&s);
	tape_snap(&info, &s, 2);
	assert_int_equal(tape_put(out, &info, &s), EXIT_RUNTIME);
	assert_int_equal(tape_put(out, &info, &s), EXIT_RUNTIME);
	assert_int_equal(tape_finish(out), EXIT_RUNTIME);
	setrlimit(RLIMIT_FSIZE, &old);
	data = contents(tape_path, &len);
	assert_int_equal(count_snaps(data, len, &damaged), 1);
	assert_true(damaged);
	free(data);
	tape_free(&info, &s);
	record(tape_path, NR_SNAPS, true);
}

/* The text that a person or jq sees. */
static void golden(void **state)
{
	size_t len;
	char *text = contents(tape_path, &len), *lines;

	/* Without the header, which has our version in it. */
	golden_check("tape.jsonl", strchr(text, '\n') + 1);
	lines = output_of("python3 -c 'import sys, json; "
			  "print([json.loads(l)[\"type\"] for l in sys.stdin].count(\"snap\"))'",
			  text, len);
	assert_int_equal(atoi(lines), NR_SNAPS);
	free(lines);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(round_trip, be_heard),
		cmocka_unit_test_teardown(private_file, be_heard),
		cmocka_unit_test_teardown(nothing_changed, be_heard),
		cmocka_unit_test_teardown(golden, be_heard),
		cmocka_unit_test_teardown(unwritable, be_heard),
		cmocka_unit_test_teardown(disk_full, be_heard),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
