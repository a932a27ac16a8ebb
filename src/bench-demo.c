// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SLICE_NS (NSEC_PER_SEC / 10)

static int demo_slice(const struct workload *wl, unsigned int workers, u64 until)
{
	_cleanup_(bench_freep) struct bench *b = NULL;
	struct bench_opts opts = { .wl = wl, .workers = workers };
	int err = bench_new(&b, &opts);

	if (err)
		return err;
	bench_start(b);
	err = bench_wait(b, min_u64(now_mono() + SLICE_NS, until));
	if (err)
		return err;
	bench_stop(b);
	return bench_wait(b, ~0ULL);
}

static int demo_run(unsigned int workers, u64 until)
{
	int err = 1;

	while (err == 1 && now_mono() < until) {
		err = demo_slice(&bench_exec, workers, until);
		if (err == 1)
			err = demo_slice(&bench_fork, workers, until);
	}
	return err;
}

pid_t bench_demo_load(unsigned int workers, u64 duration_ns)
{
	u64 until = now_mono() + duration_ns;
	pid_t parent = getpid(), pid;
	int err;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid < 0 ? -errno : pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	err = demo_run(workers, until);
	_exit(err == 1 || err == -EINTR ? 0 : 1);
}
