// SPDX-License-Identifier: GPL-2.0-only
/*
 * rssload - processes whose memory is known to the page, for the tests of pcpustat rss.
 *
 *	rssload rest		holds anonymous, file and shared pages and waits
 *	rssload hop		hops over all CPUs while it maps and unmaps, and waits: its RSS is
 *				then too low by a number of bytes that it prints
 *	rssload fleet N		N idle children
 *	rssload threads N	N idle threads beside the first
 *	rssload shared		a child with CLONE_VM and without CLONE_THREAD, idle
 *	rssload headless	a thread whose group leader has exited, idle
 *	rssload forks N		N forks, one after the other (no waiting)
 *	rssload pthreads N	N processes that make a thread, one after the other (no waiting)
 *	rssload vhost N		N processes that get a worker from vhost, likewise
 *
 * What waits prints "ready PID NUMBER" and ends when its stdin does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/vhost.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long page;

static void die(const char *what)
{
	fprintf(stderr, "rssload: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The only words on stdout; stdio must not allocate later. */
static int wait_here(pid_t pid, long number)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "ready %d %ld\n", pid, number);

	if (write(STDOUT_FILENO, line, n) != n)
		die("stdout");
	while (read(STDIN_FILENO, line, sizeof(line)) > 0)
		;
	return 0;
}

static char *map(size_t pages, int flags, int fd)
{
	char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		die("mmap");
	/* A huge page would be one fault and 512 pages. */
	madvise(p, pages * page, MADV_NOHUGEPAGE);
	return p;
}

static void touch(char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		*(volatile char *)(p + i * page) = 1;
}

static int rest(void)
{
	FILE *f = tmpfile();

	touch(map(100, MAP_PRIVATE | MAP_ANONYMOUS, -1), 100);
	touch(map(30, MAP_SHARED | MAP_ANONYMOUS, -1), 30);
	if (!f || ftruncate(fileno(f), 50 * page))
		die("file");
	touch(map(50, MAP_SHARED, fileno(f)), 50);
	return wait_here(getpid(), 0);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

#define HUGE (2UL << 20)

static struct rusage usage(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u))
		die("getrusage");
	return u;
}

/* Maps and unmaps one huge page; false when the kernel gave small ones. */
static bool huge(char *p)
{
	long before, after;

	p = (char *)(((unsigned long)p + HUGE - 1) & ~(HUGE - 1));
	madvise(p, HUGE, MADV_HUGEPAGE);
	before = usage().ru_minflt;
	touch(p, HUGE / page);
	after = usage().ru_minflt;
	if (madvise(p, HUGE, MADV_DONTNEED))
		die("madvise");
	return after - before == 1;
}

/*
 * The same with two batches of small pages: one page table's pages are one update (mm/memory.c
 * zap_pte_range) unless the scheduler wants the CPU meanwhile. Of all tasks it is least likely to
 * take it from one in SCHED_FIFO.
 */
static void small(char *p, size_t batch)
{
	const struct sched_param fifo = { .sched_priority = 99 }, other = {};
	struct rusage before, after;

	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		die("sched_setscheduler");
	do {
		before = usage();
		touch(p, 2 * batch);
		if (madvise(p, 2 * batch * page, MADV_DONTNEED))
			die("madvise");
		after = usage();
	} while (before.ru_nvcsw != after.ru_nvcsw || before.ru_nivcsw != after.ru_nivcsw);
	if (sched_setscheduler(0, SCHED_OTHER, &other))
		die("sched_setscheduler");
}

/*
 * lib/percpu_counter.c: an update that takes a CPU's slot to the batch or beyond folds it into
 * the count and leaves zero. A huge page is one update of 512, whatever was there.
 */
static void zero_slots(int cpus, size_t batch)
{
	char *p = map(2 * batch, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	char *q = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (q == MAP_FAILED)
		die("mmap");
	for (int cpu = 0; cpu < cpus; cpu++) {
		run_on(cpu);
		if (!huge(q))
			small(p, batch);
	}
}

/*
 * On each CPU, KEEP + GONE pages are mapped, and on the next one GONE of them unmapped: every
 * slot holds KEEP, which the approximate value does not have.
 */
static int hop(void)
{
	const size_t keep = 13, gone = 7;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t batch = cpus > 16 ? 2 * cpus : 32;
	char *p = map(cpus * (keep + gone), MAP_PRIVATE | MAP_ANONYMOUS, -1);

	/* One page table for all, made before it counts, and what the end needs. */
	touch(p, 1);
	madvise(p, page, MADV_DONTNEED);
	zero_slots(cpus, batch);
	for (int cpu = 0; cpu < cpus; cpu++) {
		run_on(cpu);
		touch(p + cpu * (keep + gone) * page, keep + gone);
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		run_on((cpu + 1) % cpus);
		madvise(p + (cpu * (keep + gone) + keep) * page, gone * page, MADV_DONTNEED);
	}
	return wait_here(getpid(), keep * cpus * page);
}

static int idle(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static int fleet(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return idle(NULL);
		}
	}
	return wait_here(getpid(), n);
}

static void *idle_thread(void *arg)
{
	idle(arg);
	return NULL;
}

static void start_thread(void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	if (pthread_create(&t, &attr, fn, NULL))
		die("pthread_create");
}

static int threads(long n)
{
	for (long i = 0; i < n; i++)
		start_thread(idle_thread);
	return wait_here(getpid(), n + 1);
}

static int shared_child(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return idle(arg);
}

static int shared(void)
{
	static char stack[16384] __attribute__((aligned(16)));
	int pid = clone(shared_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (pid < 0)
		die("clone");
	wait_here(getpid(), pid);
	return kill(pid, SIGKILL);
}

static void *survivor(void *arg)
{
	(void)arg;
	/* The leader has exited when it is the one zombie of the group. */
	while (syscall(SYS_tgkill, getpid(), getpid(), 0) == 0) {
		char state = 0;
		FILE *f = fopen("/proc/self/stat", "re");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			die("/proc/self/stat");
		fclose(f);
		if (state == 'Z')
			break;
	}
	wait_here(getpid(), 1);
	_exit(0);
}

static int headless(void)
{
	start_thread(survivor);
	syscall(SYS_exit, 0);
	return 1;
}

static void *nothing(void *arg)
{
	return arg;
}

static int nobody(void)
{
	return 0;
}

static int pthread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL);
}

/* drivers/vhost/vhost.c: the owner's mm gets a thread of the kernel's, which runs until the close. */
static int vhost(void)
{
	int fd = open("/dev/vhost-net", O_RDWR | O_CLOEXEC);

	return fd < 0 || ioctl(fd, VHOST_SET_OWNER) || close(fd);
}

static int many(long n, int (*child)(void))
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			die("fork");
		if (!pid)
			_exit(child());
		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		if (status) {
			fprintf(stderr, "rssload: a child failed\n");
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1;

	page = sysconf(_SC_PAGESIZE);
	if (!strcmp(what, "rest"))
		return rest();
	if (!strcmp(what, "hop"))
		return hop();
	if (!strcmp(what, "fleet"))
		return fleet(n);
	if (!strcmp(what, "threads"))
		return threads(n);
	if (!strcmp(what, "shared"))
		return shared();
	if (!strcmp(what, "headless"))
		return headless();
	if (!strcmp(what, "forks"))
		return many(n, nobody);
	if (!strcmp(what, "pthreads"))
		return many(n, pthread);
	if (!strcmp(what, "vhost"))
		return many(n, vhost);
	fprintf(stderr,
		"usage: rssload rest|hop|fleet|threads|shared|headless|forks|pthreads|vhost [N]\n");
	return 2;
}
