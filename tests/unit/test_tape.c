// SPDX-License-Identifier: GPL-2.0-only
#include "flame_fixture.h"
#include "golden.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "cgroups.h"
#include "tape.h"
#include "view.h"

#define NR_SNAPS 4

static char path[64], path_gz[80];

/* A process that runs until snapshot until, with a name that is no text. */
static void fixture_row(struct snap *s, u64 id, const char *comm, u64 scale, u64 until)
{
	struct row_key key = { .id = id };
	struct row_stat stat = { .allocs = 5 * scale,
				 .alloc_bytes = 80 * scale,
				 .w = { .waits = scale,
					.wait_ns = 70 * scale,
					.max_ns = 70,
					.max_iv = scale == 2 ? 70 : 0 } };

	memcpy(key.comm, comm, strnlen(comm, COMM_LEN));
	if (scale <= until) {
		assert_int_equal(snap_add_row(s, &key, &stat), 0);
		return;
	}
	s->row_other_allocs += 5 * until;
	s->row_other_bytes += 80 * until;
	s->row_other_waits += until;
	s->row_other_wait_ns += 70 * until;
}

/* Snapshot i of a run: everything that a recording can hold, some of it in one snapshot only. */
static void tape_snap(struct info *info, struct snap *s, u64 i)
{
	struct stack_key holder = { .kind = STACK_HOLDER,
				    .lock = LOCK_ALLOC_MUTEX,
				    .pid = 99,
				    .comm = "kworker/1:0",
				    .cgroup = 7 };
	struct wait_stat w = { .waits = i, .wait_ns = 1000 * i, .max_ns = 1000 };

	info->nr_owners = 0;
	fixture_snap(info, s, i);
	s->duration_ns = 0;
	s->busy_ns = i == 3 ? 100 : 1000 * i; /* the kernel's counter can step back */
	s->fails = i / 2;
	s->unfinished[LOCK_PCPU] = i == 2;
	s->mm = (struct mm_stat) { 11 * i, 10 * i, 900 * i, 22 * i, 0, 5, 3 * i, 8 * i, i };
	s->latency.count = 9 * i;
	s->latency.sum_ns = 9000 * i;
	s->latency.max_ns = 5000;
	s->latency.max_iv = i == 1 ? 5000 : 0;
	s->latency.hist.bucket[0] = s->latency.hist.bucket[HIST_BUCKETS - 1] = i;
	fixture_row(s, 1, "systemd", i, 99);
	fixture_row(s, 4321, "\xff\xfe;\"\n\\x", i, 2);
	fixture_row(s, i * 1000000007, "0123456789abcdef", i, 99);
	if (i > 1)
		snap_add_stack(s, &holder, &w);
	if (i == 3) /* larger than a JSON integer */
		s->locks[LOCK_COUNTERS].w.wait_ns = ~0ULL - 5;
	if (i > 3)
		s->locks[LOCK_COUNTERS].w.wait_ns = ~0ULL - 4;
	snap_sort(s);
}

static void tape_info(struct info *info)
{
	fixture_info(info);
	strcpy(info->host, "h\"\xc3<");
	info->cfg.row_by = ROW_PROCESS;
	info->cfg.holders = HOLDERS_OWNER;
	info->cfg.filter_cgroup_id = ~0ULL;
	info->cgroups = cgroups_new();
	cgroups_add(info->cgroups, 7, "/build \"7\"");
}

static void tape_free(struct info *info, struct snap *s)
{
	cgroups_free(info->cgroups);
	fixture_free(info, s);
}

static void record(const char *to, int snaps, bool finish)
{
	struct tape_out *out;
	struct info info;
	struct snap s = {};

	tape_info(&info);
	assert_int_equal(tape_create(&out, to, &info), 0);
	for (int i = 1; i <= snaps; i++) {
		if (i > 1)
			snap_free(&s);
		tape_snap(&info, &s, i);
		/* Learned while it ran. */
		if (i == 3)
			info.locks[LOCK_COUNTERS] = (struct lock_info) { 0xffffffff83125200ULL,
									 "learned" };
		assert_int_equal(tape_put(out, &info, &s), 0);
	}
	if (finish)
		assert_int_equal(tape_finish(out), 0);
	else
		exit(0); /* killed: what was flushed is all there is */
	tape_free(&info, &s);
}

static int setup(void **state)
{
	snprintf(path, sizeof(path), "/tmp/pcpustat-tape-%d", getpid());
	snprintf(path_gz, sizeof(path_gz), "%s.gz", path);
	record(path, NR_SNAPS, true);
	record(path_gz, NR_SNAPS, true);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	unlink(path_gz);
	return 0;
}

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
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->host, b->host);
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
	tape_close(t);
	snap_free(&got);
	tape_free(&info, &s);
}

static void round_trip(void **state)
{
	check_round_trip(path);
	check_round_trip(path_gz);
}

/* Private by default: kernel addresses and command names are in it. */
static void private_file(void **state)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(path_gz, &st), 0);
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
	assert_int_equal(tape_create(&out, path_gz, &info), 0);
	assert_int_equal(tape_put(out, &info, &s), 0);
	for (size_t i = 0; i < s.nr_rows; i++)
		s.rows[i].s.w.max_iv = 0;
	for (size_t i = 0; i < s.nr_stacks; i++)
		s.stacks[i].w.max_iv = 0;
	assert_int_equal(tape_put(out, &info, &s), 0);
	stat(path_gz, &before);
	for (int i = 0; i < 100; i++) {
		s.mono_ns += NSEC_PER_SEC + 12345;
		s.wall_ns += NSEC_PER_SEC + 12333;
		assert_int_equal(tape_put(out, &info, &s), 0);
	}
	stat(path_gz, &after);
	assert_int_equal(tape_finish(out), 0);
	assert_in_range(after.st_size - before.st_size, 100, 100 * 70);
	tape_free(&info, &s);
	record(path_gz, NR_SNAPS, true);
}

/* Opens bytes as a recording; tape_open_fd takes the descriptor over. */
static int open_bytes(struct tape **t, const char *data, size_t len, struct info *info)
{
	int fd = memfd_create("tape", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	lseek(fd, 0, SEEK_SET);
	return tape_open_fd(t, fd, "test", info);
}

/* How many snapshots bytes hold; -1 when they are refused. *damaged: no proper end. */
static int count_snaps(const char *data, size_t len, bool *damaged)
{
	struct info info;
	struct snap got = {}, prev = {}, delta = {};
	struct tape *t;
	int n = 0;

	*damaged = true;
	if (open_bytes(&t, data, len, &info))
		return -1;
	while (tape_next(t, &got) == 1) {
		struct tree_opts o = { .weight = WEIGHT_WAIT, .comm = true };
		struct tree tree;

		/* Whatever it says, everything behind it must hold. */
		assert_in_range(-snap_delta(&prev, &got, &delta), 0, ERANGE);
		if (!tree_build(&tree, &info, &got, &o))
			assert_true(tree.depth < 100);
		tree_free(&tree);
		snap_copy(&prev, &got);
		n++;
	}
	*damaged = tape_damage(t) != NULL;
	tape_close(t);
	snap_free(&got);
	snap_free(&prev);
	snap_free(&delta);
	return n;
}

static char *contents(const char *from, size_t *len)
{
	struct stat st;
	char *data = read_file(from, 1 << 24);

	assert_non_null(data);
	assert_int_equal(stat(from, &st), 0);
	*len = st.st_size;
	return data;
}

/* Hides the messages that a test provokes. */
static void quiet(bool on)
{
	static int old = -1;

	fflush(stderr);
	if (on && old < 0) {
		int null = open("/dev/null", O_WRONLY);

		old = dup(STDERR_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	} else if (!on && old >= 0) {
		dup2(old, STDERR_FILENO);
		close(old);
		old = -1;
	}
}

static int be_heard(void **state)
{
	quiet(false);
	return 0;
}

/* Cut anywhere: never more than was there, never less than was closed, and never called whole. */
static void cut_everywhere(const char *from, bool text)
{
	size_t len;
	char *data = contents(from, &len);
	int last = -1;
	bool damaged;

	for (size_t cut = 0; cut < len; cut++) {
		int n = count_snaps(data, cut, &damaged), closed = 0;

		assert_true(n >= last && n <= NR_SNAPS);
		assert_true(damaged);
		for (char *at = data; text && (at = memmem(at, data + cut - at, "\"snap\"", 6));
		     at++)
			closed += memchr(at, '\n', data + cut - at) != NULL;
		if (text && n >= 0)
			assert_int_equal(n, closed);
		last = n;
	}
	assert_int_equal(last, NR_SNAPS);
	assert_int_equal(count_snaps(data, len, &damaged), NR_SNAPS);
	assert_false(damaged);
	free(data);
}

static void cut_at_every_byte(void **state)
{
	quiet(true);
	cut_everywhere(path, true);
}

static void cut_at_every_byte_gz(void **state)
{
	quiet(true);
	cut_everywhere(path_gz, false);
}

/* The writer was killed without warning: all snapshots are there, and the file says it is cut. */
static void killed_writer(void **state)
{
	pid_t pid = fork();
	bool damaged;
	size_t len;
	char *data;

	if (!pid) {
		record(path_gz, 3, false);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	data = contents(path_gz, &len);
	assert_int_equal(count_snaps(data, len, &damaged), 3);
	assert_true(damaged);
	free(data);
	record(path_gz, NR_SNAPS, true);
}

static void hostile_lines(void **state)
{
	static const char *const lines[] = {
		"{}",
		"[]",
		"null",
		"nonsense",
		"{\"type\":7}",
		"{\"type\":\"snap\",\"mono_ns\":-1}",
		"{\"type\":\"snap\",\"mono_ns\":1}",
		"{\"type\":\"snap\",\"mono_ns\":1e9}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"waits\":0}}}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"hist\":[[128,1]]}}}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"hist\":[[1]]}}}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"hist\":7}}}",
		"{\"type\":\"snap\",\"lost\":{\"stack_table_full\":\"0xg\"}}",
		"{\"type\":\"snap\",\"frees\":\"0x10000000000000000\"}",
		"{\"type\":\"site\"}",
		"{\"type\":\"site\",\"ref\":77}",
		"{\"type\":\"site\",\"ref\":77,\"call_site\":\"0x1\",\"meta\":\"0x1\"}",
		"{\"type\":\"row\",\"ref\":77,\"id\":1,\"comm\":\"0123456789abcdefg\"}",
		"{\"type\":\"row\",\"ref\":77,\"id\":1,\"comm\":\"\\\\x4\"}",
		"{\"type\":\"row\",\"ref\":77,\"id\":1,\"comm\":\"a\\u0000b\"}",
		"{\"type\":\"row\",\"ref\":0,\"allocs\":1}",
		"{\"type\":\"stack\",\"ref\":77,\"lock\":\"x\",\"kind\":\"waiter\"}",
		"{\"type\":\"stack\",\"ref\":77,\"lock\":\"pcpu_lock\",\"kind\":\"waiter\","
		"\"comm\":\"\","
		"\"user\":0,\"cgroup\":0,\"pid\":0,\"stack\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
		"16,17,"
		"18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33]}",
		"{\"type\":\"stack\",\"ref\":77,\"lock\":\"pcpu_lock\",\"kind\":\"waiter\","
		"\"comm\":\"\","
		"\"user\":0,\"cgroup\":0,\"pid\":4294967296,\"stack\":[]}",
		"{\"type\":\"gone\",\"table\":\"row\",\"refs\":[12345]}",
		"{\"type\":\"gone\",\"table\":\"site\",\"refs\":[0]}",
		"{\"type\":\"gone\"}",
		"{\"type\":\"sym\",\"addr\":\"0x1\",\"size\":1}",
		"{\"type\":\"ustack\",\"id\":1,\"stack\":[1]}",
		"{\"type\":\"cgroup\",\"id\":1}",
		"{\"type\":\"lock\",\"name\":\"x\"}",
		"{\"type\":\"end\",\"snaps\":1}",
		"{\"type\":\"snap\",\"type\":\"snap\"}",
		"{\"type\":\"snap\"",
		"\xff\xfe",
		"{\"type\":\"\xff\"}",
		"",
	};
	size_t len;
	char *data = contents(path, &len), *end = memrchr(data, '{', len);

	/* In the place of the end record: all snapshots before it stand. */
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		size_t n = end - data;
		char *bad = malloc(n + strlen(lines[i]) + 1);
		bool damaged;

		memcpy(bad, data, n);
		memcpy(bad + n, lines[i], strlen(lines[i]));
		bad[n + strlen(lines[i])] = '\n';
		if (count_snaps(bad, n + strlen(lines[i]) + 1, &damaged) != NR_SNAPS || !damaged)
			unit_fail("taken: %s\n", lines[i]);
		free(bad);
	}
	free(data);
}

static void no_recording(void **state)
{
	static const char *const files[] = {
		"",
		"\n",
		"{}\n",
		"hello\n",
		"\x1f\x8b\x08",
		"{\"type\":\"header\",\"schema\":1}\n",
		"{\"type\":\"header\",\"format\":\"pcpustat-recording\",\"schema\":2}\n",
		"{\"type\":\"header\",\"format\":\"pcpustat-recording\",\"schema\":1}\n",
	};
	struct info info;
	struct tape *t;

	quiet(true);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_int_equal(open_bytes(&t, files[i], strlen(files[i]), &info), EXIT_RUNTIME);
	assert_int_equal(tape_open(&t, "/nonexistent/x", &info), EXIT_RUNTIME);
	assert_int_equal(tape_open(&t, "/tmp", &info), EXIT_RUNTIME);
}

/* A line that never ends must not take all memory. */
static void endless_line(void **state)
{
	size_t len, more = 64 << 20;
	char *data = contents(path, &len), *end = memrchr(data, '{', len);
	size_t n = end - data;
	struct rusage before, after;
	bool damaged;

	data = realloc(data, n + more);
	memset(data + n, 'x', more);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(count_snaps(data, n + more, &damaged), NR_SNAPS);
	getrusage(RUSAGE_SELF, &after);
	assert_true(damaged);
	assert_true(after.ru_maxrss - before.ru_maxrss < 16 << 10);
	free(data);
}

static void unwritable(void **state)
{
	struct tape_out *out;
	struct info info;
	struct snap s;

	quiet(true);
	tape_info(&info);
	tape_snap(&info, &s, 1);
	assert_int_equal(tape_create(&out, "/nonexistent/x", &info), EXIT_RUNTIME);
	assert_int_equal(tape_create(&out, "/dev/full", &info), EXIT_RUNTIME);
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
	assert_int_equal(tape_create(&out, path, &info), 0);
	assert_int_equal(tape_put(out, &info, &s), 0);
	stat(path, &st);
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
	data = contents(path, &len);
	assert_int_equal(count_snaps(data, len, &damaged), 1);
	assert_true(damaged);
	free(data);
	tape_free(&info, &s);
	record(path, NR_SNAPS, true);
}

/* The text that a person or jq sees. */
static void golden(void **state)
{
	size_t len;
	char *text = contents(path, &len), *lines;

	/* Without the header, which has our version in it. */
	golden_check("tape.jsonl", strchr(text, '\n') + 1);
	lines = output_of("python3 -c 'import sys, json; "
			  "print([json.loads(l)[\"type\"] for l in sys.stdin].count(\"snap\"))'",
			  text, len);
	assert_int_equal(atoi(lines), NR_SNAPS);
	free(lines);
	free(text);
}

static u64 random_u64(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What makes sense in this format, so that more than the JSON parser is met. */
static const char *const words[] = {
	"0x",
	"-1",
	"9223372036854775807",
	"99999999999999999999",
	"null",
	"{",
	"}",
	"[]",
	"[[",
	"\"",
	"\\x",
	"\\u0000",
	"\n",
	"\"ref\":0",
	"\"ref\":1",
	"\"type\":\"gone\"",
	"\"type\":\"stack\"",
	"\"type\":\"row\"",
	"\"type\":\"site\"",
	"\"stack\":[",
	"\"comm\":\"",
	"\"hist\":[[127,1]]",
	"\"waits\":",
	"\"allocs\":",
	"\xff",
	"\xc3",
	",",
	":",
};

static size_t mutate(char *buf, size_t len, size_t room, u64 *rng)
{
	int edits = 1 + random_u64(rng) % 4;

	while (edits--) {
		size_t at = random_u64(rng) % len, n, from;

		switch (random_u64(rng) % 5) {
		case 0:
			buf[at] ^= 1 << random_u64(rng) % 8;
			break;
		case 1: /* a word over what is there */
			n = random_u64(rng) % ARRAY_SIZE(words);
			memcpy(buf + at, words[n], min_u64(strlen(words[n]), len - at));
			break;
		case 2: /* a piece from elsewhere */
			from = random_u64(rng) % len;
			n = min_u64(random_u64(rng) % 200, len - (at > from ? at : from));
			memmove(buf + at, buf + from, n);
			break;
		case 3: /* a word in between */
			n = strlen(words[random_u64(rng) % ARRAY_SIZE(words)]);
			if (len + n > room)
				break;
			memmove(buf + at + n, buf + at, len - at);
			memcpy(buf + at, words[random_u64(rng) % ARRAY_SIZE(words)], 1);
			len += n;
			break;
		default: /* a piece cut out */
			n = min_u64(random_u64(rng) % 100, len - at - 1);
			memmove(buf + at, buf + at + n, len - at - n);
			len -= n;
		}
	}
	return len;
}

/* A fixed number of damaged recordings, the same ones each time. FUZZ_INPUTS makes it more. */
static void fuzz(void **state)
{
	const char *more = getenv("FUZZ_INPUTS");
	u64 rng = 88172645463325252ULL, inputs = more ? strtoull(more, NULL, 10) : 4000;
	size_t len, len_gz, room;
	char *data = contents(path, &len), *gz = contents(path_gz, &len_gz);
	char *buf;
	bool damaged;

	quiet(true);
	room = len + 4096;
	buf = malloc(room);
	for (u64 i = 0; i < inputs; i++) {
		bool compressed = i % 8 == 0;
		size_t n = compressed ? len_gz : len;
		int snaps;

		memcpy(buf, compressed ? gz : data, n);
		n = mutate(buf, n, room, &rng);
		snaps = count_snaps(buf, n, &damaged);
		assert_in_range(snaps + 1, 0, 64);
	}
	free(buf);
	free(data);
	free(gz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(round_trip, be_heard),
		cmocka_unit_test_teardown(private_file, be_heard),
		cmocka_unit_test_teardown(nothing_changed, be_heard),
		cmocka_unit_test_teardown(killed_writer, be_heard),
		cmocka_unit_test_teardown(hostile_lines, be_heard),
		cmocka_unit_test_teardown(golden, be_heard),
		cmocka_unit_test_teardown(no_recording, be_heard),
		cmocka_unit_test_teardown(endless_line, be_heard),
		cmocka_unit_test_teardown(unwritable, be_heard),
		cmocka_unit_test_teardown(disk_full, be_heard),
		cmocka_unit_test_teardown(cut_at_every_byte, be_heard),
		cmocka_unit_test_teardown(cut_at_every_byte_gz, be_heard),
		cmocka_unit_test_teardown(fuzz, be_heard),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
