/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups: which hierarchy to use, and paths for the ids that the programs see. */
#ifndef PCPUSTAT_CGROUPS_H
#define PCPUSTAT_CGROUPS_H

#include "util.h"

struct cgroup_choice {
	bool v2;
	u32 subsys; /* v1: index of the controller in css_set.subsys; ~0 for v2 */
	u64 id;     /* of the directory that was given */
	char mount[256];
};

/*
 * The hierarchy of path; without one, that of the v1 memory controller where it is mounted (the
 * v2 tree of a hybrid host is empty), else v2. Returns 0 or an exit code after one message.
 */
int cgroups_choose(const char *path, struct cgroup_choice *choice);

struct cgroups;

/* Names the cgroups below the mount; NULL on failure, then ids are shown. */
struct cgroups *cgroups_open(const char *mount);
struct cgroups *cgroups_new(void); /* an empty table, for a recording */
int cgroups_add(struct cgroups *c, u64 id, const char *path);
void cgroups_free(struct cgroups *c);

/* Path relative to the mount ("/system.slice/x"); NULL when unknown or gone. */
const char *cgroups_path(struct cgroups *c, u64 id);

#endif
