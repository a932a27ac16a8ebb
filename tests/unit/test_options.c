// SPDX-License-Identifier: GPL-2.0-only
/* What the command line means, and what it must not be. */
#include "unit.h"

#include <string.h>
#include <sys/wait.h>
#include <bpf/libbpf.h>

#include "options.h"

#define MAX_ARGS 32

struct parsed {
	struct options o;
	int code;
	char *argv[MAX_ARGS];
	int messages; /* lines on stderr that begin with our name */
	int usages;
	int others;
};

static void count_lines(FILE *f, struct parsed *p)
{
	char line[512];

	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "pcpustat: ", 10))
			p->messages++;
		else if (!strncmp(line, "usage: ", 7))
			p->usages++;
		else
			p->others++;
	}
}

/* Runs the parser with stderr in a file, and stdout too: the test's own output stays TAP. */
static void parse(struct parsed *p, const char *const *args)
{
	FILE *err = tmpfile(), *out = tmpfile();
	int argc = 0, fd[2];

	assert_non_null(err);
	assert_non_null(out);
	memset(p, 0, sizeof(*p));
	p->argv[argc++] = strdup("live");
	for (; *args; args++)
		p->argv[argc++] = strdup(*args);
	fflush(stdout);
	fd[0] = dup(STDOUT_FILENO);
	fd[1] = dup(STDERR_FILENO);
	dup2(fileno(out), STDOUT_FILENO);
	dup2(fileno(err), STDERR_FILENO);
	p->code = options_parse(cmd_find("live"), argc, p->argv, &p->o);
	fflush(stdout);
	dup2(fd[0], STDOUT_FILENO);
	dup2(fd[1], STDERR_FILENO);
	close(fd[0]);
	close(fd[1]);
	count_lines(err, p);
	fclose(err);
	fclose(out);
}

static void parsed_free(struct parsed *p)
{
	options_free(&p->o);
	for (int i = 0; i < MAX_ARGS; i++)
		free(p->argv[i]);
}

#define ARGS(...)     ((const char *const[]) { __VA_ARGS__, NULL })
#define PARSE(p, ...) parse(p, ARGS(__VA_ARGS__))

/* Exit code 2, the usage line, and exactly one other line, which is getopt's or ours. */
static void assert_refused(const char *const *args)
{
	struct parsed p;

	parse(&p, args);
	if (p.code != EXIT_USAGE || p.usages != 1 || p.messages + p.others != 1)
		for (; *args; args++)
			print_error("%s\n", *args);
	assert_int_equal(p.code, EXIT_USAGE);
	assert_int_equal(p.usages, 1);
	assert_int_equal(p.messages + p.others, 1);
	parsed_free(&p);
}

#define REFUSED(...) assert_refused(ARGS(__VA_ARGS__))

static void assert_silent(const struct parsed *p)
{
	assert_int_equal(p->code, 0);
	assert_int_equal(p->messages + p->usages + p->others, 0);
}

static void defaults(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, (const char *const[]) { NULL });
	assert_silent(&p);
	assert_true(p.o.interval_ns == NSEC_PER_SEC);
	assert_int_equal(p.o.count, 0);
	assert_int_equal(p.o.top, 10);
	assert_int_equal(p.o.by, BY_NONE);
	assert_null(p.o.sort);
	assert_null(p.o.command);
	assert_null(p.o.from);
	assert_false(p.o.json || p.o.timestamps || p.o.strict);
	assert_int_equal(p.o.live.row_by, ROW_NONE);
	assert_false(p.o.live.stacks || p.o.live.no_owners);
	assert_int_equal(p.o.live.nr_ids, 0);
	assert_null(p.o.live.cpus);
	parsed_free(&p);
}

static void bad_intervals(void **state)
{
	static const char *const bad[] = {
		"0",
		"0.0",
		"0s",
		"1e9",
		"1E1",
		"abc",
		"inf",
		"nan",
		"infinity",
		"0x10",
		"0x1p3",
		"",
		" ",
		"1 ",
		" 1",
		"1,5",
		"1.2.3",
		".",
		"..",
		"1ss",
		"1d",
		"1sec",
		"s",
		"ms",
		"+1",
		"0.009",
		"9ms",
		"86401",
		"25h",
		"1441m",
		"99999999999999999999",
		"999999999999999999999999999999999999999999999999999999999999",
		"1%",
		"\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		REFUSED(bad[i]);
		REFUSED("-J", bad[i], "5");
		REFUSED(bad[i], "--", "true");
	}
	REFUSED("-1");
	REFUSED("-0.5");
}

static void good_intervals(void **state)
{
	static const struct {
		const char *arg;
		u64 ns;
	} good[] = {
		{ "1", NSEC_PER_SEC },
		{ "0.01", 10000000 },
		{ "10ms", 10000000 },
		{ "0.5", NSEC_PER_SEC / 2 },
		{ ".5", 500000000 },
		{ "1.", NSEC_PER_SEC },
		{ "2s", 2 * NSEC_PER_SEC },
		{ "500ms", 500000000 },
		{ "10000us", 10000000 },
		{ "1m", 60 * NSEC_PER_SEC },
		{ "1h", 3600 * NSEC_PER_SEC },
		{ "24h", 86400 * NSEC_PER_SEC },
		{ "86400", 86400 * NSEC_PER_SEC },
		{ "007", 7 * NSEC_PER_SEC },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct parsed p;

		PARSE(&p, good[i].arg);
		assert_silent(&p);
		assert_true(p.o.interval_ns == good[i].ns);
		parsed_free(&p);
	}
}

static void counts(void **state)
{
	static const char *const bad[] = {
		"0",   "-1",           "1.5", "abc", "",
		"1e3", "0x3",          "+3",  " 3",  "99999999999999999999",
		"1s",  "1099511627777"
	};
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSED("1", bad[i]);
	REFUSED("1", "2", "3");
	PARSE(&p, "1", "1099511627776");
	assert_silent(&p);
	assert_true(p.o.count == 1ULL << 40);
	parsed_free(&p);
}

static void ids(void **state)
{
	char own[16], list[64], many[NR_FILTER * 12 + 16] = "";
	struct parsed p;

	(void)state;
	snprintf(own, sizeof(own), "%d", getpid());
	snprintf(list, sizeof(list), "%d,1,%d", getpid(), getpid());
	PARSE(&p, "-p", list);
	assert_silent(&p);
	assert_int_equal(p.o.live.nr_ids, 3);
	assert_int_equal(p.o.live.ids[0], getpid());
	assert_int_equal(p.o.live.ids[1], 1);
	assert_false(p.o.live.ids_are_tids);
	parsed_free(&p);
	PARSE(&p, "--tid", own, "-t1");
	assert_silent(&p);
	assert_int_equal(p.o.live.nr_ids, 2);
	assert_true(p.o.live.ids_are_tids);
	parsed_free(&p);

	REFUSED("-p", "");
	REFUSED("-p", ",");
	REFUSED("-p", "1,");
	REFUSED("-p", "0");
	REFUSED("-p", "-1");
	REFUSED("-p", "abc");
	REFUSED("-p", "1 ");
	REFUSED("-p", "4194305");
	REFUSED("-p", "99999999999999999999");
	REFUSED("-p", "1/../self");
	REFUSED("-t", "1x");
	REFUSED("-p", "1", "-t", "1");
	REFUSED("-t", "1", "-p", "1");
	REFUSED("-p");
	for (int i = 0; i < NR_FILTER; i++)
		strcat(many, i ? ",1" : "1");
	PARSE(&p, "-p", many);
	assert_silent(&p);
	assert_int_equal(p.o.live.nr_ids, NR_FILTER);
	parsed_free(&p);
	strcat(many, ",1");
	REFUSED("-p", many);
}

/* A process that is gone: nobody has this id while we hold the zombie's place, so reap it. */
static void ids_have_to_exist(void **state)
{
	pid_t pid = fork();
	char gone[16];

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(gone, sizeof(gone), "%d", pid);
	REFUSED("-p", gone);
	REFUSED("-t", gone);
}

static void cpus(void **state)
{
	int n = libbpf_num_possible_cpus();
	char last[32], beyond[32], all[32];
	struct parsed p;

	(void)state;
	snprintf(last, sizeof(last), "%d", n - 1);
	snprintf(beyond, sizeof(beyond), "%d", n);
	snprintf(all, sizeof(all), "0-%d", n - 1);
	PARSE(&p, "-C", last);
	assert_silent(&p);
	assert_ptr_equal(p.o.live.cpus, p.o.cpus);
	for (int i = 0; i < n; i++)
		assert_int_equal(p.o.cpus[i], i == n - 1);
	parsed_free(&p);
	PARSE(&p, "-C", "0", "--cpu", all); /* the last one counts */
	assert_silent(&p);
	for (int i = 0; i < n; i++)
		assert_true(p.o.cpus[i]);
	parsed_free(&p);
	REFUSED("-C", beyond);
	REFUSED("-C", "");
	REFUSED("-C", "a");
	REFUSED("-C", "0,");
	REFUSED("-C", "-");
	REFUSED("-C", "0-");
	REFUSED("-C", "1-0");
	REFUSED("-C", "0-99999999999999999999");
	REFUSED("-C", "4294967296");
}

static void by_and_keys(void **state)
{
	struct parsed p;

	(void)state;
	for (int by = BY_SITE; by < NR_BY; by++) {
		PARSE(&p, "--by", by_names[by]);
		assert_silent(&p);
		assert_int_equal(p.o.by, by);
		assert_int_equal(p.o.live.row_by, by == BY_PROCESS  ? ROW_PROCESS
						  : by == BY_CGROUP ? ROW_CGROUP
						  : by == BY_COMM   ? ROW_COMM
								    : ROW_NONE);
		assert_int_equal(p.o.live.stacks, by == BY_STACK);
		parsed_free(&p);
	}
	PARSE(&p, "--by=site", "--by=size", "-k", "-size_bytes");
	assert_silent(&p);
	assert_int_equal(p.o.by, BY_SIZE);
	assert_string_equal(p.o.sort, "-size_bytes");
	parsed_free(&p);
	PARSE(&p, "-k", "max_ns", "--by", "stack", "-E", "3");
	assert_silent(&p);
	assert_int_equal(p.o.top, 3);
	parsed_free(&p);

	REFUSED("--by", "none");
	REFUSED("--by", "");
	REFUSED("--by", "sites");
	REFUSED("--by", "SITE");
	REFUSED("--by", "site", "--by", "none");
	REFUSED("--by");
	REFUSED("-k", "allocs");
	REFUSED("--by", "stack", "-k", "allocs");
	REFUSED("--by", "site", "-k", "site");
	REFUSED("--by", "site", "-k", "");
	REFUSED("--by", "site", "-k", "-");
	REFUSED("--by", "site", "-E", "0");
	REFUSED("--by", "site", "-E", "-3");
	REFUSED("--by", "site", "-E", "100001");
}

static void the_other_options(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-JT", "--strict", "--no-owners", "--min-wait", "100us", "-G", "/sys/fs/cgroup/x",
	      "--sites", "64", "--backend", "latency=none", "--backend", "allocations=tp", "-o",
	      "out", "2", "3");
	assert_silent(&p);
	assert_true(p.o.json && p.o.timestamps && p.o.strict && p.o.live.no_owners);
	assert_int_equal(p.o.live.min_wait_ns, 100000);
	assert_string_equal(p.o.output, "out");
	assert_null(p.o.from);
	assert_string_equal(p.o.live.cgroup, "/sys/fs/cgroup/x");
	assert_int_equal(p.o.live.nr_sites, 64);
	assert_string_equal(p.o.live.backend[SIG_LATENCY], "none");
	assert_string_equal(p.o.live.backend[SIG_ALLOCATIONS], "tp");
	assert_null(p.o.live.backend[SIG_MM_LIFE]);
	assert_true(p.o.interval_ns == 2 * NSEC_PER_SEC);
	assert_int_equal(p.o.count, 3);
	parsed_free(&p);
	PARSE(&p, "--from", "f.pcpu");
	assert_silent(&p);
	assert_string_equal(p.o.from, "f.pcpu");
	parsed_free(&p);

	REFUSED("--from", "f.pcpu", "1"); /* a recording has its own intervals */
	REFUSED("--min-wait", "0");
	REFUSED("--min-wait", "x");
	REFUSED("--sites", "7");
	REFUSED("--sites", "4");
	REFUSED("--sites", "24");
	REFUSED("--sites", "1024");
	REFUSED("--backend", "latency");
	REFUSED("--backend", "=tp");
	REFUSED("--backend", "lat=tp");
	REFUSED("--backend", "nonsense=tp");
	REFUSED("--nonsense");
	REFUSED("-x");
	REFUSED("-Jx");
	REFUSED("--json=yes");
	REFUSED("--j"); /* --json or --json-schema */
}

static void commands(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-J", "1", "--", "sh", "-c", "exit 3", "--", "-J");
	assert_silent(&p);
	assert_true(p.o.interval_ns == NSEC_PER_SEC);
	assert_string_equal(p.o.command[0], "sh");
	assert_string_equal(p.o.command[3], "--");
	assert_string_equal(p.o.command[4], "-J");
	assert_null(p.o.command[5]);
	assert_string_equal(p.argv[3], "--"); /* left as it was */
	parsed_free(&p);
	PARSE(&p, "--", "true");
	assert_silent(&p);
	assert_string_equal(p.o.command[0], "true");
	assert_false(p.o.json);
	parsed_free(&p);
	/* Options of the command are not ours, whatever they are. */
	PARSE(&p, "--", "true", "--by", "nonsense", "-x");
	assert_silent(&p);
	parsed_free(&p);
	REFUSED("--");
	REFUSED("1", "--");
	REFUSED("1", "2", "true");
	REFUSED("true", "--", "true");
}

/* Answered at once: nothing is run, and stderr stays empty. */
static void answers(void **state)
{
	static const char *const asks[] = { "--help", "-h", "--json-schema" };
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		PARSE(&p, asks[i]);
		assert_int_equal(p.code, -1);
		assert_int_equal(p.messages + p.usages + p.others, 0);
		parsed_free(&p);
	}
}

static void the_table_of_commands(void **state)
{
	(void)state;
	for (const struct cmd *c = cmds; c->name; c++) {
		assert_non_null(c->args);
		assert_non_null(c->summary);
		assert_non_null(c->run);
		assert_ptr_equal(cmd_find(c->name), c);
	}
	assert_null(cmd_find("nonsense"));
	assert_null(cmd_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(bad_intervals),
		cmocka_unit_test(good_intervals),
		cmocka_unit_test(counts),
		cmocka_unit_test(ids),
		cmocka_unit_test(ids_have_to_exist),
		cmocka_unit_test(cpus),
		cmocka_unit_test(by_and_keys),
		cmocka_unit_test(the_other_options),
		cmocka_unit_test(commands),
		cmocka_unit_test(answers),
		cmocka_unit_test(the_table_of_commands),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
