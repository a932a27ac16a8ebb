/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks and weights of an interval as a call tree, root first. Pure: no kernel, no output.
 * Frames match by name, never by address, so trees of two kernels can be compared.
 */
#ifndef PCPUSTAT_TREE_H
#define PCPUSTAT_TREE_H

#include "frames.h"
#include "info.h"
#include "snap.h"

enum weight {
	WEIGHT_WAIT,    /* ns from the first try to the lock */
	WEIGHT_SLEEP,   /* ns of them asleep */
	WEIGHT_SPIN,    /* ns of them on the CPU */
	WEIGHT_COUNT,   /* waits */
	WEIGHT_LATENCY, /* ns inside pcpu_alloc */
	WEIGHT_ALLOCS,  /* allocations */
	WEIGHT_BYTES,   /* bytes asked for, of one CPU's copy */
	NR_WEIGHTS
};

struct weight_info {
	const char *name;  /* --weight NAME */
	const char *title; /* of a flame graph */
	const char *event; /* what struct tree_node.count counts, plural */
	const char *unit;  /* of amount: "ns", "bytes"; of the weight where by_count: event */
	bool by_count;     /* the weight is count, else amount */
	bool by_site;      /* from allocation sites and their one sampled stack each */
};
extern const struct weight_info weights[NR_WEIGHTS];

/* -1 when there is no such name. */
int weight_find(const char *name);

enum frame_kind {
	FRAME_ROOT,
	FRAME_LOCK,
	FRAME_COMM,
	FRAME_CGROUP,
	FRAME_USER,
	FRAME_SEP,
	FRAME_KERNEL,
	FRAME_NOTE,
	NR_FRAME_KINDS
};

/*
 * One function below one path of callers. Children are sorted by name. All sums are exact:
 * total = self + the children's totals.
 */
struct tree_node {
	char *name; /* valid UTF-8 without control characters */
	enum frame_kind kind;
	u64 self, total;           /* the weight; in a diff that of the second recording */
	u64 base_self, base_total; /* a diff: of the first recording, else zero */
	u64 count, amount;         /* events whose stack ends here, and their ns or bytes */
	struct tree_node *parent, *child, *next;
};

struct tree {
	enum weight weight;
	bool diff;
	struct tree_node root;
	size_t nr_nodes; /* without the root */
	u32 depth;       /* of the deepest one; the root's children are at 1 */
};

struct tree_opts {
	enum weight weight;
	bool comm;         /* a frame for the command's name, holders by owner always */
	bool cgroup;       /* and for the cgroup */
	bool holders;      /* who made others wait, instead of who waited */
	const bool *locks; /* [NR_LOCKS], NULL: all */
	u64 min_wait_ns;   /* leave out rows whose longest wait was shorter */
};

/*
 * The tree of an interval's stacks. Returns 0, -ENOMEM, or -ENODATA when nothing was measured that
 * has this weight (info tells; an interval without events is an empty tree and 0). tree_free also
 * after a failure.
 */
int tree_build(struct tree *t, const struct info *info, const struct snap *iv,
	       const struct tree_opts *opts);

/* Can a run with this info measure that weight at all? */
bool tree_measured(const struct info *info, const struct tree_opts *opts);

/* Adds base's weights to t as what was before; both of one weight. 0 or -ENOMEM. */
int tree_diff(struct tree *t, const struct tree *base);

/* The next node in depth-first order, parents before children; NULL at the end. */
struct tree_node *tree_next(const struct tree_node *n);

void tree_free(struct tree *t);

#endif
