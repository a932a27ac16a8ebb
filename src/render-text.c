// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "render.h"

const char *format_ns(u64 ns, char *buf, size_t len)
{
	if (ns < 1000)
		snprintf(buf, len, "%lluns", ns);
	else if (ns < 999950)
		snprintf(buf, len, "%.1fus", ns / 1e3);
	else if (ns < 999995000)
		snprintf(buf, len, "%.2fms", ns / 1e6);
	else
		snprintf(buf, len, "%.2fs", ns / 1e9);
	return buf;
}

const char *format_bytes(u64 bytes, char *buf, size_t len)
{
	static const char units[] = "KMGTPE";
	double v = bytes;
	int unit = -1;

	for (; v >= 9999.5 && unit < 5; unit++)
		v /= 1024;
	if (unit < 0)
		snprintf(buf, len, "%llu", bytes);
	else
		snprintf(buf, len, "%.0f%c", v, units[unit]);
	return buf;
}

/* At most six characters for any number that a column can hold, so that columns never touch. */
static void format_real(double v, char *buf, size_t len)
{
	if (v < 9.995)
		snprintf(buf, len, "%.2f", v);
	else if (v < 99.95)
		snprintf(buf, len, "%.1f", v);
	else if (v < 999999.5)
		snprintf(buf, len, "%.0f", v);
	else if (v < 99999500)
		snprintf(buf, len, "%.0fk", v / 1e3);
	else
		snprintf(buf, len, "%.0fM", v / 1e6);
}

/* Things a second: whole numbers from ten on, and 0 without decimals. */
static void format_rate(double v, char *buf, size_t len)
{
	if (v == 0 || (v >= 9.95 && v < 999999.5))
		snprintf(buf, len, "%.0f", v);
	else if (v < 9.95)
		snprintf(buf, len, "%.1f", v);
	else
		format_real(v, buf, len);
}

static const char *format_column(const struct metric *m, struct value v, u64 duration, char *buf,
				 size_t len)
{
	double sec = duration / 1e9, x = m->unit == UNIT_PER || m->unit == UNIT_RATIO ? v.real : v.n;

	if (!v.known || (!sec && (m->column == COL_RATE || m->column == COL_MS_RATE))) {
		snprintf(buf, len, "-");
		return buf;
	}
	switch (m->column) {
	case COL_RATE:
		format_rate(x / sec, buf, len);
		break;
	case COL_MS_RATE:
		format_real(x / 1e6 / sec, buf, len);
		break;
	case COL_US:
		format_real(x / 1e3, buf, len);
		break;
	case COL_PERCENT:
		format_real(x * 100, buf, len);
		break;
	default:
		format_real(x, buf, len);
	}
	return buf;
}

#define COLUMN_WIDTH 7
#define MAX_COLUMNS  32

struct text_column {
	const struct metric *metric;
	int lock;
	const struct group *group;
};

/* What stands over the columns of a group; the short one where the columns are too few. */
struct group {
	const char *name, *brief;
};

static const struct group lock_groups[NR_LOCKS] = {
	[LOCK_ALLOC_MUTEX] = { "pcpu_alloc_mutex", "mutex" },
	[LOCK_PCPU] = { "pcpu_lock", "lock" },
	[LOCK_COUNTERS] = { "percpu_counters_lock", "count" },
};

static const struct group *group_of(const struct metric *m, int lock)
{
	static const struct group groups[] = {
		[SCOPE_TOTAL] = { "percpu allocator", "percpu" },
		[SCOPE_LATENCY] = { "pcpu_alloc", "alloc" },
		[SCOPE_MM] = { "mm", "mm" },
		[SCOPE_SHARE] = { "of busy cpu", "busy" },
	};

	return m->scope == SCOPE_LOCK ? &lock_groups[lock] : &groups[m->scope];
}

/* All columns in order: the totals, latency, each lock's, mm, share. */
static size_t all_columns(struct text_column *cols)
{
	static const enum scope order[] = { SCOPE_TOTAL, SCOPE_LATENCY, SCOPE_LOCK, SCOPE_MM,
					    SCOPE_SHARE };
	size_t n = 0;

	for (size_t s = 0; s < ARRAY_SIZE(order); s++) {
		for (int lock = 0; lock < (order[s] == SCOPE_LOCK ? NR_LOCKS : 1); lock++) {
			for (size_t i = 0; i < nr_metrics; i++) {
				const struct metric *m = &metrics[i];

				if (m->scope != order[s] || m->column == COL_NONE ||
				    (m->scope == SCOPE_LOCK && !(m->locks & 1U << lock)))
					continue;
				cols[n++] = (struct text_column) { m, lock, group_of(m, lock) };
			}
		}
	}
	return n;
}

/* A lock other than the mutex goes before the mutex does, and the last one first. */
static int rank_of(const struct text_column *c)
{
	return c->metric->rank + (c->metric->scope == SCOPE_LOCK ? c->lock * 2 : 0);
}

/* Leaves out the columns of the highest rank until the line fits; at least one stays. */
static size_t fit_columns(struct text_column *cols, size_t n, int width)
{
	while (n > 1 && (int)(n * COLUMN_WIDTH) > width) {
		size_t worst = 0;

		for (size_t i = 1; i < n; i++)
			if (rank_of(&cols[i]) >= rank_of(&cols[worst]))
				worst = i;
		memmove(cols + worst, cols + worst + 1, (n - worst - 1) * sizeof(*cols));
		n--;
	}
	return n;
}

int text_width(const struct text_out *out)
{
	struct winsize ws;
	int width = out->width;

	if (!width && out->tty && !ioctl(fileno(out->f), TIOCGWINSZ, &ws))
		width = ws.ws_col;
	if (!width)
		return 1000;
	return width - (out->timestamps ? 9 : 0);
}

static int text_height(const struct text_out *out)
{
	struct winsize ws;

	if (!out->tty || ioctl(fileno(out->f), TIOCGWINSZ, &ws) || ws.ws_row < 6)
		return out->tty ? 24 : 1 << 30;
	return ws.ws_row;
}

static void print_group(FILE *f, const struct group *g, int width)
{
	const char *name = (int)strlen(g->name) < width ? g->name : g->brief;
	int dashes = width - 1 - (int)strlen(name);

	fputc(' ', f);
	for (int i = 0; i < dashes / 2; i++)
		fputc('-', f);
	fputs(name, f);
	for (int i = 0; i < dashes - dashes / 2; i++)
		fputc('-', f);
}

static void print_heading(struct text_out *out, const struct text_column *cols, size_t n)
{
	if (out->timestamps)
		fprintf(out->f, "%8s ", "");
	for (size_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && cols[i + run].group == cols[i].group;)
			run++;
		print_group(out->f, cols[i].group, run * COLUMN_WIDTH);
	}
	fputc('\n', out->f);
	if (out->timestamps)
		fprintf(out->f, "%-8s ", "time");
	for (size_t i = 0; i < n; i++)
		fprintf(out->f, "%*s", COLUMN_WIDTH, cols[i].metric->head);
	fputc('\n', out->f);
	out->lines = 0;
}

static void print_time(FILE *f, u64 wall_ns)
{
	time_t sec = wall_ns / NSEC_PER_SEC;
	char buf[16];
	struct tm tm;

	localtime_r(&sec, &tm);
	strftime(buf, sizeof(buf), "%H:%M:%S", &tm);
	fprintf(f, "%s ", buf);
}

static void print_lost(FILE *f, const struct snap *d)
{
	for (int i = 0; i < NR_LOST; i++)
		if (d->lost[i])
			fprintf(f, "lost: %llu %s\n", d->lost[i], lost_names[i]);
}

static void print_header(FILE *f, const struct info *info)
{
	const char *mode = *info->rss_mode ? info->rss_mode : "unknown";

	fprintf(f, "pcpustat %s  Linux %s  %d of %d possible CPUs online  rss_stat: %s\n", VERSION,
		info->kernel, info->cpus_online, info->cpus_possible, mode);
	for (int i = 0; i < SIG_MODE_SWITCH; i++)
		fprintf(f, "%s%s: %s", i ? "  " : "", signal_names[i],
			*info->backend[i] ? info->backend[i] : "-");
	fputc('\n', f);
	if (*info->cgroup_mount)
		fprintf(f, "cgroups: below %s\n", info->cgroup_mount);
	if (!*info->backend[SIG_LOCK_WAITS])
		return;
	for (int i = 0; i < NR_LOCKS; i++) {
		bool blind = i != LOCK_ALLOC_MUTEX && !info->spin_observable;

		fprintf(f, "%s%s: %s%s", i ? "  " : "", lock_names[i],
			*info->locks[i].found_by ? info->locks[i].found_by : "not found",
			info->locks[i].addr && blind ? ", not observable on this host" : "");
	}
	fputc('\n', f);
}

void text_header(struct text_out *out, const struct info *info)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return print_header(out->f, info);
	print_header(f, info);
	fclose(f);
	text_wrap(out->f, text, text_width(out), 4);
}

void text_interval(struct text_out *out, const struct report *r)
{
	struct text_column cols[MAX_COLUMNS];
	size_t n = fit_columns(cols, all_columns(cols), text_width(out));
	bool first = out->lines < 0;
	char buf[32];

	/* What is left when a command ends is in the summary: rates over so little say nothing. */
	if (out->intervals && r->d->duration_ns < out->duration_ns / 10)
		return;
	out->intervals++;
	out->duration_ns = r->d->duration_ns;
	if (first || r->view || out->lines >= text_height(out) - 3)
		print_heading(out, cols, n);
	if (out->timestamps)
		print_time(out->f, r->d->wall_ns);
	for (size_t i = 0; i < n; i++) {
		struct value v = metric_value(cols[i].metric, r->info, r->d, cols[i].lock);

		fprintf(out->f, "%*s", COLUMN_WIDTH,
			format_column(cols[i].metric, v, r->d->duration_ns, buf, sizeof(buf)));
	}
	fputc('\n', out->f);
	out->lines++;
	print_lost(out->f, r->d);
	if (r->view)
		text_view(out->f, r->view, text_width(out));
	fflush(out->f);
}
