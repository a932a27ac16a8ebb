// SPDX-License-Identifier: GPL-2.0-only
/* The first line of a recording, and the lines of locks: struct info there and back. */
#include <errno.h>
#include <string.h>

#include "tape.h"
#include "text.h"
#include "tape-fields.h"

#define FORMAT "pcpustat-recording"

json_t *tape_lock(const struct info *info, int i)
{
	const struct lock_info *l = &info->locks[i];

	return json_pack("{ss,so,ss}", "name", lock_names[i], "address",
			 l->addr ? json_hex(l->addr) : json_null(), "found_by", l->found_by);
}

static json_t *cfg_object(const struct cfg *cfg)
{
	static const struct cfg zero;
	json_t *obj = json_object();
	size_t put = 0;

	for (size_t i = 0; i < nr_cfg_u32_fields; i++)
		json_object_set_new(obj, cfg_u32_fields[i].name,
				    json_integer(*(u32 *)((char *)cfg + cfg_u32_fields[i].offset)));
	fields_put(obj, &cfg_u64_fields, cfg, &zero, &put);
	return obj;
}

static json_t *signals_object(const struct info *info)
{
	json_t *obj = json_object();

	for (int i = 0; i < NR_SIGNALS; i++)
		json_object_set_new(obj, signal_names[i],
				    *info->backend[i] ? json_string(info->backend[i]) : json_null());
	return obj;
}

static json_t *flags_object(const struct info *info)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < nr_info_flags; i++)
		json_object_set_new(obj, info_flags[i].name,
				    json_boolean(*(bool *)((char *)info + info_flags[i].offset)));
	return obj;
}

json_t *tape_header(const struct info *info)
{
	json_t *locks = json_array(), *line;

	for (int i = 0; i < NR_LOCKS; i++)
		json_array_append_new(locks, tape_lock(info, i));
	line = json_pack(
		"{ss,ss,si,ss,si,si,s{so,so},so,so,so,so,sb}", "type", "header", "format", FORMAT,
		"schema", TAPE_SCHEMA, "version", VERSION, "cpus_online", info->cpus_online,
		"cpus_possible", info->cpus_possible, "rss_stat", "mode",
		*info->rss_mode ? json_string(info->rss_mode) : json_null(), "allocs_per_mm",
		info->rss_allocs_per_mm >= 0 ? json_integer(info->rss_allocs_per_mm) : json_null(),
		"signals", signals_object(info), "locks", locks, "flags", flags_object(info), "cfg",
		cfg_object(&info->cfg), "symbols", info->ksyms != NULL);
	/* Names that somebody else chose: any bytes at all. */
	if (line &&
	    (json_put_bytes(line, "kernel", info->kernel, sizeof(info->kernel)) ||
	     json_put_bytes(line, "host", info->host, sizeof(info->host)) ||
	     json_put_bytes(line, "cgroup_mount", info->cgroup_mount, sizeof(info->cgroup_mount)))) {
		json_decref(line);
		return NULL;
	}
	return line;
}

/* A name of at most len - 1 bytes; null is the empty one. */
static int get_name(const json_t *obj, const char *key, char *buf, size_t len)
{
	const json_t *j = json_object_get(obj, key);
	const char *s = json_string_value(j);

	if (json_is_null(j))
		s = "";
	if (!s || strlen(s) >= len)
		return -EINVAL;
	strcpy(buf, s);
	text_clean(buf);
	return 0;
}

int tape_get_lock(const json_t *obj, struct info *info)
{
	const char *name = json_string_value(json_object_get(obj, "name"));
	const json_t *addr = json_object_get(obj, "address");

	for (int i = 0; i < NR_LOCKS; i++) {
		struct lock_info *l = &info->locks[i];

		if (!name || strcmp(name, lock_names[i]))
			continue;
		memset(l, 0, sizeof(*l));
		if (!json_is_null(addr) && json_get_u64(addr, &l->addr))
			return -EINVAL;
		return get_name(obj, "found_by", l->found_by, sizeof(l->found_by));
	}
	return -EINVAL;
}

static int get_cfg(const json_t *obj, struct cfg *cfg)
{
	u64 v;

	for (size_t i = 0; i < nr_cfg_u32_fields; i++) {
		const json_t *j = json_object_get(obj, cfg_u32_fields[i].name);

		if (!j)
			continue; /* older than the knob */
		if (json_get_u64(j, &v) || v > ~0U)
			return -EINVAL;
		*(u32 *)((char *)cfg + cfg_u32_fields[i].offset) = v;
	}
	if (cfg->row_by > ROW_COMM || cfg->holders > HOLDERS_RELEASE)
		return -EINVAL;
	return fields_get(obj, &cfg_u64_fields, cfg);
}

static int get_host(const json_t *line, struct info *info)
{
	const json_t *mode = json_object_get(line, "rss_stat");
	const json_t *per_mm = json_object_get(mode, "allocs_per_mm");
	u64 online, possible, allocs = 0;

	if (json_member_bytes(line, "kernel", info->kernel, sizeof(info->kernel) - 1) ||
	    json_member_bytes(line, "host", info->host, sizeof(info->host) - 1) ||
	    (json_object_get(line, "cgroup_mount") &&
	     json_member_bytes(line, "cgroup_mount", info->cgroup_mount,
			       sizeof(info->cgroup_mount) - 1)) ||
	    get_name(mode, "mode", info->rss_mode, sizeof(info->rss_mode)) ||
	    json_member_u64(line, "cpus_online", &online) || online > 1 << 20 ||
	    json_member_u64(line, "cpus_possible", &possible) || possible > 1 << 20 ||
	    (!json_is_null(per_mm) && (json_get_u64(per_mm, &allocs) || allocs > 1000)))
		return -EINVAL;
	text_clean(info->kernel);
	text_clean(info->host);
	text_clean(info->cgroup_mount);
	info->cpus_online = online;
	info->cpus_possible = possible;
	info->rss_allocs_per_mm = json_is_null(per_mm) ? -1 : (int)allocs;
	return 0;
}

int tape_get_header(const json_t *line, struct info *info)
{
	const char *format = json_string_value(json_object_get(line, "format"));
	const json_t *signals = json_object_get(line, "signals"), *lock;
	u64 schema;
	size_t i;

	memset(info, 0, sizeof(*info));
	if (!format || strcmp(format, FORMAT) || json_member_u64(line, "schema", &schema))
		return -EINVAL;
	if (schema > TAPE_SCHEMA)
		return -EPROTONOSUPPORT;
	for (i = 0; i < NR_SIGNALS; i++)
		if (json_object_get(signals, signal_names[i]) &&
		    get_name(signals, signal_names[i], info->backend[i], sizeof(info->backend[i])))
			return -EINVAL;
	json_array_foreach(json_object_get(line, "locks"), i, lock)
		if (tape_get_lock(lock, info))
			return -EINVAL;
	for (i = 0; i < nr_info_flags; i++)
		*(bool *)((char *)info + info_flags[i].offset) = json_is_true(
			json_object_get(json_object_get(line, "flags"), info_flags[i].name));
	if (get_host(line, info))
		return -EINVAL;
	return get_cfg(json_object_get(line, "cfg"), &info->cfg);
}
