// SPDX-License-Identifier: GPL-2.0-only
/* The whole run in sentences: what it cost, and whether the percpu allocator is to blame. */
#include <string.h>

#include "render.h"

#define LABEL       "%-21s"
#define LABEL_WIDTH 21

static struct value value_of(const struct report *r, enum scope scope, const char *key)
{
	for (size_t i = 0; i < nr_metrics; i++)
		if (metrics[i].scope == scope && !strcmp(metrics[i].key, key))
			return metric_value(&metrics[i], r->info, r->d, 0);
	return (struct value) {};
}

static const char *show_ns(struct value v, char *buf, size_t len)
{
	if (!v.known) {
		snprintf(buf, len, "-");
		return buf;
	}
	return format_ns(v.n, buf, len);
}

static void print_count(FILE *f, const char *before, struct value v, const char *after)
{
	if (v.known)
		fprintf(f, "%s%llu%s", before, v.n, after);
	else
		fprintf(f, "%s-%s", before, after);
}

static void print_totals(FILE *f, const struct report *r)
{
	struct value asked = value_of(r, SCOPE_TOTAL, "alloc_bytes");
	struct value all = value_of(r, SCOPE_TOTAL, "alloc_possible_bytes");
	char a[16], b[16];

	fprintf(f, LABEL, "allocations");
	print_count(f, "", value_of(r, SCOPE_TOTAL, "allocs"), "");
	if (asked.known)
		fprintf(f, ", %sB asked, %sB on %d possible CPUs",
			format_bytes(asked.n, a, sizeof(a)), format_bytes(all.n, b, sizeof(b)),
			r->info->cpus_possible);
	print_count(f, "; frees ", value_of(r, SCOPE_TOTAL, "frees"), "");
	print_count(f, "; failures ", value_of(r, SCOPE_TOTAL, "alloc_fails"), "\n");
}

static void print_latency(FILE *f, const struct report *r)
{
	char p50[16], p99[16], max[16], sum[16];

	fprintf(f, LABEL, "pcpu_alloc");
	if (!scope_known(r->info, SCOPE_LATENCY)) {
		fprintf(f, "- (takes fentry or kprobes)\n");
		return;
	}
	fprintf(f, "%llu calls, %s; p50 %s, p99 %s, max %s\n", r->d->latency.count,
		format_ns(r->d->latency.sum_ns, sum, sizeof(sum)),
		show_ns(value_of(r, SCOPE_LATENCY, "p50_ns"), p50, sizeof(p50)),
		show_ns(value_of(r, SCOPE_LATENCY, "p99_ns"), p99, sizeof(p99)),
		show_ns(value_of(r, SCOPE_LATENCY, "max_ns"), max, sizeof(max)));
}

static const char *why_unknown(const struct info *info, int lock)
{
	if (!*info->backend[SIG_LOCK_WAITS])
		return "no backend for lock waits";
	if (!info->locks[lock].addr)
		return "address not found";
	return "spinlock waits are not observable on this host";
}

static void print_lock(FILE *f, const struct report *r, int lock)
{
	const struct wait_stat *w = &r->d->locks[lock].w;
	char wait[16], spin[16], sleep[16], max[16];

	fprintf(f, LABEL, lock_names[lock]);
	if (!lock_known(r->info, r->d, lock)) {
		fprintf(f, "- (%s)\n", why_unknown(r->info, lock));
		return;
	}
	fprintf(f, "%llu waits, %s", w->waits, format_ns(w->wait_ns, wait, sizeof(wait)));
	if (r->info->locks_split)
		fprintf(f, " (%s spinning, %s sleeping in %llu of them)",
			format_ns(w->spin_ns, spin, sizeof(spin)),
			format_ns(w->sleep_ns, sleep, sizeof(sleep)), w->sleeps);
	if (w->waits)
		fprintf(f, ", max %s", format_ns(w->max_ns, max, sizeof(max)));
	if (w->interrupted)
		fprintf(f, ", %llu interrupted", w->interrupted);
	if (r->d->unfinished[lock])
		fprintf(f, ", %llu unfinished", r->d->unfinished[lock]);
	fputc('\n', f);
}

static void print_mm(FILE *f, const struct report *r)
{
	struct value inits = value_of(r, SCOPE_MM, "inits");
	struct value allocs = value_of(r, SCOPE_MM, "allocs_per_init");
	struct value ns = value_of(r, SCOPE_MM, "alloc_ns_per_init");
	struct value part = value_of(r, SCOPE_SHARE, "alloc_of_mm_init");
	char buf[16];

	fprintf(f, LABEL, "mm");
	if (!inits.known) {
		fprintf(f, "-\n");
		return;
	}
	fprintf(f, "%llu born%s", inits.n, r->info->mm_derived ? " (forks + execs)" : "");
	if (allocs.known)
		fprintf(f, ", %.2f percpu allocations each", allocs.real);
	if (ns.known)
		fprintf(f, ", %s of pcpu_alloc each", format_ns(ns.real, buf, sizeof(buf)));
	if (part.known && r->info->mm_derived == 0)
		fprintf(f, " = %.1f %% of mm_init", part.real * 100);
	fputc('\n', f);
}

static void print_share(FILE *f, const struct report *r)
{
	struct value wait = value_of(r, SCOPE_SHARE, "lock_wait_of_busy");
	struct value alloc = value_of(r, SCOPE_SHARE, "alloc_of_busy");

	fprintf(f, LABEL, "share of busy CPU");
	if (wait.known)
		fprintf(f, "lock waits %.3f %%", wait.real * 100);
	else
		fprintf(f, "lock waits -");
	if (alloc.known)
		fprintf(f, ", time in pcpu_alloc %.3f %%\n", alloc.real * 100);
	else
		fprintf(f, ", time in pcpu_alloc -\n");
}

static void print_losses(FILE *f, const struct report *r)
{
	bool any = false;

	fprintf(f, LABEL, "lost");
	for (int i = 0; i < NR_LOST; i++) {
		if (!r->d->lost[i])
			continue;
		fprintf(f, "%s%llu %s", any ? ", " : "", r->d->lost[i], lost_names[i]);
		any = true;
	}
	fprintf(f, "%s\n", any ? "" : "nothing");
	if (r->incomplete)
		fprintf(f, LABEL "the recording ends early\n", "");
}

static void print_self(FILE *f, const struct self_cost *c)
{
	char maps[16], rss[16];

	fprintf(f, LABEL, "pcpustat itself");
	if (c->percpu_allocs_known)
		fprintf(f, "%llu percpu allocations at start, ", c->percpu_allocs);
	fprintf(f, "%sB of maps, %sB resident\n", format_bytes(c->map_bytes, maps, sizeof(maps)),
		format_bytes(c->rss_bytes, rss, sizeof(rss)));
	for (size_t i = 0; c->stats_enabled && i < c->nr_programs; i++)
		if (c->programs[i].run_count)
			fprintf(f, "  %-18s %10llu runs, %6.1f ns each\n", c->programs[i].name,
				c->programs[i].run_count,
				(double)c->programs[i].run_ns / c->programs[i].run_count);
}

static void print_summary(FILE *f, const struct report *r)
{
	fprintf(f, "\nsummary of %.2f s\n", r->d->duration_ns / 1e9);
	print_totals(f, r);
	print_latency(f, r);
	for (int i = 0; i < NR_LOCKS; i++)
		print_lock(f, r, i);
	print_mm(f, r);
	print_share(f, r);
	print_losses(f, r);
	if (r->self)
		print_self(f, r->self);
}

void text_summary(struct text_out *out, const struct report *r)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		print_summary(f, r);
		fclose(f);
		text_wrap(out->f, text, text_width(out), LABEL_WIDTH);
	} else {
		print_summary(out->f, r);
	}
	/* One interval's table has been the whole run's already. */
	if (r->view && out->intervals != 1) {
		fputc('\n', out->f);
		text_view(out->f, r->view, text_width(out));
	}
	fflush(out->f);
}
