/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording's lines hold: the one list that the writer and the reader share. */
#ifndef PCPUSTAT_TAPE_FIELDS_H
#define PCPUSTAT_TAPE_FIELDS_H

#include <jansson.h>

#include "info.h"
#include "snap.h"

/* A COUNTER never falls and is below 2^63, a GAUGE may; a field PER_INTERVAL that is not there is zero. */
enum field_kind { COUNTER, GAUGE, PER_INTERVAL };

struct field {
	const char *name;
	size_t offset; /* of a u64 */
	enum field_kind kind;
};

struct fields {
	const struct field *f;
	size_t nr;
};

extern const struct fields snap_fields, mm_fields, latency_fields, wait_fields, site_fields,
	row_fields, cfg_u64_fields;

struct u32_field {
	const char *name;
	size_t offset;
};
extern const struct u32_field cfg_u32_fields[];
extern const size_t nr_cfg_u32_fields;

struct bool_field {
	const char *name;
	size_t offset; /* of a bool in struct info */
};
extern const struct bool_field info_flags[];
extern const size_t nr_info_flags;

/* The arrays of a snapshot, and info's owners. Every element begins with its key. */
enum table_id { TABLE_OWNER, TABLE_SITE, TABLE_ROW, TABLE_STACK, NR_TABLES };

struct table_def {
	const char *type; /* of its lines */
	size_t elem, key;
	const struct fields *fields; /* offsets in the element */
	int (*put_key)(json_t *line, const void *elem);
	int (*get_key)(const json_t *line, void *elem);
};
extern const struct table_def table_defs[NR_TABLES];

extern const char *const stack_kind_names[NR_STACK_KINDS];

/* Integers up to INT64_MAX as such, larger ones as hex strings; the reader takes both. */
json_t *json_u64(u64 v);
json_t *json_hex(u64 v);
int json_get_u64(const json_t *j, u64 *v); /* 0 or -EINVAL */
bool bad_counter(u64 v, u64 before);

/* By name from an object; -EINVAL when it is not there. */
int json_member_u64(const json_t *obj, const char *key, u64 *v);

/* n bytes, not always NUL-terminated, with \xNN; and back into buf[len]. 0, -ENOMEM or -EINVAL. */
int json_put_bytes(json_t *obj, const char *key, const char *s, size_t n);
int json_member_bytes(const json_t *obj, const char *key, char *buf, size_t len);

/* Addresses up to the first zero, as hex strings. */
json_t *json_ips(const u64 *ip, size_t n);
int json_member_ips(const json_t *obj, const char *key, u64 *ip, size_t n);

/* What differs from before. *put counts the fields. 0 or -ENOMEM. */
int fields_put(json_t *obj, const struct fields *f, const void *now, const void *before,
	       size_t *put);

/* Over what is there; -EINVAL when a field is no number or a counter fell. */
int fields_get(const json_t *obj, const struct fields *f, void *to);

/* [[bucket, count], ...] of the buckets that differ; NULL when none does or without memory. */
json_t *hist_put(const struct hist *now, const struct hist *before, bool *oom);
int hist_get(const json_t *list, struct hist *h);

/* The header and a lock's object; NULL without memory. */
json_t *tape_header(const struct info *info);
json_t *tape_lock(const struct info *info, int i);

/* The "snap" line with what differs from prev, NULL without memory; and over what s has. */
json_t *tape_totals(const struct snap *s, const struct snap *prev);
int tape_get_totals(const json_t *line, struct snap *s);

/* Back into info. 0, -EINVAL, or -EPROTONOSUPPORT for a newer schema. */
int tape_get_header(const json_t *line, struct info *info);
int tape_get_lock(const json_t *obj, struct info *info);

#endif
