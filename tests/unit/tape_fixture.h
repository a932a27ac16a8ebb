/* SPDX-License-Identifier: GPL-2.0-only */
/* A small run with everything in it that a recording can hold, and such recordings as files. */
#ifndef PCPUSTAT_TAPE_FIXTURE_H
#define PCPUSTAT_TAPE_FIXTURE_H

#include "flame_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cgroups.h"
#include "tape.h"

#define NR_SNAPS 4

static char tape_path[64], tape_gz[80];

/* A process that runs until snapshot until, with a name that is no text. */
static inline void fixture_row(struct snap *s, u64 id, const char *comm, u64 scale, u64 until)
{
	struct row_key key = { .id = id };
	struct row_stat stat = { .allocs = 5 * scale,
				 .alloc_bytes = 80 * scale,
				 .w = { .waits = scale,
					.wait_ns = 70 * scale,
					.max_ns = 70,
					.max_iv = scale == 2 ? 70 : 0 } };

	fixture_comm(key.comm, comm);
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
static inline void tape_snap(struct info *info, struct snap *s, u64 i)
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
	if (i == 3) /* the largest that a counter can be */
		s->locks[LOCK_COUNTERS].w.wait_ns = INT64_MAX - 5;
	if (i > 3)
		s->locks[LOCK_COUNTERS].w.wait_ns = INT64_MAX - 4;
	snap_sort(s);
}

static inline void tape_info(struct info *info)
{
	fixture_info(info);
	strcpy(info->host, "h\"\xc3<");
	info->cfg.row_by = ROW_PROCESS;
	info->cfg.holders = HOLDERS_OWNER;
	info->cfg.filter_cgroup_id = ~0ULL;
	strcpy(info->cgroup_mount, "/sys/fs/cgroup/memory");
	info->cgroups = cgroups_new();
	cgroups_add(info->cgroups, 7, "/build \"7\"");
}

static inline void tape_free(struct info *info, struct snap *s)
{
	cgroups_free(info->cgroups);
	fixture_free(info, s);
}

static inline void record(const char *to, int snaps, bool finish)
{
	struct tape_out *out;
	struct info info;
	struct snap s = {};

	tape_info(&info);
	assert_int_equal(tape_create(&out, to), 0);
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

static inline int setup(void **state)
{
	snprintf(tape_path, sizeof(tape_path), "/tmp/pcpustat-tape-%d", getpid());
	snprintf(tape_gz, sizeof(tape_gz), "%s.gz", tape_path);
	record(tape_path, NR_SNAPS, true);
	record(tape_gz, NR_SNAPS, true);
	return 0;
}

static inline int teardown(void **state)
{
	unlink(tape_path);
	unlink(tape_gz);
	return 0;
}

/* Opens bytes as a recording; tape_open_fd takes the descriptor over. */
static inline int open_bytes(struct tape **t, const char *data, size_t len, struct info *info)
{
	int fd = memfd_create("tape", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	lseek(fd, 0, SEEK_SET);
	return tape_open_fd(t, fd, "test", info);
}

/* How many snapshots bytes hold; -1 when they are refused. *damaged: no proper end. */
static inline int count_snaps(const char *data, size_t len, bool *damaged)
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

static inline char *contents(const char *from, size_t *len)
{
	struct stat st;
	char *data = read_file(from, 1 << 24);

	assert_non_null(data);
	assert_int_equal(stat(from, &st), 0);
	*len = st.st_size;
	return data;
}

/* Hides the messages that a test provokes. */
static inline void quiet(bool on)
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

static inline int be_heard(void **state)
{
	quiet(false);
	return 0;
}

#endif
