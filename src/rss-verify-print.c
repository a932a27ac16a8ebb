// SPDX-License-Identifier: GPL-2.0-only
#include "rss-verify-print.h"

#include <string.h>
#include <jansson.h>

#include "rss-print.h"
#include "text.h"

const char *const rss_lost_names[NR_RSS_LOST] = {
	[RSS_LOST_MM] = "mm_table_full",           [RSS_LOST_BLOCK] = "block_table_full",
	[RSS_LOST_SWITCH] = "switch_not_followed", [RSS_LOST_COMM] = "comm_table_full",
	[RSS_LOST_EXAMPLE] = "example_dropped",    [RSS_LOST_READ] = "counters_not_read",
};

const char *rss_frame(struct ksyms *k, u64 ip, char *buf, size_t len)
{
	u64 off = 0;
	const char *name = k ? ksyms_name(k, ip, &off) : NULL;

	if (name)
		snprintf(buf, len, "%s+0x%llx", name, (unsigned long long)off);
	else
		snprintf(buf, len, "0x%llx", (unsigned long long)ip);
	return buf;
}

/* Pointers are hex; everything else is a number of pages, a pid, an errno. */
static bool is_hex(const char *name)
{
	return strstr(name, "pointer") || strstr(name, "flags");
}

static void text_example(const struct rss_report *r, const struct rss_violation *v)
{
	const struct rss_check_info *info = &rss_checks[v->check];
	char frame[128], comm[COMM_LEN + 1];

	printf("    pid %u tid %u %s mm 0x%llx\n     ", v->pid, v->tid,
	       text_copy(comm, sizeof(comm), v->comm, COMM_LEN), (unsigned long long)v->mm);
	for (int i = 0; i < RSS_NUMBERS && info->numbers[i]; i++)
		printf(is_hex(info->numbers[i]) ? " %s=0x%llx" : " %s=%lld", info->numbers[i],
		       (long long)v->v[i]);
	putchar('\n');
	for (int i = 0; i < v->nr_frames && i < RSS_FRAMES; i++)
		printf("        %s\n", rss_frame(r->ksyms, v->ip[i], frame, sizeof(frame)));
}

static void text_check(const struct rss_report *r, enum rss_check check)
{
	struct rss_verdict v;

	rss_judge(r->e, check, &v);
	printf("%-22s ", rss_checks[check].name);
	switch (v.result) {
	case RESULT_OK:
		printf("ok        %10llu checked  %s\n", (unsigned long long)v.tested,
		       rss_checks[check].text);
		return;
	case RESULT_UNCHECKED:
		printf("cannot be checked here: %s\n", v.why);
		break;
	case RESULT_VIOLATED:
		printf("violated  %10llu times    %s\n", (unsigned long long)v.violated,
		       rss_checks[check].text);
		break;
	}
	for (size_t i = 0; i < r->examples->nr[check] && i < (v.result == RESULT_VIOLATED); i++)
		text_example(r, &r->examples->v[check][i]);
}

static void text_lost(const struct rss_report *r)
{
	for (int i = 0; i < NR_RSS_LOST; i++)
		if (r->counts->s.lost[i])
			msg("lost: %s %llu", rss_lost_names[i],
			    (unsigned long long)r->counts->s.lost[i]);
	if (r->counts->missed)
		msg("lost: events_missed %llu", (unsigned long long)r->counts->missed);
}

static void text_count(bool is_known, u64 n, const char *what)
{
	if (is_known)
		printf("%llu %s", (unsigned long long)n, what);
	else
		printf("- %s", what);
}

void rss_verify_text(const struct rss_report *r)
{
	const struct rss_stats *s = &r->counts->s;
	const struct rss_signals *sig = &r->e->sig;
	const char *end = death_names[sig->deaths];

	printf("watched %.1f s: ", r->duration_ns / 1e9);
	text_count(sig->births, s->forks, "forks, ");
	text_count(sig->births, s->execs, "execs, ");
	text_count(sig->births, s->threads, "threads, ");
	text_count(sig->births, s->vm_clones, "CLONE_VM, ");
	text_count(sig->deaths, s->drops, "ends ");
	printf("(%s), ", end ? end : "not seen");
	text_count(sig->switches, s->switches, "switches, ");
	text_count(sig->switches, s->switch_fails, "failed; ");
	printf("%zu censuses, %zu mms in the last\n", r->censuses, r->mms);
	if (s->consequences)
		printf("%llu findings on mms that a violation had spoiled before are left out\n",
		       (unsigned long long)s->consequences);
	putchar('\n');
	for (int i = 0; i < NR_CHECKS; i++)
		text_check(r, i);
	text_lost(r);
}

static json_t *json_example(const struct rss_report *r, const struct rss_violation *v)
{
	const struct rss_check_info *info = &rss_checks[v->check];
	json_t *stack = json_array(), *numbers = json_object();
	char buf[128];

	for (int i = 0; i < RSS_NUMBERS && info->numbers[i]; i++) {
		snprintf(buf, sizeof(buf), "0x%llx", (unsigned long long)v->v[i]);
		json_object_set_new(numbers, info->numbers[i],
				    is_hex(info->numbers[i]) ? json_string(buf)
							     : json_integer(v->v[i]));
	}
	for (int i = 0; i < v->nr_frames && i < RSS_FRAMES; i++)
		json_array_append_new(stack,
				      json_string(rss_frame(r->ksyms, v->ip[i], buf, sizeof(buf))));
	snprintf(buf, sizeof(buf), "0x%llx", (unsigned long long)v->mm);
	return json_pack("{s:I, s:I, s:o, s:s, s:o, s:o}", "pid", (json_int_t)v->pid, "tid",
			 (json_int_t)v->tid, "comm", json_text(v->comm), "mm", buf, "numbers",
			 numbers, "stack", stack);
}

static json_t *known(bool is_known, u64 v)
{
	return is_known ? json_integer(v) : json_null();
}

static int json_check(const struct rss_report *r, enum rss_check check)
{
	json_t *examples = json_array();
	struct rss_verdict v;

	rss_judge(r->e, check, &v);
	for (size_t i = 0; v.result == RESULT_VIOLATED && i < r->examples->nr[check]; i++)
		json_array_append_new(examples, json_example(r, &r->examples->v[check][i]));
	return rss_json_line(json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "type", "check", "check",
		rss_checks[check].name, "text", rss_checks[check].text, "result",
		rss_result_names[v.result], "checked", known(v.result != RESULT_UNCHECKED, v.tested),
		"violations", known(v.result != RESULT_UNCHECKED, v.violated), "why",
		v.why ? json_string(v.why) : json_null(), "examples", examples));
}

static json_t *json_lost(const struct rss_report *r)
{
	json_t *lost = json_object();

	for (int i = 0; i < NR_RSS_LOST; i++)
		json_object_set_new(lost, rss_lost_names[i], json_integer(r->counts->s.lost[i]));
	json_object_set_new(lost, "events_missed", json_integer(r->counts->missed));
	return lost;
}

static int json_summary(const struct rss_report *r)
{
	const struct rss_stats *s = &r->counts->s;
	const struct rss_signals *sig = &r->e->sig;
	const char *end = death_names[sig->deaths];
	int n[3] = {};
	struct rss_verdict v;

	for (int i = 0; i < NR_CHECKS; i++) {
		rss_judge(r->e, i, &v);
		n[v.result]++;
	}
	return rss_json_line(json_pack(
		"{s:s, s:I, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}",
		"type", "summary", "duration_ns", (json_int_t)r->duration_ns, "ok", n[RESULT_OK],
		"violated", n[RESULT_VIOLATED], "unchecked", n[RESULT_UNCHECKED], "forks",
		known(sig->births, s->forks), "execs", known(sig->births, s->execs), "threads",
		known(sig->births, s->threads), "vm_clones", known(sig->births, s->vm_clones),
		"ends", known(sig->deaths, s->drops), "end_seen_by",
		end ? json_string(end) : json_null(), "switches", known(sig->switches, s->switches),
		"switch_fails", known(sig->switches, s->switch_fails), "consequences",
		(json_int_t)s->consequences, "mms", (json_int_t)r->mms, "lost", json_lost(r)));
}

int rss_verify_json(const struct rss_report *r)
{
	int err = 0;

	for (int i = 0; !err && i < NR_CHECKS; i++)
		err = json_check(r, i);
	return err ? err : json_summary(r);
}
