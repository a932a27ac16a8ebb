// SPDX-License-Identifier: GPL-2.0-only
/* The flame graph as one SVG file: laid out here, so that it is whole without its script. */
#include "render-flame.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Made from flame.css and flame.js by the Makefile. */
static const char style[] =
#include "flame.css.h"
	;
static const char script[] =
#include "flame.js.h"
	;

#define WIDTH     1200
#define PAD       12 /* also in flame.js */
#define INNER     (WIDTH - 2 * PAD)
#define TEXT_LEAD 3
#define LETTER    7.0 /* px, of a monospaced 11.5 px font; the script measures */
#define ROW       18
#define TOP       84
#define BOTTOM    46
#define MIN_PX    0.02 /* frames that no zoom would make visible are left out */
#define NR_SHADES 4    /* of change, in a diff */

struct svg {
	FILE *out;
	const struct tree *t;
	const struct flame_meta *m;
	const struct weight_info *w;
	u64 max_change; /* in a diff, of any frame's total */
	u32 top, height;
	bool has[NR_FRAME_KINDS];
};

static void put_escaped(struct svg *s, const char *text, size_t n)
{
	for (const char *p = text; n && *p; p++, n--) {
		switch (*p) {
		case '<':
			fputs("&lt;", s->out);
			break;
		case '>':
			fputs("&gt;", s->out);
			break;
		case '&':
			fputs("&amp;", s->out);
			break;
		case '"':
			fputs("&quot;", s->out);
			break;
		default:
			fputc(*p, s->out);
		}
	}
}

static void put_text(struct svg *s, const char *class, double x, u32 y, const char *text)
{
	fprintf(s->out, "<text class=\"%s\" x=\"%g\" y=\"%u\">", class, x, y);
	put_escaped(s, text, SIZE_MAX);
	fputs("</text>\n", s->out);
}

static u32 name_hash(const char *name)
{
	u32 h = 2166136261U;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619;
	h = (h ^ h >> 16) * 2246822507U;
	return h ^ h >> 13;
}

/* In a diff: from less4 over same to more4, by the square root of the change. */
static void change_class(const struct svg *s, const struct tree_node *n, char *buf, size_t len)
{
	bool more = n->total > n->base_total;
	u64 change = more ? n->total - n->base_total : n->base_total - n->total;
	int shade = s->max_change ? ceil(NR_SHADES * sqrt((double)change / s->max_change)) : 0;

	if (shade)
		snprintf(buf, len, "%s%d", more ? "more" : "less", shade);
	else
		snprintf(buf, len, "same");
}

static const struct {
	const char *class;
	u32 nr; /* shades, chosen by name */
	const char *legend;
} kinds[NR_FRAME_KINDS] = {
	[FRAME_ROOT] = { "root", 0, NULL },       [FRAME_LOCK] = { "lock", 3, "lock" },
	[FRAME_COMM] = { "comm", 3, "command" },  [FRAME_CGROUP] = { "comm", 3, "cgroup" },
	[FRAME_USER] = { "user", 4, "user" },     [FRAME_SEP] = { "note", 1, NULL },
	[FRAME_KERNEL] = { "kern", 6, "kernel" }, [FRAME_NOTE] = { "note", 1, NULL },
};

static void frame_class(const struct svg *s, const struct tree_node *n, char *buf, size_t len)
{
	if (n->kind == FRAME_ROOT)
		snprintf(buf, len, "root");
	else if (s->t->diff)
		change_class(s, n, buf, len);
	else
		snprintf(buf, len, "%s%u", kinds[n->kind].class,
			 name_hash(n->name) % kinds[n->kind].nr);
}

static double percent(u64 part, u64 all)
{
	return all ? 100.0 * part / all : 0;
}

/* The tooltip: the first line is the name, which the script searches. */
static void put_title(struct svg *s, const struct tree_node *n, const char *name)
{
	char value[48], self[48], was[48];

	flame_value(s->w, n->total, value, sizeof(value));
	flame_value(s->w, n->self, self, sizeof(self));
	fputs("<title>", s->out);
	put_escaped(s, name, SIZE_MAX);
	fprintf(s->out, "\n%s, %.2f%%", value, percent(n->total, s->t->root.total));
	if (n->self && n->child)
		fprintf(s->out, ", itself %s", self);
	if (s->t->diff) {
		flame_value(s->w, n->base_total, was, sizeof(was));
		fprintf(s->out, "\nbefore %s", was);
		if (n->base_total)
			fprintf(s->out, ", %+.1f%%", 100.0 * ((double)n->total / n->base_total - 1));
	}
	fputs("</title>", s->out);
}

/* As much of the name as the frame has room for. */
static void put_label(struct svg *s, const char *name, double x, double width, u32 y)
{
	/* Sums that wrapped round, which a forged recording can have, give any width at all. */
	int room = (fmin(width, WIDTH) - 2 * TEXT_LEAD) / LETTER, letters = 0;
	size_t all = strlen(name), cut = 0;

	fprintf(s->out, "<text x=\"%.2f\" y=\"%u\">", x + TEXT_LEAD, y);
	for (size_t i = 0; i < all; letters++) {
		i += max_u64(text_char(name + i, all - i), 1);
		if (letters + 1 < room)
			cut = i;
	}
	if (letters <= room) {
		put_escaped(s, name, SIZE_MAX);
	} else if (room >= 3) {
		put_escaped(s, name, cut);
		fputs("…", s->out);
	}
	fputs("</text>", s->out);
}

/* before is the weight of all that stands to the left. */
static void put_frame(struct svg *s, const struct tree_node *n, u64 before, u32 depth)
{
	const char *name = n->name ? n->name : "all";
	u64 total = s->t->root.total;
	double x = PAD + (total ? (double)before / total * INNER : 0);
	double width = total ? (double)n->total / total * INNER : INNER;
	u32 y = s->height - BOTTOM - (depth + 1) * ROW;
	char class[16];

	if (width < MIN_PX)
		return;
	frame_class(s, n, class, sizeof(class));
	fprintf(s->out, "<g class=\"f %s\" data-at=\"%llu\" data-w=\"%llu\" data-d=\"%u\">", class,
		before, n->total, depth);
	put_title(s, n, name);
	fprintf(s->out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"1.5\"/>", x, y,
		width, ROW - 1);
	put_label(s, name, x, width, y + 13);
	fputs("</g>\n", s->out);
	for (const struct tree_node *c = n->child; c; c = c->next) {
		put_frame(s, c, before, depth + 1);
		before += c->total;
	}
}

static void put_chip(struct svg *s, double *x, const char *class, const char *word)
{
	u32 y = s->top - 22;

	fprintf(s->out,
		"<g class=\"%s\"><rect class=\"chip\" x=\"%g\" y=\"%u\" width=\"14\" "
		"height=\"14\" rx=\"2\"/></g>\n",
		class, *x, y);
	if (word)
		put_text(s, "legend", *x + 19, y + 11, word);
	*x += word ? 36 + 8 * strlen(word) : 15;
}

static void put_legend(struct svg *s)
{
	double x = PAD;
	char class[16];

	if (s->t->diff) {
		for (int i = NR_SHADES; i; i--) {
			snprintf(class, sizeof(class), "less%d", i);
			put_chip(s, &x, class, NULL);
		}
		put_chip(s, &x, "same", NULL);
		for (int i = 1; i <= NR_SHADES; i++) {
			snprintf(class, sizeof(class), "more%d", i);
			put_chip(s, &x, class, i < NR_SHADES ? NULL : "less to more than before");
		}
		return;
	}
	for (int kind = 0; kind < NR_FRAME_KINDS; kind++) {
		snprintf(class, sizeof(class), "%s0", kinds[kind].class);
		if (s->has[kind] && kinds[kind].legend)
			put_chip(s, &x, class, kinds[kind].legend);
	}
}

static void sum_line(const struct svg *s, char *buf, size_t len)
{
	char value[48], was[48], count[48], gone_value[48];
	struct weight_info events = { .unit = s->w->event };
	u64 nr = 0, gone = 0;

	for (const struct tree_node *n = tree_next(&s->t->root); n; n = tree_next(n)) {
		nr += n->count;
		gone += n->total ? 0 : n->base_self;
	}
	flame_value(s->w, s->t->root.total, value, sizeof(value));
	flame_value(s->w, s->t->root.base_total, was, sizeof(was));
	flame_value(s->w, gone, gone_value, sizeof(gone_value));
	flame_value(&events, nr, count, sizeof(count));
	if (s->t->diff && gone)
		snprintf(buf, len, "%s, before %s (%s of it in stacks that are gone)", value, was,
			 gone_value);
	else if (s->t->diff)
		snprintf(buf, len, "%s, before %s", value, was);
	else if (s->w->by_count)
		snprintf(buf, len, "%s", value);
	else
		snprintf(buf, len, "%s in %s", value, count);
}

static void put_heading(struct svg *s)
{
	const struct info *info = s->m->info;
	char line[700], sum[200], when[80], before[80], lost[400];

	flame_title(s->m, line, sizeof(line));
	put_text(s, "title", WIDTH / 2, 26, line);
	sum_line(s, sum, sizeof(sum));
	snprintf(line, sizeof(line), "%s%s on %s, Linux %s", sum,
		 s->w->by_site ? " (each site under one sampled stack)" : "", info->host,
		 info->kernel);
	put_text(s, "sub", WIDTH / 2, 45, line);
	flame_time(s->m->iv, when, sizeof(when));
	if (s->m->base) {
		flame_time(s->m->base, before, sizeof(before));
		snprintf(line, sizeof(line), "%s, before: %s", when, before);
	} else {
		snprintf(line, sizeof(line), "%s", when);
	}
	put_text(s, "sub", WIDTH / 2, 62, line);
	flame_losses(s->m, lost, sizeof(lost));
	if (!lost[0])
		return;
	snprintf(line, sizeof(line), "Not in here: %s", lost);
	put_text(s, "sub lost", WIDTH / 2, 79, line);
}

static void put_head(struct svg *s)
{
	fprintf(s->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		"height=\"%u\" viewBox=\"0 0 %d %u\">\n"
		"<!-- made by pcpustat " VERSION " -->\n<title>%s</title>\n"
		"<style>\n%s</style>\n<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
		WIDTH, s->height, WIDTH, s->height, s->w->title, style);
}

static void put_foot(struct svg *s)
{
	/* What the script fills in. */
	fprintf(s->out,
		"<text id=\"details\" class=\"note\" x=\"%d\" y=\"%u\"></text>\n"
		"<text id=\"matched\" class=\"note end\" x=\"%d\" y=\"%u\"></text>\n"
		"<text id=\"reset\" class=\"button off\" x=\"%d\" y=\"26\">Reset zoom</text>\n"
		"<script><![CDATA[\n%s]]></script>\n</svg>\n",
		PAD, s->height - 16, WIDTH - PAD, s->height - 16, PAD, script);
}

/* What the drawing has to know of the whole tree first. */
static void survey(struct svg *s)
{
	for (const struct tree_node *n = tree_next(&s->t->root); n; n = tree_next(n)) {
		s->has[n->kind] = true;
		s->max_change = max_u64(s->max_change, n->total > n->base_total
							       ? n->total - n->base_total
							       : n->base_total - n->total);
	}
}

int render_svg(FILE *out, const struct tree *t, const struct flame_meta *m)
{
	struct svg s = { .out = out, .t = t, .m = m, .w = &weights[t->weight] };
	char lost[8];

	flame_losses(m, lost, sizeof(lost));
	s.top = TOP + (lost[0] ? 18 : 0) + 18;
	s.height = s.top + (t->depth + 1) * ROW + BOTTOM;
	survey(&s);
	put_head(&s);
	put_heading(&s);
	put_legend(&s);
	fprintf(out, "<g id=\"frames\" data-total=\"%llu\">\n", t->root.total);
	put_frame(&s, &t->root, 0, 0);
	fputs("</g>\n", out);
	if (!t->root.total)
		put_text(&s, "sub", WIDTH / 2, s.height - BOTTOM - 5, "nothing was measured here");
	put_foot(&s);
	return ferror(out) ? write_error() : 0;
}
