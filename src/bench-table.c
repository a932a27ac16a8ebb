// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

#include <string.h>

/* In the order in which they run when none is named. */
const struct workload *const workloads[] = {
	&bench_exec,
	&bench_fork,
	&bench_forkexec,
	&bench_shell,
	&bench_spawn,
	&bench_launch,
	&bench_thread,
	&bench_fault,
	&bench_fault_threads,
	&bench_fault_file,
	&bench_fault_file_threads,
	&bench_percpu,
	&bench_kfree_rcu,
	&bench_flood,
	NULL,
};

const struct workload *workload_find(const char *spec, const char **args)
{
	size_t len = strcspn(spec, ":");

	*args = spec[len] ? spec + len + 1 : "";
	for (const struct workload *const *w = workloads; *w; w++)
		if (strlen((*w)->name) == len && !strncmp((*w)->name, spec, len))
			return **args && !(*w)->drive ? NULL : *w;
	return NULL;
}
