// SPDX-License-Identifier: GPL-2.0-only
#include "expect.h"

#include <string.h>
#include <bpf/btf.h>

#include "kernel.h"
#include "probe-facts.h"
#include "rss.h"

/* A path of members from mm_struct, for example "futex", "phash", "ref". */
static bool mm_has(const struct btf *btf, const char *a, const char *b, const char *c)
{
	int id = btf__find_by_name_kind(btf, "mm_struct", BTF_KIND_STRUCT);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);
	const char *path[] = { a, b, c };

	for (size_t i = 0; i < ARRAY_SIZE(path) && path[i] && t; i++)
		t = btf_is_composite(t) ? btf_member_type(btf, t, path[i]) : NULL;
	return t;
}

/* Memory that mm_init makes besides rss_stat, one allocation each. */
static int other_births(const struct btf *btf)
{
	/* mm_cid: 223baf9d17f2 (6.4), in a struct of its own later. */
	bool cid = mm_has(btf, "pcpu_cid", NULL, NULL) || mm_has(btf, "mm_cid", "pcpu", NULL);
	/* Cache-aware scheduling (7.x, CONFIG_SCHED_CACHE). */
	bool cache = mm_has(btf, "sched_cache_grp", NULL, NULL) ||
		     mm_has(btf, "sc_stat", "pcpu_sched", NULL) ||
		     mm_has(btf, "pcpu_sched", NULL, NULL);

	return cid + cache;
}

/* The private futex hash counts its references per CPU from the first thread on (6.17). */
static bool futex_ref(const struct btf *btf)
{
	return mm_has(btf, "futex_ref", NULL, NULL) || mm_has(btf, "futex", "phash", "ref");
}

void expect_facts(struct alloc_facts *f, bool look, char *mode, size_t len)
{
	const struct btf *btf;
	const char *shape;
	int rss;

	*mode = '\0';
	shape = look ? rss_mode_by_census() : NULL;
	if (!shape)
		shape = kernel_rss_mode();
	if (shape)
		snprintf(mode, len, "%s", shape);
	btf = kernel_btf();
	rss = rss_allocs_per_mm(mode);
	f->per_mm = f->per_first_thread = -1;
	if (!btf || rss < 0)
		return;
	f->per_mm = rss + other_births(btf);
	f->per_first_thread = futex_ref(btf) + !strncmp(mode, "lazy", 4);
}

int expect_allocs(const struct op_cost *cost, const struct alloc_facts *f)
{
	if ((cost->mms && f->per_mm < 0) || (cost->first_threads && f->per_first_thread < 0))
		return -1;
	return cost->mms * f->per_mm + cost->first_threads * f->per_first_thread + cost->plain;
}
