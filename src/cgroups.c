// SPDX-License-Identifier: GPL-2.0-only
#include "cgroups.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <mntent.h>
#include <string.h>
#include <sys/stat.h>
#include <bpf/btf.h>

#include "kernel.h"

struct cgroup_name {
	u64 id;
	char *path;
};

struct cgroups {
	char *mount; /* NULL: from a recording, never scanned again */
	struct cgroup_name *names;
	size_t nr, cap;
	u64 scanned_ns;
};

#define SCAN_INTERVAL_NS NSEC_PER_SEC /* a miss starts a new walk at most this often */

/* Controllers that a v1 id can be read from: the value of enum cgroup_subsys_id by BTF. */
static u32 subsys_index(const char *controller)
{
	struct btf *btf = kernel_btf();
	int id = btf ? btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM) : -1;
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);
	char name[64];

	snprintf(name, sizeof(name), "%s_cgrp_id", controller);
	for (int i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(t)[i].name_off), name))
			return btf_enum(t)[i].val;
	return ~0U;
}

static const char *const controllers[] = { "memory", "perf_event", "cpu",     "pids",
					   "cpuset", "blkio",      "devices", "freezer" };

static const char *mount_controller(const struct mntent *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++)
		if (hasmntopt(m, controllers[i]))
			return controllers[i];
	return NULL;
}

/* Does this mount serve the path (or, without one, is it better than the choice so far)? */
static void consider(const struct mntent *m, const char *path, struct cgroup_choice *best)
{
	bool v2 = !strcmp(m->mnt_type, "cgroup2");
	const char *controller = v2 ? NULL : mount_controller(m);
	size_t n = strlen(m->mnt_dir);
	u32 subsys = ~0U;

	if (!v2 && (strcmp(m->mnt_type, "cgroup") || !controller))
		return;
	if (path && (strncmp(path, m->mnt_dir, n) || (path[n] && path[n] != '/')))
		return;
	if (!path && !v2 && strcmp(controller, "memory"))
		return;
	if (!path && v2 && *best->mount)
		return;
	if (!v2) {
		subsys = subsys_index(controller);
		if (subsys == ~0U)
			return;
	}
	best->v2 = v2;
	best->subsys = subsys;
	snprintf(best->mount, sizeof(best->mount), "%s", m->mnt_dir);
}

static void endmntentp(FILE **f)
{
	if (*f)
		endmntent(*f);
}

int cgroups_choose(const char *path, struct cgroup_choice *choice)
{
	_cleanup_(endmntentp) FILE *f = setmntent("/proc/self/mounts", "re");
	_cleanup_free_ char *real = path ? realpath(path, NULL) : NULL;
	struct mntent *m;
	struct stat st;

	memset(choice, 0, sizeof(*choice));
	if (path && (!real || stat(real, &st) || !S_ISDIR(st.st_mode)))
		return fail(EXIT_USAGE,
			    "no cgroup %s: give the path of a directory below "
			    "/sys/fs/cgroup",
			    path);
	while (f && (m = getmntent(f)))
		consider(m, real, choice);
	if (!*choice->mount && path)
		return fail(
			EXIT_USAGE,
			"%s is in no mounted cgroup hierarchy: give a directory below /sys/fs/cgroup",
			path);
	if (!*choice->mount)
		return fail(EXIT_KERNEL, "no cgroup hierarchy is mounted; try: "
					 "mount -t cgroup2 none /sys/fs/cgroup");
	/* On 64 bits the inode number of a cgroup is its id (40430452fd5d, 5.5). */
	choice->id = path ? st.st_ino : 0;
	return 0;
}

struct cgroups *cgroups_new(void)
{
	return calloc(1, sizeof(struct cgroups));
}

static void forget(struct cgroups *c)
{
	while (c->nr)
		free(c->names[--c->nr].path);
}

void cgroups_free(struct cgroups *c)
{
	if (!c)
		return;
	forget(c);
	free(c->names);
	free(c->mount);
	free(c);
}

int cgroups_add(struct cgroups *c, u64 id, const char *path)
{
	char *copy = strdup(path);

	if (!copy || grow(&c->names, &c->cap, c->nr, sizeof(*c->names))) {
		free(copy);
		return -ENOMEM;
	}
	c->names[c->nr++] = (struct cgroup_name) { id, copy };
	return 0;
}

/* nftw has no argument for its callback. */
static struct cgroups *scanning;

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *below = path + strlen(scanning->mount);

	(void)ftw;
	if (type == FTW_D)
		cgroups_add(scanning, st->st_ino, *below ? below : "/");
	return 0;
}

static void scan(struct cgroups *c)
{
	forget(c);
	scanning = c;
	nftw(c->mount, visit, 16, FTW_PHYS | FTW_MOUNT);
	scanning = NULL;
	c->scanned_ns = now_mono();
}

struct cgroups *cgroups_open(const char *mount)
{
	struct cgroups *c = cgroups_new();

	if (!c)
		return NULL;
	c->mount = strdup(mount);
	if (!c->mount) {
		cgroups_free(c);
		return NULL;
	}
	scan(c);
	return c;
}

static const char *find_path(const struct cgroups *c, u64 id)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->names[i].id == id)
			return c->names[i].path;
	return NULL;
}

const char *cgroups_path(struct cgroups *c, u64 id)
{
	const char *path = find_path(c, id);

	if (path || !c->mount || now_mono() - c->scanned_ns < SCAN_INTERVAL_NS)
		return path;
	scan(c);
	return find_path(c, id);
}
