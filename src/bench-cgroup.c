// SPDX-License-Identifier: GPL-2.0-only
/* A cgroup for the workers, so that what they and their children do can be counted alone. */
#include "bench-measure.h"

#include <stdlib.h>
#include <glob.h>
#include <errno.h>
#include <mntent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *cgroup2_mount(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char *path = NULL;
	struct mntent *m;

	while (f && !path && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			path = strdup(m->mnt_dir);
	if (f)
		endmntent(f);
	return path;
}

/* Our own place in the v2 hierarchy, "0::/path", or NULL. */
static char *cgroup2_own(void)
{
	_cleanup_free_ char *text = read_file("/proc/self/cgroup", 1 << 16);
	char *line = text ? strstr(text, "0::/") : NULL;

	if (!line || (line != text && line[-1] != '\n'))
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return strdup(line + 3);
}

/* Of the types only this one takes processes without further ado. */
static bool takes_processes(const char *dir)
{
	_cleanup_free_ char *path = NULL;
	char type[32];

	if (asprintf(&path, "%s/cgroup.type", dir) < 0)
		return false;
	return !read_line(path, type, sizeof(type)) && !strcmp(type, "domain");
}

/* What a run that was killed has left beside ours; one that is alive has processes in it. */
static void remove_stale(const char *mount, const char *own)
{
	_cleanup_free_ char *pattern = NULL;
	glob_t found;

	if (asprintf(&pattern, "%s%s/pcpustat-*", mount, own) < 0)
		return;
	if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *pid = strrchr(found.gl_pathv[i], '-') + 1;

			if (process_gone(atoi(pid)))
				rmdir(found.gl_pathv[i]);
		}
		globfree(&found);
	}
}

char *bench_cgroup_new(void)
{
	_cleanup_free_ char *mount = cgroup2_mount(), *own = cgroup2_own();
	char *path;

	if (mount && own)
		remove_stale(mount, own);
	if (!mount || !own || asprintf(&path, "%s%s/pcpustat-%d", mount, own, (int)getpid()) < 0)
		return NULL;
	if (mkdir(path, 0755)) {
		free(path);
		return NULL;
	}
	if (!takes_processes(path))
		bench_cgroup_free(take_ptr(path));
	return path;
}

/* A process that has just been reaped can hold the directory for a moment yet. */
void bench_cgroup_free(char *path)
{
	int tries = 200;

	if (!path)
		return;
	while (rmdir(path) && errno == EBUSY && tries--)
		usleep(10000);
	if (tries < 0)
		msg("cannot remove %s: still in use", path);
	free(path);
}
