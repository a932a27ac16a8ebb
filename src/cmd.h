/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of commands. A new one is a row in cmds.c and a file cmd-NAME.c. */
#ifndef PCPUSTAT_CMD_H
#define PCPUSTAT_CMD_H

struct cmd {
	const char *name;
	const char *args;
	const char *summary;
	const char *options;               /* lines of --help; rss has its own by subcommand */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
};

extern const struct cmd cmds[];

const struct cmd *cmd_find(const char *name);

/* "usage: pcpustat ..." on stderr for this command; returns EXIT_USAGE. */
int cmd_usage(const struct cmd *cmd);
void cmd_help(const struct cmd *cmd); /* --help, on stdout */

int cmd_live(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_rss(int argc, char **argv);

#endif
