// SPDX-License-Identifier: GPL-2.0-only
/* The JSON of speedscope.app, one sampled profile: a stack and a weight for each leaf. */
#include "render-flame.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* Index of a frame's name, made on first sight; -1 when there is no memory. */
static json_int_t frame_index(json_t *index, json_t *frames, const struct tree_node *n)
{
	json_t *at = json_object_get(index, n->name);
	json_int_t i = json_array_size(frames);

	if (at)
		return json_integer_value(at);
	if (json_object_set_new(index, n->name, json_integer(i)) ||
	    json_array_append_new(frames, json_pack("{ss}", "name", n->name)))
		return -1;
	return i;
}

/* Root first. */
static int add_path(json_t *sample, json_t *index, json_t *frames, const struct tree_node *n)
{
	json_int_t i;

	if (!n->parent)
		return 0;
	if (add_path(sample, index, frames, n->parent))
		return -ENOMEM;
	i = frame_index(index, frames, n);
	return i < 0 || json_array_append_new(sample, json_integer(i)) ? -ENOMEM : 0;
}

static int add_samples(const struct tree *t, json_t *frames, json_t *samples, json_t *values)
{
	json_t *index = json_object();
	int err = index ? 0 : -ENOMEM;

	for (const struct tree_node *n = tree_next(&t->root); n && !err; n = tree_next(n)) {
		json_t *sample;

		if (!n->self)
			continue;
		sample = json_array();
		err = add_path(sample, index, frames, n);
		if (json_array_append_new(samples, sample) ||
		    json_array_append_new(values, json_integer(n->self)))
			err = -ENOMEM;
	}
	json_decref(index);
	return err;
}

static const char *speedscope_unit(const struct weight_info *w)
{
	if (!strcmp(w->unit, "ns"))
		return "nanoseconds";
	return strcmp(w->unit, "bytes") ? "none" : "bytes";
}

static json_t *document(const struct tree *t, const struct flame_meta *m, json_t *frames,
			json_t *samples, json_t *values)
{
	const struct weight_info *w = &weights[t->weight];
	char name[900], title[80], lost[400], when[80];

	flame_losses(m, lost, sizeof(lost));
	flame_time(m->iv, when, sizeof(when));
	flame_title(m, title, sizeof(title));
	snprintf(name, sizeof(name), "%s on %s, Linux %s, %s%s%s", title, m->info->host,
		 m->info->kernel, when, lost[0] ? "; not in here: " : "", lost);
	return json_pack("{ss,s{sO},s[{ss,ss,ss,si,sI,sO,sO}],ss,si,ss}", "$schema",
			 "https://www.speedscope.app/file-format-schema.json", "shared", "frames",
			 frames, "profiles", "type", "sampled", "name", w->title, "unit",
			 speedscope_unit(w), "startValue", 0, "endValue", (json_int_t)t->root.total,
			 "samples", samples, "weights", values, "name", name, "activeProfileIndex",
			 0, "exporter", "pcpustat " VERSION);
}

int render_speedscope(FILE *out, const struct tree *t, const struct flame_meta *m)
{
	json_t *frames = json_array(), *samples = json_array(), *values = json_array();
	json_t *doc = NULL;
	int err = -ENOMEM;

	if (frames && samples && values)
		err = add_samples(t, frames, samples, values);
	if (!err)
		doc = document(t, m, frames, samples, values);
	if (!err && !doc)
		err = -ENOMEM;
	if (!err && (json_dumpf(doc, out, JSON_COMPACT) || fputc('\n', out) == EOF))
		err = write_error();
	json_decref(doc);
	json_decref(frames);
	json_decref(samples);
	json_decref(values);
	return err;
}
