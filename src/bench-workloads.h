/* SPDX-License-Identifier: GPL-2.0-only */
/* A new workload is a line here, a line in bench-table.c and a struct in a file of its own. */
#ifndef PCPUSTAT_BENCH_WORKLOADS_H
#define PCPUSTAT_BENCH_WORKLOADS_H

#include "bench.h"

extern const struct workload bench_exec;
extern const struct workload bench_fork;
extern const struct workload bench_forkexec;
extern const struct workload bench_shell;
extern const struct workload bench_spawn;
extern const struct workload bench_launch;
extern const struct workload bench_thread;
extern const struct workload bench_fault;
extern const struct workload bench_fault_threads;
extern const struct workload bench_fault_file;
extern const struct workload bench_fault_file_threads;
extern const struct workload bench_percpu;
extern const struct workload bench_kfree_rcu;
extern const struct workload bench_flood;

#endif
