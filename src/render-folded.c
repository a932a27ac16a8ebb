// SPDX-License-Identifier: GPL-2.0-only
#include "render-flame.h"

#include <errno.h>
#include <string.h>

/* The unit of the field is the microsecond; a stack that has any time at all keeps its line. */
static u64 folded_value(const struct tree *t, u64 v)
{
	if (strcmp(weights[t->weight].unit, "ns") || !v)
		return v;
	return max_u64((v + 500) / 1000, 1);
}

static void put_name(FILE *out, const struct tree_node *n)
{
	/* The separator is the one byte that the format cannot carry. */
	for (const char *p = n->name; *p; p++)
		fputc(*p == ';' ? ':' : *p, out);
	if (n->kind == FRAME_KERNEL)
		fputs("_[k]", out);
}

static void put_stack(FILE *out, const struct tree_node *n)
{
	if (n->parent && n->parent->parent) {
		put_stack(out, n->parent);
		fputc(';', out);
	}
	put_name(out, n);
}

int render_folded(FILE *out, const struct tree *t)
{
	for (const struct tree_node *n = tree_next(&t->root); n; n = tree_next(n)) {
		if (!n->self && !n->base_self)
			continue;
		put_stack(out, n);
		if (t->diff)
			fprintf(out, " %llu", folded_value(t, n->base_self));
		fprintf(out, " %llu\n", folded_value(t, n->self));
	}
	return ferror(out) ? write_error() : 0;
}
