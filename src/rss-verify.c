// SPDX-License-Identifier: GPL-2.0-only
#include "rss-verify.h"

#define COUNTERS "file_pages", "anon_pages", "swap_pages", "shmem_pages"
#define EXPECTED \
	"expected_file_pages", "expected_anon_pages", "expected_swap_pages", "expected_shmem_pages"

const struct rss_check_info rss_checks[NR_CHECKS] = {
	[CHECK_CARRIED] = { "value_carried",
			    "the value is carried over the switch",
			    { COUNTERS, EXPECTED } },
	[CHECK_ONE] = { "one_switch",
			"an mm switches once, with one block for all four counters",
			{ "blocks", "switched_before", "contiguous" } },
	[CHECK_BIRTH] = { "percpu_only_where_due",
			  "single-threaded mms have percpu memory where the mode says, and only "
			  "there",
			  { "percpu_pointer", "pid", "at_end" } },
	[CHECK_THREADED] = { "threads_percpu",
			     "a process with two threads is in percpu mode",
			     { "clone_flags", "percpu_pointer", "child_tid" } },
	[CHECK_SUCCEEDS] = { "switch_succeeds",
			     "no switch fails for want of percpu memory",
			     { "returned", "clone_returned", "still_atomic" } },
	[CHECK_FAILED] = { "failure_handled",
			   "a failed switch returns -ENOMEM, its clone fails, the mm stays atomic",
			   { "returned", "clone_returned", "still_atomic" } },
	[CHECK_NEGATIVE] = { "not_negative", "no counter is negative", { COUNTERS } },
	[CHECK_BLOCK] = { "block_life",
			  "a block is freed once, when its mm ends, never while the mm lives",
			  { "percpu_pointer", "state", "allocated_by_pid" } },
	[CHECK_ZERO] = { "zero_at_end", "all counters are zero when the mm ends", { COUNTERS } },
	[CHECK_RULES] = { "clone_rules",
			  "vfork, posix_spawn and CLONE_VM alone follow the mode's rule",
			  { "clone_flags", "percpu_pointer", "child_tid" } },
};

const char *const rss_result_names[] = { "ok", "violated", "unchecked" };

static bool is_lazy(const struct rss_evidence *e)
{
	return e->mode == MODE_LAZY || e->mode == MODE_LAZY_LOCAL;
}

static bool is_percpu_mode(const struct rss_evidence *e)
{
	return is_lazy(e) || e->mode == MODE_INDIVIDUAL || e->mode == MODE_GROUPED;
}

static const char *need_switch(const struct rss_evidence *e)
{
	if (!is_lazy(e))
		return "this mode never switches";
	if (!e->sig.has_switch)
		return "no switch function in /proc/kallsyms (is CAP_SYSLOG missing?)";
	if (!e->sig.switches)
		return "the switch function cannot be probed: no kprobes";
	return NULL;
}

static const char *need_end(const struct rss_evidence *e)
{
	if (e->sig.deaths == DEATH_NONE)
		return "the end of an mm cannot be seen: no fentry, kprobe or exit_mmap event";
	if (is_percpu_mode(e) && !e->slots)
		return "percpu values cannot be read";
	return NULL;
}

const char *rss_cannot_check(const struct rss_evidence *e, enum rss_check check)
{
	const char *why;

	if (e->mode == MODE_TREE || e->mode == MODE_UNKNOWN)
		return "the counters of this mode are not read";
	if (check == CHECK_ZERO)
		return need_end(e);
	if (!is_percpu_mode(e))
		return check == CHECK_NEGATIVE
			       ? "a split counter may be below zero between two syncs"
			       : "this mode has no percpu memory and never switches";
	switch (check) {
	case CHECK_CARRIED:
		why = need_switch(e);
		return why || e->slots ? why : "percpu values cannot be read";
	case CHECK_ONE:
		return need_switch(e);
	case CHECK_SUCCEEDS:
	case CHECK_FAILED:
		why = need_switch(e);
		return why || e->sig.clones ? why : "copy_process cannot be probed";
	case CHECK_NEGATIVE:
		return is_lazy(e) ? NULL
				  : "percpu slots of a running process cannot be read at one "
				    "moment; see zero_at_end";
	case CHECK_BLOCK:
		if (!e->sig.blocks)
			return "the events of the percpu allocator cannot be had";
		return need_end(e);
	case CHECK_RULES:
		return e->sig.births ? NULL : "new tasks cannot be seen";
	default:
		return NULL;
	}
}

/* What it would take for the check to be made. */
static const char *nothing_happened(enum rss_check check)
{
	switch (check) {
	case CHECK_CARRIED:
	case CHECK_ONE:
		return "no switch happened in this time";
	case CHECK_SUCCEEDS:
		return "no switch was tried in this time";
	case CHECK_FAILED:
		return "no switch failed in this time";
	case CHECK_BLOCK:
	case CHECK_ZERO:
		return "no mm ended in this time";
	case CHECK_RULES:
		return "no task was made with CLONE_VM alone in this time";
	case CHECK_THREADED:
		return "no process has a second thread";
	default:
		return "there was nothing to check";
	}
}

/* These conclude from an event that was not seen. */
static bool needs_every_event(enum rss_check check)
{
	return check == CHECK_BLOCK || check == CHECK_BIRTH;
}

void rss_judge(const struct rss_evidence *e, enum rss_check check, struct rss_verdict *out)
{
	*out = (struct rss_verdict) { .tested = e->tested[check], .violated = e->violated[check] };
	out->why = rss_cannot_check(e, check);
	if (!out->why && !out->tested && !out->violated)
		out->why = nothing_happened(check);
	if (!out->why && out->violated && e->missed && needs_every_event(check))
		out->why = "events were missed, so that what was found proves nothing";
	if (out->why)
		out->result = RESULT_UNCHECKED;
	else
		out->result = out->violated ? RESULT_VIOLATED : RESULT_OK;
}

static bool any_negative(const struct rss_census *c, const struct rss_mm *m)
{
	s64 v;

	for (int i = 0; i < NR_RSS; i++)
		if (rss_exact(c, m, i, &v) && v < 0)
			return true;
	return false;
}

int rss_check_mm(struct rss_evidence *e, const struct rss_census *c, const struct rss_mm *m,
		 const struct rss_mm *before)
{
	if (!is_percpu_mode(e))
		return -1;
	if (m->state == RSS_MIXED) {
		e->tested[CHECK_ONE]++;
		return before && before->state == RSS_MIXED ? CHECK_ONE : -1;
	}
	if (!is_lazy(e)) {
		enum rss_check due = m->group_threads > 1 ? CHECK_THREADED : CHECK_BIRTH;

		e->tested[due]++;
		return m->state == RSS_ATOMIC ? (int)due : -1;
	}
	if (m->group_threads > 1) {
		e->tested[CHECK_THREADED]++;
		if (m->state == RSS_ATOMIC)
			return CHECK_THREADED;
	}
	if (m->state == RSS_ATOMIC) {
		e->tested[CHECK_NEGATIVE]++;
		if (any_negative(c, m))
			return CHECK_NEGATIVE;
	}
	return -1;
}
