// SPDX-License-Identifier: GPL-2.0-only
/* Words that the flame graph renderers share. */
#include "render-flame.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

/* A list of words in a fixed buffer; what does not fit is cut. */
static void _printf_(3, 4) append(char *buf, size_t len, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	if (n && n + 3 < len)
		n += snprintf(buf + n, len - n, ", ");
	va_start(ap, fmt);
	vsnprintf(buf + n, len - n, fmt, ap);
	va_end(ap);
}

static bool lock_wanted(const struct flame_meta *m, int lock)
{
	if (weights[m->opts->weight].by_site || m->opts->weight == WEIGHT_LATENCY)
		return false;
	return !m->opts->locks || m->opts->locks[lock];
}

/* Is that loss one of what this weight is made of? Losses begin with what they lose. */
static bool loss_matters(const struct flame_meta *m, int lost)
{
	static const struct {
		const char *prefix;
		bool by_site, latency, locks;
	} parts[] = {
		{ "site_", true, false, false }, { "owner_", true, false, false },
		{ "call_", false, true, false }, { "row_", false, false, false },
		{ "wait_", false, false, true }, { "holder_", false, false, true },
		{ "stack_", false, true, true }, { "user_stack_", false, false, true },
	};
	bool by_site = weights[m->opts->weight].by_site;
	bool latency = m->opts->weight == WEIGHT_LATENCY;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strncmp(lost_names[lost], parts[i].prefix, strlen(parts[i].prefix)))
			return by_site   ? parts[i].by_site
			       : latency ? parts[i].latency
					 : parts[i].locks;
	return true;
}

void flame_losses(const struct flame_meta *m, char *buf, size_t len)
{
	buf[0] = '\0';
	for (int i = 0; i < NR_LOCKS; i++)
		if (lock_wanted(m, i) && !m->info->locks[i].addr)
			append(buf, len, "%s %s", lock_names[i],
			       *m->info->locks[i].found_by ? "not watched" : "not found");
	for (int i = 0; i < NR_LOST; i++) {
		u64 lost = m->iv->lost[i] + (m->base ? m->base->lost[i] : 0);

		if (lost && loss_matters(m, i))
			append(buf, len, "%s %llu", lost_names[i], lost);
	}
	if (m->incomplete)
		append(buf, len, "recording incomplete");
}

void flame_title(const struct flame_meta *m, char *buf, size_t len)
{
	snprintf(buf, len, "%s%s", weights[m->opts->weight].title,
		 m->opts->holders ? ", by holder" : "");
}

void flame_time(const struct snap *iv, char *buf, size_t len)
{
	time_t end = iv->wall_ns / NSEC_PER_SEC;
	time_t start = (iv->wall_ns - min_u64(iv->wall_ns, iv->duration_ns)) / NSEC_PER_SEC;
	struct tm from, to;
	char day[16], a[16], b[16];

	gmtime_r(&start, &from);
	gmtime_r(&end, &to);
	strftime(day, sizeof(day), "%Y-%m-%d", &from);
	strftime(a, sizeof(a), "%H:%M:%S", &from);
	strftime(b, sizeof(b), "%H:%M:%S", &to);
	snprintf(buf, len, "%s %s to %s UTC (%.3g s)", day, a, b, iv->duration_ns / 1e9);
}

struct scale {
	double factor;
	const char *unit;
};

static void scaled(const struct scale *s, size_t n, u64 v, char *buf, size_t len)
{
	size_t i = 0;

	while (i + 1 < n && v >= s[i + 1].factor)
		i++;
	if (!i)
		snprintf(buf, len, "%llu %s", v, s[0].unit);
	else
		snprintf(buf, len, "%.3g %s", v / s[i].factor, s[i].unit);
}

/* Digits in groups of three. */
static void grouped(u64 v, const char *unit, char *buf, size_t len)
{
	char digits[24];
	int nr = snprintf(digits, sizeof(digits), "%llu", v);
	size_t n = 0;

	for (int i = 0; i < nr && n + 2 < len; i++) {
		if (i && (nr - i) % 3 == 0)
			buf[n++] = ',';
		buf[n++] = digits[i];
	}
	snprintf(buf + n, len - n, " %s", unit);
}

void flame_value(const struct weight_info *w, u64 v, char *buf, size_t len)
{
	static const struct scale ns[] = {
		{ 1, "ns" },
		{ 1e3, "µs" },
		{ 1e6, "ms" },
		{ 1e9, "s" },
	};
	static const struct scale bytes[] = {
		{ 1, "bytes" },
		{ 1024, "KiB" },
		{ 1048576, "MiB" },
		{ 1073741824, "GiB" },
	};

	if (!strcmp(w->unit, "ns"))
		scaled(ns, ARRAY_SIZE(ns), v, buf, len);
	else if (!strcmp(w->unit, "bytes"))
		scaled(bytes, ARRAY_SIZE(bytes), v, buf, len);
	else
		grouped(v, w->unit, buf, len);
}
