// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

#include <errno.h>
#include <sys/mman.h>

/* 4 MiB: unmapping is spread over many faults, and no more memory is needed. */
#define PAGES 1024

struct area {
	char *at;       /* the area while it is mapped, else NULL */
	size_t touched; /* pages */
	long page;
	int fd; /* -1: anonymous memory */
};

static int map_area(struct worker *w, struct area *a)
{
	int flags = a->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	char *p = mmap(NULL, PAGES * a->page, PROT_READ | PROT_WRITE, flags, a->fd, 0);

	if (p == MAP_FAILED)
		return worker_fail(w, "mmap");
	/* One page a fault, also where huge pages are the default; EINVAL: none are built in. */
	if (madvise(p, PAGES * a->page, MADV_NOHUGEPAGE) && errno != EINVAL)
		return worker_fail(w, "madvise");
	a->at = p;
	a->touched = 0;
	return 0;
}

/* A write to the next page; the whole area is mapped anew when all of it has been touched. */
static int fault_op(struct worker *w)
{
	struct area *a = w->priv;
	int err = a->at ? 0 : map_area(w, a);

	if (err)
		return err;
	*(volatile char *)(a->at + a->touched++ * a->page) = 1;
	if (a->touched < PAGES)
		return 0;
	err = munmap(a->at, PAGES * a->page) ? worker_fail(w, "munmap") : 0;
	a->at = NULL;
	return err;
}

static int anon_prepare(struct worker *w)
{
	struct area *a = calloc(1, sizeof(*a));

	if (!a)
		return worker_fail(w, "calloc");
	a->page = sysconf(_SC_PAGESIZE);
	a->fd = -1;
	w->priv = a;
	return 0;
}

/* The file's pages are there from the start, so that a fault maps one and makes none. */
static int file_prepare(struct worker *w)
{
	int err = anon_prepare(w), fd;
	struct area *a = w->priv;

	if (err)
		return err;
	fd = memfd_create("pcpustat-fault", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, PAGES * a->page))
		return worker_fail(w, "memfd");
	a->fd = fd;
	do
		err = fault_op(w);
	while (!err && a->at);
	return err;
}

const struct workload bench_fault = {
	.name = "fault",
	.summary = "page faults on anonymous memory, a process for each worker",
	.unit = "fault",
	.prepare = anon_prepare,
	.op = fault_op,
};

const struct workload bench_fault_threads = {
	.name = "fault-threads",
	.summary = "page faults on anonymous memory, a thread of one process for each worker",
	.unit = "fault",
	.threads = true,
	.prepare = anon_prepare,
	.op = fault_op,
};

const struct workload bench_fault_file = {
	.name = "fault-file",
	.summary = "page faults on shared file memory, a process for each worker",
	.unit = "fault",
	.prepare = file_prepare,
	.op = fault_op,
};

const struct workload bench_fault_file_threads = {
	.name = "fault-file-threads",
	.summary = "page faults on shared file memory, a thread of one process for each worker",
	.unit = "fault",
	.threads = true,
	.prepare = file_prepare,
	.op = fault_op,
};
