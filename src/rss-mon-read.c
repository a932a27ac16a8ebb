// SPDX-License-Identifier: GPL-2.0-only
/* The monitor's counts and tables. */
#include "rss-mon-priv.h"

#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "rssmon.skel.h"

/* All fields are u64 counters, so that a sum needs no list of them. */
static void add_stats(struct rss_stats *to, const struct rss_stats *from)
{
	const u64 *f = (const u64 *)from;
	u64 *t = (u64 *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(u64); i++)
		t[i] += *(const volatile u64 *)&f[i];
}

/* Programs skip an event when they are interrupted by one of their own kind; 9ed9e9ba2337 (5.12). */
static u64 missed(struct rss_mon *m)
{
	struct bpf_program *p;
	u64 sum = 0;

	bpf_object__for_each_program(p, m->skel->obj) {
		struct bpf_prog_info info = {};
		u32 len = sizeof(info);
		int fd = bpf_program__fd(p);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			sum += info.recursion_misses;
	}
	return sum;
}

void rss_mon_read(struct rss_mon *m, struct rss_counts *c)
{
	u64 iv = m->skel->bss->max_iv;

	*c = (struct rss_counts) { .mono_ns = now_mono(), .max_ns = m->skel->bss->max_ns };
	for (int i = 0; i < RSS_SLOTS_NR; i++)
		add_stats(&c->s, &m->skel->bss->stats[i]);
	if (iv >> MAX_IV_BITS == m->skel->bss->epoch)
		c->max_iv_ns = iv & ((1ULL << MAX_IV_BITS) - 1);
	c->missed = missed(m);
}

void rss_mon_next(struct rss_mon *m)
{
	m->skel->bss->epoch++;
}

/* BPF_NOEXIST: what the programs have seen since the census is newer. */
void rss_mon_seed(struct rss_mon *m, const struct rss_census *c)
{
	int lives = bpf_map__fd(m->skel->maps.lives), blocks = bpf_map__fd(m->skel->maps.blocks);
	u64 *lost = m->skel->bss->stats[0].lost;

	for (size_t i = 0; i < c->nr; i++) {
		const struct rss_mm *mm = &c->mms[i];
		struct rss_life life = { .threaded = mm->group_threads > 1, .pid = mm->pid };
		struct rss_block block = { .mm = mm->mm, .state = BLOCK_LIVE, .pid = mm->pid };

		memcpy(life.comm, mm->comm, sizeof(life.comm));
		if (bpf_map_update_elem(lives, &mm->mm, &life, BPF_NOEXIST) && errno == E2BIG)
			__sync_fetch_and_add(&lost[RSS_LOST_MM], 1);
		if (!m->sig.blocks || mm->state != RSS_PERCPU)
			continue;
		for (int k = 0; k < (c->mode == MODE_INDIVIDUAL ? NR_RSS : 1); k++)
			if (bpf_map_update_elem(blocks, &mm->w.ptr[k], &block, BPF_NOEXIST) &&
			    errno == E2BIG)
				__sync_fetch_and_add(&lost[RSS_LOST_BLOCK], 1);
	}
}

bool rss_mon_spoiled(struct rss_mon *m, u64 mm)
{
	struct rss_life life;

	return !bpf_map_lookup_elem(bpf_map__fd(m->skel->maps.lives), &mm, &life) && life.spoiled;
}

void rss_mon_spoil(struct rss_mon *m, u64 mm)
{
	int fd = bpf_map__fd(m->skel->maps.lives);
	struct rss_life life;

	if (bpf_map_lookup_elem(fd, &mm, &life))
		return;
	life.spoiled = 1;
	bpf_map_update_elem(fd, &mm, &life, BPF_EXIST);
}

size_t rss_mon_orphans(struct rss_mon *m, struct rss_orphan *out, size_t max)
{
	int fd = bpf_map__fd(m->skel->maps.blocks);
	u64 key, *prev = NULL;
	struct rss_block b;
	size_t n = 0;

	while (n < max && !bpf_map_get_next_key(fd, prev, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &b) && b.state == BLOCK_DYING)
			out[n++] = (struct rss_orphan) { key, b };
		prev = &key;
	}
	return n;
}

static int cmp_comm(const void *a, const void *b)
{
	const struct rss_comm_row *x = a, *y = b;

	if (x->switches != y->switches)
		return x->switches > y->switches ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

size_t rss_mon_comms(struct rss_mon *m, struct rss_comm_row *out, size_t max)
{
	int fd = bpf_map__fd(m->skel->maps.comms);
	struct rss_comm key, *prev = NULL;
	struct rss_comm_row *rows = calloc(RSS_NR_COMMS, sizeof(*rows));
	size_t n = 0;

	while (rows && n < RSS_NR_COMMS && !bpf_map_get_next_key(fd, prev, &key)) {
		rows[n].key = key;
		if (!bpf_map_lookup_elem(fd, &key, &rows[n].switches))
			n++;
		prev = &key;
	}
	if (n)
		qsort(rows, n, sizeof(*rows), cmp_comm);
	n = n < max ? n : max;
	if (n)
		memcpy(out, rows, n * sizeof(*rows));
	free(rows);
	return n;
}
