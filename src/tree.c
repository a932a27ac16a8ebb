// SPDX-License-Identifier: GPL-2.0-only
#include "tree.h"

#include <errno.h>
#include <string.h>

#include "cgroups.h"
#include "text.h"

const struct weight_info weights[NR_WEIGHTS] = {
	[WEIGHT_WAIT] = { "wait", "Time waiting for locks", "waits", "ns", false, false },
	[WEIGHT_SLEEP] = { "sleep", "Time sleeping for locks", "waits", "ns", false, false },
	[WEIGHT_SPIN] = { "spin", "Time spinning for locks", "waits", "ns", false, false },
	[WEIGHT_COUNT] = { "count", "Waits for locks", "waits", "waits", true, false },
	[WEIGHT_LATENCY] = { "latency", "Time inside pcpu_alloc", "calls", "ns", false, false },
	[WEIGHT_ALLOCS] = { "allocs", "Percpu allocations", "allocations", "allocations", true,
			    true },
	[WEIGHT_BYTES] = { "bytes", "Percpu bytes allocated", "allocations", "bytes", false, true },
};

int weight_find(const char *name)
{
	for (int i = 0; i < NR_WEIGHTS; i++)
		if (!strcmp(name, weights[i].name))
			return i;
	return -1;
}

struct tree_node *tree_next(const struct tree_node *n)
{
	if (n->child)
		return n->child;
	while (n && !n->next)
		n = n->parent;
	return n ? n->next : NULL;
}

void tree_free(struct tree *t)
{
	struct tree_node *n = t->root.child, *next;

	/* Each node hands its children up to the front of the list that is still to be freed. */
	while (n) {
		struct tree_node **tail = &n->child;

		while (*tail)
			tail = &(*tail)->next;
		*tail = n->next;
		next = n->child;
		free(n->name);
		free(n);
		n = next;
	}
	memset(t, 0, sizeof(*t));
}

/* One stack on its way into the tree, root first. */
#define PATH_FRAMES (4 + USER_FRAMES + 1 + STACK_FRAMES)
struct path {
	struct {
		const char *name;
		size_t len; /* at most; comm needs no NUL */
		enum frame_kind kind;
	} frame[PATH_FRAMES];
	size_t n;
};

static void push(struct path *p, enum frame_kind kind, const char *name, size_t len)
{
	p->frame[p->n].name = name;
	p->frame[p->n].len = len;
	p->frame[p->n++].kind = kind;
}

static void push_str(struct path *p, enum frame_kind kind, const char *name)
{
	push(p, kind, name, strlen(name));
}

static int node_cmp(const struct tree_node *n, enum frame_kind kind, const char *name)
{
	return n->kind != kind ? (int)n->kind - (int)kind : strcmp(n->name, name);
}

/* The child of that name, made in its sorted place when it is new; owns name. */
static struct tree_node *child(struct tree *t, struct tree_node *parent, enum frame_kind kind,
			       char *name)
{
	struct tree_node **at = &parent->child, *n;

	if (!name)
		return NULL;
	while (*at && node_cmp(*at, kind, name) < 0)
		at = &(*at)->next;
	if (*at && !node_cmp(*at, kind, name)) {
		free(name);
		return *at;
	}
	n = calloc(1, sizeof(*n));
	if (!n) {
		free(name);
		return NULL;
	}
	n->name = name;
	n->kind = kind;
	n->parent = parent;
	n->next = *at;
	*at = n;
	t->nr_nodes++;
	return n;
}

static int tree_add(struct tree *t, const struct path *p, u64 count, u64 amount)
{
	u64 weight = weights[t->weight].by_count ? count : amount;
	struct tree_node *n = &t->root;
	size_t i;

	if (!weight)
		return 0;
	for (i = 0; n && i < p->n; i++)
		n = child(t, n, p->frame[i].kind,
			  text_quote(p->frame[i].name, p->frame[i].len, false));
	if (!n)
		return -ENOMEM;
	t->depth = max_u64(t->depth, p->n);
	n->self += weight;
	n->count += count;
	n->amount += amount;
	for (; n; n = n->parent)
		n->total += weight;
	return 0;
}

/* names are leaf first, and their buffers outlive the path. */
static void push_kernel(struct path *p, const struct ksyms *ksyms, const u64 *ip, size_t n,
			char (*hex)[FRAME_HEX])
{
	const char *names[STACK_FRAMES];
	size_t nr = stack_names(ksyms, ip, n, names, hex);

	while (nr)
		push_str(p, FRAME_KERNEL, names[--nr]);
}

static void push_user(struct path *p, const struct info *info, u64 id)
{
	const struct ustack *s;
	bool unknown = false;

	if (!id)
		return;
	s = ustacks_get(&info->ustacks, id);
	if (!s)
		push_str(p, FRAME_USER, "[unknown]");
	/* How many nameless frames there are in a row says nothing, and makes a tower of them. */
	for (u32 i = s ? s->nr : 0; i; i--) {
		bool last_unknown = unknown;

		unknown = !strcmp(s->frame[i - 1], "[unknown]");
		if (!unknown || !last_unknown)
			push_str(p, FRAME_USER, s->frame[i - 1]);
	}
}

static u64 row_amount(const struct wait_stat *w, enum weight weight)
{
	switch (weight) {
	case WEIGHT_SLEEP:
		return w->sleep_ns;
	case WEIGHT_SPIN:
		return w->spin_ns;
	default:
		return w->wait_ns;
	}
}

static bool row_wanted(const struct stack_row *row, const struct tree_opts *o)
{
	enum stack_kind kind = o->weight == WEIGHT_LATENCY ? STACK_CALL
			       : o->holders                ? STACK_HOLDER
							   : STACK_WAITER;

	if (row->key.kind != kind || row->key.lock >= NR_LOCKS)
		return false;
	if (kind != STACK_CALL && o->locks && !o->locks[row->key.lock])
		return false;
	return row->w.max_ns >= o->min_wait_ns;
}

/* Its path, or buf with its id when it has none any more. */
static const char *cgroup_name(const struct info *info, u64 id, char *buf, size_t len)
{
	const char *path = info->cgroups ? cgroups_path(info->cgroups, id) : NULL;

	snprintf(buf, len, "id:%llu", id);
	return path ? path : buf;
}

static int add_row(struct tree *t, const struct info *info, const struct stack_row *row,
		   const struct tree_opts *o)
{
	const struct stack_key *k = &row->key;
	char hex[STACK_FRAMES][FRAME_HEX], pid[24], cgroup[32];
	struct path p = {};
	size_t before;

	if (k->kind != STACK_CALL)
		push_str(&p, FRAME_LOCK, lock_names[k->lock]);
	if (o->cgroup && k->cgroup)
		push_str(&p, FRAME_CGROUP, cgroup_name(info, k->cgroup, cgroup, sizeof(cgroup)));
	if ((o->comm || k->pid) && k->comm[0])
		push(&p, FRAME_COMM, k->comm, COMM_LEN);
	before = p.n;
	push_user(&p, info, k->user);
	if (p.n > before && k->ip[0])
		push_str(&p, FRAME_SEP, "-");
	push_kernel(&p, info->ksyms, k->ip, STACK_FRAMES, hex);
	if (k->pid) {
		snprintf(pid, sizeof(pid), "pid %u", k->pid);
		push_str(&p, FRAME_NOTE, pid);
	}
	if (p.n == before)
		push_str(&p, FRAME_NOTE, "[no stack]");
	return tree_add(t, &p, row->w.waits, row_amount(&row->w, o->weight));
}

/* Waits that are in no row, known to the totals alone: no room in the table, no holder seen. */
static int add_rest(struct tree *t, const struct snap *iv, u32 lock, const struct tree_opts *o)
{
	enum stack_kind kind = o->holders ? STACK_HOLDER : STACK_WAITER;
	const struct wait_stat *all = &iv->locks[lock].w;
	u64 count = all->waits, amount = row_amount(all, o->weight);
	struct path p = {};

	for (size_t i = 0; i < iv->nr_stacks; i++) {
		const struct stack_row *row = &iv->stacks[i];

		if (row->key.lock != lock || row->key.kind != kind)
			continue;
		count -= min_u64(count, row->w.waits);
		amount -= min_u64(amount, row_amount(&row->w, o->weight));
	}
	push_str(&p, FRAME_LOCK, lock_names[lock]);
	push_str(&p, FRAME_NOTE, o->holders ? "[holder not seen]" : "[no stack]");
	return tree_add(t, &p, count, amount);
}

/* A holder's row has neither spin nor sleep, and by release it counts releases. */
static bool rest_known(const struct info *info, const struct snap *iv, const struct tree_opts *o)
{
	if (o->min_wait_ns || info->cfg.min_wait_ns || o->weight == WEIGHT_LATENCY)
		return false;
	return o->holders ? o->weight == WEIGHT_WAIT : iv->lost[LOST_STACK_FULL];
}

static int add_rows(struct tree *t, const struct info *info, const struct snap *iv,
		    const struct tree_opts *o)
{
	int err = 0;

	for (size_t i = 0; i < iv->nr_stacks && !err; i++)
		if (row_wanted(&iv->stacks[i], o))
			err = add_row(t, info, &iv->stacks[i], o);
	if (!rest_known(info, iv, o))
		return err;
	for (u32 lock = 0; lock < NR_LOCKS && !err; lock++)
		if (!o->locks || o->locks[lock])
			err = add_rest(t, iv, lock, o);
	return err;
}

static int cmp_owner(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct owner_key));
}

/* An exact count under the one stack that was sampled when the site was new. */
static int add_site(struct tree *t, const struct info *info, const struct site *site)
{
	struct owner_key key = { site->call_site, site->meta };
	const struct owner_row *row = NULL;
	char hex[STACK_FRAMES][FRAME_HEX];
	struct path p = {};

	if (info->nr_owners)
		row = bsearch(&key, info->owners, info->nr_owners, sizeof(*row), cmp_owner);
	if (row)
		push_kernel(&p, info->ksyms, row->owner.ip, OWNER_FRAMES, hex);
	else if (site->call_site)
		push_kernel(&p, info->ksyms, &site->call_site, 1, hex);
	if (!p.n)
		push_str(&p, FRAME_NOTE, "[no stack]");
	return tree_add(t, &p, site->allocs, site->allocs * SITE_SIZE(site->meta));
}

static int add_sites(struct tree *t, const struct info *info, const struct snap *iv)
{
	struct path other = {};

	for (size_t i = 0; i < iv->nr_sites; i++)
		if (add_site(t, info, &iv->sites[i]))
			return -ENOMEM;
	push_str(&other, FRAME_NOTE, "[other]");
	return tree_add(t, &other, iv->other_allocs, iv->other_bytes);
}

bool tree_measured(const struct info *info, const struct tree_opts *o)
{
	if (weights[o->weight].by_site)
		return info->backend[SIG_ALLOCATIONS][0];
	if (o->weight == WEIGHT_LATENCY)
		return info->backend[SIG_LATENCY][0] && info->cfg.call_stacks;
	if (!info->backend[SIG_LOCK_WAITS][0] || !info->cfg.stacks)
		return false;
	if (o->holders)
		return info->cfg.holders && (o->weight == WEIGHT_WAIT || o->weight == WEIGHT_COUNT);
	return info->locks_split || (o->weight != WEIGHT_SLEEP && o->weight != WEIGHT_SPIN);
}

int tree_build(struct tree *t, const struct info *info, const struct snap *iv,
	       const struct tree_opts *opts)
{
	memset(t, 0, sizeof(*t));
	t->weight = opts->weight;
	if (!tree_measured(info, opts))
		return -ENODATA;
	if (weights[opts->weight].by_site)
		return add_sites(t, info, iv);
	return add_rows(t, info, iv, opts);
}

/* base is a node of the other tree that stands at the same path as n. */
static int diff_node(struct tree *t, struct tree_node *n, const struct tree_node *base)
{
	n->base_self = base->self;
	n->base_total = base->total;
	for (const struct tree_node *b = base->child; b; b = b->next) {
		struct tree_node *c = child(t, n, b->kind, strdup(b->name));

		if (!c || diff_node(t, c, b))
			return -ENOMEM;
	}
	return 0;
}

int tree_diff(struct tree *t, const struct tree *base)
{
	t->diff = true;
	t->depth = max_u64(t->depth, base->depth);
	return diff_node(t, &t->root, &base->root);
}
