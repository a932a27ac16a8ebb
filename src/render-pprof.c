// SPDX-License-Identifier: GPL-2.0-only
/* A gzip'd profile.proto, with the sample types that go tool pprof has options for. */
#include "render-flame.h"
#include "profile.pb-c.h"

#include <errno.h>
#include <search.h>
#include <string.h>
#include <zlib.h>

#define KERNEL_MAPPING 1

/* What has been given a number: strings under kind 0, functions under 1 + their mapping. */
struct numbered {
	char *name;
	u64 kind;
	u64 id;
};

/* Everything hangs on p and was malloc'ed, so that protobuf-c itself can free it. */
struct builder {
	Pprof__Profile *p;
	size_t cap_strings, cap_samples, cap_functions, cap_locations;
	void *numbers; /* tsearch() */
	bool oom;
};

static int cmp_numbered(const void *pa, const void *pb)
{
	const struct numbered *a = pa, *b = pb;
	int c = strcmp(a->name, b->name);

	return c ? c : (a->kind > b->kind) - (a->kind < b->kind);
}

static void free_numbered(void *p)
{
	free(((struct numbered *)p)->name);
	free(p);
}

static void *copy_of(struct builder *b, const void *init, size_t len)
{
	void *p = malloc(len);

	if (p)
		memcpy(p, init, len);
	else
		b->oom = true;
	return p;
}

/* init is the braced initializer that protobuf-c made for the type. */
#define NEW(b, type, init) ((type *)copy_of((b), &(type)init, sizeof(type)))

/* The number of a name, or NULL when it has none yet and was given next. */
static struct numbered *number(struct builder *b, const char *name, u64 kind, u64 next, bool *is_new)
{
	struct numbered key = { .name = (char *)name, .kind = kind, .id = next }, *n, **at;

	*is_new = false;
	at = tfind(&key, &b->numbers, cmp_numbered);
	if (at)
		return *at;
	n = copy_of(b, &key, sizeof(key));
	if (!n)
		return NULL;
	n->name = strdup(name);
	if (!n->name || !tsearch(n, &b->numbers, cmp_numbered)) {
		b->oom = true;
		free(n->name);
		free(n);
		return NULL;
	}
	*is_new = true;
	return n;
}

/* Index in the string table. */
static int64_t str(struct builder *b, const char *s)
{
	Pprof__Profile *p = b->p;
	bool is_new;
	struct numbered *n = number(b, s, 0, p->n_string_table, &is_new);

	if (!n)
		return 0;
	if (is_new) {
		char *copy = strdup(s);

		if (!copy || grow(&p->string_table, &b->cap_strings, p->n_string_table,
				  sizeof(*p->string_table))) {
			b->oom = true;
			free(copy);
			return 0;
		}
		p->string_table[p->n_string_table++] = copy;
	}
	return n->id;
}

static void add_function(struct builder *b, u64 id, const char *name, u64 mapping)
{
	Pprof__Profile *p = b->p;
	Pprof__Function *fn = NEW(b, Pprof__Function, PPROF__FUNCTION__INIT);
	Pprof__Location *loc = NEW(b, Pprof__Location, PPROF__LOCATION__INIT);
	Pprof__Line *line = NEW(b, Pprof__Line, PPROF__LINE__INIT);
	Pprof__Line **lines = malloc(sizeof(*lines));

	if (!fn || !loc || !line || !lines ||
	    grow(&p->function, &b->cap_functions, p->n_function, sizeof(*p->function)) ||
	    grow(&p->location, &b->cap_locations, p->n_location, sizeof(*p->location))) {
		b->oom = true;
		free(fn);
		free(loc);
		free(line);
		free(lines);
		return;
	}
	fn->id = line->function_id = loc->id = id;
	fn->name = fn->system_name = str(b, name);
	lines[0] = line;
	loc->mapping_id = mapping;
	loc->line = lines;
	loc->n_line = 1;
	p->function[p->n_function++] = fn;
	p->location[p->n_location++] = loc;
}

/* One location a function: frames match by name, so there is no address to tell. */
static u64 location(struct builder *b, const struct tree_node *n)
{
	u64 mapping = n->kind == FRAME_KERNEL ? KERNEL_MAPPING : 0;
	bool is_new;
	struct numbered *id = number(b, n->name, 1 + mapping, b->p->n_function + 1, &is_new);

	if (!id)
		return 0;
	if (is_new)
		add_function(b, id->id, n->name, mapping);
	return id->id;
}

static void add_label(struct builder *b, Pprof__Sample *s, const char *key, const char *value)
{
	Pprof__Label *label = NEW(b, Pprof__Label, PPROF__LABEL__INIT);

	if (!label)
		return;
	label->key = str(b, key);
	label->str = str(b, value);
	s->label[s->n_label++] = label;
}

/* Frames that are functions become locations, the others labels. */
static void add_frame(struct builder *b, Pprof__Sample *s, const struct tree_node *n)
{
	switch (n->kind) {
	case FRAME_LOCK:
		return add_label(b, s, "lock", n->name);
	case FRAME_COMM:
		return add_label(b, s, "comm", n->name);
	case FRAME_CGROUP:
		return add_label(b, s, "cgroup", n->name);
	case FRAME_SEP:
		return;
	default:
		s->location_id[s->n_location_id++] = location(b, n);
	}
}

static void add_sample(struct builder *b, const struct tree_node *n, u32 depth)
{
	Pprof__Profile *p = b->p;
	Pprof__Sample *s = NEW(b, Pprof__Sample, PPROF__SAMPLE__INIT);

	if (!s || grow(&p->sample, &b->cap_samples, p->n_sample, sizeof(*p->sample))) {
		b->oom = true;
		free(s);
		return;
	}
	p->sample[p->n_sample++] = s;
	s->location_id = calloc(depth, sizeof(*s->location_id));
	s->value = calloc(2, sizeof(*s->value));
	s->label = calloc(3, sizeof(*s->label));
	if (!s->location_id || !s->value || !s->label) {
		b->oom = true;
		return;
	}
	s->n_value = 2;
	s->value[0] = n->count;
	s->value[1] = n->amount;
	for (; n->parent; n = n->parent)
		add_frame(b, s, n);
}

struct sample_names {
	const char *count, *amount, *unit, *period;
};

static Pprof__ValueType *value_type(struct builder *b, const char *type, const char *unit)
{
	Pprof__ValueType *v = NEW(b, Pprof__ValueType, PPROF__VALUE_TYPE__INIT);

	if (v) {
		v->type = str(b, type);
		v->unit = str(b, unit);
	}
	return v;
}

static void add_types(struct builder *b, enum weight weight)
{
	static const struct sample_names locks = { "contentions", "delay", "nanoseconds",
						   "contentions" };
	static const struct sample_names calls = { "calls", "delay", "nanoseconds", "calls" };
	static const struct sample_names sites = { "alloc_objects", "alloc_space", "bytes",
						   "space" };
	const struct sample_names *n = weights[weight].by_site    ? &sites
				       : weight == WEIGHT_LATENCY ? &calls
								  : &locks;
	Pprof__Profile *p = b->p;

	p->sample_type = calloc(2, sizeof(*p->sample_type));
	if (!p->sample_type) {
		b->oom = true;
		return;
	}
	p->sample_type[0] = value_type(b, n->count, "count");
	p->sample_type[1] = value_type(b, n->amount, n->unit);
	p->n_sample_type = 2;
	p->period_type = value_type(b, n->period, n == &sites ? "bytes" : "count");
	p->period = 1;
	p->default_sample_type = str(b, weights[weight].by_count ? n->count : n->amount);
}

static void add_mapping(struct builder *b)
{
	Pprof__Mapping *m = NEW(b, Pprof__Mapping, PPROF__MAPPING__INIT);

	b->p->mapping = malloc(sizeof(*b->p->mapping));
	if (!m || !b->p->mapping) {
		b->oom = true;
		free(m);
		return;
	}
	m->id = KERNEL_MAPPING;
	m->filename = str(b, "[kernel.kallsyms]");
	m->has_functions = true;
	b->p->mapping[0] = m;
	b->p->n_mapping = 1;
}

static void add_comments(struct builder *b, const struct flame_meta *m)
{
	char text[512], lost[400];

	b->p->comment = calloc(2, sizeof(*b->p->comment));
	if (!b->p->comment) {
		b->oom = true;
		return;
	}
	snprintf(text, sizeof(text), "pcpustat " VERSION " on %s, Linux %s", m->info->host,
		 m->info->kernel);
	b->p->comment[b->p->n_comment++] = str(b, text);
	flame_losses(m, lost, sizeof(lost));
	if (!lost[0])
		return;
	snprintf(text, sizeof(text), "not in here: %s", lost);
	b->p->comment[b->p->n_comment++] = str(b, text);
}

static void build(struct builder *b, const struct tree *t, const struct flame_meta *m)
{
	str(b, "");
	add_types(b, t->weight);
	add_mapping(b);
	add_comments(b, m);
	b->p->time_nanos = m->iv->wall_ns - min_u64(m->iv->wall_ns, m->iv->duration_ns);
	b->p->duration_nanos = m->iv->duration_ns;
	for (const struct tree_node *n = tree_next(&t->root); n && !b->oom; n = tree_next(n))
		if (n->self)
			add_sample(b, n, t->depth);
}

static int write_gz(FILE *out, const uint8_t *data, size_t len)
{
	z_stream z = {};
	_cleanup_free_ uint8_t *gz = NULL;
	size_t room;
	int err;

	/* 16 over the window bits: with gzip's header. */
	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&z, len);
	gz = malloc(room);
	z.next_in = (uint8_t *)data;
	z.avail_in = len;
	z.next_out = gz;
	z.avail_out = room;
	err = gz ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
	deflateEnd(&z);
	if (err != Z_STREAM_END)
		return -ENOMEM;
	fwrite(gz, 1, z.total_out, out);
	return ferror(out) ? write_error() : 0;
}

int render_pprof(FILE *out, const struct tree *t, const struct flame_meta *m)
{
	struct builder b = {};
	_cleanup_free_ uint8_t *data = NULL;
	size_t len = 0;

	b.p = NEW(&b, Pprof__Profile, PPROF__PROFILE__INIT);
	if (!b.p)
		return -ENOMEM;
	build(&b, t, m);
	if (!b.oom) {
		data = malloc(pprof__profile__get_packed_size(b.p));
		if (data)
			len = pprof__profile__pack(b.p, data);
	}
	tdestroy(b.numbers, free_numbered);
	pprof__profile__free_unpacked(b.p, NULL);
	return data ? write_gz(out, data, len) : -ENOMEM;
}
