// SPDX-License-Identifier: GPL-2.0-only
/* A recording on its way to a file: what changed since the last snapshot, and its symbols. */
#include "tape.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <zlib.h>

#include "cgroups.h"
#include "tape-fields.h"

/* What is in the file already, sorted by key, so that a change is found by walking both. */
struct kept {
	u64 ref; /* names the row in later lines */
	char elem[] __attribute__((aligned(8)));
};

struct kept_table {
	char *rows; /* nr times stride bytes */
	size_t nr;
	u64 next_ref;
};

struct id_set {
	u64 *ids; /* sorted */
	size_t nr, cap;
};

struct tape_out {
	int fd;    /* until the first snapshot: what the file had stays there as long */
	gzFile gz; /* then */
	bool compress;
	char *name;
	int err; /* -errno of the first failure; nothing is written after it */
	u64 snaps;
	struct snap prev; /* its totals only */
	struct kept_table tables[NR_TABLES];
	struct id_set symbols, cgroups;
	size_t nr_ustacks;
	struct lock_info locks[NR_LOCKS];
};

static int dump(const char *buf, size_t len, void *arg)
{
	return gzwrite(arg, buf, len) == (int)len ? 0 : -1;
}

static int gz_errno(gzFile gz)
{
	int code;

	gzerror(gz, &code);
	return code == Z_ERRNO && errno ? -errno : -EIO;
}

/* Takes the object over. */
static int put_line(struct tape_out *t, json_t *line)
{
	int err = 0;

	if (!line)
		return -ENOMEM;
	errno = 0;
	if (json_dump_callback(line, dump, t->gz, JSON_COMPACT) || gzputc(t->gz, '\n') < 0)
		err = gz_errno(t->gz);
	json_decref(line);
	return err;
}

static json_t *new_line(const char *type)
{
	return json_pack("{ss}", "type", type);
}

/* 1 when id is new to the set, 0 when it is not, -ENOMEM. */
static int set_add(struct id_set *set, u64 id)
{
	size_t lo = 0, hi = set->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (set->ids[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < set->nr && set->ids[lo] == id)
		return 0;
	if (grow(&set->ids, &set->cap, set->nr, sizeof(*set->ids)))
		return -ENOMEM;
	memmove(set->ids + lo + 1, set->ids + lo, (set->nr - lo) * sizeof(*set->ids));
	set->ids[lo] = id;
	set->nr++;
	return 1;
}

static int put_symbol_at(struct tape_out *t, const struct ksyms *ksyms, u64 addr)
{
	u64 off;
	const char *name = ksyms_name(ksyms, addr, &off);
	json_t *line;
	int is_new;

	if (!name)
		return 0;
	is_new = set_add(&t->symbols, addr - off);
	if (is_new <= 0)
		return is_new;
	line = new_line("sym");
	if (!line || json_object_set_new(line, "addr", json_hex(addr - off)) ||
	    json_object_set_new(line, "size", json_u64(ksyms_size(ksyms, addr))) ||
	    json_put_bytes(line, "name", name, strlen(name))) {
		json_decref(line);
		return -ENOMEM;
	}
	return put_line(t, line);
}

/* A return address may be the next function's first byte: both are wanted. */
static int put_symbols(struct tape_out *t, const struct info *info, const u64 *ip, size_t n)
{
	int err = 0;

	for (size_t i = 0; info->ksyms && i < n && ip[i] && !err; i++) {
		err = put_symbol_at(t, info->ksyms, ip[i]);
		if (!err)
			err = put_symbol_at(t, info->ksyms, ip[i] - 1);
	}
	return err;
}

static int put_ustack(struct tape_out *t, const struct ustack *s)
{
	json_t *line = json_pack("{ss,so}", "type", "ustack", "id", json_hex(s->id));
	json_t *names = json_array(), *name;
	int err = !line || !names ? -ENOMEM : 0;

	for (u32 i = 0; i < s->nr && !err; i++) {
		name = json_object();
		err = json_put_bytes(name, "name", s->frame[i], strlen(s->frame[i]));
		if (!err && json_array_append(names, json_object_get(name, "name")))
			err = -ENOMEM;
		json_decref(name);
	}
	if (json_object_set_new(line, "stack", names) && !err)
		err = -ENOMEM;
	if (err) {
		json_decref(line);
		return err;
	}
	return put_line(t, line);
}

static int put_cgroup(struct tape_out *t, const struct info *info, u64 id)
{
	const char *path = info->cgroups && id ? cgroups_path(info->cgroups, id) : NULL;
	json_t *line;
	int is_new = path ? set_add(&t->cgroups, id) : 0;

	if (is_new <= 0)
		return is_new;
	line = json_pack("{ss,so}", "type", "cgroup", "id", json_u64(id));
	if (!line || json_put_bytes(line, "path", path, strlen(path))) {
		json_decref(line);
		return -ENOMEM;
	}
	return put_line(t, line);
}

/* What a new row refers to goes before it. */
static int put_references(struct tape_out *t, const struct info *info, enum table_id id,
			  const void *elem)
{
	const struct owner_row *owner = elem;
	const struct stack_row *stack = elem;
	const struct proc_row *row = elem;
	const struct site *site = elem;
	int err;

	switch (id) {
	case TABLE_OWNER:
		return put_symbols(t, info, owner->owner.ip, OWNER_FRAMES);
	case TABLE_SITE:
		return put_symbols(t, info, &site->call_site, 1);
	case TABLE_ROW:
		return info->cfg.row_by == ROW_CGROUP ? put_cgroup(t, info, row->key.id) : 0;
	default:
		err = put_cgroup(t, info, stack->key.cgroup);
		return err ? err : put_symbols(t, info, stack->key.ip, STACK_FRAMES);
	}
}

static int put_row(struct tape_out *t, const struct info *info, enum table_id id, const void *elem,
		   const void *before, u64 ref)
{
	static const u64 zero[sizeof(struct stack_row) / sizeof(u64)];
	const struct table_def *def = &table_defs[id];
	json_t *line = json_pack("{ss,sI}", "type", def->type, "ref", (json_int_t)ref);
	size_t changed = 0;
	int err = line ? 0 : -ENOMEM;

	if (!err && !before) {
		err = put_references(t, info, id, elem);
		if (!err)
			err = def->put_key(line, elem);
	}
	if (!err)
		err = fields_put(line, def->fields, elem, before ? before : zero, &changed);
	if (err || (before && !changed)) {
		json_decref(line);
		return err;
	}
	return put_line(t, line);
}

static int put_gone(struct tape_out *t, enum table_id id, json_t *refs)
{
	if (!json_array_size(refs)) {
		json_decref(refs);
		return 0;
	}
	return put_line(t, json_pack("{ss,ss,so}", "type", "gone", "table", table_defs[id].type,
				     "refs", refs));
}

static size_t sort_key_len;

static int cmp_elem(const void *a, const void *b)
{
	return memcmp(*(const void *const *)a, *(const void *const *)b, sort_key_len);
}

/* Pointers to the snapshot's elements, in the order in which they are kept. */
static const void **in_order(const struct table_def *def, const char *elems, size_t n)
{
	const void **order = calloc(n + 1, sizeof(*order));

	for (size_t i = 0; order && i < n; i++)
		order[i] = elems + i * def->elem;
	sort_key_len = def->key;
	if (order)
		qsort(order, n, sizeof(*order), cmp_elem);
	return order;
}

/* One walk over what the file has and what is now: writes the difference, keeps what is now. */
static int put_table(struct tape_out *t, const struct info *info, enum table_id id,
		     const char *elems, size_t n)
{
	const struct table_def *def = &table_defs[id];
	struct kept_table *table = &t->tables[id];
	size_t stride = sizeof(struct kept) + (def->elem + 7) / 8 * 8, p = 0;
	_cleanup_free_ const void **order = in_order(def, elems, n);
	_cleanup_free_ char *rows = calloc(n + 1, stride);
	json_t *gone = json_array();
	int err = order && rows && gone ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		struct kept *to = (void *)(rows + i * stride), *old = NULL;

		for (; p < table->nr; p++) {
			struct kept *k = (void *)(table->rows + p * stride);
			int c = memcmp(k->elem, order[i], def->key);

			if (c >= 0) {
				old = c ? NULL : k;
				p += !c;
				break;
			}
			json_array_append_new(gone, json_integer(k->ref));
		}
		to->ref = old ? old->ref : table->next_ref++;
		memcpy(to->elem, order[i], def->elem);
		err = put_row(t, info, id, order[i], old ? old->elem : NULL, to->ref);
	}
	for (; p < table->nr; p++)
		json_array_append_new(
			gone, json_integer(((struct kept *)(table->rows + p * stride))->ref));
	if (err) {
		json_decref(gone);
		return err;
	}
	free(table->rows);
	table->rows = take_ptr(rows);
	table->nr = n;
	return put_gone(t, id, gone);
}

/* Addresses can be learned while the recording runs. */
static int put_new_locks(struct tape_out *t, const struct info *info)
{
	int err = 0;

	for (int i = 0; i < NR_LOCKS && !err; i++) {
		json_t *line;

		if (!memcmp(&t->locks[i], &info->locks[i], sizeof(t->locks[i])))
			continue;
		t->locks[i] = info->locks[i];
		line = tape_lock(info, i);
		if (line && json_object_set_new(line, "type", json_string("lock")))
			err = -ENOMEM;
		if (!err)
			err = put_line(t, line);
	}
	return err;
}

static int say(struct tape_out *t)
{
	if (t->snaps)
		return fail(EXIT_RUNTIME,
			    "cannot write %s: %s; the %llu snapshots before stay "
			    "readable",
			    t->name, strerror(-t->err), t->snaps);
	return fail(EXIT_RUNTIME, "cannot write %s: %s", t->name, strerror(-t->err));
}

/* What a reader finds after the writer was killed: everything up to here. */
static int flush(struct tape_out *t)
{
	errno = 0;
	return gzflush(t->gz, Z_SYNC_FLUSH) == Z_OK ? 0 : gz_errno(t->gz);
}

static void free_tape(struct tape_out *t)
{
	for (int i = 0; i < NR_TABLES; i++)
		free(t->tables[i].rows);
	free(t->symbols.ids);
	free(t->cgroups.ids);
	free(t->name);
	free(t);
}

int tape_create(struct tape_out **out, const char *path)
{
	struct tape_out *t = calloc(1, sizeof(*t));
	size_t len = strlen(path);

	if (!t)
		return fail(EXIT_RUNTIME, "out of memory");
	t->name = strdup(path);
	t->compress = len > 3 && !strcmp(path + len - 3, ".gz");
	t->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (t->fd < 0) {
		free_tape(t);
		return fail(EXIT_RUNTIME, "cannot write %s: %s", path, strerror(errno));
	}
	*out = t;
	return 0;
}

static int put_header(struct tape_out *t, const struct info *info)
{
	int err = output_begin(t->fd);

	if (err)
		return err;
	t->gz = gzdopen(t->fd, t->compress ? "w6" : "wT");
	if (!t->gz)
		return -ENOMEM;
	memcpy(t->locks, info->locks, sizeof(t->locks));
	err = put_line(t, tape_header(info));
	return err ? err : flush(t);
}

static int put_snap(struct tape_out *t, const struct info *info, const struct snap *s)
{
	int err = put_new_locks(t, info);

	if (!err)
		err = put_table(t, info, TABLE_OWNER, (const char *)info->owners, info->nr_owners);
	while (!err && t->nr_ustacks < info->ustacks.nr)
		err = put_ustack(t, &info->ustacks.s[t->nr_ustacks++]);
	if (!err)
		err = put_table(t, info, TABLE_SITE, (const char *)s->sites, s->nr_sites);
	if (!err)
		err = put_table(t, info, TABLE_ROW, (const char *)s->rows, s->nr_rows);
	if (!err)
		err = put_table(t, info, TABLE_STACK, (const char *)s->stacks, s->nr_stacks);
	if (!err)
		err = put_line(t, tape_totals(s, &t->prev)); /* closes the snapshot */
	return err ? err : flush(t);
}

int tape_put(struct tape_out *t, const struct info *info, const struct snap *s)
{
	if (t->err)
		return EXIT_RUNTIME; /* it was said */
	t->err = t->gz ? 0 : put_header(t, info);
	if (!t->err)
		t->err = put_snap(t, info, s);
	if (t->err)
		return say(t);
	t->prev = *s; /* its arrays are not used */
	t->snaps++;
	return 0;
}

int tape_finish(struct tape_out *t)
{
	int code = 0;

	if (!t)
		return 0;
	if (!t->gz) {
		close(t->fd);
		code = t->err ? EXIT_RUNTIME : 0;
		free_tape(t);
		return code;
	}
	if (t->err)
		code = EXIT_RUNTIME;
	else
		t->err = put_line(
			t, json_pack("{ss,sI}", "type", "end", "snaps", (json_int_t)t->snaps));
	errno = 0;
	if (gzclose(t->gz) != Z_OK && !t->err)
		t->err = errno ? -errno : -EIO;
	if (t->err && !code)
		code = say(t);
	free_tape(t);
	return code;
}
