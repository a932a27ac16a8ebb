// SPDX-License-Identifier: GPL-2.0-only
/* What this kernel and these privileges can measure, and why. Runs without root too. */
#include <getopt.h>
#include <string.h>
#include <sys/utsname.h>
#include <jansson.h>
#include <bpf/libbpf.h>

#include "caps.h"
#include "cmd.h"
#include "kernel.h"
#include "locks.h"
#include "probes.h"
#include "render.h"
#include "rss.h"
#include "snap.h"
#include "trial.h"

struct diagnosis {
	struct utsname uts;
	char missing_caps[128];
	char lockdown[64];
	char kptr_restrict[8];
	char perf_paranoid[8];
	bool bpf;
	const struct backend *backends[NR_SIGNALS];
	struct lock_info locks[NR_LOCKS];
	const char *rss_mode;
	char verdict[512];
};

/* "none [integrity] confidentiality": the word in brackets. */
static void read_lockdown(char *buf, size_t len)
{
	char line[64] = "", *open, *close;

	snprintf(buf, len, "unknown");
	if (read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = '\0';
	snprintf(buf, len, "%s", open + 1);
}

static void put_list(char *buf, size_t len, const char *item)
{
	size_t n = strlen(buf);

	snprintf(buf + n, len - n, "%s%s", n ? ", " : "", item);
}

/* What each signal gives, in the words of the verdict. */
static const char *const gives[NR_SIGNALS] = {
	[SIG_ALLOCATIONS] = "allocations by site and size",
	[SIG_LATENCY] = "allocation latency",
	[SIG_LOCK_WAITS] = "lock waits with stacks",
	[SIG_MM_LIFE] = "mm births",
};

static void make_verdict(struct diagnosis *d)
{
	char works[256] = "", lacks[128] = "";

	if (!d->bpf) {
		snprintf(d->verdict, sizeof(d->verdict), "nothing works here: %s",
			 *d->missing_caps     ? "without BPF; as root more may"
			 : trial_load()       ? "the kernel refuses BPF programs"
			 : fact_has(FACT_BTF) ? "no percpu tracepoints"
					      : "no /sys/kernel/btf/vmlinux; is /sys mounted?");
		return;
	}
	for (int i = 0; i < NR_SIGNALS; i++) {
		if (!gives[i])
			continue;
		if (d->backends[i] && (i != SIG_LOCK_WAITS || d->locks[LOCK_ALLOC_MUTEX].addr ||
				       fact_has(FACT_CONTENTION_EVENTS)))
			put_list(works, sizeof(works), gives[i]);
		else
			put_list(lacks, sizeof(lacks), gives[i]);
	}
	snprintf(d->verdict, sizeof(d->verdict), "works here: %s%s%s", *works ? works : "nothing",
		 *lacks ? "; not: " : "", lacks);
}

static void diagnose(struct diagnosis *d)
{
	memset(d, 0, sizeof(*d));
	uname(&d->uts);
	caps_missing(d->missing_caps, sizeof(d->missing_caps));
	read_lockdown(d->lockdown, sizeof(d->lockdown));
	strcpy(d->kptr_restrict, "?");
	strcpy(d->perf_paranoid, "?");
	read_line("/proc/sys/kernel/kptr_restrict", d->kptr_restrict, sizeof(d->kptr_restrict));
	read_line("/proc/sys/kernel/perf_event_paranoid", d->perf_paranoid,
		  sizeof(d->perf_paranoid));
	for (int i = 0; i < NR_FACTS; i++)
		fact_get(i, NULL);
	d->bpf = !trial_load() && fact_has(FACT_BTF) && fact_has(FACT_PERCPU_EVENTS);
	for (int i = 0; i < NR_SIGNALS && d->bpf; i++)
		probes_choose(i, NULL, &d->backends[i]);
	if (d->bpf)
		locks_find(d->locks, kernel_ksyms(), NULL);
	d->rss_mode = rss_mode_now();
	make_verdict(d);
}

static json_t *facts_json(void)
{
	json_t *list = json_array();

	for (int i = 0; i < NR_FACTS; i++) {
		const char *how;
		enum fact_state state = fact_get(i, &how);

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?}", "id",
						      facts[i].id, "state", fact_states[state],
						      "how", how, "since", facts[i].since, "commit",
						      facts[i].commit, "without", facts[i].without));
	}
	return list;
}

static void add_name(void *list, const char *name)
{
	json_array_append_new(list, json_string(name));
}

/* Not only the chosen ones: all that this kernel takes, for --backend. */
static json_t *backends_json(const struct diagnosis *d)
{
	json_t *obj = json_object();

	for (int i = 0; i < NR_SIGNALS; i++) {
		json_t *list = json_array();

		if (d->bpf)
			probes_each(i, add_name, list);
		json_object_set_new(obj, signal_names[i], list);
	}
	return obj;
}

static int print_json(const struct diagnosis *d)
{
	json_t *signals = json_object(), *locks = json_array(), *obj;

	for (int i = 0; i < NR_SIGNALS; i++)
		json_object_set_new(signals, signal_names[i],
				    d->backends[i] ? json_string(d->backends[i]->name)
						   : json_null());
	for (int i = 0; i < NR_LOCKS; i++)
		json_array_append_new(locks,
				      json_pack("{s:s, s:o}", "name", lock_names[i], "found_by",
						d->locks[i].addr ? json_string(d->locks[i].found_by)
								 : json_null()));
	obj = json_pack(
		"{s:s, s:i, s:s, s:s, s:s?, s:o, s:o, s:o, s:o, s:{s:s, s:s, s:s, s:s}, s:s}",
		"type", "doctor", "schema", JSON_SCHEMA, "version", VERSION, "kernel",
		d->uts.release, "rss_mode", d->rss_mode, "signals", signals, "backends",
		backends_json(d), "locks", locks, "facts", facts_json(), "privileges", "missing",
		d->missing_caps, "lockdown", d->lockdown, "kptr_restrict", d->kptr_restrict,
		"perf_event_paranoid", d->perf_paranoid, "verdict", d->verdict);
	json_dumpf(obj, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(obj);
	return EXIT_OK;
}

static void print_facts(void)
{
	for (int i = 0; i < NR_FACTS; i++) {
		const char *how;
		enum fact_state state = fact_get(i, &how);

		printf("%-8s %-20s %s (%s)\n", fact_states[state], facts[i].id, facts[i].what, how);
		if (state != FACT_PRESENT && facts[i].without)
			printf("%-29s without it: %s\n", "", facts[i].without);
	}
}

static int print_text(const struct diagnosis *d)
{
	printf("Linux %s, pcpustat %s\n\nkernel\n", d->uts.release, VERSION);
	print_facts();
	printf("%-29s %s\n", "rss_stat mode", d->rss_mode ? d->rss_mode : "-");
	printf("\nprivileges\n%-29s %s\n", "missing capabilities",
	       *d->missing_caps ? d->missing_caps : "none");
	if (*d->missing_caps)
		printf("%-29s run as root, or: setcap %s pcpustat\n", "remedy", CAPS_SETCAP);
	printf("%-29s %s%s\n%-29s %s\n%-29s %s\n", "lockdown", d->lockdown,
	       strcmp(d->lockdown, "unknown") ? ""
					      : " (securityfs not mounted, or no lockdown at all)",
	       "kernel.kptr_restrict", d->kptr_restrict, "kernel.perf_event_paranoid",
	       d->perf_paranoid);
	printf("\nsignals\n");
	for (int i = 0; i < NR_SIGNALS; i++)
		if (gives[i])
			printf("%-29s %s\n", signal_names[i],
			       d->backends[i] ? d->backends[i]->name : "-");
	printf("\nlocks\n");
	for (int i = 0; i < NR_LOCKS; i++)
		printf("%-29s %s\n", lock_names[i],
		       d->locks[i].addr                             ? d->locks[i].found_by
		       : d->bpf && fact_has(FACT_CONTENTION_EVENTS) ? "- (to be learned)"
								    : "-");
	printf("\n%s\n", d->verdict);
	return EXIT_OK;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option long_options[] = { { "json", no_argument, NULL, 'J' },
						      { "help", no_argument, NULL, 'h' },
						      { NULL, 0, NULL, 0 } };
	const struct cmd *cmd = cmd_find("doctor");
	struct diagnosis d;
	bool json = false;
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "Jh", long_options, NULL)) != -1) {
		if (c == 'h') {
			cmd_help(cmd);
			return EXIT_OK;
		}
		if (c != 'J')
			return cmd_usage(cmd);
		json = true;
	}
	if (optind < argc) {
		msg("bad argument '%s': doctor takes none", argv[optind]);
		return cmd_usage(cmd);
	}
	diagnose(&d);
	return json ? print_json(&d) : print_text(&d);
}
