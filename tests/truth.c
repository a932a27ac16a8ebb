// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth - makes an exactly known number of percpu allocations, for tests that compare counts.
 *
 *	truth [--wait] [-w WORKERS] KIND N [M]
 *
 *	maps N M	creates and closes N BPF percpu array maps of M entries of 8 bytes
 *	hash N M	the same with percpu hash maps
 *	sizes N M	N percpu array maps of M entries each, with values of 8, 16, ... 8 * N bytes
 *	fork N		forks N children, which exit at once, and waits for each
 *	exec N		the same, but each child executes this program, which then exits
 *	thread N	creates N threads one after another and joins each
 *
 * With -w, that many processes do it at the same time, N times each. With --wait it prints
 * "ready PID" when all of them are there, and begins after a line on stdin. At the end it prints
 * one JSON object; done counts the operations of all workers.
 *
 * Percpu allocations between the line and the end, and no others:
 *	maps	N * M
 *	hash	N * (M + 1 for the free list + 1 for the element counter, Linux 6.6 and later)
 *	sizes	N * M
 *	fork	N births of an mm
 *	exec	2 * N births of an mm
 *	thread	what the mm's first thread adds: 1 from Linux 6.17 (private futex hash), and 1 where
 *		rss_stat becomes percpu at that moment
 */
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long count, entries, workers = 1;

static int map_op(enum bpf_map_type type, unsigned int value_size)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = 4;
	attr.value_size = value_size;
	attr.max_entries = entries;
	fd = syscall(__NR_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		return -errno;
	return close(fd) ? -errno : 0;
}

static int maps_op(void)
{
	return map_op(BPF_MAP_TYPE_PERCPU_ARRAY, 8);
}

static int hash_op(void)
{
	return map_op(BPF_MAP_TYPE_PERCPU_HASH, 8);
}

static int sizes_op(void)
{
	static unsigned int nr;

	return map_op(BPF_MAP_TYPE_PERCPU_ARRAY, 8 * ++nr);
}

static int child_op(int exec)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		if (exec)
			execl("/proc/self/exe", "truth", "--exit", NULL);
		_exit(exec);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return status ? -ECHILD : 0;
}

static int fork_op(void)
{
	return child_op(0);
}

static int exec_op(void)
{
	return child_op(1);
}

static void *idle(void *arg)
{
	return arg;
}

static int thread_op(void)
{
	pthread_t t;
	int err = pthread_create(&t, NULL, idle, NULL);

	return err ? -err : -pthread_join(t, NULL);
}

static const struct kind {
	const char *name;
	int (*op)(void);
	int sized; /* takes M */
} kinds[] = {
	{ "maps", maps_op, 1 }, { "hash", hash_op, 1 }, { "sizes", sizes_op, 1 },
	{ "fork", fork_op, 0 }, { "exec", exec_op, 0 }, { "thread", thread_op, 0 },
};

/* Before 5.11 maps count against RLIMIT_MEMLOCK. */
static void lift_memlock(void)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
}

static int repeat(const struct kind *k)
{
	int err = 0;

	for (long i = 0; i < count && !err; i++)
		err = k->op();
	if (err)
		fprintf(stderr, "truth: %s: %s\n", k->name, strerror(-err));
	return err ? 1 : 0;
}

/* The workers are there before "ready" and start when the pipe closes. */
static int fork_workers(const struct kind *k, int go[2])
{
	char c;

	if (pipe(go))
		return -errno;
	for (long i = 0; i < workers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -errno;
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(go[1]);
			_exit(read(go[0], &c, 1) ? 1 : repeat(k));
		}
	}
	return 0;
}

static int join_workers(void)
{
	int status, failed = 0;

	for (long i = 0; i < workers; i++)
		if (wait(&status) < 0 || status)
			failed = 1;
	return failed;
}

static int usage(void)
{
	fprintf(stderr, "usage: truth [--wait] [-w WORKERS] maps|hash|sizes N M\n"
			"       truth [--wait] [-w WORKERS] fork|exec|thread N\n");
	return 2;
}

static long number(const char *s)
{
	char *end;
	long n = s ? strtol(s, &end, 10) : 0;

	return s && !*end && n > 0 ? n : 0;
}

static const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (name && !strcmp(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

static int wait_line(void)
{
	char line[64];

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}

static int run(const struct kind *k, int wait_first)
{
	int go[2], failed;

	lift_memlock();

	if (workers > 1 && fork_workers(k, go)) {
		perror("truth: cannot start the workers");
		return 1;
	}
	if (wait_first && wait_line())
		return 1;
	if (workers > 1)
		close(go[1]);
	failed = workers > 1 ? join_workers() : repeat(k);
	if (failed)
		return 1;
	printf("{\"kind\":\"%s\",\"workers\":%ld,\"count\":%ld,\"entries\":%ld,\"done\":%ld,"
	       "\"pid\":%d}\n",
	       k->name, workers, count, entries, workers * count, (int)getpid());
	return 0;
}

int main(int argc, char **argv)
{
	const struct kind *k;
	int wait_first = 0;

	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	for (argv++; *argv && **argv == '-'; argv++) {
		if (!strcmp(*argv, "--wait"))
			wait_first = 1;
		else if (!strcmp(*argv, "-w") && (workers = number(argv[1])))
			argv++;
		else
			return usage();
	}
	k = kind_find(argv[0]);
	if (!k || !(count = number(argv[1])) || (k->sized && !(entries = number(argv[2]))) ||
	    argv[2 + k->sized])
		return usage();
	return run(k, wait_first);
}
