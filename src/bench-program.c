// SPDX-License-Identifier: GPL-2.0-only
/* The built-in program as something that can be executed, and no trace of it on disk. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3, 105ff5339f49 */
#endif

static const unsigned char program[] = {
#include "program.inc"
};

static int fill(int fd)
{
	ssize_t n = write(fd, program, sizeof(program));

	if (n < 0)
		return -errno;
	return n == sizeof(program) ? 0 : -ENOSPC;
}

/* Before 6.3 MFD_EXEC is an unknown flag and a memfd can be executed anyway. */
static int program_memfd(void)
{
	_cleanup_close_ int fd = memfd_create("pcpustat-program", MFD_CLOEXEC | MFD_EXEC);
	int err;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("pcpustat-program", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fill(fd);
	if (err)
		return err;
	err = fd;
	fd = -1;
	return err;
}

/* Unlinked at once, but not before it is open again: a file open for writing is ETXTBSY. */
static int program_file(const char *dir)
{
	_cleanup_free_ char *path = NULL;
	int fd, ro = -1, err;

	if (asprintf(&path, "%s/pcpustat-program.XXXXXX", dir) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fchmod(fd, 0500) ? -errno : fill(fd);
	if (!err) {
		ro = open(path, O_RDONLY | O_CLOEXEC);
		err = ro < 0 ? -errno : 0;
	}
	unlink(path);
	close(fd);
	return err ? err : ro;
}

int program_become(struct worker *w, char role)
{
	int fds[] = { w->slots_fd, w->program_fd, w->ready_fd, w->go_fd };
	char slot[12], role_arg[] = { role, '\0' };
	char *argv[] = { (char *)"pcpustat-bench", slot, role_arg, NULL };
	char *envp[] = { NULL };

	snprintf(slot, sizeof(slot), "%u", w->idx);
	/* First out of the way of the places that they go to. */
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, NR_PROGRAM_FDS);
		if (fds[i] < 0)
			return worker_fail(w, "fcntl");
	}
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (dup2(fds[i], SLOTS_FD + i) < 0)
			return worker_fail(w, "dup2");
	execveat(PROGRAM_FD, "", argv, envp, AT_EMPTY_PATH);
	return worker_fail(w, "exec");
}

/* 0 when the program really runs, else -errno of its exec. */
static int program_try(int fd)
{
	char *argv[] = { (char *)"pcpustat-true", NULL };
	char *envp[] = { NULL };
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		execveat(fd, "", argv, envp, AT_EMPTY_PATH);
		_exit(errno > 0 && errno < 255 ? errno : 255);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	if (!WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

static int program_checked(int fd)
{
	int err = fd < 0 ? fd : program_try(fd);

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static const char *tmp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

static const char *hint(int err)
{
	return err == -EACCES ? " (mounted noexec? set TMPDIR)" : "";
}

int program_open(void)
{
	const char *dir = tmp_dir();
	int mem_err, fd;

	fd = program_checked(program_memfd());
	if (fd >= 0)
		return fd;
	mem_err = fd;
	fd = program_checked(program_file(dir));
	if (fd < 0)
		msg("cannot execute a program of our own: from memory: %s; from %s: %s%s",
		    strerror(-mem_err), dir, strerror(-fd), hint(fd));
	return fd;
}

static int program_file_at(const char *dir, unsigned int i)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%u", dir, i) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
	return fd < 0 ? -errno : fill(fd);
}

static int program_try_file(const char *dir)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/0", dir) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : program_try(fd);
}

int program_files(unsigned int n, char **dir)
{
	char *path = NULL;
	int err = 0;

	if (asprintf(&path, "%s/pcpustat-XXXXXX", tmp_dir()) < 0)
		return fail(-ENOMEM, "out of memory");
	if (!mkdtemp(path)) {
		err = fail(-errno, "cannot make a directory under %s: %s", tmp_dir(),
			   strerror(errno));
		free(path);
		return err;
	}
	for (unsigned int i = 0; i < n && !err; i++)
		err = program_file_at(path, i);
	if (!err)
		err = program_try_file(path);
	if (err) {
		msg("cannot execute programs in %s: %s%s", tmp_dir(), strerror(-err), hint(err));
		program_files_remove(n, path);
		return err;
	}
	*dir = path;
	return 0;
}

void program_files_remove(unsigned int n, char *dir)
{
	for (unsigned int i = 0; i < n; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s/%u", dir, i) >= 0)
			unlink(path);
	}
	if (rmdir(dir))
		msg("cannot remove %s: %s", dir, strerror(errno));
	free(dir);
}
