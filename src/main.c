// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>
#include <poll.h>
#include <signal.h>
#include <errno.h>
#include <fcntl.h>
#include <ctype.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "cmd.h"
#include "util.h"

static int help(void)
{
	printf("usage: pcpustat [COMMAND] [OPTIONS]\n\n");
	for (const struct cmd *c = cmds; c->name; c++)
		printf("  %-8s %s\n", c->name, c->summary);
	printf("\nWithout a command: live. pcpustat COMMAND --help, pcpustat(8).\n");
	return EXIT_OK;
}

static int no_command(const char *name)
{
	char names[256] = "";
	size_t n = 0;

	for (const struct cmd *c = cmds; c->name && n < sizeof(names); c++)
		n += snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", c->name);
	return fail(EXIT_USAGE, "no command '%s'; there are: %s", name, names);
}

/* libbpf's own messages name no remedy; ours do. PCPUSTAT_DEBUG shows both. */
static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	return getenv("PCPUSTAT_DEBUG") ? vfprintf(stderr, fmt, ap) : 0;
}

static int run(int argc, char **argv)
{
	const struct cmd *cmd = NULL;

	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("pcpustat %s\n", VERSION);
		return EXIT_OK;
	}
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help();
	if (argc < 2 || strchr("-.", argv[1][0]) || isdigit((unsigned char)argv[1][0]))
		return cmd_live(argc, argv);
	cmd = cmd_find(argv[1]);
	if (!cmd)
		return no_command(argv[1]);
	return cmd->run(argc - 1, argv + 1);
}

static bool reader_gone(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && fd.revents & POLLERR;
}

/* What was printed has to arrive; a reader that has gone away knows that it has not. */
static int close_output(int code)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	if (errno == EPIPE || reader_gone() || (code && code != EXIT_VIOLATION))
		return code;
	return stdout_failed(write_error());
}

/* A closed one would be given to the next file that is opened: a map, a recording. */
static void hold_standard_files(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			abort();
}

int main(int argc, char **argv)
{
	hold_standard_files();
	libbpf_set_print(print_libbpf);
	/* A file size limit is an error of write() then, and is told like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	return close_output(run(argc, argv));
}
