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

int program_open(void)
{
	const char *dir = getenv("TMPDIR");
	int mem_err, fd;

	fd = program_checked(program_memfd());
	if (fd >= 0)
		return fd;
	mem_err = fd;
	if (!dir || !*dir)
		dir = "/tmp";
	fd = program_checked(program_file(dir));
	if (fd < 0)
		msg("cannot execute a program of our own: from memory: %s; from %s: %s%s",
		    strerror(-mem_err), dir, strerror(-fd),
		    fd == -EACCES ? " (mounted noexec? set TMPDIR)" : "");
	return fd;
}
