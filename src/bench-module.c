// SPDX-License-Identifier: GPL-2.0-only
#include "bench-module.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int module_params(struct module_run *run, const char *args, char *file, size_t len)
{
	_cleanup_free_ char *copy = strdup(args);
	char *rest = copy, *item;
	size_t n = strlen(run->params);

	*file = '\0';
	while (rest && (item = strsep(&rest, ","))) {
		if (!*item)
			continue;
		if (!strchr(item, '=') || strpbrk(item, " \t\n"))
			return fail(EXIT_USAGE, "'%s' is not NAME=VALUE", item);
		if (!strncmp(item, "module=", 7)) {
			snprintf(file, len, "%s", item + 7);
			continue;
		}
		/* The kernel takes both in a name. */
		for (char *p = item; *p != '='; p++)
			if (*p == '-')
				*p = '_';
		n += snprintf(run->params + n, sizeof(run->params) - n, " %s", item);
		if (n >= sizeof(run->params))
			return fail(EXIT_USAGE, "too many parameters");
	}
	return copy ? 0 : fail(EXIT_RUNTIME, "out of memory");
}

static int load_file(const struct module_run *run, const char *file)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(__NR_finit_module, fd, run->params, 0))
		return fail(errno == EPERM ? EXIT_PERM : EXIT_KERNEL, "cannot load %s: %s", file,
			    strerror(errno));
	return 0;
}

/* modprobe knows where modules are, how they are packed, and what else they need. */
static int load_modprobe(const struct module_run *run)
{
	_cleanup_free_ char *copy = strdup(run->params);
	char *argv[40] = { (char *)"modprobe", (char *)"-q", (char *)run->name };
	char *rest = copy, *item, *envp[] = { (char *)"PATH=/usr/sbin:/sbin:/usr/bin:/bin", NULL };
	size_t n = 3;
	int status, err;
	pid_t pid;

	while (rest && (item = strsep(&rest, " ")) && n < ARRAY_SIZE(argv) - 1)
		if (*item)
			argv[n++] = item;
	err = posix_spawnp(&pid, "modprobe", NULL, NULL, argv, envp);
	if (err == ENOENT)
		return fail(EXIT_KERNEL, "no modprobe that could load %s; %s:module=FILE",
			    run->name, run->name);
	if (err || waitpid(pid, &status, 0) != pid)
		return fail(EXIT_RUNTIME, "cannot run modprobe: %s", strerror(err ? err : errno));
	if (status)
		return fail(EXIT_KERNEL, "this kernel has no module %s that can be loaded",
			    run->name);
	return 0;
}

/* A record is "level,seq,time,flags;text"; what continues it begins with a blank. */
static const char *record_text(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return "";
	text[strcspn(text, "\n")] = '\0';
	return text + 1;
}

static bool interrupted(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP);
}

/* Root's way to rcu_barrier(): it returns when every callback that was queued before has run. */
#define BARRIER "/sys/module/rcutree/parameters/do_rcu_barrier"

static int rcu_barrier(void)
{
	_cleanup_close_ int fd = open(BARRIER, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, "1", 1) != 1 ? -errno : 0;
}

/* Looks again every so often: a module has nothing to poll, and the log can lose its line. */
static int wait_result(const struct module_run *run, int kmsg, struct drive *d)
{
	struct pollfd p = { .fd = kmsg, .events = POLLIN };
	char record[2048];
	ssize_t n;
	int done;

	while (run->callbacks || !interrupted()) {
		n = read(kmsg, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE)
			return fail(EXIT_RUNTIME, "%s: the kernel log overflowed", run->name);
		if (n < 0) {
			poll(&p, 1, 200);
			continue;
		}
		record[n] = '\0';
		done = run->line(record_text(record), d);
		if (done == -EOPNOTSUPP)
			return fail(EXIT_KERNEL, "%s: this kernel cannot do that", run->name);
		if (done < 0)
			return fail(EXIT_RUNTIME, "%s: no result in '%s'", run->name,
				    record_text(record));
		if (done)
			return 0;
	}
	return fail(EXIT_RUNTIME, "%s: interrupted", run->name);
}

static int unload(const struct module_run *run, int err)
{
	/*
	 * After its result it queues nothing more, and what this kernel cannot do it never queued
	 * (EXIT_KERNEL); else nobody knows.
	 */
	if (run->callbacks && ((err && err != EXIT_KERNEL) || rcu_barrier()))
		return fail(
			EXIT_RUNTIME,
			"%s stays loaded, RCU may still call it: when the kernel log has its result, "
			"echo 1 >" BARRIER " and rmmod",
			run->name);
	if (syscall(__NR_delete_module, run->name, O_NONBLOCK))
		return fail(EXIT_RUNTIME, "cannot unload %s: %s", run->name, strerror(errno));
	return err;
}

int module_drive(const struct module_run *run, const char *file, struct drive *d)
{
	_cleanup_close_ int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int err;

	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		return fail(EXIT_PERM, "cannot read the kernel log: %s", strerror(errno));
	if (run->callbacks && access(BARRIER, W_OK))
		return fail(EXIT_KERNEL, "%s cannot be unloaded safely here: no " BARRIER,
			    run->name);
	err = *file ? load_file(run, file) : load_modprobe(run);
	if (err)
		return err;
	return unload(run, wait_result(run, kmsg, d));
}
