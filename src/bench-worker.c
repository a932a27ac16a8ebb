// SPDX-License-Identifier: GPL-2.0-only
/* The worker's side of the harness: prepare, wait for the start, operate, count. */
#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int worker_fail(struct worker *w, const char *what)
{
	int err = -errno;

	snprintf(w->slot->what, sizeof(w->slot->what), "%s", what);
	return err;
}

int worker_spawn(struct worker *w, const char *path, char *const argv[])
{
	char *envp[] = { NULL };
	int status;
	pid_t pid;

	errno = posix_spawn(&pid, path, NULL, NULL, argv, envp);
	if (errno)
		return worker_fail(w, "posix_spawn");
	if (waitpid(pid, &status, 0) != pid)
		return worker_fail(w, "wait");
	errno = ECHILD;
	return status ? worker_fail(w, "the program failed") : 0;
}

/* To the idx-th of the CPUs that we may use, and round again. */
static int pin(struct worker *w)
{
	cpu_set_t may, one;
	int left;

	if (sched_getaffinity(0, sizeof(may), &may))
		return worker_fail(w, "sched_getaffinity");
	left = w->idx % CPU_COUNT(&may);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && !left--)
			CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? worker_fail(w, "sched_setaffinity") : 0;
}

static int wait_start(struct worker *w)
{
	char byte = 0;

	if (write(w->ready_fd, &byte, 1) != 1 || read(w->go_fd, &byte, 1) < 0)
		return worker_fail(w, "start");
	return 0;
}

static int operate(const struct workload *wl, struct worker *w)
{
	struct slot *s = w->slot;
	int err = 0;

	while (!err && !__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		err = wl->op(w);
		if (err)
			break;
		__atomic_store_n(&s->ops, s->ops + 1, __ATOMIC_RELAXED);
		if (s->ops == s->limit)
			break;
	}
	return err;
}

static int worker_one(const struct bench_opts *opts, struct worker *w)
{
	const struct workload *wl = opts->wl;
	int err = opts->pin || wl->pin ? pin(w) : 0;

	if (!err && wl->prepare)
		err = wl->prepare(w);
	if (!err && wl->role)
		return program_become(w, wl->role);
	if (!err)
		err = wait_start(w);
	return err ? err : operate(wl, w);
}

struct thread {
	pthread_t id;
	const struct bench_opts *opts;
	struct slot *first;
	struct worker w;
};

static struct slot *slot_after(struct slot *first, unsigned int i)
{
	return (struct slot *)((char *)first + (size_t)i * SLOT_BYTES);
}

/* One that fails ends the others, as the bench does with processes. */
static void *thread_main(void *arg)
{
	struct thread *t = arg;
	t->w.slot->err = worker_one(t->opts, &t->w);
	for (unsigned int i = 0; t->w.slot->err && i < t->opts->workers; i++)
		__atomic_store_n(&slot_after(t->first, i)->stop, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* All workers as threads of this process; w is the first of them. */
static int worker_threads(const struct bench_opts *opts, struct worker *w)
{
	_cleanup_free_ struct thread *t = calloc(opts->workers, sizeof(*t));
	unsigned int made = 0;

	if (!t) {
		errno = ENOMEM;
		return worker_fail(w, "threads");
	}
	for (; made < opts->workers; made++) {
		t[made] = (struct thread) { .opts = opts, .first = w->slot, .w = *w };
		t[made].w.idx = made;
		t[made].w.slot = slot_after(w->slot, made);
		errno = pthread_create(&t[made].id, NULL, thread_main, &t[made]);
		if (errno)
			return worker_fail(w, "pthread_create");
	}
	for (unsigned int i = 0; i < made; i++)
		pthread_join(t[i].id, NULL);
	return w->slot->err; /* the others' are in their own slots */
}

int worker_run(const struct bench_opts *opts, struct worker *w)
{
	return opts->wl->threads ? worker_threads(opts, w) : worker_one(opts, w);
}
