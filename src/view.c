// SPDX-License-Identifier: GPL-2.0-only
#include "view.h"

#include <errno.h>
#include <string.h>

#include "cgroups.h"
#include "frames.h"
#include "names.h"

const char *const by_names[NR_BY] = { "none", "site", "stack", "process", "cgroup", "size", "comm" };

static const struct view_column site_columns[] = {
	{ "site", "site", CELL_TEXT, UNIT_COUNT, false },
	{ "owner", "owner", CELL_TEXT, UNIT_COUNT, false },
	{ "owner_sampled", NULL, CELL_FLAG, UNIT_COUNT, false },
	{ "size_bytes", "size", CELL_NUMBER, UNIT_BYTES, false },
	{ "align", "align", CELL_NUMBER, UNIT_COUNT, false },
	{ "atomic", "atomic", CELL_FLAG, UNIT_COUNT, false },
	{ "allocs", "allocs", CELL_NUMBER, UNIT_COUNT, true },
	{ "alloc_bytes", "bytes", CELL_NUMBER, UNIT_BYTES, true },
	{ "alloc_possible_bytes", "all-cpus", CELL_NUMBER, UNIT_BYTES, true },
};

static const struct view_column stack_columns[] = {
	{ "lock", "lock", CELL_TEXT, UNIT_COUNT, false },
	{ "waits", "waits", CELL_NUMBER, UNIT_COUNT, true },
	{ "sleeps", "sleeps", CELL_NUMBER, UNIT_COUNT, true },
	{ "wait_ns", "wait", CELL_NUMBER, UNIT_NS, true },
	{ "spin_ns", "spin", CELL_NUMBER, UNIT_NS, true },
	{ "sleep_ns", "sleep", CELL_NUMBER, UNIT_NS, true },
	{ "max_ns", "max", CELL_NUMBER, UNIT_NS, false },
	{ "stack", NULL, CELL_LINES, UNIT_COUNT, false },
};

static const struct view_column process_columns[] = {
	{ "pid", "pid", CELL_NUMBER, UNIT_COUNT, false },
	{ "comm", "comm", CELL_TEXT, UNIT_COUNT, false },
	{ "allocs", "allocs", CELL_NUMBER, UNIT_COUNT, true },
	{ "alloc_bytes", "bytes", CELL_NUMBER, UNIT_BYTES, true },
	{ "waits", "waits", CELL_NUMBER, UNIT_COUNT, true },
	{ "wait_ns", "wait", CELL_NUMBER, UNIT_NS, true },
	{ "max_ns", "max", CELL_NUMBER, UNIT_NS, false },
};

static const struct view_column cgroup_columns[] = {
	{ "cgroup", "cgroup", CELL_TEXT, UNIT_COUNT, false },
	{ "allocs", "allocs", CELL_NUMBER, UNIT_COUNT, true },
	{ "alloc_bytes", "bytes", CELL_NUMBER, UNIT_BYTES, true },
	{ "waits", "waits", CELL_NUMBER, UNIT_COUNT, true },
	{ "wait_ns", "wait", CELL_NUMBER, UNIT_NS, true },
	{ "max_ns", "max", CELL_NUMBER, UNIT_NS, false },
};

static const struct view_column size_columns[] = {
	{ "size_bytes", "size", CELL_NUMBER, UNIT_BYTES, false },
	{ "allocs", "allocs", CELL_NUMBER, UNIT_COUNT, true },
	{ "alloc_bytes", "bytes", CELL_NUMBER, UNIT_BYTES, true },
	{ "alloc_possible_bytes", "all-cpus", CELL_NUMBER, UNIT_BYTES, true },
};

static const struct {
	const struct view_column *columns;
	size_t nr;
	const char *sort;
} tables[NR_BY] = {
	[BY_SITE] = { site_columns, ARRAY_SIZE(site_columns), "allocs" },
	[BY_STACK] = { stack_columns, ARRAY_SIZE(stack_columns), "wait_ns" },
	[BY_PROCESS] = { process_columns, ARRAY_SIZE(process_columns), "allocs" },
	[BY_CGROUP] = { cgroup_columns, ARRAY_SIZE(cgroup_columns), "allocs" },
	[BY_COMM] = { process_columns + 1, ARRAY_SIZE(process_columns) - 1, "allocs" }, /* no pid */
	[BY_SIZE] = { size_columns, ARRAY_SIZE(size_columns), "allocs" },
};

const struct view_column *view_columns(enum by by, size_t *n)
{
	*n = tables[by].nr;
	return tables[by].columns;
}

static int find_column(enum by by, const char *key)
{
	for (size_t i = 0; i < tables[by].nr; i++)
		if (!strcmp(tables[by].columns[i].key, key))
			return i;
	return -1;
}

bool view_has_key(enum by by, const char *key)
{
	int i = find_column(by, *key == '-' ? key + 1 : key);

	return i >= 0 && tables[by].columns[i].type == CELL_NUMBER;
}

static struct cell number(u64 n)
{
	return (struct cell) { .known = true, .n = n };
}

static struct cell number_if(bool known, u64 n)
{
	return (struct cell) { .known = known, .n = known ? n : 0 };
}

static struct cell text(const char *s)
{
	return (struct cell) { .known = s != NULL, .text = s ? strdup(s) : NULL };
}

static void site_row(const struct info *info, const struct site *s, struct cell *c)
{
	bool sampled;
	const char *owner = site_owner(info, s, &sampled);
	u64 bytes = s->allocs * SITE_SIZE(s->meta);
	char name[160];

	c[0] = text(s->call_site ? site_name(info, s, name, sizeof(name)) : NULL);
	c[1] = text(owner);
	c[2] = number_if(owner, sampled);
	c[3] = number(SITE_SIZE(s->meta));
	c[4] = number(SITE_ALIGN(s->meta));
	c[5] = number(!!(s->meta & SITE_ATOMIC));
	c[6] = number(s->allocs);
	c[7] = number(bytes);
	c[8] = number(bytes * info->cpus_possible);
}

/* Names of a stack, leaf first, the tracing's own frames left out. */
static char **stack_lines(const struct info *info, const u64 *ip)
{
	char **lines = calloc(STACK_FRAMES + 1, sizeof(*lines));
	char hex[STACK_FRAMES][FRAME_HEX];
	const char *names[STACK_FRAMES];
	size_t nr = lines ? stack_names(info->ksyms, ip, STACK_FRAMES, names, hex) : 0;

	for (size_t i = 0; i < nr; i++)
		lines[i] = strdup(names[i]);
	return lines;
}

static void stack_row(const struct info *info, const struct stack_row *s, struct cell *c)
{
	c[0] = text(s->key.lock < NR_LOCKS ? lock_names[s->key.lock] : NULL);
	c[1] = number(s->w.waits);
	c[2] = number_if(info->locks_split, s->w.sleeps);
	c[3] = number(s->w.wait_ns);
	c[4] = number_if(info->locks_split, s->w.spin_ns);
	c[5] = number_if(info->locks_split, s->w.sleep_ns);
	c[6] = number(s->w.max_iv);
	c[7] = (struct cell) { .known = true, .lines = stack_lines(info, s->key.ip) };
}

/* In a row all locks are one sum, which says nothing without the mutex. */
static bool waits_known(const struct info *info)
{
	return *info->backend[SIG_LOCK_WAITS] && info->locks[LOCK_ALLOC_MUTEX].addr;
}

/* allocs, bytes, waits, wait, max: the same for processes and cgroups. */
static void row_numbers(const struct info *info, const struct row_stat *s, struct cell *c)
{
	bool allocs = *info->backend[SIG_ALLOCATIONS], waits = waits_known(info);

	c[0] = number_if(allocs, s->allocs);
	c[1] = number_if(allocs, s->alloc_bytes);
	c[2] = number_if(waits, s->w.waits);
	c[3] = number_if(waits, s->w.wait_ns);
	c[4] = number_if(waits && s->w.waits, s->w.max_iv);
}

static void process_row(const struct info *info, const struct proc_row *p, struct cell *c)
{
	char comm[COMM_LEN + 1] = "";

	memcpy(comm, p->key.comm, COMM_LEN);
	c[0] = number(p->key.id);
	c[1] = text(comm);
	row_numbers(info, &p->s, c + 2);
}

static void cgroup_row(const struct info *info, const struct proc_row *p, struct cell *c)
{
	const char *path = info->cgroups ? cgroups_path(info->cgroups, p->key.id) : NULL;
	char id[32];

	snprintf(id, sizeof(id), "id:%llu", p->key.id);
	c[0] = text(path ? path : id);
	row_numbers(info, &p->s, c + 1);
}

static void size_row(const struct info *info, u64 size, u64 allocs, struct cell *c)
{
	c[0] = number(size);
	c[1] = number(allocs);
	c[2] = number(size * allocs);
	c[3] = number(size * allocs * info->cpus_possible);
}

static void add_row(struct row_stat *sum, const struct row_stat *s)
{
	sum->allocs += s->allocs;
	sum->alloc_bytes += s->alloc_bytes;
	sum->w.waits += s->w.waits;
	sum->w.wait_ns += s->w.wait_ns;
	sum->w.max_iv = max_u64(sum->w.max_iv, s->w.max_iv);
}

static int cmp_comm(const void *a, const void *b)
{
	const struct proc_row *const *x = a, *const *y = b;

	return memcmp((*x)->key.comm, (*y)->key.comm, COMM_LEN);
}

/* Processes of one name are one row, however short each of them lived. */
static int make_comm_rows(const struct info *info, const struct snap *d, struct view *v)
{
	const struct proc_row **sorted = calloc(d->nr_rows + 1, sizeof(*sorted));
	struct row_stat sum;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < d->nr_rows; i++)
		sorted[i] = &d->rows[i];
	qsort(sorted, d->nr_rows, sizeof(*sorted), cmp_comm);
	for (size_t i = 0, end; i < d->nr_rows; i = end) {
		char comm[COMM_LEN + 1] = "";

		memset(&sum, 0, sizeof(sum));
		for (end = i; end < d->nr_rows && !cmp_comm(&sorted[i], &sorted[end]); end++)
			add_row(&sum, &sorted[end]->s);
		memcpy(comm, sorted[i]->key.comm, COMM_LEN);
		v->rows[v->nr_rows].cells[0] = text(comm);
		row_numbers(info, &sum, v->rows[v->nr_rows++].cells + 1);
	}
	free(sorted);
	return 0;
}

static int make_size_rows(const struct info *info, const struct snap *d, struct view *v)
{
	for (size_t i = 0; i < d->nr_sites; i++) {
		u64 size = SITE_SIZE(d->sites[i].meta), n = d->sites[i].allocs;
		size_t at = 0;

		while (at < v->nr_rows && v->rows[at].cells[0].n != size)
			at++;
		if (at == v->nr_rows)
			v->nr_rows++;
		size_row(info, size, v->rows[at].cells[1].n + n, v->rows[at].cells);
	}
	return 0;
}

static size_t source_rows(const struct snap *d, enum by by)
{
	if (by == BY_SITE || by == BY_SIZE)
		return d->nr_sites;
	return by == BY_STACK ? d->nr_stacks : d->nr_rows;
}

static int make_rows(const struct info *info, const struct snap *d, enum by by, struct view *v)
{
	if (by == BY_SIZE)
		return make_size_rows(info, d, v);
	if (by == BY_COMM)
		return make_comm_rows(info, d, v);
	v->nr_rows = source_rows(d, by);
	for (size_t i = 0; i < v->nr_rows; i++) {
		struct cell *c = v->rows[i].cells;

		if (by == BY_SITE)
			site_row(info, &d->sites[i], c);
		else if (by == BY_STACK)
			stack_row(info, &d->stacks[i], c);
		else if (by == BY_PROCESS)
			process_row(info, &d->rows[i], c);
		else
			cgroup_row(info, &d->rows[i], c);
	}
	return 0;
}

struct totals {
	u64 allocs, alloc_bytes, waits, sleeps, wait_ns, spin_ns, sleep_ns;
};

static void add_wait(struct totals *t, const struct wait_stat *w)
{
	t->waits += w->waits;
	t->sleeps += w->sleeps;
	t->wait_ns += w->wait_ns;
	t->spin_ns += w->spin_ns;
	t->sleep_ns += w->sleep_ns;
}

/*
 * Rows and totals are read one after the other, while both count. Processes and cgroups have an
 * other row of their own, so that the total is exactly what the rows have seen.
 */
static void row_totals(const struct snap *d, struct totals *t)
{
	t->allocs = d->row_other_allocs;
	t->alloc_bytes = d->row_other_bytes;
	t->waits = d->row_other_waits;
	t->wait_ns = d->row_other_wait_ns;
	for (size_t i = 0; i < d->nr_rows; i++) {
		t->allocs += d->rows[i].s.allocs;
		t->alloc_bytes += d->rows[i].s.alloc_bytes;
		add_wait(t, &d->rows[i].s.w);
	}
}

/* Stacks have no such row: the locks' own sums, and never less than the rows show. */
static void stack_totals(const struct snap *d, struct totals *t)
{
	struct totals rows = {};

	for (size_t i = 0; i < d->nr_stacks; i++)
		add_wait(&rows, &d->stacks[i].w);
	for (int i = 0; i < NR_LOCKS; i++)
		add_wait(t, &d->locks[i].w);
	t->waits = max_u64(t->waits, rows.waits);
	t->sleeps = max_u64(t->sleeps, rows.sleeps);
	t->wait_ns = max_u64(t->wait_ns, rows.wait_ns);
	t->spin_ns = max_u64(t->spin_ns, rows.spin_ns);
	t->sleep_ns = max_u64(t->sleep_ns, rows.sleep_ns);
}

static struct totals make_totals(const struct snap *d, enum by by)
{
	struct totals t = {};

	if (by == BY_PROCESS || by == BY_CGROUP || by == BY_COMM) {
		row_totals(d, &t);
	} else if (by == BY_STACK) {
		stack_totals(d, &t);
	} else {
		t.allocs = snap_allocs(d);
		t.alloc_bytes = snap_alloc_bytes(d);
	}
	return t;
}

/* What a column adds up to over everything, seen or not. */
static struct cell total_cell(const struct info *info, const struct snap *d, enum by by,
			      const struct totals *t, const struct view_column *col)
{
	bool allocs = *info->backend[SIG_ALLOCATIONS];
	bool waits = by == BY_STACK ? any_lock_known(info, d) : waits_known(info);
	bool split = waits && info->locks_split;
	const struct {
		const char *key;
		u64 n;
		bool known;
	} totals[] = {
		{ "allocs", t->allocs, allocs },
		{ "alloc_bytes", t->alloc_bytes, allocs },
		{ "alloc_possible_bytes", t->alloc_bytes * info->cpus_possible, allocs },
		{ "waits", t->waits, waits },
		{ "wait_ns", t->wait_ns, waits },
		{ "sleeps", t->sleeps, split },
		{ "spin_ns", t->spin_ns, split },
		{ "sleep_ns", t->sleep_ns, split },
	};

	for (size_t i = 0; i < ARRAY_SIZE(totals) && col->adds_up; i++)
		if (!strcmp(totals[i].key, col->key))
			return number_if(totals[i].known, totals[i].n);
	return (struct cell) {};
}

static int sort_column;
static bool sort_ascending;

static int cmp_lines(char **a, char **b)
{
	int c = 0;

	while (a && b && *a && *b && !c)
		c = strcmp(*a++, *b++);
	return c || !a || !b ? c : (*a != NULL) - (*b != NULL);
}

static int cmp_rows(const void *pa, const void *pb)
{
	const struct view_row *a = pa, *b = pb;
	u64 x = a->cells[sort_column].n, y = b->cells[sort_column].n;

	if (x != y)
		return (x < y) == sort_ascending ? -1 : 1;
	/* A stable order for equal rows, so that the same data give the same screen. */
	for (int i = 0; i < MAX_CELLS; i++) {
		const char *s = a->cells[i].text, *t = b->cells[i].text;
		int c = s && t ? strcmp(s, t) : !t - !s;

		if (c)
			return c;
		if (a->cells[i].n != b->cells[i].n)
			return a->cells[i].n < b->cells[i].n ? -1 : 1;
	}
	for (int i = 0; i < MAX_CELLS; i++) {
		int c = cmp_lines(a->cells[i].lines, b->cells[i].lines);

		if (c)
			return c;
	}
	return 0;
}

static void free_row(struct view_row *r)
{
	for (int i = 0; i < MAX_CELLS; i++) {
		free(r->cells[i].text);
		for (char **line = r->cells[i].lines; line && *line; line++)
			free(*line);
		free(r->cells[i].lines);
	}
}

/* other = total - the rows that are shown, column by column. */
static void close_rows(const struct info *info, const struct snap *d, enum by by, struct view *v)
{
	struct view_row other = { .kind = VIEW_OTHER }, total = { .kind = VIEW_TOTAL };
	struct totals totals = make_totals(d, by);

	for (size_t c = 0; c < v->nr_columns; c++) {
		total.cells[c] = total_cell(info, d, by, &totals, &v->columns[c]);
		other.cells[c] = total.cells[c];
		for (size_t i = 0; i < v->nr_rows && other.cells[c].known; i++)
			other.cells[c].n -= v->rows[i].cells[c].n;
	}
	v->rows[v->nr_rows++] = other;
	v->rows[v->nr_rows++] = total;
}

int view_make(const struct info *info, const struct snap *d, enum by by, const char *key,
	      size_t top, struct view *out)
{
	int column;

	memset(out, 0, sizeof(*out));
	key = key ? key : tables[by].sort;
	column = key && view_has_key(by, key) ? find_column(by, *key == '-' ? key + 1 : key) : -1;
	if (column < 0)
		return -EINVAL;
	out->columns = tables[by].columns;
	out->nr_columns = tables[by].nr;
	out->rows = calloc(source_rows(d, by) + 2, sizeof(*out->rows));
	if (!out->rows)
		return -ENOMEM;
	if (make_rows(info, d, by, out)) {
		view_free(out);
		return -ENOMEM;
	}
	sort_column = column;
	sort_ascending = *key == '-';
	qsort(out->rows, out->nr_rows, sizeof(*out->rows), cmp_rows);
	while (top && out->nr_rows > top)
		free_row(&out->rows[--out->nr_rows]);
	close_rows(info, d, by, out);
	return 0;
}

void view_free(struct view *v)
{
	for (size_t i = 0; i < v->nr_rows; i++)
		free_row(&v->rows[i]);
	free(v->rows);
	memset(v, 0, sizeof(*v));
}
