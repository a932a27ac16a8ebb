// SPDX-License-Identifier: GPL-2.0-only
#include "bench-module.h"
#include "bench-workloads.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

int flood_line(const char *line, struct drive *d)
{
	unsigned int threads, num, loops, no_batch;
	unsigned long long sets, failed, passes, total;
	char path[16];

	if (strncmp(line, "pcpu_flood: path=", 17))
		return 0;
	if (sscanf(line,
		   "pcpu_flood: path=%15s nthreads=%u alloc_num=%u loops=%u no_batch=%u sets=%llu "
		   "failed=%llu mutex_passes=%llu total_ns=%llu",
		   path, &threads, &num, &loops, &no_batch, &sets, &failed, &passes, &total) != 9)
		return -EBADMSG;
	if (failed)
		return -ENOMEM;
	d->ops = sets;
	d->passes = passes;
	d->elapsed_ns = total;
	return 1;
}

static int flood_drive(struct drive *d)
{
	struct module_run run = { .name = "pcpu_flood", .line = flood_line };
	char file[PATH_MAX];
	int err;

	snprintf(run.params, sizeof(run.params), "nthreads=%u", d->workers);
	err = module_params(&run, d->args, file, sizeof(file));
	return err ? err : module_drive(&run, file, d);
}

const struct workload bench_flood = {
	.name = "flood",
	.summary = "pcpu_flood.ko: sets of four percpu counters, as mms have; parameters after ':'",
	.unit = "set",
	.drive = flood_drive,
};
