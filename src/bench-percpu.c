// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

#include <errno.h>
#include <bpf/bpf.h>

/* An array map makes one percpu allocation for each element and no other. */
#define ELEMENTS 64

/* Before 5.11 the memory of maps is counted against RLIMIT_MEMLOCK. */
static int percpu_prepare(struct worker *w)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &all) && errno != EPERM)
		return worker_fail(w, "setrlimit");
	return 0;
}

static int percpu_op(struct worker *w)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "pcpustat_bench", sizeof(u32),
				sizeof(u64), ELEMENTS, NULL);

	if (fd < 0)
		return worker_fail(w, "bpf (map of percpu memory)");
	return close(fd) ? worker_fail(w, "close") : 0;
}

const struct workload bench_percpu = {
	.name = "percpu",
	.summary = "BPF maps of 64 percpu elements, created and closed",
	.unit = "map",
	.cost = { .plain = ELEMENTS },
	.prepare = percpu_prepare,
	.op = percpu_op,
};
