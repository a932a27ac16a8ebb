// SPDX-License-Identifier: GPL-2.0-only
/* Tables of --by, and lines that are broken for a narrow terminal. */
#include <limits.h>
#include <string.h>

#include "render.h"
#include "text.h"

static const char *format_cell(const struct view_column *col, const struct cell *c, char *buf,
			       size_t len)
{
	if (!c->known) {
		snprintf(buf, len, "-");
		return buf;
	}
	if (col->type == CELL_TEXT)
		return c->text;
	if (col->type == CELL_FLAG)
		return c->n ? "yes" : "no";
	if (col->unit == UNIT_NS)
		return format_ns(c->n, buf, len);
	if (col->unit == UNIT_BYTES)
		return format_bytes(c->n, buf, len);
	snprintf(buf, len, "%llu", c->n);
	return buf;
}

/* Up to width bytes; what is hostile to a terminal, in a comm or a path, becomes '?'. */
static int print_clean(FILE *f, const char *s, int width)
{
	int n = 0;

	while (*s && n < width) {
		int len = text_plain(s);

		if (len > width - n)
			break;
		if (len)
			fwrite(s, 1, len, f);
		else
			fputc('?', f);
		s += len ? len : 1;
		n += len ? len : 1;
	}
	return n;
}

static void print_line(FILE *f, const char *s)
{
	fputs("    ", f);
	print_clean(f, s, INT_MAX);
	fputc('\n', f);
}

#define NUMBER_WIDTH 9

static int text_column_width(const struct view *v, size_t col)
{
	size_t width = strlen(v->columns[col].head) + 1; /* a mark may stand before it */

	for (size_t i = 0; i < v->nr_rows; i++)
		if (v->rows[i].cells[col].text)
			width = max_u64(width, strlen(v->rows[i].cells[col].text) + 1);
	return min_u64(max_u64(width, 5), 48);
}

/* A flag without a heading of its own marks the text before it: ~ is a sampled owner. */
static bool is_marked(const struct view *v, const struct view_row *row, size_t c)
{
	return c + 1 < v->nr_columns && v->columns[c + 1].type == CELL_FLAG &&
	       !v->columns[c + 1].head && row->cells[c + 1].n;
}

static void print_row(FILE *f, const struct view *v, const struct view_row *row, const int *width)
{
	static const char *const closing[] = { [VIEW_OTHER] = "other", [VIEW_TOTAL] = "total" };
	bool named = row->kind == VIEW_ROW;
	char buf[32];
	int room;

	for (size_t c = 0; c < v->nr_columns; c++) {
		const struct view_column *col = &v->columns[c];
		bool blank = row->kind != VIEW_ROW && !col->adds_up;
		const char *s = blank ? "" : format_cell(col, &row->cells[c], buf, sizeof(buf));

		if (!width[c])
			continue;
		if (blank && !named) {
			s = closing[row->kind];
			named = true;
		}
		fputc(' ', f);
		room = width[c] - is_marked(v, row, c);
		if (is_marked(v, row, c))
			fputc('~', f);
		if (col->type == CELL_TEXT || s == closing[row->kind])
			fprintf(f, "%*s", room - print_clean(f, s, room), "");
		else
			fprintf(f, "%*s", NUMBER_WIDTH, s);
	}
	fputc('\n', f);
	for (size_t c = 0; c < v->nr_columns; c++)
		for (char **line = row->cells[c].lines; line && *line; line++)
			print_line(f, *line);
}

#define TEXT_MIN 12

static int table_width(const struct view *v, const int *width)
{
	int sum = 0;

	for (size_t c = 0; c < v->nr_columns; c++)
		sum += width[c] ? width[c] + 1 : 0;
	return sum;
}

/* The column to leave out next, the last of those that do not add up before the others; -1: none. */
static int least_column(const struct view *v, const int *width)
{
	int least = -1;

	for (size_t c = 1; c < v->nr_columns; c++)
		if (width[c] && v->columns[c].type != CELL_TEXT &&
		    (least < 0 || !v->columns[c].adds_up || v->columns[least].adds_up))
			least = c;
	return least;
}

/* Shortens names, then leaves out columns, until a line fits. */
static void fit_table(const struct view *v, int *width, int limit)
{
	int least;

	for (size_t c = v->nr_columns; c--;)
		while (table_width(v, width) > limit && v->columns[c].type == CELL_TEXT &&
		       width[c] > TEXT_MIN)
			width[c]--;
	while (table_width(v, width) > limit && (least = least_column(v, width)) >= 0)
		width[least] = 0;
}

void text_view(FILE *f, const struct view *v, int limit)
{
	int width[MAX_CELLS] = { 0 };

	for (size_t c = 0; c < v->nr_columns; c++)
		if (v->columns[c].head)
			width[c] = v->columns[c].type == CELL_TEXT ? text_column_width(v, c)
								   : NUMBER_WIDTH;
	fit_table(v, width, limit);
	for (size_t c = 0; c < v->nr_columns; c++)
		if (width[c])
			fprintf(f, v->columns[c].type == CELL_TEXT ? " %-*s" : " %*s", width[c],
				v->columns[c].head);
	fputc('\n', f);
	for (size_t i = 0; i < v->nr_rows; i++)
		print_row(f, v, &v->rows[i], width);
	fputc('\n', f);
}

/* Where to break: between two items, which have two blanks between them, else between two words. */
static int break_at(const char *s, int len, int room, int from)
{
	int word = 0;

	if (len <= room)
		return len;
	for (int at = room; at > from; at--) {
		if (s[at] != ' ')
			continue;
		if (s[at - 1] == ' ')
			return at - 1;
		word = word ? word : at;
	}
	return word ? word : len; /* one long word */
}

static void wrap_line(FILE *f, const char *s, int len, int limit, int indent)
{
	for (int room = limit, from = indent;; room = limit - indent, from = 0) {
		int at = break_at(s, len, room, from);

		fprintf(f, "%.*s\n", at, s);
		s += at;
		len -= at;
		for (; len && *s == ' '; len--)
			s++;
		if (!len)
			return;
		fprintf(f, "%*s", indent, "");
	}
}

void text_wrap(FILE *f, const char *text, int limit, int indent)
{
	indent = indent < limit / 4 ? indent : limit / 4;
	while (*text) {
		int len = strcspn(text, "\n");

		wrap_line(f, text, len, limit, indent);
		text += len;
		text += *text == '\n';
	}
}
