// SPDX-License-Identifier: GPL-2.0-only
#include "tape-fields.h"
#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define F(type, member, kind)                         \
	{                                             \
#member, offsetof(type, member), kind \
	}
#define N(name, type, member, kind)                \
	{                                          \
		name, offsetof(type, member), kind \
	}
#define FIELDS(list)                   \
	{                              \
		list, ARRAY_SIZE(list) \
	}

static const struct field snap_list[] = {
	F(struct snap, mono_ns, COUNTER),
	F(struct snap, wall_ns, GAUGE),
	F(struct snap, busy_ns, GAUGE),
	F(struct snap, frees, COUNTER),
	F(struct snap, fails, COUNTER),
	F(struct snap, other_allocs, COUNTER),
	F(struct snap, other_bytes, COUNTER),
	F(struct snap, row_other_allocs, COUNTER),
	F(struct snap, row_other_bytes, COUNTER),
	F(struct snap, row_other_waits, COUNTER),
	F(struct snap, row_other_wait_ns, COUNTER),
};

static const struct field mm_list[] = {
	F(struct mm_stat, inits, COUNTER),    F(struct mm_stat, drops, COUNTER),
	F(struct mm_stat, init_ns, COUNTER),  F(struct mm_stat, allocs, COUNTER),
	F(struct mm_stat, alloc_ns, COUNTER), F(struct mm_stat, wait_ns, COUNTER),
	F(struct mm_stat, forks, COUNTER),    F(struct mm_stat, execs, COUNTER),
	F(struct mm_stat, threads, COUNTER),
};
_Static_assert(sizeof(mm_list) / sizeof(*mm_list) == sizeof(struct mm_stat) / sizeof(u64),
	       "a field of struct mm_stat is not recorded");

static const struct field latency_list[] = {
	F(struct latency_stat, count, COUNTER),
	F(struct latency_stat, sum_ns, COUNTER),
	F(struct latency_stat, max_ns, COUNTER),
	N("interval_max_ns", struct latency_stat, max_iv, PER_INTERVAL),
};

#define WAIT_FIELDS(type, w)                                                                    \
	N("waits", type, w waits, COUNTER), N("sleeps", type, w sleeps, COUNTER),               \
		N("wait_ns", type, w wait_ns, COUNTER), N("spin_ns", type, w spin_ns, COUNTER), \
		N("sleep_ns", type, w sleep_ns, COUNTER),                                       \
		N("interrupted", type, w interrupted, COUNTER),                                 \
		N("max_ns", type, w max_ns, COUNTER),                                           \
		N("interval_max_ns", type, w max_iv, PER_INTERVAL)

static const struct field wait_list[] = { WAIT_FIELDS(struct wait_stat, ) };
_Static_assert(sizeof(wait_list) / sizeof(*wait_list) == sizeof(struct wait_stat) / sizeof(u64),
	       "a field of struct wait_stat is not recorded");

static const struct field site_list[] = { F(struct site, allocs, COUNTER) };

static const struct field row_list[] = {
	N("allocs", struct proc_row, s.allocs, COUNTER),
	N("alloc_bytes", struct proc_row, s.alloc_bytes, COUNTER),
	WAIT_FIELDS(struct proc_row, s.w.),
};

static const struct field stack_list[] = { WAIT_FIELDS(struct stack_row, w.) };

static const struct field cfg_u64_list[] = {
	F(struct cfg, filter_cgroup_id, GAUGE),
	F(struct cfg, min_wait_ns, GAUGE),
};

const struct fields snap_fields = FIELDS(snap_list), mm_fields = FIELDS(mm_list),
		    latency_fields = FIELDS(latency_list), wait_fields = FIELDS(wait_list),
		    site_fields = FIELDS(site_list), row_fields = FIELDS(row_list),
		    cfg_u64_fields = FIELDS(cfg_u64_list);
static const struct fields stack_fields = FIELDS(stack_list), no_fields;

#define C(member)                                     \
	{                                             \
#member, offsetof(struct cfg, member) \
	}
const struct u32_field cfg_u32_fields[] = {
	C(abi_size),      C(row_by),        C(stacks),      C(stack_comm), C(stack_cgroup),
	C(user_stacks),   C(holders),       C(call_stacks), C(owners),     C(latency),
	C(mm_calls),      C(lock_split),    C(filter_tgid), C(filter_tid), C(filter_cpu),
	C(filter_cgroup), C(cgroup_subsys), C(nr_sites),
};
const size_t nr_cfg_u32_fields = ARRAY_SIZE(cfg_u32_fields);
_Static_assert(sizeof(cfg_u32_fields) / sizeof(*cfg_u32_fields) * sizeof(u32) +
			       sizeof(cfg_u64_list) / sizeof(*cfg_u64_list) * sizeof(u64) ==
		       sizeof(struct cfg),
	       "a field of struct cfg is not recorded");

#define B(member)                                      \
	{                                              \
#member, offsetof(struct info, member) \
	}
const struct bool_field info_flags[] = {
	B(mm_derived), B(locks_split), B(site_known), B(spin_observable), B(frees_known),
};
const size_t nr_info_flags = ARRAY_SIZE(info_flags);

const char *const stack_kind_names[NR_STACK_KINDS] = { "waiter", "holder", "call" };

json_t *json_hex(u64 v)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%llx", v);
	return json_string(hex);
}

json_t *json_u64(u64 v)
{
	return v <= INT64_MAX ? json_integer(v) : json_hex(v);
}

int json_get_u64(const json_t *j, u64 *v)
{
	const char *s = json_string_value(j);
	char *end;

	if (json_is_integer(j) && json_integer_value(j) >= 0) {
		*v = json_integer_value(j);
		return 0;
	}
	if (!s || strncmp(s, "0x", 2) || !s[2] || s[2 + strspn(s + 2, "0123456789abcdef")])
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, 16);
	return errno ? -EINVAL : 0;
}

int json_member_u64(const json_t *obj, const char *key, u64 *v)
{
	return json_get_u64(json_object_get(obj, key), v);
}

int json_put_bytes(json_t *obj, const char *key, const char *s, size_t n)
{
	_cleanup_free_ char *text = text_quote(s, n, true);

	return text && !json_object_set_new(obj, key, json_string(text)) ? 0 : -ENOMEM;
}

int json_member_bytes(const json_t *obj, const char *key, char *buf, size_t len)
{
	const json_t *j = json_object_get(obj, key);
	const char *s = json_string_value(j);

	/* A NUL that was written as \u0000 would hide what follows it. */
	if (!s || strlen(s) != json_string_length(j) || text_unquote(s, buf, len) < 0)
		return -EINVAL;
	return 0;
}

json_t *json_ips(const u64 *ip, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n && ip[i]; i++) {
		if (json_array_append_new(list, json_hex(ip[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

int json_member_ips(const json_t *obj, const char *key, u64 *ip, size_t n)
{
	const json_t *list = json_object_get(obj, key);
	size_t nr = json_array_size(list);

	memset(ip, 0, n * sizeof(*ip));
	if (!json_is_array(list) || nr > n)
		return -EINVAL;
	for (size_t i = 0; i < nr; i++)
		if (json_get_u64(json_array_get(list, i), &ip[i]) || !ip[i])
			return -EINVAL;
	return 0;
}

static u64 *at(const void *base, size_t offset)
{
	return (u64 *)((char *)base + offset);
}

int fields_put(json_t *obj, const struct fields *f, const void *now, const void *before, size_t *put)
{
	for (size_t i = 0; i < f->nr; i++) {
		u64 v = *at(now, f->f[i].offset);
		u64 was = f->f[i].kind == PER_INTERVAL ? 0 : *at(before, f->f[i].offset);

		if (v == was)
			continue;
		if (json_object_set_new(obj, f->f[i].name, json_u64(v)))
			return -ENOMEM;
		++*put;
	}
	return 0;
}

/* Sums and products of counters stay in range, and their differences have a sign. */
bool bad_counter(u64 v, u64 before)
{
	return v < before || v > INT64_MAX;
}

int fields_get(const json_t *obj, const struct fields *f, void *to)
{
	for (size_t i = 0; i < f->nr; i++) {
		const json_t *j = json_object_get(obj, f->f[i].name);
		u64 *at_field = at(to, f->f[i].offset), v = *at_field;

		if (f->f[i].kind == PER_INTERVAL)
			v = 0;
		if (j && json_get_u64(j, &v))
			return -EINVAL;
		if (f->f[i].kind == COUNTER && bad_counter(v, *at_field))
			return -EINVAL;
		*at_field = v;
	}
	return 0;
}

json_t *hist_put(const struct hist *now, const struct hist *before, bool *oom)
{
	json_t *list = NULL;

	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		if (now->bucket[i] == before->bucket[i])
			continue;
		if (!list)
			list = json_array();
		if (json_array_append_new(list, json_pack("[i,o]", i, json_u64(now->bucket[i])))) {
			*oom = true;
			break;
		}
	}
	return list;
}

int hist_get(const json_t *list, struct hist *h)
{
	size_t nr = json_array_size(list);

	if (list && !json_is_array(list))
		return -EINVAL;
	for (size_t i = 0; i < nr; i++) {
		const json_t *pair = json_array_get(list, i);
		u64 bucket, count;

		if (json_array_size(pair) != 2 || json_get_u64(json_array_get(pair, 0), &bucket) ||
		    json_get_u64(json_array_get(pair, 1), &count) || bucket >= HIST_BUCKETS ||
		    bad_counter(count, h->bucket[bucket]))
			return -EINVAL;
		h->bucket[bucket] = count;
	}
	return 0;
}

static int put_owner(json_t *line, const void *elem)
{
	const struct owner_row *o = elem;

	return json_object_set_new(line, "call_site", json_hex(o->key.call_site)) ||
			       json_object_set_new(line, "meta", json_hex(o->key.meta)) ||
			       json_object_set_new(line, "stack",
						   json_ips(o->owner.ip, OWNER_FRAMES))
		       ? -ENOMEM
		       : 0;
}

static int get_owner(const json_t *line, void *elem)
{
	struct owner_row *o = elem;

	if (json_member_u64(line, "call_site", &o->key.call_site) ||
	    json_member_u64(line, "meta", &o->key.meta))
		return -EINVAL;
	return json_member_ips(line, "stack", o->owner.ip, OWNER_FRAMES);
}

static int put_site(json_t *line, const void *elem)
{
	const struct site *s = elem;

	/* size_bytes and align are in meta; they are here for people. */
	return json_object_set_new(line, "call_site", json_hex(s->call_site)) ||
			       json_object_set_new(line, "meta", json_hex(s->meta)) ||
			       json_object_set_new(line, "size_bytes",
						   json_integer(SITE_SIZE(s->meta))) ||
			       json_object_set_new(line, "align", json_integer(SITE_ALIGN(s->meta)))
		       ? -ENOMEM
		       : 0;
}

static int get_site(const json_t *line, void *elem)
{
	struct site *s = elem;

	if (json_member_u64(line, "call_site", &s->call_site) ||
	    json_member_u64(line, "meta", &s->meta) || !(s->meta & SITE_VALID))
		return -EINVAL;
	return 0;
}

static int put_row(json_t *line, const void *elem)
{
	const struct row_key *key = elem;

	if (json_object_set_new(line, "id", json_u64(key->id)))
		return -ENOMEM;
	return json_put_bytes(line, "comm", key->comm, sizeof(key->comm));
}

static int get_row(const json_t *line, void *elem)
{
	struct row_key *key = elem;

	if (json_member_u64(line, "id", &key->id))
		return -EINVAL;
	return json_member_bytes(line, "comm", key->comm, sizeof(key->comm));
}

static int put_stack(json_t *line, const void *elem)
{
	const struct stack_key *key = elem;

	if (json_object_set_new(line, "lock", json_string(lock_names[key->lock % NR_LOCKS])) ||
	    json_object_set_new(line, "kind",
				json_string(stack_kind_names[key->kind % NR_STACK_KINDS])) ||
	    json_put_bytes(line, "comm", key->comm, sizeof(key->comm)) ||
	    json_object_set_new(line, "user", json_hex(key->user)) ||
	    json_object_set_new(line, "cgroup", json_u64(key->cgroup)) ||
	    json_object_set_new(line, "pid", json_integer(key->pid)) ||
	    json_object_set_new(line, "stack", json_ips(key->ip, STACK_FRAMES)))
		return -ENOMEM;
	return 0;
}

static int name_index(const json_t *j, const char *const *names, u32 n, u32 *out)
{
	const char *s = json_string_value(j);

	for (*out = 0; s && *out < n; ++*out)
		if (!strcmp(s, names[*out]))
			return 0;
	return -EINVAL;
}

static int get_stack(const json_t *line, void *elem)
{
	struct stack_key *key = elem;
	u32 kind;
	u64 pid;

	if (name_index(json_object_get(line, "lock"), lock_names, NR_LOCKS, &key->lock) ||
	    name_index(json_object_get(line, "kind"), stack_kind_names, NR_STACK_KINDS, &kind) ||
	    json_member_bytes(line, "comm", key->comm, sizeof(key->comm)) ||
	    json_member_u64(line, "user", &key->user) ||
	    json_member_u64(line, "cgroup", &key->cgroup) || json_member_u64(line, "pid", &pid) ||
	    pid > UINT32_MAX)
		return -EINVAL;
	key->kind = kind;
	key->pid = pid;
	return json_member_ips(line, "stack", key->ip, STACK_FRAMES);
}

const struct table_def table_defs[NR_TABLES] = {
	[TABLE_OWNER] = { "owner", sizeof(struct owner_row), sizeof(struct owner_key), &no_fields,
			  put_owner, get_owner },
	[TABLE_SITE] = { "site", sizeof(struct site), offsetof(struct site, allocs), &site_fields,
			 put_site, get_site },
	[TABLE_ROW] = { "row", sizeof(struct proc_row), sizeof(struct row_key), &row_fields,
			put_row, get_row },
	[TABLE_STACK] = { "stack", sizeof(struct stack_row), sizeof(struct stack_key),
			  &stack_fields, put_stack, get_stack },
};
