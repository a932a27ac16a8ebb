// SPDX-License-Identifier: GPL-2.0-only
#include "bench-module.h"
#include "bench-workloads.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static unsigned long long value(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	unsigned long long v = 0;

	if (at)
		sscanf(at + strlen(key), "%llu", &v);
	return v;
}

/*
 * Three lines matter: the parameters, the refusal to go without batching (which needs
 * CONFIG_RCU_LAZY), and the result. A footprint below zero means that others freed more meanwhile,
 * and so tells nothing.
 */
int kfree_line(const char *line, struct drive *d)
{
	unsigned long long ns, loops;
	long long batches, mb;
	const char *at = strstr(line, "Total time taken by all kfree'ers:");
	int n;

	if (strstr(line, "kfree_rcu_test:"))
		d->ops = value(line, "kfree_alloc_num=");
	if (strstr(line, "falling back to kfree_rcu()"))
		return -EOPNOTSUPP;
	if (!at)
		return 0;
	n = sscanf(at,
		   "Total time taken by all kfree'ers: %llu ns, loops: %llu, batches: %lld, "
		   "memory footprint: %lldMB",
		   &ns, &loops, &batches, &mb);
	if (n < 3 || !d->ops || batches < 0)
		return -EBADMSG;
	d->ops *= loops * d->workers;
	d->elapsed_ns = ns;
	d->grace_periods = batches;
	if (n == 4 && mb >= 0)
		d->footprint_bytes = (u64)mb << 20;
	return 1;
}

static int kfree_drive(struct drive *d)
{
	struct module_run run = { .name = "rcuscale", .line = kfree_line };
	char file[PATH_MAX];
	int err;

	/* kfree_loops: fewer than four make the module divide by zero. */
	snprintf(run.params, sizeof(run.params), "kfree_rcu_test=1 kfree_nthreads=%u", d->workers);
	err = module_params(&run, d->args, file, sizeof(file));
	if (err)
		return err;
	/* Its cleanup has no rcu_barrier() (6.12), and these callbacks are its own functions. */
	run.callbacks = strstr(run.params, "kfree_by_call_rcu=");
	if (strstr(run.params, "kfree_loops=") && value(run.params, "kfree_loops=") < 4)
		return fail(EXIT_USAGE, "kfree_loops must be at least 4");
	return module_drive(&run, file, d);
}

const struct workload bench_kfree_rcu = {
	.name = "kfree_rcu",
	.summary = "rcuscale's kfree_rcu test, kfree_by_call_rcu=1: unbatched; parameters after ':'",
	.unit = "kfree_rcu",
	.drive = kfree_drive,
};
