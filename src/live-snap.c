// SPDX-License-Identifier: GPL-2.0-only
/* Reading the maps into a snapshot. */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "live-priv.h"
#include "pcpustat.skel.h"

/* CPU time that was neither idle, nor waiting for I/O, nor stolen; guest is part of user. */
static u64 busy_time(void)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq;
	char line[256];

	if (read_line("/proc/stat", line, sizeof(line)) ||
	    sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
		   &iowait, &irq, &softirq) != 7)
		return 0;
	return (user + nice + system + irq + softirq) * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
}

#define BATCH 512

int live_each(int fd, size_t key_size, size_t value_size,
	      int (*each)(void *arg, const void *key, const void *value), void *arg)
{
	_cleanup_free_ char *keys = malloc(BATCH * key_size);
	_cleanup_free_ char *values = malloc(BATCH * value_size);
	u32 in = 0, out = 0, n;
	bool first = true, last = false;

	if (!keys || !values)
		return -ENOMEM;
	while (!last) {
		n = BATCH;
		if (bpf_map_lookup_batch(fd, first ? NULL : &in, &out, keys, values, &n, NULL)) {
			if (errno != ENOENT)
				return -errno;
			last = true;
		}
		for (u32 i = 0; i < n; i++) {
			int err = each(arg, keys + i * key_size, values + i * value_size);

			if (err)
				return err;
		}
		first = false;
		in = out;
	}
	return 0;
}

struct reader {
	struct snap *snap;
	struct info *info;
	u64 epoch;
};

static struct wait_stat unpack(const struct wait_stat *w, u64 epoch)
{
	struct wait_stat out = *w;

	out.max_iv = w->max_iv >> MAX_IV_BITS == epoch ? w->max_iv & ((1ULL << MAX_IV_BITS) - 1) : 0;
	return out;
}

static int read_row(void *arg, const void *key, const void *value)
{
	struct reader *r = arg;
	struct row_stat stat = *(const struct row_stat *)value;

	stat.w = unpack(&stat.w, r->epoch);
	return snap_add_row(r->snap, key, &stat);
}

static int read_stack(void *arg, const void *key, const void *value)
{
	struct reader *r = arg;
	struct wait_stat w = unpack(value, r->epoch);

	return snap_add_stack(r->snap, key, &w);
}

static int read_owner(void *arg, const void *key, const void *value)
{
	struct info *info = ((struct reader *)arg)->info;
	const union kept_key *k = key;
	const union kept_value *v = value;

	if (!k->owner.meta)
		return 0; /* a wait */
	if (grow(&info->owners, &info->cap_owners, info->nr_owners, sizeof(*info->owners)))
		return -ENOMEM;
	info->owners[info->nr_owners].key = k->owner;
	info->owners[info->nr_owners++].owner = v->owner;
	return 0;
}

static int cmp_owner(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct owner_key));
}

static int read_owners(struct live *l, struct reader *r)
{
	int err;

	r->info->nr_owners = 0;
	err = live_each(bpf_map__fd(l->skel->maps.kept), sizeof(union kept_key),
			sizeof(union kept_value), read_owner, r);
	qsort(r->info->owners, r->info->nr_owners, sizeof(*r->info->owners), cmp_owner);
	return err;
}

static u64 missed_runs(const struct bpf_program *p)
{
	struct bpf_prog_info info = {};
	u32 len = sizeof(info);

	if (bpf_program__fd(p) < 0 || bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
		return 0;
	return info.recursion_misses;
}

/*
 * A program that is preempted (7.x) or interrupted in its middle is skipped by whoever comes next
 * on that CPU, kernel/trace/bpf_trace.c, kernel/bpf/trampoline.c: 9ed9e9ba2337 (5.12) counts them.
 * Without a filter it is known what went past: the totals stay exact, of allocations but for their
 * bytes.
 */
static void count_missed(struct live *l, struct snap *s)
{
	const struct cfg *cfg = &l->skel->rodata->cfg;
	bool all = !cfg->filter_tgid && !cfg->filter_tid && !cfg->filter_cpu && !cfg->filter_cgroup;
	struct bpf_program *p;

	bpf_object__for_each_program(p, l->skel->obj) {
		const char *event = strrchr(bpf_program__section_name(p), '/');
		u64 n = missed_runs(p);

		s->lost[LOST_MISSED] += n;
		if (!all || !event)
			continue;
		if (!strcmp(event, "/percpu_alloc_percpu")) {
			s->other_allocs += n;
			s->row_other_allocs += cfg->row_by ? n : 0;
		} else if (!strcmp(event, "/percpu_free_percpu")) {
			s->frees += n;
		} else if (!strcmp(event, "/percpu_alloc_percpu_fail")) {
			s->fails += n;
		}
	}
}

static void count_unfinished(struct live *l, struct snap *s)
{
	int fd = bpf_map__fd(l->skel->maps.kept);
	union kept_key key, *prev = NULL;

	while (!bpf_map_get_next_key(fd, prev, &key)) {
		if (!key.owner.meta && key.wait.lock < NR_LOCKS)
			s->unfinished[key.wait.lock]++;
		prev = &key;
	}
	for (int cpu = 0; cpu < l->nr_cpus; cpu++)
		for (int i = 0; i < NR_LOCKS; i++)
			s->unfinished[i] += l->blocks[cpu].spin[i].start_ns != 0;
}

static int delete_row(struct live *l, const struct row_key *key, struct row_stat *stat)
{
	int fd = bpf_map__fd(l->skel->maps.rows);

	/* Read again: it may have counted between the batch and its end. It is dead now. */
	if (bpf_map_lookup_elem(fd, key, stat))
		return -errno;
	return bpf_map_delete_elem(fd, key) ? -errno : 0;
}

/*
 * A fork storm would fill the table of processes: once it is half full, those that are gone move
 * into other. The totals stay exact, since a dead process counts no more.
 */
static void fold_dead_rows(struct live *l, struct snap *s)
{
	size_t kept = 0;

	if (s->nr_rows < NR_ROWS / 2 || l->skel->rodata->cfg.row_by != ROW_PROCESS)
		return;
	for (size_t i = 0; i < s->nr_rows; i++) {
		struct proc_row *row = &s->rows[i];
		struct row_stat last;

		if (!process_gone(row->key.id) || delete_row(l, &row->key, &last)) {
			s->rows[kept++] = *row;
			continue;
		}
		l->gone.allocs += last.allocs;
		l->gone.alloc_bytes += last.alloc_bytes;
		l->gone.w.waits += last.w.waits;
		l->gone.w.wait_ns += last.w.wait_ns;
	}
	s->nr_rows = kept;
}

static int read_rows(struct live *l, struct reader *r)
{
	struct snap *s = r->snap;
	int err = live_each(bpf_map__fd(l->skel->maps.rows), sizeof(struct row_key),
			    sizeof(struct row_stat), read_row, r);

	fold_dead_rows(l, s);
	s->row_other_allocs += l->gone.allocs;
	s->row_other_bytes += l->gone.alloc_bytes;
	s->row_other_waits += l->gone.w.waits;
	s->row_other_wait_ns += l->gone.w.wait_ns;
	return err;
}

static int read_maps(struct live *l, struct reader *r)
{
	const struct cfg *cfg = (const struct cfg *)&l->skel->rodata->cfg;
	int err = 0;

	if (cfg->row_by)
		err = read_rows(l, r);
	if (!err && cfg->stacks)
		err = live_each(bpf_map__fd(l->skel->maps.stacks), sizeof(struct stack_key),
				sizeof(struct wait_stat), read_stack, r);
	if (!err && cfg->owners)
		err = read_owners(l, r);
	return err;
}

int live_snap(struct live *l, struct info *info, struct snap *s)
{
	struct control *control = &l->skel->bss->control;
	struct reader r = { .snap = s, .info = info, .epoch = control->epoch };
	int err;

	snap_reset(s);
	/* Rows before totals: a row never shows what its total does not have yet. */
	err = read_maps(l, &r);
	control->epoch++;
	for (int cpu = 0; cpu < l->nr_cpus && !err; cpu++)
		if (!l->filter_cpu || l->blocks[cpu].selected)
			err = snap_add_block(s, &l->blocks[cpu], r.epoch);
	s->mono_ns = now_mono();
	s->wall_ns = now_wall();
	s->busy_ns = busy_time();
	count_missed(l, s);
	count_unfinished(l, s);
	snap_sort(s);
	/* The first snapshot is of nothing, so that rows and totals begin together. */
	if (!l->frozen)
		control->live = 1;
	return err ? err : live_name_ustacks(l, info);
}

void live_freeze(struct live *l)
{
	l->frozen = true;
	*(volatile __u64 *)&l->skel->bss->control.live = 0;
}

static u64 map_memory(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	return bytes;
}

static void program_costs(struct live *l, struct self_cost *cost)
{
	struct bpf_program *p;
	char line[8] = "";

	read_line("/proc/sys/kernel/bpf_stats_enabled", line, sizeof(line));
	cost->stats_enabled = line[0] == '1';
	bpf_object__for_each_program(p, l->skel->obj) {
		struct bpf_prog_info pi = {};
		u32 len = sizeof(pi);
		struct prog_cost *c = &cost->programs[cost->nr_programs];

		if (bpf_program__fd(p) < 0 || cost->nr_programs == ARRAY_SIZE(cost->programs) ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(p), &pi, &len))
			continue;
		snprintf(c->name, sizeof(c->name), "%s", bpf_program__name(p));
		c->run_count = pi.run_cnt;
		c->run_ns = pi.run_time_ns;
		cost->nr_programs++;
	}
}

int live_self_cost(struct live *l, struct self_cost *cost)
{
	char line[128];
	unsigned long size, resident = 0;
	struct bpf_map *map;

	memset(cost, 0, sizeof(*cost));
	cost->percpu_allocs = l->self.allocs;
	cost->percpu_allocs_known = l->self.known;
	bpf_object__for_each_map(map, l->skel->obj)
		if (bpf_map__fd(map) >= 0)
			cost->map_bytes += map_memory(bpf_map__fd(map));
	if (!read_line("/proc/self/statm", line, sizeof(line)) &&
	    sscanf(line, "%lu %lu", &size, &resident) == 2)
		cost->rss_bytes = resident * sysconf(_SC_PAGESIZE);
	program_costs(l, cost);
	return 0;
}
