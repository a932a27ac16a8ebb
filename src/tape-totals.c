// SPDX-License-Identifier: GPL-2.0-only
/* The line that closes a snapshot in a recording: all that is no row, there and back. */
#include <errno.h>

#include "tape-fields.h"

static int put_object(json_t *line, const char *key, json_t *obj, bool wanted)
{
	if (obj && !wanted) {
		json_decref(obj);
		return 0;
	}
	return json_object_set_new(line, key, obj) ? -ENOMEM : 0;
}

static int put_stats(json_t *line, const char *key, const struct fields *f, const void *now,
		     const void *before, const struct hist *hist, const struct hist *hist_before)
{
	json_t *obj = json_object(), *list = NULL;
	bool oom = false;
	size_t changed = 0;
	int err = obj ? fields_put(obj, f, now, before, &changed) : -ENOMEM;

	if (hist)
		list = hist_put(hist, hist_before, &oom);
	if (list && json_object_set_new(obj, "hist", list))
		oom = true;
	if (err || oom) {
		json_decref(obj);
		return -ENOMEM;
	}
	return put_object(line, key, obj, changed || list);
}

static int put_counts(json_t *line, const char *key, const char *const *names, size_t n,
		      const u64 *now, const u64 *before)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < n; i++)
		if (now[i] != before[i])
			json_object_set_new(obj, names[i], json_u64(now[i]));
	return put_object(line, key, obj, json_object_size(obj));
}

static int put_locks(json_t *line, const struct snap *s, const struct snap *prev)
{
	json_t *locks = json_object();
	int err = locks ? 0 : -ENOMEM;

	for (int i = 0; i < NR_LOCKS && !err; i++)
		err = put_stats(locks, lock_names[i], &wait_fields, &s->locks[i].w,
				&prev->locks[i].w, &s->locks[i].hist, &prev->locks[i].hist);
	if (err) {
		json_decref(locks);
		return err;
	}
	return put_object(line, "locks", locks, json_object_size(locks));
}

json_t *tape_totals(const struct snap *s, const struct snap *prev)
{
	json_t *line = json_pack("{ss}", "type", "snap");
	size_t changed = 0;
	int err = line ? fields_put(line, &snap_fields, s, prev, &changed) : -ENOMEM;

	if (!err)
		err = put_counts(line, "unfinished", lock_names, NR_LOCKS, s->unfinished,
				 prev->unfinished);
	if (!err)
		err = put_counts(line, "lost", lost_names, NR_LOST, s->lost, prev->lost);
	if (!err)
		err = put_stats(line, "mm", &mm_fields, &s->mm, &prev->mm, NULL, NULL);
	if (!err)
		err = put_stats(line, "latency", &latency_fields, &s->latency, &prev->latency,
				&s->latency.hist, &prev->latency.hist);
	if (!err)
		err = put_locks(line, s, prev);
	if (err) {
		json_decref(line);
		return NULL;
	}
	return line;
}

static int get_counts(const json_t *obj, const char *const *names, size_t n, u64 *to, bool gauge)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *j = json_object_get(obj, names[i]);
		u64 v;

		if (!j)
			continue;
		if (json_get_u64(j, &v) || (!gauge && bad_counter(v, to[i])))
			return -EINVAL;
		to[i] = v;
	}
	return 0;
}

int tape_get_totals(const json_t *line, struct snap *s)
{
	const json_t *latency = json_object_get(line, "latency");
	const json_t *locks = json_object_get(line, "locks");

	if (fields_get(line, &snap_fields, s) ||
	    get_counts(json_object_get(line, "unfinished"), lock_names, NR_LOCKS, s->unfinished,
		       true) ||
	    get_counts(json_object_get(line, "lost"), lost_names, NR_LOST, s->lost, false) ||
	    fields_get(json_object_get(line, "mm"), &mm_fields, &s->mm) ||
	    fields_get(latency, &latency_fields, &s->latency) ||
	    hist_get(json_object_get(latency, "hist"), &s->latency.hist))
		return -EINVAL;
	for (int i = 0; i < NR_LOCKS; i++) {
		const json_t *lock = json_object_get(locks, lock_names[i]);

		if (fields_get(lock, &wait_fields, &s->locks[i].w) ||
		    hist_get(json_object_get(lock, "hist"), &s->locks[i].hist))
			return -EINVAL;
	}
	return 0;
}
