// SPDX-License-Identifier: GPL-2.0-only
/* The harness: forks workers, starts them at once, ends them, and leaves no process behind. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	pid_t pid;
	bool ended;
	int status;
	struct rusage usage;
};

struct bench {
	struct bench_opts opts;
	struct child *children;
	unsigned int nr_children;
	unsigned int running;
	void *shared;
	char *slots; /* SLOT_BYTES for each worker */
	int slots_fd;
	int program_fd;
	int ready[2]; /* workers write a byte when prepared */
	int go[2];    /* workers read; closing our end lets all of them go */
	int sig_fd;
	sigset_t old_mask;
	int old_subreaper;
	bool interrupted;
};

static struct slot *slot_of(const struct bench *b, unsigned int i)
{
	return (struct slot *)(b->slots + (size_t)i * SLOT_BYTES);
}

/*
 * A process group of its own keeps the terminal's ^C away from the worker, which the bench ends
 * in order, and lets its descendants be found.
 */
static void __attribute__((noreturn)) worker_main(struct bench *b, unsigned int idx, pid_t parent)
{
	struct worker w = {
		.slot = slot_of(b, idx),
		.idx = idx,
		.slots_fd = b->slots_fd,
		.program_fd = b->program_fd,
		.ready_fd = b->ready[1],
		.go_fd = b->go[0],
		.shared = b->shared,
	};
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	close(b->go[1]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Where things lie decides how many page tables a fork copies: the same in every round. */
	personality(ADDR_NO_RANDOMIZE);
	w.slot->err = worker_run(&b->opts, &w);
	_exit(w.slot->err ? 1 : 0);
}

static int enter_cgroup(const struct bench *b, pid_t pid)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	int err;

	if (!b->opts.cgroup)
		return 0;
	if (asprintf(&path, "%s/cgroup.procs", b->opts.cgroup) < 0)
		return -ENOMEM;
	f = fopen(path, "we");
	if (!f || fprintf(f, "%d\n", (int)pid) < 0 || fflush(f)) {
		err = -errno;
		return fail(err, "cannot move a worker to %s: %s", path, strerror(-err));
	}
	return 0;
}

static int fork_workers(struct bench *b)
{
	unsigned int want = b->opts.wl->threads ? 1 : b->opts.workers;
	pid_t parent = getpid(), pid;
	int err = 0;

	fflush(NULL); /* what is buffered now must not be written twice */
	for (unsigned int i = 0; i < b->opts.workers; i++)
		slot_of(b, i)->limit = b->opts.ops_limit;
	while (!err && b->nr_children < want) {
		pid = fork();
		if (pid < 0)
			return fail(-errno, "cannot start worker %u of %u: %s", b->nr_children + 1,
				    want, strerror(errno));
		if (!pid)
			worker_main(b, b->nr_children, parent);
		b->children[b->nr_children++].pid = pid;
		b->running++;
		err = enter_cgroup(b, pid);
	}
	return err;
}

static int slot_result(const struct bench *b, unsigned int i)
{
	const struct slot *s = slot_of(b, i);
	const char *what = s->what[0] ? s->what : "failed";

	if (!s->err)
		return 0;
	return fail(s->err, "%s: worker %u: %s: %s", b->opts.wl->name, i, what, strerror(-s->err));
}

static int child_result(const struct bench *b, unsigned int i)
{
	int status = b->children[i].status, err = slot_result(b, i);

	/* Threads of one process have slots of their own, and the first one's is told already. */
	for (unsigned int t = 1; !err && b->opts.wl->threads && t < b->opts.workers; t++)
		err = slot_result(b, t);
	if (!err && WIFSIGNALED(status))
		return fail(-ECHILD, "%s: worker %u was killed by signal %d", b->opts.wl->name, i,
			    WTERMSIG(status));
	if (!err && WEXITSTATUS(status))
		return fail(-ECHILD, "%s: worker %u ended with code %d", b->opts.wl->name, i,
			    WEXITSTATUS(status));
	return err;
}

/*
 * While the dead worker still is a zombie its number cannot name anybody else's process group,
 * so this is the moment to kill what it left running.
 */
static int reap(struct bench *b)
{
	siginfo_t info;
	int err = 0;

	for (unsigned int i = 0; i < b->nr_children; i++) {
		struct child *c = &b->children[i];

		info.si_pid = 0;
		if (c->ended || waitid(P_PID, c->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    !info.si_pid)
			continue;
		kill(-c->pid, SIGKILL);
		if (wait4(c->pid, &c->status, 0, &c->usage) != c->pid)
			continue;
		c->ended = true;
		b->running--;
		if (!err)
			err = child_result(b, i);
	}
	return err;
}

static void drain_signals(struct bench *b)
{
	struct signalfd_siginfo si;

	while (read(b->sig_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			b->interrupted = true;
}

/* One wait for a signal or for the descriptor; deadline_ns is CLOCK_MONOTONIC. */
static int wait_event(struct bench *b, int fd, u64 deadline_ns)
{
	struct pollfd p[] = { { .fd = b->sig_fd, .events = POLLIN },
			      { .fd = fd, .events = POLLIN } };
	u64 now = now_mono(), left = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec ts = { left / NSEC_PER_SEC, left % NSEC_PER_SEC };

	if (ppoll(p, 2, &ts, NULL) < 0 && errno != EINTR)
		return -errno;
	drain_signals(b);
	return b->interrupted ? -EINTR : reap(b);
}

int bench_wait(struct bench *b, u64 deadline_ns)
{
	int err = reap(b);

	while (!err && b->running && now_mono() < deadline_ns)
		err = wait_event(b, -1, deadline_ns);
	if (err)
		return err;
	return b->running ? 0 : 1;
}

static int wait_ready(struct bench *b)
{
	unsigned int ready = 0;
	char bytes[64];
	ssize_t n;
	int err = 0;

	while (!err && ready < b->opts.workers) {
		err = wait_event(b, b->ready[0], ~0ULL);
		n = read(b->ready[0], bytes, sizeof(bytes));
		if (n > 0)
			ready += n;
	}
	return err;
}

static int block_signals(struct bench *b)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &b->old_mask);
	/* A descendant whose worker was killed comes to us, so that it can be reaped. */
	prctl(PR_GET_CHILD_SUBREAPER, &b->old_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	b->sig_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return b->sig_fd < 0 ? -errno : 0;
}

static int share_slots(struct bench *b)
{
	size_t len = (size_t)b->opts.workers * SLOT_BYTES;
	void *p;

	b->slots_fd = memfd_create("pcpustat-slots", MFD_CLOEXEC);
	if (b->slots_fd < 0 || ftruncate(b->slots_fd, len))
		return -errno;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, b->slots_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	b->slots = p;
	return 0;
}

static int set_up(struct bench *b)
{
	int err = block_signals(b);

	b->children = calloc(b->opts.workers, sizeof(*b->children));
	if (!err && !b->children)
		err = -ENOMEM;
	if (!err)
		err = share_slots(b);
	if (!err && (pipe2(b->ready, O_CLOEXEC | O_NONBLOCK) || pipe2(b->go, O_CLOEXEC)))
		err = -errno;
	if (err)
		return fail(err, "cannot set up %u workers: %s", b->opts.workers, strerror(-err));
	b->program_fd = program_open();
	if (b->program_fd < 0)
		return b->program_fd;
	return b->opts.wl->open ? b->opts.wl->open(&b->shared) : 0;
}

int bench_new(struct bench **out, const struct bench_opts *opts)
{
	_cleanup_(bench_freep) struct bench *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return fail(-ENOMEM, "out of memory");
	b->opts = *opts;
	b->slots_fd = b->program_fd = b->sig_fd = -1;
	b->ready[0] = b->ready[1] = b->go[0] = b->go[1] = -1;
	err = set_up(b);
	if (!err)
		err = fork_workers(b);
	if (!err)
		err = wait_ready(b);
	if (err)
		return err;
	*out = take_ptr(b);
	return 0;
}

void bench_start(struct bench *b)
{
	closep(&b->go[1]);
	b->go[1] = -1;
}

void bench_stop(struct bench *b)
{
	for (unsigned int i = 0; i < b->opts.workers; i++)
		__atomic_store_n(&slot_of(b, i)->stop, 1, __ATOMIC_RELAXED);
}

u64 bench_ops(const struct bench *b)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < b->opts.workers; i++)
		sum += __atomic_load_n(&slot_of(b, i)->ops, __ATOMIC_RELAXED);
	return sum;
}

void bench_part(const struct bench *b, int part, u64 *ns, u64 *count)
{
	*ns = *count = 0;
	for (unsigned int i = 0; i < b->opts.workers; i++) {
		*ns += slot_of(b, i)->part_ns[part];
		*count += slot_of(b, i)->part_count[part];
	}
}

void bench_usage(const struct bench *b, struct rusage *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (unsigned int i = 0; i < b->nr_children; i++) {
		const struct rusage *u = &b->children[i].usage;

		timeradd(&sum->ru_utime, &u->ru_utime, &sum->ru_utime);
		timeradd(&sum->ru_stime, &u->ru_stime, &sum->ru_stime);
		sum->ru_minflt += u->ru_minflt;
		sum->ru_majflt += u->ru_majflt;
		sum->ru_nvcsw += u->ru_nvcsw;
		sum->ru_nivcsw += u->ru_nivcsw;
	}
}

static void end_children(struct bench *b)
{
	for (unsigned int i = 0; i < b->nr_children; i++) {
		struct child *c = &b->children[i];

		if (c->ended)
			continue;
		kill(c->pid, SIGKILL); /* it may not have made its group yet */
		kill(-c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	for (unsigned int i = 0; i < b->nr_children; i++)
		while (waitpid(-b->children[i].pid, NULL, 0) > 0)
			;
}

void bench_free(struct bench *b)
{
	if (!b)
		return;
	end_children(b);
	if (b->shared)
		b->opts.wl->close(b->shared);
	if (b->slots)
		munmap(b->slots, (size_t)b->opts.workers * SLOT_BYTES);
	for (int i = 0; i < 2; i++) {
		closep(&b->ready[i]);
		closep(&b->go[i]);
	}
	closep(&b->slots_fd);
	closep(&b->program_fd);
	closep(&b->sig_fd);
	prctl(PR_SET_CHILD_SUBREAPER, b->old_subreaper);
	/* Last, so that what cleans up is not cut short; a second signal takes its usual effect. */
	sigprocmask(SIG_SETMASK, &b->old_mask, NULL);
	free(b->children);
	free(b);
}
