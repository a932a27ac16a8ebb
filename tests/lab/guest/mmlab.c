// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmlab - do things that make, switch and drop mms, and say what the kernel did meanwhile.
 *
 *   mmlab run WORK N      do WORK N times; print how often it was done, and how often it failed
 *   mmlab count WORK N    the same, then each kind of percpu allocation that this process and its
 *                         children made: "alloc SITE SIZE ALIGN is_atomic GFP TIMES"
 *   mmlab rss             the kernel's RSS is right to the page, without and with a second thread
 *   mmlab storm SECONDS   everything at once, in as many processes as CPUs; print what was done
 *
 * It calls clone itself: libc hides the error of a failed thread, and allocates for a good one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing/"
#define PAGE    4096L
#define THREAD  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "mmlab: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Threads share the caller's TLS, so what they run must not touch errno. */
struct thread {
	char stack[16 * 1024] __attribute__((aligned(16)));
	int tid;         /* the kernel clears it when the thread is gone */
	volatile int go; /* what a waiting thread waits for */
};

static int thread_ends(void *arg)
{
	(void)arg;
	return 0;
}

static int thread_waits(void *arg)
{
	struct thread *t = arg;

	while (!t->go)
		syscall(SYS_futex, &t->go, FUTEX_WAIT, 0, NULL);
	return 0;
}

static int thread_start(struct thread *t, int (*body)(void *))
{
	t->tid = 1;
	t->go = 0;
	return clone(body, t->stack + sizeof(t->stack), THREAD | CLONE_CHILD_CLEARTID, t, NULL,
		     NULL, &t->tid) < 0
		       ? -errno
		       : 0;
}

static void thread_join(struct thread *t)
{
	int tid;

	t->go = 1;
	syscall(SYS_futex, &t->go, FUTEX_WAKE, 1);
	while ((tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE)))
		syscall(SYS_futex, &t->tid, FUTEX_WAIT, tid, NULL);
}

static int reap(pid_t pid)
{
	int status;

	if (pid < 0)
		return -errno;
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int do_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return reap(pid);
}

static int do_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	return reap(pid);
}

/* Shares the mm without being a thread. */
static int do_clonevm(void)
{
	static struct thread t;

	return reap(clone(thread_ends, t.stack + sizeof(t.stack), CLONE_VM | SIGCHLD, &t));
}

static int do_exec(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/proc/self/exe", "mmlab", "true", NULL);
		_exit(errno);
	}
	return reap(pid);
}

static int do_thread(void)
{
	static struct thread t;
	int err = thread_start(&t, thread_ends);

	if (!err)
		thread_join(&t);
	return err;
}

/* Two threads at once, the second one while the first is there. */
static int do_threads(void)
{
	static struct thread one, two;
	int err = thread_start(&one, thread_waits);

	if (err)
		return err;
	err = thread_start(&two, thread_ends);
	if (!err)
		thread_join(&two);
	thread_join(&one);
	return err;
}

static int in_child(int (*what)(void))
{
	pid_t pid = fork();

	if (!pid)
		_exit(-what());
	return reap(pid);
}

static int do_process(void)
{
	return in_child(do_thread);
}

static int do_process2(void)
{
	return in_child(do_threads);
}

static int uring_nop(void)
{
	struct io_uring_params p = { 0 };
	int fd = syscall(SYS_io_uring_setup, 1, &p);
	struct io_uring_sqe *sqe;
	uint32_t *ring;

	if (fd < 0)
		return errno;
	ring = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqe == MAP_FAILED)
		return errno;
	sqe->opcode = IORING_OP_NOP;
	sqe->flags = IOSQE_ASYNC;
	ring[p.sq_off.array / 4] = 0;
	__atomic_store_n(&ring[p.sq_off.tail / 4], 1, __ATOMIC_RELEASE);
	return syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1 ? 0
											   : errno;
}

/* An asynchronous request is handed to a worker of the kernel, which is a thread of the process. */
static int do_iouring(void)
{
	pid_t pid = fork();

	if (!pid) {
		_exit(uring_nop());
	}
	return reap(pid);
}

static const struct work {
	const char *name;
	int (*once)(void);
} works[] = {
	{ "fork", do_fork },       { "vfork", do_vfork },       { "clonevm", do_clonevm },
	{ "exec", do_exec },       { "thread", do_thread },     { "threads", do_threads },
	{ "process", do_process }, { "process2", do_process2 }, { "iouring", do_iouring },
};

#define WORKS (sizeof(works) / sizeof(*works))

static const struct work *work_named(const char *name)
{
	for (size_t i = 0; i < WORKS; i++)
		if (!strcmp(works[i].name, name))
			return &works[i];
	fprintf(stderr, "mmlab: no work '%s'\n", name);
	exit(2);
}

static void repeat(const struct work *w, int n)
{
	int done = 0, nomem = 0;

	while (n--) {
		int err = w->once();

		if (!err)
			done++;
		else if (err == -ENOMEM)
			nomem++;
		else
			errno = -err, die(w->name);
	}
	printf("%s done %d enomem %d\n", w->name, done, nomem);
}

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(file);
	close(fd);
}

static void trace_begin(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	put(TRACEFS "tracing_on", "0");
	put(TRACEFS "buffer_size_kb", "8192");
	put(TRACEFS "options/event-fork", "1");
	put(TRACEFS "set_event_pid", pid);
	put(TRACEFS "trace", "");
	put(TRACEFS "events/percpu/percpu_alloc_percpu/enable", "1");
	put(TRACEFS "tracing_on", "1");
}

struct kind {
	char text[200];
	int times;
};

static void count_kind(struct kind *kinds, const char *text)
{
	while (kinds->times && strcmp(kinds->text, text))
		kinds++;
	snprintf(kinds->text, sizeof(kinds->text), "%s", text);
	kinds->times++;
}

static void trace_end(void)
{
	static struct kind kinds[64];
	char line[1024], site[64], gfp[96], text[200];
	unsigned long size, align;
	int atomic;
	FILE *f;

	put(TRACEFS "tracing_on", "0");
	put(TRACEFS "events/percpu/percpu_alloc_percpu/enable", "0");
	put(TRACEFS "set_event_pid", "");
	f = fopen(TRACEFS "trace", "r");
	if (!f)
		die("trace");
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "call_site="), *flags = strstr(line, "gfp_flags=");

		if (!at || !flags || sscanf(flags, "gfp_flags=%95s", gfp) != 1 ||
		    sscanf(at, "call_site=%63[^+]+%*s reserved=%*d is_atomic=%d size=%lu align=%lu",
			   site, &atomic, &size, &align) != 4)
			continue;
		snprintf(text, sizeof(text), "%s %lu %lu %d %s", site, size, align, atomic, gfp);
		count_kind(kinds, text);
	}
	fclose(f);
	for (struct kind *k = kinds; k->times; k++)
		printf("alloc %s %d\n", k->text, k->times);
}

/* Reading must not change what is read: one buffer, touched before. */
static char text[64 * 1024];

static void slurp(const char *file)
{
	int fd = open(file, O_RDONLY);
	ssize_t n, all = 0;

	while (fd >= 0 && (n = read(fd, text + all, sizeof(text) - 1 - all)) > 0)
		all += n;
	if (fd < 0 || n < 0)
		die(file);
	text[all] = 0;
	close(fd);
}

static long field(const char *name)
{
	char *at = strstr(text, name);

	if (!at)
		die(name);
	return strtol(at + strlen(name), NULL, 10) / (PAGE / 1024);
}

struct rss {
	long all, anon, file, shmem, swap;
};

static struct rss rss_now(void)
{
	slurp("/proc/self/status");
	return (struct rss) { field("VmRSS:"), field("RssAnon:"), field("RssFile:"),
			      field("RssShmem:"), field("VmSwap:") };
}

static int wrong;

static void expect(const char *when, const char *what, long is, long want)
{
	if (is == want)
		return;
	printf("%s: %s is %ld pages, not %ld\n", when, what, is, want);
	wrong = 1;
}

/* Both views of the page tables, at rest. */
static void agree(const char *when)
{
	struct rss r = rss_now();
	long resident;

	slurp("/proc/self/statm");
	sscanf(text, "%*d %ld", &resident);
	expect(when, "statm", resident, r.all);
	slurp("/proc/self/smaps_rollup");
	expect(when, "VmRSS against smaps", r.all, field("\nRss:"));
	expect(when, "VmSwap against smaps", r.swap, field("\nSwap:"));
	printf("%s: %ld pages = %ld anon + %ld file + %ld shmem; %ld in swap\n", when, r.all,
	       r.anon, r.file, r.shmem, r.swap);
}

static char *map(long pages, int flags, int fd)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	return p;
}

/* From every CPU a part, so that each CPU's share of the counters is in use. */
static void touch(char *p, long pages)
{
	cpu_set_t all, one;
	int cpus = 0;

	sched_getaffinity(0, sizeof(all), &all);
	cpus = CPU_COUNT(&all);
	for (long i = 0; i < pages; i++) {
		if (i % 50 == 0) {
			CPU_ZERO(&one);
			CPU_SET(i / 50 % cpus, &one);
			sched_setaffinity(0, sizeof(one), &one);
		}
		p[i * PAGE]++;
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static void change(const char *when, struct rss *was, long anon, long shmem, long swap)
{
	struct rss now = rss_now();

	expect(when, "change of RssAnon", now.anon - was->anon, anon);
	expect(when, "change of RssShmem", now.shmem - was->shmem, shmem);
	expect(when, "change of VmSwap", now.swap - was->swap, swap);
	*was = now;
	agree(when);
}

/* Known changes, of which the kernel's numbers must show each page. */
static void rss_round(const char *when)
{
	struct rss was = rss_now();
	char *anon = map(1000, MAP_PRIVATE | MAP_ANONYMOUS, -1),
	     *shmem = map(500, MAP_SHARED | MAP_ANONYMOUS, -1);
	char what[80];

	snprintf(what, sizeof(what), "%s, touched", when);
	touch(anon, 1000);
	touch(shmem, 500);
	change(what, &was, 1000, 500, 0);
	snprintf(what, sizeof(what), "%s, half unmapped", when);
	munmap(anon, 500 * PAGE);
	munmap(shmem, 250 * PAGE);
	change(what, &was, -500, -250, 0);
	snprintf(what, sizeof(what), "%s, paged out", when);
	if (madvise(anon + 500 * PAGE, 300 * PAGE, 21 /* MADV_PAGEOUT */))
		die("MADV_PAGEOUT");
	change(what, &was, -300, 0, 300);
	snprintf(what, sizeof(what), "%s, all unmapped", when);
	munmap(anon + 500 * PAGE, 500 * PAGE);
	munmap(shmem + 250 * PAGE, 250 * PAGE);
	change(what, &was, -200, -250, -300);
}

static int rss(void)
{
	static struct thread t;

	/* All there is, this code too, so that none of it is paged in later. */
	if (mlockall(MCL_CURRENT) || munlockall())
		die("mlockall");
	agree("one thread");
	rss_round("one thread");
	char *held = map(700, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct rss was = rss_now();

	touch(held, 700);
	change("before the second thread", &was, 700, 0, 0);
	if (thread_start(&t, thread_waits))
		die("clone");
	agree("after the second thread");
	rss_round("two threads");
	was = rss_now();
	munmap(held, 700 * PAGE);
	change("what was mapped before is unmapped", &was, -700, 0, 0);
	thread_join(&t);
	return wrong;
}

/* storm: a child that is worth looking at: memory of each kind, some of it mergeable. */
static int live(unsigned seed, int depth)
{
	static struct thread t;
	char *anon = map(100 + seed % 300, MAP_PRIVATE | MAP_ANONYMOUS, -1),
	     *shmem = map(20, MAP_SHARED | MAP_ANONYMOUS, -1);
	bool thread = seed & 1;

	madvise(anon, 100 * PAGE, 12 /* MADV_MERGEABLE */);
	touch(anon, 50);
	if (thread && thread_start(&t, thread_waits))
		return ENOMEM;
	touch(anon, 100 + seed % 300);
	touch(shmem, 20);
	if (seed & 2)
		madvise(anon, (100 + seed % 300) * PAGE, 21 /* MADV_PAGEOUT */);
	if (seed & 4 && depth) {
		pid_t pid = fork();

		if (!pid)
			_exit(live(seed >> 3, depth - 1));
		reap(pid);
	}
	if (seed & 8)
		munmap(anon + 10 * PAGE, 50 * PAGE);
	touch(anon, 10);
	if (thread)
		thread_join(&t);
	if (seed & 16)
		execl("/proc/self/exe", "mmlab", "true", NULL);
	return 0;
}

/* Touch a live mm from outside: pages are faulted in, copied and counted for it by this task. */
static void meddle(pid_t pid, unsigned seed)
{
	static char copy[16 * PAGE];
	char stat[64];
	struct iovec here = { copy, sizeof(copy) }, there = { (void *)text, sizeof(copy) };

	if (seed & 32)
		process_vm_readv(pid, &here, 1, &there, 1, 0);
	if (seed & 64)
		process_vm_writev(pid, &here, 1, &there, 1, 0);
	snprintf(stat, sizeof(stat), "/proc/%d/smaps_rollup", pid);
	int fd = open(stat, O_RDONLY);

	if (fd >= 0) {
		while (read(fd, copy, sizeof(copy)) > 0)
			;
		close(fd);
	}
}

static bool storm_round(unsigned seed)
{
	pid_t pid = fork();

	if (!pid)
		_exit(live(seed, 2));
	if (pid > 0)
		meddle(pid, seed);
	return reap(pid) == 0;
}

static void storm_one(int seconds, unsigned seed, long *done)
{
	struct timespec now;
	time_t end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + seconds;
	do {
		seed = seed * 1103515245 + 12345;
		__atomic_add_fetch(&done[!storm_round(seed >> 8)], 1, __ATOMIC_RELAXED);
		/* The small ones go faster. */
		for (int i = 0; i < 20; i++)
			__atomic_add_fetch(&done[works[(seed >> 16) % WORKS].once() != 0], 1,
					   __ATOMIC_RELAXED);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end);
	_exit(0);
}

/* Long enough there for KSM to find it: its zeros are merged, written to, and merged again. */
static void storm_sit(int seconds)
{
	char *zeros = map(800, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	madvise(zeros, 800 * PAGE, 12 /* MADV_MERGEABLE */);
	for (int i = 0; i < seconds; i++) {
		for (long j = 0; j < 800 * PAGE; j += PAGE)
			zeros[j] = 0;
		sleep(1);
	}
	_exit(0);
}

static int storm(int seconds)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long *done = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < cpus; i++)
		if (!fork())
			storm_one(seconds, i * 7919 + 1, done);
	if (!fork())
		storm_sit(seconds);
	while (wait(NULL) > 0)
		;
	printf("storm done %ld failed %ld\n", done[0], done[1]);
	return done[0] == 0 || done[1] != 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "true"))
		return 0;
	if (argc == 2 && !strcmp(argv[1], "rss"))
		return rss();
	if (argc == 3 && !strcmp(argv[1], "storm"))
		return storm(atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "run")) {
		repeat(work_named(argv[2]), atoi(argv[3]));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "count")) {
		trace_begin();
		repeat(work_named(argv[2]), atoi(argv[3]));
		trace_end();
		return 0;
	}
	fprintf(stderr, "usage: mmlab run|count WORK N | rss | storm SECONDS\n");
	return 2;
}
