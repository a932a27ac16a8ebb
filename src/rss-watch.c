// SPDX-License-Identifier: GPL-2.0-only
#include "rss-watch.h"

#include <errno.h>
#include <string.h>
#include <jansson.h>

#include "rss-print.h"
#include "rss-verify-print.h"
#include "text.h"

void rss_counts_delta(const struct rss_counts *prev, const struct rss_counts *cur,
		      struct rss_counts *d)
{
	const u64 *a = (const u64 *)&prev->s, *b = (const u64 *)&cur->s;
	u64 *out = (u64 *)&d->s;

	*d = (struct rss_counts) { .mono_ns = cur->mono_ns - prev->mono_ns,
				   .missed = cur->missed - prev->missed };
	for (size_t i = 0; i < sizeof(d->s) / sizeof(u64); i++)
		out[i] = b[i] - a[i];
}

double rss_single_percent(const struct rss_stats *s)
{
	return s->drops_known ? 100.0 * s->drops_single / s->drops_known : -1;
}

static double per_second(u64 n, const struct rss_counts *d)
{
	return d->mono_ns ? n * 1e9 / d->mono_ns : 0;
}

static void cell(int width, bool known, double v)
{
	if (known)
		printf(" %*.1f", width, v);
	else
		printf(" %*s", width, "-");
}

void rss_watch_heading(const struct rss_signals *sig)
{
	if (sig->deaths == DEATH_EXIT_MMAP)
		msg("no fentry and no kprobes: an mm ends here where its memory is unmapped");
	if (sig->has_switch && !sig->switches)
		msg("no kprobes: switches of mode are not seen");
	printf(" %7s %7s %8s %6s %7s %7s %8s %6s %7s %7s\n", "FORK/s", "EXEC/s", "THREAD/s", "VM/s",
	       "END/s", "SINGLE%", "SWITCH/s", "FAIL/s", "AVG us", "MAX us");
	fflush(stdout);
}

static int text(const struct rss_signals *sig, const struct rss_counts *d)
{
	const struct rss_stats *s = &d->s;
	double single = rss_single_percent(s);

	cell(7, sig->births, per_second(s->forks, d));
	cell(7, sig->births, per_second(s->execs, d));
	cell(8, sig->births, per_second(s->threads, d));
	cell(6, sig->births, per_second(s->vm_clones, d));
	cell(7, sig->deaths, per_second(s->drops, d));
	cell(7, sig->deaths && single >= 0, single);
	cell(8, sig->switches, per_second(s->switches, d));
	cell(6, sig->switches, per_second(s->switch_fails, d));
	cell(7, sig->switches && s->switches, s->switches ? s->switch_ns / 1e3 / s->switches : 0);
	cell(7, sig->switches && s->switches, d->max_ns / 1e3);
	putchar('\n');
	return fflush(stdout) ? stdout_failed(write_error()) : 0;
}

static json_t *known(bool is_known, u64 v)
{
	return is_known ? json_integer(v) : json_null();
}

static json_t *json_triggers(const struct rss_signals *sig, const struct rss_stats *s)
{
	static const char *const names[NR_TRIGGERS] = { "thread", "io_worker", "user_worker",
							"clone_vm" };
	json_t *obj = json_object();

	for (int i = 0; i < NR_TRIGGERS; i++)
		json_object_set_new(obj, names[i],
				    known(sig->switches && sig->births, s->triggers[i]));
	return obj;
}

static json_t *json_lost(const struct rss_counts *d)
{
	json_t *lost = json_object();

	for (int i = 0; i < NR_RSS_LOST; i++)
		json_object_set_new(lost, rss_lost_names[i], json_integer(d->s.lost[i]));
	json_object_set_new(lost, "events_missed", json_integer(d->missed));
	return lost;
}

static json_t *json_counts(const char *type, const struct rss_signals *sig,
			   const struct rss_counts *d)
{
	const struct rss_stats *s = &d->s;
	bool sw = sig->switches, end = sig->deaths;

	return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o}",
			 "type", type, "duration_ns", (json_int_t)d->mono_ns, "forks",
			 known(sig->births, s->forks), "execs", known(sig->births, s->execs),
			 "threads", known(sig->births, s->threads), "vm_clones",
			 known(sig->births, s->vm_clones), "ends", known(end, s->drops),
			 "ends_known", known(end, s->drops_known), "ends_single",
			 known(end, s->drops_single), "switches", known(sw, s->switches),
			 "switch_fails", known(sw, s->switch_fails), "switch_sum_ns",
			 known(sw, s->switch_ns), "switch_max_ns", known(sw, d->max_ns), "triggers",
			 json_triggers(sig, s), "lost", json_lost(d));
}

int rss_watch_interval(const struct rss_signals *sig, const struct rss_counts *d, bool json)
{
	return json ? rss_json_line(json_counts("interval", sig, d)) : text(sig, d);
}

static int json_summary(const struct rss_signals *sig, const struct rss_counts *d,
			const struct rss_comm_row *comms, size_t nr)
{
	json_t *obj = json_counts("summary", sig, d), *rows = json_array();

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(rows,
				      json_pack("{s:o, s:I}", "comm", json_text(comms[i].key.comm),
						"switches", (json_int_t)comms[i].switches));
	json_object_set_new(obj, "comms", rows);
	json_object_set_new(obj, "end_seen_by",
			    sig->deaths ? json_string(death_names[sig->deaths]) : json_null());
	return rss_json_line(obj);
}

static void text_triggers(const struct rss_stats *s)
{
	printf("triggered by: pthread_create %llu, io_uring worker %llu, vhost or other kernel "
	       "worker %llu, CLONE_VM alone %llu\n",
	       (unsigned long long)s->triggers[TRIGGER_THREAD],
	       (unsigned long long)s->triggers[TRIGGER_IO_WORKER],
	       (unsigned long long)s->triggers[TRIGGER_USER_WORKER],
	       (unsigned long long)s->triggers[TRIGGER_VM]);
}

int rss_watch_summary(const struct rss_signals *sig, const struct rss_counts *d,
		      const struct rss_comm_row *comms, size_t nr, bool json)
{
	const struct rss_stats *s = &d->s;
	char comm[COMM_LEN + 1];

	if (json)
		return json_summary(sig, d, comms, nr);
	printf("\nthe whole run, %.1f s\n", d->mono_ns / 1e9);
	text(sig, d);
	if (sig->deaths && s->drops_known)
		printf("%llu mms were seen from birth to end; %.1f %% never had a second thread\n",
		       (unsigned long long)s->drops_known, rss_single_percent(s));
	if (sig->switches)
		text_triggers(s);
	for (size_t i = 0; i < nr; i++)
		printf("%12llu switches by %s\n", (unsigned long long)comms[i].switches,
		       text_copy(comm, sizeof(comm), comms[i].key.comm, COMM_LEN));
	for (int i = 0; i < NR_RSS_LOST; i++)
		if (s->lost[i])
			msg("lost: %s %llu", rss_lost_names[i], (unsigned long long)s->lost[i]);
	if (d->missed)
		msg("lost: events_missed %llu", (unsigned long long)d->missed);
	return 0;
}
