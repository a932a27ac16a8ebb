// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording back into snapshots. The file may be cut, damaged or hostile: the first line that
 * is not what it has to be ends the reading, and what was closed before it stands.
 */
#include "tape.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <zlib.h>

#include "cgroups.h"
#include "tape-fields.h"
#include "text.h"

#define MAX_LINE    (1 << 20)
#define MAX_ENTRIES (1 << 17) /* of one table; far over what the maps hold */
#define MAX_NAMES   (1 << 17) /* symbols, cgroups or user stacks */

/* The rows that are there at this point of the file, in the order of their refs. */
struct entry {
	u64 ref;
	bool gone;
	char elem[] __attribute__((aligned(8)));
};

struct table {
	char *entries;
	size_t nr, cap;
	size_t nr_gone;
};

struct tape {
	gzFile gz;
	char *name;
	struct info *info;
	char *line;
	size_t cap_line, len;
	u64 line_nr, snaps;
	struct snap cur; /* totals only; rows are in the tables */
	struct table tables[NR_TABLES];
	size_t nr_symbols, nr_cgroups;
	bool ended;
	char damage[160];
};

static size_t stride(enum table_id id)
{
	return sizeof(struct entry) + (table_defs[id].elem + 7) / 8 * 8;
}

static struct entry *entry_at(const struct table *table, enum table_id id, size_t i)
{
	return (void *)(table->entries + i * stride(id));
}

static struct entry *find_entry(const struct table *table, enum table_id id, u64 ref)
{
	size_t lo = 0, hi = table->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct entry *e = entry_at(table, id, mid);

		if (e->ref == ref)
			return e->gone ? NULL : e;
		if (e->ref < ref)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Refs only grow, so a new entry goes to the end. */
static struct entry *new_entry(struct table *table, enum table_id id, u64 ref)
{
	struct entry *e;

	if (table->nr && entry_at(table, id, table->nr - 1)->ref >= ref)
		return NULL;
	if (table->nr == MAX_ENTRIES || grow(&table->entries, &table->cap, table->nr, stride(id)))
		return NULL;
	e = entry_at(table, id, table->nr++);
	memset(e, 0, stride(id));
	e->ref = ref;
	return e;
}

static void compact(struct table *table, enum table_id id)
{
	size_t kept = 0;

	if (table->nr_gone < table->nr / 2)
		return;
	for (size_t i = 0; i < table->nr; i++) {
		struct entry *e = entry_at(table, id, i);

		if (!e->gone)
			memmove(entry_at(table, id, kept++), e, stride(id));
	}
	table->nr = kept;
	table->nr_gone = 0;
}

static int read_row(struct tape *t, const json_t *line, enum table_id id)
{
	const struct table_def *def = &table_defs[id];
	struct entry *e;
	u64 ref;

	if (json_member_u64(line, "ref", &ref))
		return -EINVAL;
	e = find_entry(&t->tables[id], id, ref);
	if (!e) {
		e = new_entry(&t->tables[id], id, ref);
		if (!e || def->get_key(line, e->elem))
			return -EINVAL;
	}
	return fields_get(line, def->fields, e->elem);
}

static int table_by_type(const char *type)
{
	for (int id = 0; type && id < NR_TABLES; id++)
		if (!strcmp(type, table_defs[id].type))
			return id;
	return -1;
}

static int read_gone(struct tape *t, const json_t *line)
{
	int id = table_by_type(json_string_value(json_object_get(line, "table")));
	const json_t *refs = json_object_get(line, "refs");

	/* Only processes end; a site or a stack that vanished would be a counter that fell. */
	if (id != TABLE_ROW || !json_is_array(refs))
		return -EINVAL;
	for (size_t i = 0; i < json_array_size(refs); i++) {
		struct entry *e;
		u64 ref;

		if (json_get_u64(json_array_get(refs, i), &ref))
			return -EINVAL;
		e = find_entry(&t->tables[id], id, ref);
		if (!e)
			return -EINVAL;
		e->gone = true;
		t->tables[id].nr_gone++;
	}
	compact(&t->tables[id], id);
	return 0;
}

static int read_sym(struct tape *t, const json_t *line)
{
	char name[512];
	u64 addr, size;

	if (json_member_u64(line, "addr", &addr) || json_member_u64(line, "size", &size) ||
	    json_member_bytes(line, "name", name, sizeof(name) - 1) || !t->info->ksyms ||
	    t->nr_symbols++ == MAX_NAMES)
		return -EINVAL;
	name[sizeof(name) - 1] = '\0';
	return ksyms_insert(t->info->ksyms, addr, size, name);
}

static int read_ustack(struct tape *t, const json_t *line)
{
	const json_t *list = json_object_get(line, "stack");
	char names[USER_FRAMES][256];
	const char *frames[USER_FRAMES];
	size_t n = json_array_size(list);
	u64 id;

	if (json_member_u64(line, "id", &id) || !json_is_array(list) || n > USER_FRAMES ||
	    t->info->ustacks.nr >= MAX_NAMES)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(list, i));

		if (!s || text_unquote(s, names[i], sizeof(names[i]) - 1) < 0)
			return -EINVAL;
		names[i][sizeof(names[i]) - 1] = '\0';
		frames[i] = names[i];
	}
	return ustacks_add(&t->info->ustacks, id, frames, n);
}

static int read_cgroup(struct tape *t, const json_t *line)
{
	char path[4096];
	u64 id;

	if (json_member_u64(line, "id", &id) ||
	    json_member_bytes(line, "path", path, sizeof(path) - 1) || t->nr_cgroups++ == MAX_NAMES)
		return -EINVAL;
	path[sizeof(path) - 1] = '\0';
	return cgroups_add(t->info->cgroups, id, path);
}

static int add_elem(struct snap *s, enum table_id id, const void *elem)
{
	const struct stack_row *stack = elem;
	const struct proc_row *row = elem;

	switch (id) {
	case TABLE_SITE:
		return snap_add_site(s, elem);
	case TABLE_ROW:
		return snap_add_row(s, &row->key, &row->s);
	case TABLE_STACK:
		return snap_add_stack(s, &stack->key, &stack->w);
	default:
		return 0;
	}
}

/* A maximum of an interval is over when the next one begins. */
static void forget_maxima(struct tape *t)
{
	for (int id = 0; id < NR_TABLES; id++)
		for (size_t i = 0; i < t->tables[id].nr; i++)
			fields_get(NULL, table_defs[id].fields,
				   entry_at(&t->tables[id], id, i)->elem);
}

static int cmp_owner(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct owner_key));
}

static int give_owners(struct tape *t)
{
	const struct table *table = &t->tables[TABLE_OWNER];
	struct info *info = t->info;

	if (info->nr_owners == table->nr)
		return 0;
	info->nr_owners = 0;
	for (size_t i = 0; i < table->nr; i++) {
		if (grow(&info->owners, &info->cap_owners, info->nr_owners, sizeof(*info->owners)))
			return -ENOMEM;
		memcpy(&info->owners[info->nr_owners++], entry_at(table, TABLE_OWNER, i)->elem,
		       sizeof(*info->owners));
	}
	qsort(info->owners, info->nr_owners, sizeof(*info->owners), cmp_owner);
	return 0;
}

/* The tables and the totals as one snapshot. */
static int give_snap(struct tape *t, struct snap *s)
{
	struct snap totals = t->cur;

	snap_reset(s);
	totals.sites = s->sites;
	totals.cap_sites = s->cap_sites;
	totals.rows = s->rows;
	totals.cap_rows = s->cap_rows;
	totals.stacks = s->stacks;
	totals.cap_stacks = s->cap_stacks;
	*s = totals;
	for (int id = 0; id < NR_TABLES; id++) {
		for (size_t i = 0; i < t->tables[id].nr; i++) {
			const struct entry *e = entry_at(&t->tables[id], id, i);

			if (!e->gone && add_elem(s, id, e->elem))
				return -ENOMEM;
		}
	}
	snap_sort(s);
	t->snaps++;
	forget_maxima(t);
	return give_owners(t);
}

static int read_end(struct tape *t, const json_t *line)
{
	u64 snaps;

	if (json_member_u64(line, "snaps", &snaps) || snaps != t->snaps)
		return -EINVAL;
	t->ended = true;
	return 0;
}

/* 1 when the line closes a snapshot, 0, or -errno. Types that we do not know are skipped. */
static int take_line(struct tape *t, const json_t *line)
{
	const char *type = json_string_value(json_object_get(line, "type"));
	int table = table_by_type(type), err;

	if (!type || t->ended)
		return -EINVAL;
	if (table >= 0)
		return read_row(t, line, table);
	if (!strcmp(type, "snap")) {
		err = tape_get_totals(line, &t->cur);
		return err ? err : 1;
	}
	if (!strcmp(type, "sym"))
		return read_sym(t, line);
	if (!strcmp(type, "gone"))
		return read_gone(t, line);
	if (!strcmp(type, "ustack"))
		return read_ustack(t, line);
	if (!strcmp(type, "cgroup"))
		return read_cgroup(t, line);
	if (!strcmp(type, "lock"))
		return tape_get_lock(line, t->info);
	if (!strcmp(type, "end"))
		return read_end(t, line);
	return 0;
}

static void damaged(struct tape *t, const char *what)
{
	if (!*t->damage)
		snprintf(t->damage, sizeof(t->damage), "%s at line %llu, after %llu snapshots",
			 what, t->line_nr, t->snaps);
}

/* The next whole line into t->line: 1, or 0 at the end or at what is no whole line. */
static int next_line(struct tape *t)
{
	t->len = 0;
	for (;;) {
		if (t->len + 1 >= MAX_LINE) {
			damaged(t, "endless line");
			return 0;
		}
		if (t->cap_line < t->len + 4096 && grow(&t->line, &t->cap_line, t->cap_line, 1))
			return -ENOMEM;
		if (t->cap_line < t->len + 4096)
			continue;
		if (!gzgets(t->gz, t->line + t->len, t->cap_line - t->len))
			break;
		t->len += strlen(t->line + t->len);
		if (t->len && t->line[t->len - 1] == '\n') {
			t->line_nr++;
			return 1;
		}
		/* gzgets came back early: the end, an error, or a NUL byte among the text. */
		if (t->len + 1 < t->cap_line)
			break;
	}
	t->line_nr++;
	if (t->len)
		damaged(t, "cut off");
	return 0;
}

/* 1 with the parsed line, 0 at the end of what can be read, -ENOMEM. */
static int next_object(struct tape *t, json_t **obj)
{
	int got = next_line(t), code = Z_OK;

	*obj = NULL;
	if (got < 0)
		return got;
	if (got) {
		*obj = json_loadb(t->line, t->len, JSON_REJECT_DUPLICATES, NULL);
		if (json_is_object(*obj))
			return 1;
		json_decref(*obj);
		*obj = NULL;
		damaged(t, "not a JSON object");
		return 0;
	}
	gzerror(t->gz, &code);
	if (code != Z_OK && code != Z_BUF_ERROR)
		damaged(t, "damaged compression");
	else if (!t->ended || code == Z_BUF_ERROR)
		damaged(t, "no end record: cut off");
	return 0;
}

int tape_next(struct tape *t, struct snap *s)
{
	json_t *line;
	int got;

	while (!*t->damage && (got = next_object(t, &line)) != 0) {
		if (got > 0)
			got = take_line(t, line);
		json_decref(line);
		if (got == -ENOMEM)
			return got;
		if (got < 0) {
			damaged(t, "not what a recording has");
			break;
		}
		if (got) {
			got = give_snap(t, s);
			return got ? got : 1;
		}
	}
	return 0;
}

const char *tape_damage(const struct tape *t)
{
	return *t->damage ? t->damage : NULL;
}

static int open_header(struct tape *t)
{
	json_t *line;
	int got = next_object(t, &line), err = -EINVAL;

	if (got > 0)
		err = tape_get_header(line, t->info);
	if (!err && json_is_true(json_object_get(line, "symbols"))) {
		t->info->ksyms = ksyms_new();
		err = t->info->ksyms ? 0 : -ENOMEM;
	}
	json_decref(line);
	if (!err) {
		t->info->cgroups = cgroups_new();
		err = t->info->cgroups ? 0 : -ENOMEM;
	}
	if (err == -EPROTONOSUPPORT)
		return fail(EXIT_RUNTIME, "%s was recorded by a newer pcpustat", t->name);
	if (err == -ENOMEM)
		return fail(EXIT_RUNTIME, "out of memory");
	return err ? fail(EXIT_RUNTIME, "%s is no recording of pcpustat", t->name) : 0;
}

int tape_open_fd(struct tape **out, int fd, const char *name, struct info *info)
{
	struct tape *t = calloc(1, sizeof(*t));
	int code;

	memset(info, 0, sizeof(*info));
	if (t) {
		t->info = info;
		t->name = strdup(name);
		t->gz = gzdopen(fd, "r");
	}
	if (!t || !t->name || !t->gz) {
		if (!t || !t->gz)
			close(fd);
		tape_close(t);
		return fail(EXIT_RUNTIME, "out of memory");
	}
	code = open_header(t);
	if (code) {
		tape_close(t);
		return code;
	}
	*out = t;
	return 0;
}

int tape_open(struct tape **out, const char *path, struct info *info)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(EXIT_RUNTIME, "cannot read %s: %s", path, strerror(errno));
	return tape_open_fd(out, fd, path, info);
}

void tape_close(struct tape *t)
{
	if (!t)
		return;
	for (int i = 0; i < NR_TABLES; i++)
		free(t->tables[i].entries);
	ksyms_free(t->info->ksyms);
	cgroups_free(t->info->cgroups);
	ustacks_free(&t->info->ustacks);
	free(t->info->owners);
	memset(t->info, 0, sizeof(*t->info));
	if (t->gz)
		gzclose(t->gz);
	free(t->line);
	free(t->name);
	free(t);
}
